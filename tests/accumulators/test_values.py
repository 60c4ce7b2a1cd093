"""The value accumulator and its one-liners: the table, what is shown of unfinished text, checkpoints."""

from __future__ import annotations

import asyncio
import copy
import json
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from builds import BUILDS
from cases import ACCEPTED, REJECTED, Accepted, Rejected
from model import (
    NOTHING,
    Item,
    NaiveLimits,
    NaiveParser,
    characters,
    cuttings,
    exactly,
    fold,
    naive,
    pieces,
    run,
    two_way_cuts,
    within,
)
from tables import each_case
from test_table import error_of, forms, limits_of, model_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

pytestmark = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
each_accepted = each_case("case", {case.name: case for case in ACCEPTED})
each_rejected = each_case("case", {case.name: case for case in REJECTED})

# what puts something into the value, or more text into a string of it
CHANGES = {
    "StartObject", "StartArray", "StartString", "PartialString",
    "CompleteNumber", "CompleteBoolean", "CompleteNull",
}  # fmt: skip

RICH = (
    '\ufeff {"key \\"1\\" \\ud83d\\ude00": [true, false, null, -12.5e+3, 0, 1E400, '
    '"a\\n\\u00e9\\ud83d\\ude00\\ud83dz"],\n'
    ' "": {"\u20ac": "\U0001f600 \u00e9"}, "a.b": [[], {}, [[1]]], "dup": {"x": 1}, "dup": [2, {"y": "z"}],'
    ' "\\ud83d": "\\ude00\\ud83d", "o": {"p": {"q": [{"r": "s"}]}}} '
)


def seen(midstream: Any, value: Any) -> Any:
    """Write a value as the model does, which has its own nothing."""
    return NOTHING if value is midstream.UNDEFINED else value


def feed(midstream: Any, fragments: Iterable[str | bytes], **options: Any) -> Any:
    """Make an accumulator and feed it."""
    acc = midstream.JsonValueAccumulator(**options)
    for fragment in fragments:
        acc.add_fragment(fragment)
    return acc


def caught(midstream: Any, call: Callable[[], Any]) -> Any:
    """Return the error that a call must raise."""
    with pytest.raises(midstream.JsonStreamError) as info:
        call()
    return info.value


def feed_all(midstream: Any, acc: Any, fragments: Iterable[str | bytes]) -> Any:
    """Feed and finish; give the error, None if there is none."""
    try:
        for fragment in fragments:
            acc.add_fragment(fragment)
        acc.finish()
    except midstream.JsonStreamError as error:
        return error
    return None


def has_repeated_keys(text: str | bytes) -> bool:
    """Say whether a later member replaces an earlier one."""
    found = False

    def members(pairs: list[tuple[str, Any]]) -> None:
        nonlocal found
        found |= len(pairs) > len(dict(pairs))

    json.loads(text.removeprefix("\ufeff") if isinstance(text, str) else text, object_pairs_hook=members)
    return found


def is_contained(part: Any, complete: Any) -> bool:
    """Say whether a value can grow into another one: nothing in it is wrong, only missing."""
    if isinstance(part, str) and isinstance(complete, str):
        return complete.startswith(part)
    if isinstance(part, list) and isinstance(complete, list):
        return len(part) <= len(complete) and all(map(is_contained, part, complete))
    if isinstance(part, dict) and isinstance(complete, dict):
        return part.keys() <= complete.keys() and all(is_contained(part[key], complete[key]) for key in part)
    return type(part) is type(complete) and exactly(part) == exactly(complete)


# --- the table


@each_accepted
def test_accepted(midstream: Any, case: Accepted) -> None:
    for text in forms(case.text):
        for fragments in cuttings(text):
            acc = feed(midstream, fragments, limits=limits_of(midstream, case))
            acc.finish()
            assert exactly(acc.value) == exactly(case.value), fragments
            assert acc.is_complete
            assert acc.error is None


@each_accepted
def test_accepted_with_a_reader_at_every_fragment(midstream: Any, case: Accepted) -> None:
    for text in forms(case.text):
        for fragments in cuttings(text):
            seen_so_far = list(midstream.values(fragments, limits=limits_of(midstream, case)))
            assert exactly(seen_so_far[-1]) == exactly(case.value), fragments


@each_accepted
def test_each_character_shows_what_it_determines(midstream: Any, case: Accepted) -> None:
    for text in forms(case.text):
        acc = midstream.JsonValueAccumulator(limits=limits_of(midstream, case))
        model = NaiveParser(limits=NaiveLimits(**case.limits))
        items: list[Item] = []
        for char in characters(text):
            step = model.add(char)
            items += step
            assert acc.add_fragment(char) is any(item.kind in CHANGES for item in step)
            assert exactly(seen(midstream, acc.value)) == exactly(fold(items))
            assert acc.position == model.position
            assert acc.is_complete == model.is_complete
        assert acc.finish() is bool({item.kind for item in model.finish()} & CHANGES)
        assert acc.is_complete


