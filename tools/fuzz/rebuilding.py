"""Updates come together to the value of their text; what does not fit is refused and leaves no trace.

The updates of a document, as objects, in their wire form or through JSON, in batches of any size, give the
value of `json.loads`, also without Key and StartString. Streams that were changed, or made up, raise nothing
but `JsonStreamError`. A refused batch changes nothing that shows, and nothing that does not: a rebuilder that
never saw it continues in the same way. Both builds agree at every step.
"""

from __future__ import annotations

import json
from typing import Any

from builds import BUILDS
from model import exactly

from .choices import Choices
from .documents import WORDS, altered, anything, cut, document, has_surrogates, limits_for, options, value

__all__ = ["check"]

PATHS = (
    "root", "root.a", "root.b", "root.a.b", "root.a.a", "root[0]", "root[1]", "root[0].a", "root.a[0]",
    "root.a[1]", "root[0][0]", "root[0][1]", "", "a", "[0]", 'root["a.b"]', 'root[""]', "x", "root..",
    "root[", "args", "args.a", 'root["a"]', 'root["a"].b', "root.a.b.a", 'root["a"]["b"]', "root[00]",
    'root["\\u0061"]',
)  # fmt: skip
KINDS = (
    "StartObject", "EndObject", "StartArray", "EndArray", "Key", "StartString", "PartialString",
    "CompleteString", "CompleteNumber", "CompleteBoolean", "CompleteNull", "JsonComplete", "Error",
    "partialString", "none",
)  # fmt: skip
TEXTS = (
    "", "x", "xy", "a", "b", "1", "-0", "1e999", "true", "null", "\ud83d", "\ude00", "\U0001f600",
    "q\ud83d",
)  # fmt: skip
Batches = list[list[dict[str, Any]]]


def check(data: bytes) -> None:
    choices = Choices(data)
    kind = choices.below(4)
    if kind == 0:
        check_document(choices)
        return
    given = options(choices)
    batches = made_up(choices) if kind == 1 else of_text(choices, given)
    root = choices.pick((None, None, "root", "", "args"))
    if kind > 1:
        for _ in range(1 + choices.below(4)):
            batches = changed(choices, batches)
    results = [observe(build, batches, root, given) for build in BUILDS.values()]
    for other in results[1:]:
        assert other == results[0]


def check_document(choices: Choices) -> None:
    """What the accumulator gives is put together again, whatever is left out of it."""
    form = choices.below(3)
    # FINDING 7: a pair that was cut in two is refused when it was read with `from_wire` first
    text = document(choices, surrogates=form < 2 and choices.one_in(4))
    fragments = cut(choices, text)
    left_out = choices.pick(((), (), ("StartString",), ("Key",)))
    for build in BUILDS.values():
        accumulator = build.JsonFragmentAccumulator()
        values = build.JsonValueAccumulator()
        rebuilder = build.JsonFragmentRebuilder()
        for fragment in fragments:
            updates = [u for u in accumulator.add_fragment(fragment) if u.kind not in left_out]
            rebuilder.apply(in_form(build, updates, form))
            values.add_fragment(fragment)
            if form == 0 and not left_out:
                assert exactly(rebuilder.value) == exactly(values.value)
                assert rebuilder.open_path == values.open_path
        rebuilder.apply(in_form(build, accumulator.finish(), form))
        assert rebuilder.is_complete
        # in JSON two surrogates side by side are one character
        if form == 0 or not has_surrogates(text):
            assert exactly(rebuilder.value) == exactly(json.loads(text))


def in_form(build: Any, updates: list[Any], form: int) -> list[Any]:
    if form == 0:
        return updates
    wire = [build.to_wire(update) for update in updates]
    return wire if form == 1 else [build.from_wire(plain) for plain in json.loads(json.dumps(wire))]


def of_text(choices: Choices, given: dict[str, Any]) -> Batches:
    build = BUILDS["plain"]
    text = anything(choices)
    on_error = choices.pick(("event", "recover"))
    accumulator = build.JsonFragmentAccumulator(on_error=on_error, **limits_for(build, given))
    fragments = cut(choices, text)[:40]
    batches = [[build.to_wire(u) for u in accumulator.add_fragment(fragment)] for fragment in fragments]
    return [*batches, [build.to_wire(update) for update in accumulator.finish()]]


def made_up(choices: Choices) -> Batches:
    return [[update(choices) for _ in range(1 + choices.below(3))] for _ in range(1 + choices.below(12))]


def update(choices: Choices) -> dict[str, Any]:
    made: dict[str, Any] = {"path": choices.pick(PATHS), "kind": choices.pick(KINDS)}
    if choices.below(4):
        made["textValue"] = choices.pick(TEXTS)
    if choices.one_in(3):
        made["value"] = choices.pick((1, 1.5, True, False, None, "x", "a", {}, [], float("inf")))
    if made["kind"] == "Error" and choices.below(2):
        made["error"] = choices.pick(({"code": "truncated", "index": 1, "line": 1, "column": 2}, {}, 5))
    return made


def changed(choices: Choices, batches: Batches) -> Batches:
    """Leave out, double, exchange or alter an update; or join, split and double batches."""
    batches = [list(batch) for batch in batches]
    full = [at for at, batch in enumerate(batches) if batch]
    if not full:
        return [*batches, [update(choices)]]
    batch = batches[choices.pick(full)]
    at = choices.below(len(batch))
    act = choices.below(9)
    if act == 0:
        del batch[at]
    elif act == 1:
        batch.insert(at, batch[choices.below(len(batch))])
    elif act == 2:
        batch[at - 1], batch[at] = batch[at], batch[at - 1]
    elif act == 3:
        batch.insert(at, update(choices))
    elif act == 4:
        batch[at] = altered(choices, batch[at])
    elif act == 5:
        batch[at] = {
            **batch[at],
            choices.pick(("path", "kind", "textValue", "value", "error")): value(choices),
        }
    elif act == 6:
        batch[at] = {**batch[at], "path": choices.pick(PATHS + WORDS)}
    elif act == 7:
        batches.append([item for batch in batches for item in batch])
    else:
        batches.insert(choices.below(len(batches)), list(batch))
    return batches


def observe(build: Any, batches: Batches, root: str | None, given: dict[str, Any]) -> list[str]:
    limits = build.Limits(*given["limits"])
    rebuilder = build.JsonFragmentRebuilder(root=root, limits=limits)
    undisturbed = build.JsonFragmentRebuilder(root=root, limits=limits)
    results = []
    for batch in batches:
        before = shown(rebuilder)
        result: Any
        try:
            result = rebuilder.apply(batch)
        except build.JsonStreamError as error:
            result = (str(error), str(error.code), error.index, error.path)
            assert shown(rebuilder) == before, "a refused batch left a trace"
        else:
            assert undisturbed.apply(batch) is result
            if not result:
                assert shown(rebuilder)[0] == before[0]
        now = shown(rebuilder)
        assert now == shown(undisturbed), "a refused batch made a difference"
        results.append(exactly((result, now)))
    return results


def shown(rebuilder: Any) -> tuple[str, ...]:
    error = rebuilder.error and (str(rebuilder.error.code), *rebuilder.error[1:])
    return exactly(rebuilder.value), exactly((rebuilder.is_complete, rebuilder.open_path, error))
