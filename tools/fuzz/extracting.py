"""The documents, the prose and the reasoning of an answer are the same wherever it is cut.

Any text is an answer. Its parts do not depend on the cut, the build, or whether it comes as str or bytes; a
checkpoint may be taken anywhere; a document has the value of `json.loads` if it is valid; and nothing of a
text without a document is lost.
"""

from __future__ import annotations

import json
from typing import Any

from builds import BUILDS
from extraction import extracted, shape
from model import exactly

from .choices import Choices
from .documents import cut, damaged, document, has_surrogates

__all__ = ["check"]

PIECES = (
    *"{}[]\"'`~<>:,#/\\\n x1-.(*|",
    "```", "~~~", "```json\n", "```python\n", "\n```\n", "````\n", "<think>", "</think>", "<thinking>", "\n[",
    "{}", '{"a": 1}', "[1, 2]", '{"a"', "name", "[1]", "\ufeff", "ü", "true", "\n> ", "\n- ", "1. ", "[x](y)",
    "{x}", "Here is the JSON:\n", "Result: ", "None", "\r\n", "\t", "    ", "\u2028", "\ud83c", "\udf27",
    "\x00",
)  # fmt: skip


def check(data: bytes) -> None:
    choices = Choices(data)
    options = {
        "dialect": choices.pick(("strict", "lenient")),
        "pick": choices.pick(("first", "all")),
        "thinking": choices.pick(("auto", "open", None)),
        "on_error": choices.pick(("raise", "event", "recover")),
    }
    parts = []
    for _ in range(choices.below(12)):
        kind = choices.below(5)
        if kind < 3:
            parts.append(choices.pick(PIECES))
        else:
            written = document(choices)
            parts.append(damaged(choices, written) if kind == 4 else written)
    text = "".join(parts)
    expected = extracted(BUILDS["plain"], [text], **options)
    for build in BUILDS.values():
        assert extracted(build, [text], **options) == expected
        pieces = cut(choices, text)
        if has_surrogates(text) or not text.isascii():
            # the two parts of a pair count as two characters within a document
            assert shape(extracted(build, pieces, **options)) == shape(expected)
        else:
            assert extracted(build, pieces, **options) == expected
            assert extracted(build, cut(choices, text.encode()), **options) == expected
        check_checkpoints(build, pieces, options)
        if not has_surrogates(text):
            check_values(build, text)


def check_checkpoints(build: Any, pieces: list[Any], options: dict[str, Any]) -> None:
    """A saved extractor continues as the other does."""
    one, other = build.JsonExtractor(**options), build.JsonExtractor(**options)
    for piece in pieces[:30]:
        other = build.JsonExtractor.restore(json.loads(json.dumps(other.checkpoint())))
        outcomes = []
        for extractor in (one, other):
            try:
                outcomes.append(repr(extractor.add_fragment(piece)))
            except build.JsonStreamError as error:
                outcomes.append(repr((str(error), error.events)))
        assert outcomes[0] == outcomes[1]
        if one.error is not None:
            return


def check_values(build: Any, text: str) -> None:
    """The values of the documents are those that their updates build."""
    try:
        found = build.parse_partial(text, extract=True, pick="all")
    except build.JsonStreamError:
        return
    rebuilder = build.JsonFragmentRebuilder()
    values = []
    for update in build.updates([text], extract=True, pick="all", on_error="event"):
        rebuilder.apply([update])
        if rebuilder.is_complete:
            values.append(rebuilder.value)
            rebuilder.reset()
    # one that only the end of the text tells from prose is not in the partial value
    count = min(len(found), len(values))
    assert exactly(found[:count]) == exactly(values[:count])