@pytest.mark.parametrize("on_error", ["raise", "event"])
@each_rejected
def test_rejected(midstream: Any, case: Rejected, on_error: str) -> None:
    items = model_of(case)
    for text in forms(case.text):
        for fragments in cuttings(text):
            acc = midstream.JsonValueAccumulator(on_error=on_error, limits=limits_of(midstream, case))
            raised = feed_all(midstream, acc, fragments)
            assert (raised is not None) == (on_error == "raise")
            error = acc.error
            assert (str(error.code), (error.index, error.line, error.column)) == error_of(case), fragments
            assert acc.position == (case.index, case.line, case.column)
            assert not acc.is_complete
            # what came before stays readable
            assert exactly(seen(midstream, acc.value)) == exactly(fold(items)), fragments
            if raised is not None:
                assert raised.error == error
                assert midstream.parse_path(raised.path) == items[-1].segments
                assert raised.updates == []


@each_rejected
def test_rejected_but_recovered(midstream: Any, case: Rejected) -> None:
    """The updates show what recovery leaves of a text: they rebuild the same value."""
    limits = limits_of(midstream, case)
    for text in forms(case.text):
        with within(5):
            items = run(midstream, [text], on_error="recover", limits=limits)
        last_error = [item for item in items if item.kind == "Error"][-1]
        for fragments in cuttings(text):
            acc = feed(midstream, fragments, on_error="recover", limits=limits)
            acc.finish()
            assert exactly(seen(midstream, acc.value)) == exactly(fold(items)), fragments
            place = (acc.error.index, acc.error.line, acc.error.column)
            assert (str(acc.error.code), place) == (last_error.text_value, last_error.value), fragments


# --- what is shown of unfinished text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", NOTHING),
        (" \n", NOTHING),
        ("\ufeff", NOTHING),
        ("{", {}),
        ("[", []),
        ('"', ""),
        ("-", NOTHING),
        ("12", NOTHING),
        ("12 ", 12),
        ("tru", NOTHING),
        ("true", True),
        ("nul", NOTHING),
        ("null", None),
        ('"ab', "ab"),
        ('"ab\\', "ab"),
        ('"ab\\u00e', "ab"),
        ('"ab\\u00e9', "ab\u00e9"),
        ('"ab\\ud83d', "ab"),
        ('"ab\\ud83d\\ude0', "ab"),
        ('"ab\\ud83d\\ude00', "ab\U0001f600"),
        ('"ab\\ud83dc', "ab\ud83dc"),
        ("[[[", [[[]]]),
        ("[1", []),
        ("[1,", [1]),
        ("[1,2", [1]),
        ("[1.5e", []),
        ("[1.5e3]", [1500.0]),
        ("[fals", []),
        ("[false", [False]),
        ('["', [""]),
        ('["a",', ["a"]),
        ('{"', {}),
        ('{"a', {}),
        ('{"a"', {}),
        ('{"a":', {}),
        ('{"a":1', {}),
        ('{"a":1}', {"a": 1}),
        ('{"a":"', {"a": ""}),
        ('{"a":[', {"a": []}),
        ('{"a":{"b', {"a": {}}),
        ('{"a":1,"a', {"a": 1}),
        ('{"a":1,"a":', {"a": 1}),
        ('{"a":1,"a":"', {"a": ""}),
        ('{"a":[1,2],"a":[', {"a": []}),
    ],
)
def test_what_is_shown_of_unfinished_text(midstream: Any, text: str, value: Any) -> None:
    for fragments in [*cuttings(text), characters(text.encode())]:
        assert exactly(seen(midstream, feed(midstream, fragments).value)) == exactly(value), fragments
    assert exactly(seen(midstream, midstream.parse_partial(text))) == exactly(value)
    assert exactly(seen(midstream, midstream.parse_partial(text.encode()))) == exactly(value)


def test_add_fragment_returns_whether_the_value_changed(midstream: Any) -> None:
    for text in (RICH, RICH.encode()):
        for size in (1, 2, 3, 7):
            acc = midstream.JsonValueAccumulator()
            before = acc.value
            for fragment in pieces(text, range(size, len(text), size)):
                changed = acc.add_fragment(fragment)
                now = acc.value
                assert changed is (now is not before)
                assert changed is (exactly(now) != exactly(before))
                # looking again changes nothing
                assert acc.value is now
                before = now
            assert acc.finish() is False


@pytest.mark.parametrize(
    ("fragments", "changed"),
    [
        (["", " ", "[", " ", "1", "2", ",", "]"], [False, False, True, False, False, False, True, False]),
        (['{"', "a", '"', ":", '"', "b", '"', "}"], [True, False, False, False, True, True, False, False]),
        (["t", "r", "u", "e", " "], [False, False, False, True, False]),
        (['"\\', "n", "\\u00", "e9", "\\ud83d", '"'], [True, True, False, True, False, True]),
        (["1", "2", " "], [False, False, True]),
    ],
)
def test_which_fragment_changes_the_value(midstream: Any, fragments: list[str], changed: list[bool]) -> None:
    # the trailing comma above is an error, which comes after the change that goes with it
    acc = midstream.JsonValueAccumulator(on_error="event")
    assert [acc.add_fragment(fragment) for fragment in fragments] == changed


