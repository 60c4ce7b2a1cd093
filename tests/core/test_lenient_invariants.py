"""The promises of the lenient dialect, L1 to L12, as properties of random texts."""

from __future__ import annotations

import importlib
import json
from random import Random
from typing import Any

import pytest

from builds import BUILDS
from costs import assert_linear
from lenient_cases import REPAIRED
from lenient_texts import broken, cut_at_random, grows, has_duplicates, read, valid
from model import cuttings, exactly

# how many each property tries
TEXTS = 120
each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))


def lenient(midstream: Any, kind: str = "JsonFragmentAccumulator", **options: Any) -> Any:
    return getattr(midstream, kind)(on_error="event", dialect="lenient", **options)


@each_build
def test_l1_any_cut_gives_the_same_updates_repairs_and_positions(midstream: Any) -> None:
    for seed in range(TEXTS):
        text = broken(seed)
        expected, _ = read(midstream, [text])
        rng = Random(seed)
        for fragments in ([*text], cut_at_random(rng, text), cut_at_random(rng, text)):
            assert read(midstream, fragments)[0] == expected, (seed, fragments)


@each_build
def test_l3_nothing_is_retracted(midstream: Any) -> None:
    for seed in range(TEXTS):
        text = broken(seed)
        fragments = lenient(midstream)
        if has_duplicates([*fragments.add_fragment(text), *fragments.finish()]):
            continue
        accumulator = lenient(midstream, "JsonValueAccumulator")
        last = midstream.UNDEFINED
        for character in text:
            accumulator.add_fragment(character)
            value = accumulator.value
            assert last is midstream.UNDEFINED or grows(last, value), (seed, text)
            last = value


@each_build
def test_l4_valid_text_gives_the_strict_result_and_no_repairs(midstream: Any) -> None:
    for seed in range(TEXTS):
        text, value = valid(seed)
        strict, _ = read(midstream, [text], "strict")
        rows, accumulator = read(midstream, [text])
        assert rows == strict, seed
        assert accumulator.repairs == ()
        assert exactly(midstream.parse_partial(f"[{text}]")[0]) == exactly(value)


@each_build
def test_l8_truncated_stays_truncated(midstream: Any) -> None:
    for seed in range(TEXTS):
        text, value = valid(seed)
        for end in range(0, len(text), 7):
            strict, _ = read(midstream, [text[:end]], "strict")
            rows, accumulator = read(midstream, [text[:end]])
            assert rows == strict, (seed, end)
            if isinstance(value, (dict, list)) and end < len(text.rstrip()):
                assert accumulator.error.code == "truncated"
        # with mistakes: the end of the input closes no container
        accumulator = lenient(midstream)
        accumulator.add_fragment(broken(seed))
        assert not any(update.kind in ("EndObject", "EndArray") for update in accumulator.finish()), seed


@each_build
def test_l5_without_repairs_and_errors_strict_parsing_accepts_the_text(midstream: Any) -> None:
    for seed in range(TEXTS):
        text = broken(seed)
        strict = midstream.JsonFragmentAccumulator(on_error="event")
        strict.add_fragment(text)
        strict.finish()
        _, accumulator = read(midstream, [text])
        is_clean = not accumulator.repairs and accumulator.error is None
        assert is_clean == (strict.error is None), seed
        if accumulator.repairs:
            # the first repair is where strict parsing stops
            first, error = accumulator.repairs[0], strict.error
            assert first[2:5] == (error.index, error.line, error.column), seed


@each_build
def test_l6_repairs_are_in_text_order_and_the_same_everywhere(midstream: Any) -> None:
    for seed in range(TEXTS):
        text = broken(seed)
        fragments = lenient(midstream)
        updates = [*fragments.add_fragment(text), *fragments.finish()]
        found = [update.repair for update in updates if update.kind == "Repair"]
        assert tuple(found) == fragments.repairs
        assert len(found) == fragments.repair_count
        indices = [repair.index for repair in found]
        assert indices == sorted(indices), seed
        values = lenient(midstream, "JsonValueAccumulator")
        values.add_fragment(text)
        values.finish()
        assert values.repairs == fragments.repairs, seed


@each_build
def test_l7_look_ahead_is_bounded(midstream: Any) -> None:
    # without white space, at most two punctuation characters and a name are held back
    for seed in range(TEXTS):
        text = broken(seed)
        accumulator = lenient(midstream)
        for character in text:
            accumulator.add_fragment(character)
            held = accumulator.checkpoint()["grammar"].get("lenient", {}).get("held", "")
            held = held if isinstance(held, str) else "".join(held)
            assert len("".join(held.split())) <= 70, (seed, held)


