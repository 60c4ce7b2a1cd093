"""Patches applied one after the other are the value so far; a patch that cannot be applied changes nothing.

`JsonPatchWriter` turns the updates of each fragment into a patch; applied, the patches are what
`JsonValueAccumulator` shows, and at the end what `json.loads` reads. Patches that are changed or made up
raise nothing but `JsonStreamError`, and neither the value nor the patch changes. Both builds agree.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from builds import BUILDS
from model import exactly

from .choices import Choices
from .documents import altered, cut, document, value

__all__ = ["check"]

NAMES = ("add", "remove", "replace", "move", "copy", "test", "append", "none", "")
POINTERS = (
    "", "/", "/a", "/b", "/a/b", "/a/0", "/0", "/1", "/-", "/a/-", "/00", "/01", "/a~1b", "/a~0", "/~", "/~2",
    "a", "/0/0", "/a/a", "//", "/99999999999999999999", "/é",
)  # fmt: skip


def check(data: bytes) -> None:
    choices = Choices(data)
    if choices.below(2):
        check_writer(choices)
    else:
        check_patches(choices)


def check_writer(choices: Choices) -> None:
    # a surrogate pair that is cut is one character in the value, and two in its patches
    text = document(choices)
    fragments = [*cut(choices, text), None]
    append, base = choices.one_in(2), choices.pick(("", "/a~1b"))
    results = []
    for build in BUILDS.values():
        values, updates = build.JsonValueAccumulator(), build.JsonFragmentAccumulator()
        writer = build.JsonPatchWriter(base=base, append=append)
        shown: Any = {} if base else None
        patches = []
        for fragment in fragments:
            if fragment is None:
                found = updates.finish()
                values.finish()
            else:
                found = updates.add_fragment(fragment)
                values.add_fragment(fragment)
            ops = writer.add_updates(found)
            patches.append(ops)
            # what is sent is JSON
            shown = build.apply_patch(shown, json.loads(json.dumps(ops)))
            if values.value is not build.UNDEFINED:
                expected = {"a/b": values.value} if base else values.value
                assert exactly(shown) == exactly(expected)
        results.append(exactly(patches))
        assert exactly(values.value) == exactly(json.loads(text))
    assert len(set(results)) == 1


def check_patches(choices: Choices) -> None:
    before = value(choices)
    ops: Any = [operation(choices) for _ in range(1 + choices.below(5))]
    for _ in range(choices.below(3)):
        ops = altered(choices, ops)
    if not isinstance(ops, list):
        ops = [ops]
    kept = copy.deepcopy((before, ops))
    results = []
    for build in BUILDS.values():
        try:
            after = build.apply_patch(before, ops)
        except build.JsonStreamError as error:
            results.append(exactly((str(error), str(error.code), error.path)))
        else:
            results.append(exactly(after))
        assert exactly((before, ops)) == exactly(kept), "an applied patch has changed its arguments"
    assert len(set(results)) == 1, results


def operation(choices: Choices) -> dict[str, Any]:
    made: dict[str, Any] = {"op": choices.pick(NAMES), "path": choices.pick(POINTERS)}
    if choices.below(4):
        made["value"] = value(choices, 2)
    if choices.one_in(2):
        made["from"] = choices.pick(POINTERS)
    return made