# --- the life of an accumulator


def test_finish_completes_a_number_at_the_root(midstream: Any) -> None:
    acc = feed(midstream, ["1", "2"])
    assert acc.value is midstream.UNDEFINED
    assert not acc.is_complete
    assert acc.finish() is True
    assert acc.value == 12
    assert acc.is_complete
    assert acc.finish() is False
    error = caught(midstream, lambda: acc.add_fragment(" "))
    assert (error.code, error.index) == ("after_finish", 2)
    assert acc.value == 12


def test_finish_turns_truncation_into_an_error(midstream: Any) -> None:
    acc = feed(midstream, ['{"a":\n [1, "x'])
    error = caught(midstream, acc.finish)
    assert (error.code, error.index, error.line, error.column) == ("truncated", 13, 2, 8)
    assert error.path == "root.a[1]"
    assert acc.value == {"a": [1, "x"]}


def test_an_error_sticks_until_reset(midstream: Any) -> None:
    acc = midstream.JsonValueAccumulator()
    first = caught(midstream, lambda: acc.add_fragment('{"a": [1, 2,, 3]}'))
    value = acc.value
    assert value == {"a": [1, 2]}
    more: list[Callable[[], Any]] = [partial(acc.add_fragment, text) for text in ("3]}", "", b"x")]
    for call in (*more, acc.finish):
        again = caught(midstream, call)
        assert (again.error, again.path) == (first.error, first.path)
        assert acc.value is value
    acc.reset()
    assert acc.value is midstream.UNDEFINED
    assert acc.error is None
    assert acc.position == (0, 1, 1)
    assert acc.add_fragment("[]") is True
    assert (acc.value, value) == ([], {"a": [1, 2]})


def test_event_keeps_quiet_and_stands_still(midstream: Any) -> None:
    acc = midstream.JsonValueAccumulator(on_error="event")
    assert acc.add_fragment('{"a": [1, 2,, 3]}') is True
    value = acc.value
    assert [acc.add_fragment("3]}"), acc.add_fragment(b""), acc.finish()] == [False] * 3
    assert acc.value is value
    assert (acc.error.code, acc.error.index) == ("expected_value", 12)


def test_reset_keeps_the_options_and_the_snapshots(midstream: Any) -> None:
    limits = midstream.Limits(max_depth=1)
    acc = midstream.JsonValueAccumulator(
        on_error="event", after_root="ignore", limits=limits, parse_int=str, parse_float=Decimal
    )
    for _ in range(2):
        acc.add_fragment('[1, 2.5, "a')
        snapshot = acc.value
        acc.reset()
        assert acc.value is midstream.UNDEFINED
        assert acc.documents == []
        assert snapshot == ["1", Decimal("2.5"), "a"]
    acc.add_fragment("[1]x")
    assert (acc.value, acc.trailing) == (["1"], "x")
    acc.reset()
    assert acc.trailing == ""
    acc.add_fragment("[[")
    assert acc.error.code == "depth_limit"


@each_case("at", {str(at): at for at in range(0, len(RICH), 3)})
def test_reset_in_mid_token(midstream: Any, at: int) -> None:
    acc = feed(midstream, [RICH[:at]])
    acc.reset()
    acc.add_fragment(RICH)
    acc.finish()
    assert exactly(acc.value) == exactly(fold(naive([RICH])))


def test_reset_inside_a_character(midstream: Any) -> None:
    acc = feed(midstream, [b'"\xe2\x82'])
    acc.reset()
    acc.add_fragment(b'"\xc3\xa9"')
    assert acc.value == "\u00e9"


@pytest.mark.parametrize("options", [{"on_error": "explode"}, {"after_root": "panic"}, {"root": "r"}])
def test_options_it_does_not_have(midstream: Any, options: dict[str, str]) -> None:
    with pytest.raises((ValueError, TypeError)):
        midstream.JsonValueAccumulator(**options)


def test_what_is_no_text_is_a_type_error(midstream: Any) -> None:
    acc = midstream.JsonValueAccumulator()
    others: list[Any] = [None, 1, ["[]"], {}]
    for fragment in others:
        with pytest.raises(TypeError):
            acc.add_fragment(fragment)
    assert acc.add_fragment(bytearray(b"[")) is True
    assert acc.add_fragment(memoryview(b"1]")) is True
    assert acc.value == [1]


def test_hooks(midstream: Any) -> None:
    text = '{"a": 1, "b": [-2.50, 1e400], "c": 30}'
    for fragments in cuttings(text):
        acc = feed(midstream, fragments, parse_int=Fraction, parse_float=Decimal)
        value = {"a": Fraction(1), "b": [Decimal("-2.50"), Decimal("1e400")], "c": Fraction(30)}
        assert exactly(acc.value) == exactly(value)