@each_build
def test_l9_checkpoints_inside_every_look_ahead(midstream: Any) -> None:
    texts = [case.text for case in REPAIRED[::3]] + [broken(seed) for seed in range(TEXTS // 2)]
    for text in texts:
        expected, _ = read(midstream, [text])
        accumulator = lenient(midstream)
        updates: list[Any] = []
        for character in text:
            updates += accumulator.add_fragment(character)
            data = json.loads(json.dumps(accumulator.checkpoint()))
            accumulator = midstream.JsonFragmentAccumulator.restore(data)
        updates += accumulator.finish()
        assert [str(update.kind) for update in updates if update.kind != "PartialString"] == [
            row[0] for row in expected if row[0] != "PartialString"
        ], text
        assert list(accumulator.repairs) == [update.repair for update in updates if update.kind == "Repair"]


@each_build
def test_l10_the_value_is_json(midstream: Any) -> None:
    for seed in range(TEXTS):
        text = broken(seed)
        accumulator = lenient(midstream, "JsonValueAccumulator")
        accumulator.add_fragment(text)
        accumulator.finish()
        # the updates follow from each other, and build the same value
        fragments = lenient(midstream)
        rebuilder = midstream.JsonFragmentRebuilder()
        rebuilder.apply([*fragments.add_fragment(text), *fragments.finish()])
        assert exactly(rebuilder.value) == exactly(accumulator.value), seed
        if accumulator.error is None and accumulator.value is not midstream.UNDEFINED:
            strict = midstream.JsonValueAccumulator()
            strict.add_fragment(json.dumps(accumulator.value, allow_nan=False))
            strict.finish()
            assert exactly(strict.value) == exactly(accumulator.value), seed


@pytest.mark.deep
@each_build
@pytest.mark.parametrize("promise", [name for name in dir() if name.startswith("test_l")])
def test_promises_of_ten_thousand_texts(
    midstream: Any, promise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "TEXTS", 10_000)
    globals()[promise](midstream)


@each_build
@pytest.mark.parametrize(
    ("limits", "text", "code", "index"),
    [
        ({"max_string": 5}, '{"a": "x" yyyyyy"}', "string_limit", 12),
        ({"max_string": 5}, "{'a': 'xxxxxxx'}", "string_limit", 12),
        ({"max_string": 5}, '{"a": hello you}', "string_limit", 11),
        ({"max_string": 2}, "{abc: 1}", "string_limit", 3),
        ({"max_string": 2}, r'["\d\d"]', "string_limit", 4),
        ({"max_number": 3}, "[12345]", "number_limit", 4),
        ({"max_number": 3}, "[0x1234]", "number_limit", 4),
        ({"max_string": 2}, '["ab\ncd\n"]', "string_limit", 4),
        ({"max_string": 3}, '["a\nbcd\n"]', "string_limit", 5),
        ({"max_string": 3}, '["a\nb\n\n"]', "string_limit", 5),
        ({"max_number": 3}, "[2024-01-15]", "number_limit", 4),
        ({"max_number": 1}, "+1161=", "number_limit", 1),
        ({"max_number": 6}, '{"a": 1,234,567, "b": 1}', "number_limit", 12),
        ({"max_depth": 1}, "[(1)]", "depth_limit", 1),
        ({"max_string": 81}, "{%s yy: 1}" % ("x" * 79), "string_limit", 82),
        ({"max_document": 6}, '{"a": "b" , c: 1}', "document_limit", 6),
        ({"max_document": 12}, '["a", tru e, 1]', "document_limit", 12),
        ({"max_document": 10}, '["a"      , b"]', "document_limit", 10),
    ],
)
def test_l11_limits_hold_during_look_ahead(
    midstream: Any, limits: dict[str, int], text: str, code: str, index: int
) -> None:
    for fragments in ([text], [*text], [text[:7], text[7:]]):
        accumulator = lenient(midstream, limits=midstream.Limits(**limits))
        for fragment in fragments:
            accumulator.add_fragment(fragment)
        line, column = text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)
        assert accumulator.error[0::2] == (code, index, column), fragments
        assert accumulator.error.line == line


@each_build
@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({"max_string": 9}, '{"a": "x" yyyyyy"}'),
        ({"max_string": 7}, "{'a': 'xxxxxxx'}"),
        ({"max_string": 9}, '{"a": hello you}'),
        ({"max_string": 3}, "{abc: 1}"),
        ({"max_string": 82}, "{%s yy: 1}" % ("x" * 79)),
        ({"max_string": 4}, r'["\d\d"]'),
        ({"max_string": 2}, r'["\x41\u{1F600}", {"\x41\u{1F600}": 1}]'),
        ({"max_string": 1}, r"['\'', '\n', '\ud83d\ude00', '']"),
        ({"max_string": 4}, '["a" + "bcd"]'),
        ({"max_string": 3}, '["""a"b""", \'\'\'a"b\'\'\']'),
        ({"max_string": 6}, '["ab\ncd\n"]'),
        ({"max_string": 2}, '{"a": "bc, "de": 1}'),
        ({"max_string": 2}, r"{\"ab\": \"cd\"}"),
        ({"max_number": 5}, "[12345, -1234]"),
        ({"max_number": 6}, "[0x1234, 1_0000]"),
        ({"max_number": 9}, '{"a": 1,234,567, "b": 1}'),
        ({"max_depth": 2}, '[(1), {"a": 1}]'),
    ],
)
def test_l11_a_limit_that_is_reached_is_no_error(midstream: Any, limits: dict[str, int], text: str) -> None:
    for fragments in cuttings(text):
        accumulator = lenient(midstream, limits=midstream.Limits(**limits))
        for fragment in fragments:
            accumulator.add_fragment(fragment)
        accumulator.finish()
        assert accumulator.error is None, fragments