def test_a_hook_that_refuses_is_an_error_of_the_text(midstream: Any) -> None:
    def refuse(text: str) -> int:
        raise ValueError(text)

    acc = midstream.JsonValueAccumulator(parse_int=refuse)
    error = caught(midstream, lambda: acc.add_fragment("[1.5, 12, 3]"))
    assert (error.code, error.path) == ("number_refused", "root[1]")
    assert "12" not in str(error).replace("column 12", "")
    assert acc.value == [1.5]
    acc = midstream.JsonValueAccumulator(on_error="recover", parse_int=refuse)
    acc.add_fragment("[1.5, 12, 2.5]")
    assert acc.value == [1.5, 2.5]


@pytest.mark.parametrize(
    ("limits", "text", "code", "index", "value"),
    [
        (NaiveLimits(max_depth=2), '[[{"a":1}]]', "depth_limit", 2, [[]]),
        (NaiveLimits(max_string=2), '["abc"]', "string_limit", 4, ["ab"]),
        (NaiveLimits(max_string=2), '{"a":1,"abc":1}', "string_limit", 10, {"a": 1}),
        (NaiveLimits(max_number=2), "[1,123]", "number_limit", 5, [1]),
        (NaiveLimits(max_document=4), "[1, 2]", "document_limit", 4, [1]),
    ],
    ids=["depth", "string", "key", "number", "document"],
)
def test_limits(midstream: Any, limits: NaiveLimits, text: str, code: str, index: int, value: Any) -> None:
    for fragments in [*cuttings(text), characters(text.encode())]:
        acc = midstream.JsonValueAccumulator(limits=midstream.Limits(*limits))
        error = feed_all(midstream, acc, fragments)
        assert (error.code, error.index) == (code, index)
        assert acc.value == value


# --- snapshots


@pytest.mark.parametrize("keeps", ["all", "strings", "objects", "some", "nothing"])
def test_a_long_string_that_grows_under_its_readers(midstream: Any, keeps: str) -> None:
    """What nobody holds may grow in place: what anybody holds must not."""
    text = "abcdefg" * 500
    acc = feed(midstream, ['{"list": [{"text": "'])
    kept: list[tuple[Any, int]] = []
    for at in range(0, len(text), 7):
        acc.add_fragment(text[at : at + 7])
        assert len(acc.value["list"][0]["text"]) == at + 7
        if keeps == "all":
            kept.append((acc.value, at + 7))
        elif keeps == "strings" or (keeps == "some" and at % 3 == 0):
            kept.append((acc.value["list"][0]["text"], at + 7))
        elif keeps == "objects" or (keeps == "some" and at % 3 == 1):
            kept.append((acc.value["list"][0], at + 7))
    acc.add_fragment('"}]}')
    assert acc.value == {"list": [{"text": text}]}
    for value, length in kept:
        if value is not None and not isinstance(value, str):
            value = value["list"][0]["text"] if "list" in value else value["text"]
        assert value == text[:length]


@pytest.mark.parametrize("part", ["root", "outer", "inner", "text"])
def test_what_is_kept_of_a_snapshot_stays_when_the_rest_is_dropped(midstream: Any, part: str) -> None:
    """The open containers around it may be changed in place, the one that is kept may not."""
    choose: dict[str, Callable[[Any], Any]] = {
        "root": lambda value: value,
        "outer": lambda value: value["a"],
        "inner": lambda value: value["a"][1],
        "text": lambda value: value["a"][1]["b"],
    }
    for more in ('y"', "y", '", "c": 1, ', '"}, 3', '"}], "d": {"e": 1, ', '"}]}'):
        acc = feed(midstream, ['{"a": [1, {"b": "x'])
        kept = choose[part](acc.value)
        as_read = copy.deepcopy(kept)
        acc.add_fragment(more)
        assert kept == as_read
        again = choose[part](acc.value)
        expected = fold(NaiveParser().add('{"a": [1, {"b": "x' + more))
        assert exactly(acc.value) == exactly(expected)
        acc.reset()
        assert exactly(again) == exactly(choose[part](expected))
        assert kept == as_read


def test_a_snapshot_read_by_a_hook(midstream: Any) -> None:
    """A conversion runs in the midst of a fragment: what it reads is a snapshot like any other."""
    read: list[tuple[Any, Any]] = []

    def look(text: str) -> int:
        read.append((acc.value, copy.deepcopy(acc.value)))
        return int(text)

    acc = midstream.JsonValueAccumulator(parse_int=look)
    acc.add_fragment('{"a": [1, {"b": 2, "c": "x')
    acc.add_fragment('y", "d": 3}, 4], "e": 5}')
    assert acc.value == {"a": [1, {"b": 2, "c": "xy", "d": 3}, 4], "e": 5}
    assert [value for value, _ in read] == [as_read for _, as_read in read]
    assert read[2][1] == {"a": [1, {"b": 2, "c": "xy"}]}


# --- after the root

SEVERAL = '{"a": 1} [2]\n"x"\ntrue true 3 3\n""null\n{"a": 1}[]'
DOCUMENTS = [{"a": 1}, [2], "x", True, True, 3, 3, "", None, {"a": 1}, []]


def test_after_root_error(midstream: Any) -> None:
    for fragments in cuttings("[1] x"):
        acc = midstream.JsonValueAccumulator()
        error = feed_all(midstream, acc, fragments)
        assert (error.code, error.index, error.path) == ("trailing_text", 4, "root")
        assert acc.value == [1]


def test_after_root_ignore(midstream: Any) -> None:
    for text in ('{"a": 1} and [2]', "{} \ufeff\x00\u20ac", "12 x"):
        model = NaiveParser(after_root="ignore")
        value = fold(model.add(text) + model.finish())
        for fragments in [*cuttings(text), characters(text.encode())]:
            acc = feed(midstream, fragments, after_root="ignore")
            assert acc.finish() is False
            assert (acc.value, acc.trailing, acc.is_complete) == (value, model.trailing, True)


def test_after_root_next_reports_the_documents_of_a_call(midstream: Any) -> None:
    acc = midstream.JsonValueAccumulator(after_root="next")
    assert acc.documents == []
    acc.add_fragment('{"a": 1} [2] "x')
    assert (acc.documents, acc.value) == ([{"a": 1}, [2]], "x")
    acc.add_fragment('y"')
    assert (acc.documents, acc.value, acc.is_complete) == (["xy"], "xy", True)
    acc.add_fragment("\n")
    assert (acc.documents, acc.value) == ([], "xy")
    acc.add_fragment("3")
    assert (acc.documents, acc.value, acc.is_complete) == ([], "xy", False)
    assert acc.finish() is True
    assert (acc.documents, acc.value, acc.is_complete) == ([3], 3, True)


def test_after_root_next_reports_every_document_at_any_cut(midstream: Any) -> None:
    for text in (SEVERAL, SEVERAL.encode()):
        for fragments in cuttings(text):
            acc = midstream.JsonValueAccumulator(after_root="next")
            documents = []
            for fragment in fragments:
                acc.add_fragment(fragment)
                documents += acc.documents
            acc.finish()
            documents += acc.documents
            assert exactly(documents) == exactly(DOCUMENTS), fragments


def test_a_document_that_was_read_stays_as_it_was(midstream: Any) -> None:
    acc = midstream.JsonValueAccumulator(after_root="next")
    acc.add_fragment('{"a": [1')
    first = acc.value
    acc.add_fragment("]}")
    second = acc.value
    acc.add_fragment('{"a": [1')
    assert (first, second, acc.value) == ({"a": []}, {"a": [1]}, {"a": []})


def test_an_error_in_a_later_document(midstream: Any) -> None:
    acc = midstream.JsonValueAccumulator(after_root="next")
    error = caught(midstream, lambda: acc.add_fragment('{"a": 1}\n[2, x'))
    assert (error.code, error.index, error.line, error.path) == ("expected_value", 13, 2, "root[1]")
    assert (acc.documents, acc.value) == ([{"a": 1}], [2])


# --- the one-liners


def is_subsequence(some: list[Any], values: list[Any]) -> bool:
    rest = map(exactly, values)
    return all(exactly(value) in rest for value in some)


def test_values_yields_what_is_new(midstream: Any) -> None:
    assert list(midstream.values(["[", " ", "1", ",", "2", "] ", "\n"])) == [[], [1], [1, 2]]
    assert list(midstream.values(["1", "2"])) == [12]
    assert list(midstream.values('["ab"]')) == list(midstream.values(b'["ab"]')) == [["ab"]]
    assert list(midstream.values(iter(['["a', 'b"', "]"]))) == [["a"], ["ab"]]
    assert list(midstream.values(["[1] 2", " [", "]"], after_root="next")) == [[1], 2, []]


def test_values_yields_one_snapshot_per_change(midstream: Any) -> None:
    for size in (1, 2, 5):
        fragments = pieces(RICH, range(size, len(RICH), size))
        acc = midstream.JsonValueAccumulator()
        expected = [exactly(acc.value) for fragment in fragments if acc.add_fragment(fragment)]
        assert [exactly(value) for value in midstream.values(fragments)] == expected


def test_values_yields_every_document(midstream: Any) -> None:
    """However many end in one fragment, and however equal they are."""
    assert exactly(list(midstream.values(SEVERAL, after_root="next"))) == exactly(DOCUMENTS)
    for text in (SEVERAL, SEVERAL.encode()):
        for fragments in cuttings(text):
            assert is_subsequence(DOCUMENTS, list(midstream.values(fragments, after_root="next"))), fragments
    lines = ["1\n", "1\n", "true\n", "true\n", '""\n', '""\n', "null\n", "null\n"]
    expected = [1, 1, True, True, "", "", None, None]
    assert exactly(list(midstream.values(lines, after_root="next"))) == exactly(expected)


def test_values_comes_before_the_next_fragment_is_read(midstream: Any) -> None:
    read = []

    def source() -> Iterator[str]:
        for fragment in ("[1,", "2,", "3]"):
            read.append(fragment)
            yield fragment

    assert next(midstream.values(source())) == [1]
    assert read == ["[1,"]