@each_build
@pytest.mark.parametrize(
    "text",
    [
        r'["a\nb\x41c\u{1F600}\ud83d\ude00 \d"d"ef" + "gh"]',
        "['''ab\n\n\"c''']",
        r'["a\"b\"\"\\c" x"]',
        "[abc def]",
        '{"a": "bc, d, "e": 1}',
        '["""ab\n"c"""]',
        r"[\"ab\\nc\\\"d\"]",
    ],
)
def test_l11_a_string_that_is_too_long_is_reported_up_to_its_limit(midstream: Any, text: str) -> None:
    [complete] = [row[2] for row in read(midstream, [text])[0] if row[0] == "CompleteString"]
    for limit in range(len(complete)):
        for fragments in ([text], [*text]):
            rows, accumulator = read(midstream, fragments, limits=midstream.Limits(max_string=limit))
            assert "".join(row[2] for row in rows if row[0] == "PartialString") == complete[:limit]
            assert accumulator.error.code == "string_limit"


@each_build
def test_l11_further_repairs_are_only_counted(midstream: Any) -> None:
    accumulator = lenient(midstream, limits=midstream.Limits(max_repairs=3))
    updates = accumulator.add_fragment("[1,,,,,,2]")
    assert len(accumulator.repairs) == 3
    assert accumulator.repair_count == 5
    assert [update.kind for update in updates].count("Repair") == 3
    restored = midstream.JsonFragmentAccumulator.restore(accumulator.checkpoint())
    assert (restored.repairs, restored.repair_count) == (accumulator.repairs, 5)


def test_l12_strict_parsing_does_not_enter_the_dialect(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many instructions it takes is what `make bench-check` compares; here it takes no other way."""
    plain = BUILDS["plain"]
    grammar = importlib.import_module(f"{plain.__name__}.core.grammar")

    def refuse(*arguments: Any) -> Any:
        raise AssertionError(arguments)

    for name in (
        "begin_bare", "begin_string", "continue_lenient", "note_line", "read_bare_string", "repair",
        "resumed", "take_back",
    ):  # fmt: skip
        monkeypatch.setattr(grammar, name, refuse)
    for seed in range(TEXTS):
        for text in (valid(seed)[0], broken(seed)):
            for policy in ("event", "recover"):
                accumulator = plain.JsonFragmentAccumulator(on_error=policy)
                for character in text:
                    accumulator.add_fragment(character)
                accumulator.finish()
    with pytest.raises(AssertionError):
        plain.JsonFragmentAccumulator(dialect="lenient").add_fragment("[1,]")


SHAPES = {
    "brackets and quotes": ("", '["'),
    "inner quotes": ('{"x": "', '"a"b '),
    "inner quotes of an array": ('["', '"a" b '),
    "commas and names": ('{"x": "', ', "a" b'),
    "commas and lines": ('{"x": "', ",\n "),
    "an open comment": ("[1, ", "/* "),
    "braces": ("", "{"),
    "escapes": ('["', "\\u{"),
    "spaces after a quote": ('["x"', " "),
    "spaces after a comma": ('{"x": "y", ', " "),
    "spaces in a value": ('{"x": y', " "),
    "digits": ("[", "1"),
    "thousands": ('{"x": 1', ",234"),
    "hexadecimal digits": ("[0x", "a"),
    "underscores": ("[1", "_1"),
    "signs": ("[", "-"),
    "exponents": ("[1", "e+"),
    "backslashes": ("[", "\\"),
    "escaped space": ("{", "\\n"),
    "words": ("[", "null "),
    "bare words": ('{"a": x', ", y"),
    "quotes of a key": ('{"a', '"'),
    "names": ("{", "a"),
    "quotes": ('["', '"'),
    "triple quotes": ('["""', '"" '),
    "dots": ("[", "... "),
    "wrong closers": ("[1, ", "} "),
    "parentheses": ("[", "("),
}


@each_build
@pytest.mark.parametrize("size", [1, 4000], ids=["by character", "in pieces"])
def test_l2_hostile_texts_take_linear_time(midstream: Any, size: int) -> None:
    limits = midstream.Limits(max_depth=None, max_number=None)
    base = 6_000 if midstream.COMPILED else 1_500

    def prepare(begin: str, shape: str, length: int) -> Any:
        text = begin + shape * (length // len(shape))
        fragments = [text[i : i + size] for i in range(0, len(text), size)]

        def run() -> None:
            accumulator = lenient(midstream, "JsonValueAccumulator", limits=limits)
            for fragment in fragments:
                accumulator.add_fragment(fragment)

        return run

    for begin, shape in SHAPES.values():
        assert_linear(lambda length, begin=begin, shape=shape: prepare(begin, shape, length), base)  # type: ignore[misc]