def test_values_yields_what_came_before_an_error_then_raises(midstream: Any) -> None:
    got: list[Any] = []

    def drain(fragments: list[str], **options: Any) -> None:
        got.clear()
        got.extend(midstream.values(fragments, **options))

    error = caught(midstream, lambda: drain(['["a', 'b", 1 x', "]"]))
    assert (error.code, error.index) == ("expected_comma", 9)
    assert got == [["a"], ["ab", 1]]
    assert caught(midstream, lambda: drain(['["a'])).code == "truncated"
    assert got == [["a"]]
    assert caught(midstream, lambda: drain(["[1]", " x"])).code == "trailing_text"
    assert got == [[1]]
    assert caught(midstream, lambda: drain(['"" "', "\n"], after_root="next")).code == "control_character"
    assert got == ["", ""]
    drain(["[1, x", "2]"], on_error="event")
    assert got == [[1]]
    drain(["[1, x", ",2]"], on_error="recover")
    assert got == [[1], [1, 2]]


def test_values_over_an_async_iterable(midstream: Any) -> None:
    async def source(parts: Iterable[str | bytes]) -> AsyncIterator[str | bytes]:
        for part in parts:
            await asyncio.sleep(0)
            yield part

    async def collect(parts: Iterable[str | bytes], into: list[Any], **options: Any) -> None:
        async for value in midstream.aio.values(source(parts), **options):
            into.append(value)  # noqa: PERF401 (it must keep what came before an error)

    fragments = pieces(RICH, range(0, len(RICH), 5))
    got: list[Any] = []
    asyncio.run(collect(fragments, got))
    assert exactly(got) == exactly(list(midstream.values(fragments)))
    got.clear()
    error = caught(midstream, lambda: asyncio.run(collect(['["a', 'b", 1 x', "]"], got)))
    assert (error.code, error.index) == ("expected_comma", 9)
    assert got == [["a"], ["ab", 1]]
    got.clear()
    asyncio.run(collect([SEVERAL], got, after_root="next"))
    assert exactly(got) == exactly(DOCUMENTS)


# --- parse_partial: never a wrong value


WITHOUT_LIMITS = {case.name: case.text for case in ACCEPTED if not case.limits} | {"rich": RICH}


@each_case("text", WITHOUT_LIMITS)
def test_parse_partial_is_never_wrong(midstream: Any, text: str | bytes) -> None:
    complete = fold(naive([text]))
    grows_only = not has_repeated_keys(text)
    for form in forms(text):
        for at in range(len(form) + 1):
            value = seen(midstream, midstream.parse_partial(form[:at]))
            assert exactly(value) == exactly(fold(NaiveParser().add(form[:at]))), form[:at]
            if value is not NOTHING and grows_only:
                assert is_contained(value, complete), form[:at]


def test_parse_partial_raises_on_what_is_no_beginning(midstream: Any) -> None:
    error = caught(midstream, lambda: midstream.parse_partial('{"a": [1, 2,, 3'))
    assert (error.code, error.index, error.path) == ("expected_value", 12, "root.a[2]")
    assert midstream.parse_partial('{"a": [1, 2,, 3', on_error="event") == {"a": [1, 2]}
    assert midstream.parse_partial('{"a": [1, 2,, 3', on_error="recover") == {"a": [1, 2]}
    assert midstream.parse_partial("[1.5, 2", parse_float=Decimal) == [Decimal("1.5")]
    assert midstream.parse_partial("[1] [2, 3", after_root="next") == [2]
    assert midstream.parse_partial("[1] and", after_root="ignore") == [1]


# --- checkpoints


def moved(midstream: Any, acc: Any, **hooks: Any) -> Any:
    """Move an accumulator to another process: its checkpoint, written as JSON and read again."""
    return midstream.JsonValueAccumulator.restore(json.loads(json.dumps(acc.checkpoint())), **hooks)


@pytest.mark.parametrize("reads", [False, True], ids=["unread", "read"])
def test_checkpoint_at_every_cut(midstream: Any, reads: bool) -> None:
    expected = exactly(fold(naive([RICH])))
    for text in (RICH, RICH.encode()):
        for first, second in two_way_cuts(text):
            acc = feed(midstream, [first])
            snapshot = acc.value if reads else None
            kept = copy.deepcopy(snapshot)
            other = moved(midstream, acc)
            assert (other.position, other.is_complete) == (acc.position, acc.is_complete)
            assert exactly(other.value) == exactly(acc.value)
            # the one it was taken from is not disturbed
            for each in (other, acc):
                each.add_fragment(second)
                each.finish()
                assert exactly(each.value) == expected, first
                assert each.is_complete
            assert exactly(snapshot) == exactly(kept)


def test_checkpoint_after_every_character(midstream: Any) -> None:
    for text in (RICH, RICH.encode()):
        acc = midstream.JsonValueAccumulator()
        model = NaiveParser()
        items: list[Item] = []
        for char in characters(text):
            step = model.add(char)
            items += step
            assert acc.add_fragment(char) is any(item.kind in CHANGES for item in step)
            acc = moved(midstream, acc)
        assert exactly(acc.value) == exactly(fold(items))
        assert acc.finish() is False
        assert moved(midstream, acc).is_complete


@each_rejected
def test_checkpoint_before_and_after_an_error(midstream: Any, case: Rejected) -> None:
    items = model_of(case)
    for fragments in cuttings(case.text):
        acc = midstream.JsonValueAccumulator(limits=limits_of(midstream, case))
        error = None
        for fragment in fragments:
            acc = moved(midstream, acc)
            error = error or feed_one(midstream, acc, fragment)
        acc = moved(midstream, acc)
        error = error or feed_end(midstream, acc)
        assert (str(error.code), (error.index, error.line, error.column)) == error_of(case), fragments
        assert midstream.parse_path(error.path) == items[-1].segments
        other = moved(midstream, acc)
        again = caught(midstream, lambda other=other: other.add_fragment("]"))  # type: ignore[misc]
        assert (again.error, again.path) == (error.error, error.path)
        assert exactly(seen(midstream, other.value)) == exactly(fold(items))


def feed_one(midstream: Any, acc: Any, fragment: str | bytes) -> Any:
    try:
        acc.add_fragment(fragment)
    except midstream.JsonStreamError as error:
        return error
    return None


def feed_end(midstream: Any, acc: Any) -> Any:
    try:
        acc.finish()
    except midstream.JsonStreamError as error:
        return error
    return None


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "b": tru, "c": [1, nope, 3], "d": 4}',
        '{"a": 1 "b": [2 3], "c" 4, "d": {"e": "\\x", "f": 5}, g: 6, "h": 7}',
        '[1, {"a" "b"}, [2 "x" [3]], "y"',
        '[1, "a\nb", [tru], 01, {"a":: 1}, 2]',
    ],
)
def test_checkpoint_while_recovering(midstream: Any, text: str) -> None:
    expected = exactly(fold(run(midstream, [text], on_error="recover")))
    for first, second in two_way_cuts(text):
        acc = feed(midstream, [first], on_error="recover")
        other = moved(midstream, acc)
        assert other.error == acc.error
        other.add_fragment(second)
        other.finish()
        assert exactly(other.value) == expected, first


@pytest.mark.parametrize("after_root", ["ignore", "next"])
def test_checkpoint_after_the_root(midstream: Any, after_root: str) -> None:
    for first, second in two_way_cuts(SEVERAL):
        model = NaiveParser(after_root=after_root)
        items = model.add(first)
        acc = moved(midstream, feed(midstream, [first], after_root=after_root))
        assert exactly(seen(midstream, acc.value)) == exactly(fold(items))
        items += model.add(second) + model.finish()
        acc.add_fragment(second)
        acc.finish()
        assert exactly(acc.value) == exactly(fold(items))
        assert acc.trailing == model.trailing


def test_checkpoint_with_hooks(midstream: Any) -> None:
    text = '{"a": 1, "b": [-2.50, 1E400, 0.0000001, -0, -0.0, 1e2], "c": {"d": 30, "e": 1.10}}'
    hooks: list[dict[str, Any]] = [
        {"parse_float": Decimal},
        {"parse_int": Decimal, "parse_float": Decimal},
        {"parse_int": str, "parse_float": str},
        {"parse_int": float},
        {"parse_float": lambda written: {"written": [written]}},
    ]
    for given in hooks:
        expected = exactly(fold(naive([text], **given)))
        for first, second in two_way_cuts(text):
            acc = feed(midstream, [first], **given)
            other = moved(midstream, acc, **given)
            assert exactly(other.value) == exactly(acc.value), first
            other.add_fragment(second)
            assert exactly(other.value) == expected, first
        acc = feed(midstream, [text[:20]], **given)
        error = caught(midstream, partial(moved, midstream, acc))
        assert error.code == midstream.ErrorCode.INVALID_CHECKPOINT


def test_a_checkpoint_of_what_does_not_write_as_a_number(midstream: Any) -> None:
    acc = feed(midstream, ["[1.5, 2"], parse_float=Fraction)
    with pytest.raises(TypeError, match="Fraction"):
        acc.checkpoint()
    acc.add_fragment("]")
    assert acc.value == [Fraction(3, 2), 2]


@pytest.mark.parametrize("number", ["1E400", "-1E400", "-0.0", "-0", "1e16", "5e-324", "9" * 4300, "0.1"])
def test_a_checkpoint_keeps_numbers_exactly(midstream: Any, number: str) -> None:
    for text in (f"[{number}, ", f'{{"a": [{number}], "b": "'):
        acc = feed(midstream, [text])
        assert exactly(moved(midstream, moved(midstream, acc)).value) == exactly(acc.value)


@pytest.mark.parametrize(
    "text",
    [
        '["\ud83d\ude00", "\ud83d\ude00',
        '["\\ud83d", "\\ude00", "\\ud83d\\ud83d',
        '{"\ud83d\ude00": "\ud83d\ude00", "\\ud83d": {"\ud83d\ude00": ["\\ud83d',
        '["\\ud83d\ude00", {"\ud83d\ude00":',
        '{"\ud83d\ude00',
        '"\ud83d\ude00',
    ],
    ids=ascii,
)
def test_a_checkpoint_keeps_surrogates_apart(midstream: Any, text: str) -> None:
    for at in range(1, len(text) + 1):
        acc = feed(midstream, [text[:at]])
        other = moved(midstream, acc)
        assert ascii(other.value) == ascii(acc.value)
        other.add_fragment(text[at:])
        assert ascii(other.value) == ascii(feed(midstream, [text]).value)


def test_a_checkpoint_keeps_repeated_keys_and_their_order(midstream: Any) -> None:
    text = '{"a": {"x": {"y": 1}}, "b": 0, "a": {"x": {"z": "open'
    for at in range(1, len(text)):
        acc = moved(midstream, feed(midstream, [text[:at]]))
        acc.add_fragment(text[at:] + '"}}, "b": [], "c": 1}')
        acc.finish()
        expected = {"a": {"x": {"z": "open"}}, "b": [], "c": 1}
        assert exactly(acc.value) == exactly(expected)


DEEP = 5000


@pytest.mark.parametrize("opener", ["[", '{"k":'], ids=["arrays", "objects"])
def test_checkpoint_of_a_deep_value(midstream: Any, opener: str) -> None:
    acc = feed(midstream, [opener * DEEP], limits=midstream.Limits(max_depth=None))
    other = moved(midstream, acc)
    closer = "]" if opener == "[" else "}"
    for each in (acc, other):
        each.add_fragment("1" + closer * DEEP)
        assert each.is_complete
        value, levels = each.value, 0
        while isinstance(value, (list, dict)):
            value, levels = (value[0] if isinstance(value, list) else value["k"]), levels + 1
        assert (value, levels) == (1, DEEP)
    assert moved(midstream, other).is_complete


@pytest.mark.parametrize("data", [None, 1, "x", [], {}, {"midstream": 999}, [1, 2, 3], "[]", True], ids=repr)
def test_what_is_no_checkpoint(midstream: Any, data: Any) -> None:
    error = caught(midstream, lambda: midstream.JsonValueAccumulator.restore(data))
    assert error.code == midstream.ErrorCode.INVALID_CHECKPOINT


def test_a_checkpoint_of_another_kind(midstream: Any) -> None:
    others = [
        midstream.JsonFragmentAccumulator().checkpoint(),
        midstream.dump_state(midstream.create_parser_state()),
        midstream.JsonValueAccumulator().checkpoint() | {"midstream": 2},
    ]
    for data in others:
        error = caught(midstream, lambda data=data: midstream.JsonValueAccumulator.restore(data))  # type: ignore[misc]
        assert error.code == midstream.ErrorCode.INVALID_CHECKPOINT


def damaged(data: Any) -> Iterator[Any]:
    """Put something else in every place of some plain data, and take every member away."""
    yield from (None, -1, "?", [], {}, 1.5, 10**30, True, "[1", [[]], [None])
    if isinstance(data, (dict, list)):
        for member in data if isinstance(data, dict) else range(len(data)):
            less = copy.copy(data)
            del less[member]
            yield less
            for junk in damaged(data[member]):
                other = copy.copy(data)
                other[member] = junk
                yield other


@pytest.mark.parametrize("text", ['{"a": [1, "te', '{"a": {"b": [', '[[1], {"a": tr', '{"a": 1, "b', "[12"])
def test_a_damaged_checkpoint_is_an_error_or_harmless(midstream: Any, text: str) -> None:
    good = json.loads(json.dumps(feed(midstream, [text]).checkpoint()))
    for data in damaged(good):
        other = restored(midstream, data)
        if other is None:
            continue
        for fragment in ('xt"', "]", "ue", '": [', "}", '], "b": {"c": 2}}', "]"):
            feed_one(midstream, other, fragment)
            assert other.value is other.value
        feed_end(midstream, other)
        json.dumps(other.checkpoint())


def restored(midstream: Any, data: Any) -> Any:
    """Restore from doubtful data; None if it is refused, as it must be: with one error and no other."""
    try:
        return midstream.JsonValueAccumulator.restore(data)
    except midstream.JsonStreamError as error:
        refused = error.code
    assert refused == midstream.ErrorCode.INVALID_CHECKPOINT
    return None


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        ('"li\nne"', "control_character"),
        ('"li\\x"', "invalid_escape"),
        (b'"li\xff"', "invalid_utf8"),
        ('"lines"', "string_limit"),
        ('"li', "truncated"),
    ],
)
def test_a_string_that_an_error_ends_is_not_finished(midstream: Any, broken: str | bytes, code: str) -> None:
    acc = midstream.JsonValueAccumulator(on_error="event", limits=midstream.Limits(max_string=4))
    acc.add_fragment('{"done": "yes", "open": ["a", ')
    acc.add_fragment(broken)
    acc.finish()
    assert (acc.error.code, acc.open_path) == (code, ("open", 1))


def test_a_broken_string_is_left_where_the_text_continues(midstream: Any) -> None:
    acc = midstream.JsonValueAccumulator(on_error="recover")
    paths = []
    for fragment in ('{"a": "li\nne"', ", ", '"b": ', "1, ", '"c": ["li\nne"', "]", "}"):
        acc.add_fragment(fragment)
        paths.append(acc.open_path)
    assert paths == [("a",), ("a",), (), (), ("c", 0), (), None]
    assert acc.value == {"a": "li", "b": 1, "c": ["li"]}
