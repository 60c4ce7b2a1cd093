"""Cases by name: the places where streaming parsers break."""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import sys
import tracemalloc
from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from builds import BUILDS, depth_for
from model import (
    Item,
    NaiveLimits,
    NaiveParser,
    characters,
    cuttings,
    exactly,
    fold,
    item_of,
    items_of,
    join_partials,
    naive,
    pieces,
    run,
    split_documents,
    two_way_cuts,
    within,
)
from tables import each_case

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

pytestmark = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))

POLICIES = ["raise", "event", "recover"]


def value_of(midstream: Any, fragments: Iterable[str | bytes], **options: Any) -> Any:
    """Rebuild the value of fragments that must be complete and valid."""
    items = run(midstream, fragments, **options)
    assert items[-1].kind == "JsonComplete"
    return fold(items)


def kinds(updates: Iterable[Any]) -> list[str]:
    return [item_of(update).kind for update in updates]


def error_of(midstream: Any, fragments: Iterable[str | bytes], **options: Any) -> tuple[str, int]:
    """Return the code and the index of the error that fragments must end in."""
    last = run(midstream, fragments, **options)[-1]
    assert last.kind == "Error"
    return str(last.text_value), last.value[0]


def caught(midstream: Any, call: Callable[[], Any]) -> Any:
    """Return the error that a call must raise."""
    with pytest.raises(midstream.JsonStreamError) as info:
        call()
    return info.value


# --- strings


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"a\ud83d\ude00b\u00e9\n\"\\\/c"', 'a\U0001f600b\u00e9\n"\\/c'),
        (r'"\uD83D\uDE00\uD83D\uDE01"', "\U0001f600\U0001f601"),
        (r'"\ud83d\ud83d\ude00\ude00"', "\ud83d\U0001f600\ude00"),
    ],
)
def test_escapes_and_pairs_cut_at_every_character(midstream: Any, text: str, value: str) -> None:
    for fragments in cuttings(text):
        assert value_of(midstream, fragments) == value
    for fragments in cuttings(text.encode()):
        assert value_of(midstream, fragments) == value


def test_a_pair_is_held_back_until_it_is_complete(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    acc.add_fragment('"')
    for char in r"\ud83d\ude0":
        assert acc.add_fragment(char) == []
    assert [update.text_value for update in acc.add_fragment("0")] == ["\U0001f600"]


def test_an_escape_is_held_back_but_not_the_text_before_it(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    assert [update.text_value for update in acc.add_fragment('"ab\\')] == [None, "ab"]
    assert acc.add_fragment("u00") == []
    assert [update.text_value for update in acc.add_fragment("e9cd")] == ["\u00e9cd"]


@pytest.mark.parametrize(
    ("then", "released"),
    [
        ("a", "\ud83da"),
        (r"\n", "\ud83d\n"),
        (r"\u0041", "\ud83dA"),
        (r"\ud83dx", "\ud83d\ud83dx"),
        ("\ude00", "\ud83d\ude00"),
    ],
    ids=["letter", "short escape", "hex escape", "another high", "raw low"],
)
def test_a_lone_high_is_released_by_what_shows_it_is_alone(midstream: Any, then: str, released: str) -> None:
    acc = midstream.JsonFragmentAccumulator()
    assert kinds(acc.add_fragment('"' + r"\ud83d")) == ["StartString"]
    delivered = ""
    for char in then:
        delivered += "".join(update.text_value for update in acc.add_fragment(char))
    assert delivered == released
    assert acc.add_fragment('"')[0].value == released


def test_nothing_is_released_while_a_second_escape_is_unfinished(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    acc.add_fragment('"' + r"\ud83d")
    for char in r"\u004":
        assert acc.add_fragment(char) == []
    assert [update.text_value for update in acc.add_fragment("1")] == ["\ud83dA"]


def test_a_lone_high_is_released_by_the_closing_quote(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    acc.add_fragment('["' + r"\ud83d")
    assert [update.text_value for update in acc.add_fragment('"')] == ["\ud83d", "\ud83d"]


@pytest.mark.parametrize("end", ["\n", "\\x", "\\ude0x", ""], ids=["control", "escape", "hex", "truncated"])
def test_a_lone_high_is_released_before_an_error(midstream: Any, end: str) -> None:
    items = run(midstream, ['"x' + r"\ud83d", end])
    assert join_partials(items)[1:-1] == [Item("PartialString", (), "x\ud83d")]
    assert items[-1].kind == "Error"


@pytest.mark.parametrize("escape", ["\\", "\\u", "\\u12", "\\ud83d\\ude0"])
def test_an_unfinished_escape_is_never_delivered(midstream: Any, escape: str) -> None:
    delivered = [item.text_value for item in run(midstream, ['"ab', escape]) if item.kind == "PartialString"]
    assert "".join(map(str, delivered)).removesuffix("\ud83d") == "ab"
    assert error_of(midstream, ['"ab', escape]) == ("truncated", 3 + len(escape))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d"', "\ud83d"),
        (r'"\ude00"', "\ude00"),
        (r'"\ude00\ud83d"', "\ude00\ud83d"),
        ('"\ud83d\ude00"', "\ud83d\ude00"),
        ('"\\ud83d\ude00"', "\ud83d\ude00"),
        ('"\ud83d\\ude00"', "\ud83d\ude00"),
        (r'{"\ud83d":"\ude00"}', {"\ud83d": "\ude00"}),
    ],
)
def test_lone_surrogates_are_kept_as_json_loads_keeps_them(midstream: Any, text: str, value: Any) -> None:
    assert json.loads(text) == value
    for fragments in cuttings(text):
        assert value_of(midstream, fragments) == value


def test_nul_in_keys_and_values(midstream: Any) -> None:
    text = r'{"\u0000":"\u0000","a\u0000b":["\u0000\u0000"]}'
    expected = {"\0": "\0", "a\0b": ["\0\0"]}
    assert value_of(midstream, [text]) == value_of(midstream, characters(text)) == expected


def test_a_string_in_one_fragment_has_all_three_updates(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    updates = acc.add_fragment('["ab",""]')
    assert kinds(updates) == [
        "StartArray", "StartString", "PartialString", "CompleteString", "StartString", "CompleteString",
        "EndArray", "JsonComplete",
    ]  # fmt: skip
    assert [update.text_value for update in updates[1:6]] == [None, "ab", "ab", None, ""]
    assert [update.value for update in updates[1:6]] == [None, None, "ab", None, ""]


def test_at_most_one_partial_per_string_and_fragment(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    updates = acc.add_fragment('"' + r"a\nb\u00e9c\ud83d\ude00d\ud83de")
    assert [update.text_value for update in updates] == [None, "a\nb\u00e9c\U0001f600d\ud83de"]


# --- keys and paths

STRANGE_KEYS = [
    "", " ", ".", "..", "a.b", ".a", "a.", "[", "]", "[0]", "a[0]", '"', '""', 'a"b', "'", "it's", "\\",
    "\\\\", "a\\b", '\\"', "\t", "\n", "a b", " a", "a ", "\0", "\x1f", "\x7f", "\x85", "\u2028", "\u00a0",
    "\u3000", "root", "root.a", "0", "-1", "~", "/", "~1", "a/b", "$", "@", "*", "\u00e9", "\U0001f600",
    "\ud83d", "\ude00", '["a"]', "a]b", "{}", ":", ",", "\ufeff", "__proto__", "a" * 300,
]  # fmt: skip


@pytest.mark.parametrize("root", ["root", "", "$", "args"])
@each_case("key", {ascii(key): key for key in STRANGE_KEYS})
def test_every_path_can_be_read_back(midstream: Any, key: str, root: str) -> None:
    text = json.dumps({key: {"x": [0, {key: [None]}]}})
    acc = midstream.JsonFragmentAccumulator(root=root)
    updates = acc.add_fragment(text)
    (null,) = [update for update in updates if update.kind == "CompleteNull"]
    assert null.segments == (key, "x", 1, key, 0)
    assert midstream.parse_path(null.path, root) == null.segments
    for update in updates:
        assert midstream.parse_path(update.path, root) == update.segments


@pytest.mark.parametrize(
    ("key", "path", "pointer", "jsonpath"),
    [
        ("users", "root.users", "/users", "$['users']"),
        ("a.b", 'root["a.b"]', "/a.b", "$['a.b']"),
        ("", 'root[""]', "/", "$['']"),
        ('"', 'root["\\""]', '/"', "$['\"']"),
        ("\\", 'root["\\\\"]', "/\\", "$['\\\\']"),
        ("a b", 'root["a b"]', "/a b", "$['a b']"),
        ("[0]", 'root["[0]"]', "/[0]", "$['[0]']"),
        ("0", "root.0", "/0", "$['0']"),
        ("~/", "root.~/", "/~0~1", "$['~/']"),
        ("it's", 'root["it\'s"]', "/it's", "$['it\\'s']"),
        ("\n", 'root["\\n"]', "/\n", "$['\\n']"),
        ("\0", 'root["\\u0000"]', "/\0", "$['\\u0000']"),
        ("\u00e9", "root.\u00e9", "/\u00e9", "$['\u00e9']"),
    ],
)
def test_the_four_forms_of_a_path(midstream: Any, key: str, path: str, pointer: str, jsonpath: str) -> None:
    updates = midstream.JsonFragmentAccumulator().add_fragment(json.dumps({key: True}))
    value = updates[2]
    assert value.kind == "CompleteBoolean"
    assert (value.path, value.segments, value.pointer, value.jsonpath) == (path, (key,), pointer, jsonpath)


def test_paths_of_every_update(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    updates = acc.add_fragment('{"users": [{"email": "x", "n": [[7]]}, null]}')
    assert [(str(update.kind.value), update.path) for update in updates] == [
        ("StartObject", "root"),
        ("Key", "root"),
        ("StartArray", "root.users"),
        ("StartObject", "root.users[0]"),
        ("Key", "root.users[0]"),
        ("StartString", "root.users[0].email"),
        ("PartialString", "root.users[0].email"),
        ("CompleteString", "root.users[0].email"),
        ("Key", "root.users[0]"),
        ("StartArray", "root.users[0].n"),
        ("StartArray", "root.users[0].n[0]"),
        ("CompleteNumber", "root.users[0].n[0][0]"),
        ("EndArray", "root.users[0].n[0]"),
        ("EndArray", "root.users[0].n"),
        ("EndObject", "root.users[0]"),
        ("CompleteNull", "root.users[1]"),
        ("EndArray", "root.users"),
        ("EndObject", "root"),
        ("JsonComplete", "root"),
    ]


def test_paths_without_a_root_name(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(root="")
    updates = acc.add_fragment('{"users": [{"email": 1}], "a.b": 2}')
    assert [update.path for update in updates if update.kind == "CompleteNumber"] == [
        "users[0].email",
        '["a.b"]',
    ]
    assert updates[0].path == updates[-1].path == ""


def test_the_path_of_a_kept_update_does_not_change(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    kept = acc.add_fragment('{"a": [1, ')
    acc.add_fragment('2], "b": {"c": [3]}}')
    assert [update.path for update in kept] == ["root", "root", "root.a", "root.a[0]"]


@pytest.mark.parametrize("length", [10, 1000])
def test_keys_are_not_interned(midstream: Any, length: int) -> None:
    """Some versions of Python never let go of what is: who chooses the keys could fill the memory."""
    name = "k" * length + str(id(midstream))
    (key,) = midstream.parse_partial(f'{{"{name}": 1}}')
    assert key == name
    assert sys.intern(name) is not key


def test_duplicate_keys_are_reported_each_time(midstream: Any) -> None:
    text = '{"a": 1, "a": {"x": 1}, "a": [2, 3], "a": "last"}'
    items = run(midstream, [text])
    assert [item.value for item in items if item.kind == "Key" and item.segments == ()] == ["a"] * 4
    assert fold(items) == {"a": "last"}
    assert exactly(items) == exactly(naive([text]))


def test_an_update_is_a_value(midstream: Any) -> None:
    one, two = (midstream.JsonFragmentAccumulator().add_fragment('{"a": [1, "x", {}]}') for _ in range(2))
    assert one == two
    assert one[0] != one[1]
    assert len({*one, *two}) == len(set(one))
    assert "root.a[0]" in repr(one[3])
    made = midstream.JsonFragmentUpdate("root.a[0]", midstream.JsonFragmentKind.CompleteNumber, "1", 1)
    assert made == one[3]
    assert hash(made) == hash(one[3])
    assert made.segments == ("a", 0)
    assert made.error is None
    assert copy.copy(made) == made
    for name in ("path", "kind", "text_value", "value"):
        with pytest.raises(AttributeError):
            setattr(made, name, None)
    match made:
        case midstream.JsonFragmentUpdate(path="root.a[0]", kind="CompleteNumber", value=value):
            assert value == 1
        case _:
            pytest.fail("an update must match by its attributes")


def test_a_kind_is_a_string(midstream: Any) -> None:
    (update,) = midstream.JsonFragmentAccumulator().add_fragment("[")
    assert update.kind == "StartArray"
    assert update.kind is midstream.JsonFragmentKind.StartArray
    assert isinstance(update.kind, str)


# --- numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-0", 0),
        ("-0.0", -0.0),
        ("-0e0", -0.0),
        ("1E400", float("inf")),
        ("-1E400", -float("inf")),
        ("1.0", 1.0),
    ],
)
def test_numbers_as_json_loads_reads_them(midstream: Any, text: str, value: Any) -> None:
    for fragments in ([text], characters(text), ["[", *characters(text), "]"]):
        (number,) = [item for item in run(midstream, fragments) if item.kind == "CompleteNumber"]
        assert number.text_value == text
        assert exactly(number.value) == exactly(value) == exactly(json.loads(text))


def test_four_thousand_digits(midstream: Any) -> None:
    digits = "1234567890" * 400
    assert value_of(midstream, characters(digits)) == int(digits)
    assert value_of(midstream, ["[-", digits, "]"]) == [-int(digits)]


@pytest.mark.parametrize("text", ["-1", "-0", "1.5", "1e5", "1E+5", "1e-5", "-1.25E-10", "100", "0.001"])
def test_a_number_cut_anywhere(midstream: Any, text: str) -> None:
    for fragments in cuttings(text):
        assert exactly(value_of(midstream, fragments)) == exactly(json.loads(text))
        assert exactly(value_of(midstream, ["[", *fragments, "]"])) == exactly([json.loads(text)])


@pytest.mark.parametrize("begun", ["-", "1.", "-0.", "1e", "1E", "1e+", "1e-", "1.5e"])
def test_a_number_that_stops_too_early(midstream: Any, begun: str) -> None:
    assert run(midstream, [begun]) == [Item("Error", (), "truncated", (len(begun), 1, len(begun) + 1))]
    assert error_of(midstream, [begun, " "]) == ("invalid_number", len(begun))
    assert error_of(midstream, ["[", begun, "]"]) == ("invalid_number", len(begun) + 1)


@pytest.mark.parametrize("text", ["01", "-01", "1.2.3", "1-2", "1+2", "1e5.", "1e5e5", "00", "1.5-"])
def test_a_number_that_goes_wrong_is_not_delivered(midstream: Any, text: str) -> None:
    for fragments in (*cuttings(text), ["[", *characters(text)]):
        assert "CompleteNumber" not in [item.kind for item in run(midstream, fragments)]
        assert run(midstream, fragments)[-1].text_value == "invalid_number"


def test_a_number_is_delivered_when_something_ends_it(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    assert kinds(acc.add_fragment("[12")) == ["StartArray"]
    assert acc.add_fragment("3") == []
    assert kinds(acc.add_fragment(" ")) == ["CompleteNumber"]
    assert acc.add_fragment("  ") == []
    assert kinds(acc.add_fragment("]")) == ["EndArray", "JsonComplete"]


def test_a_root_number_is_completed_by_finish(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    assert acc.add_fragment("12") == []
    assert not acc.is_complete
    assert [(item.kind, item.value) for item in items_of(acc.finish())] == [
        ("CompleteNumber", 12),
        ("JsonComplete", None),
    ]
    assert acc.is_complete


def test_a_number_in_flight_inside_a_container_is_truncation(midstream: Any) -> None:
    assert [item.kind for item in run(midstream, ["[12"])] == ["StartArray", "Error"]


def test_decimals(midstream: Any) -> None:
    value = value_of(midstream, ["[1.10, 2, 1E400, -0.0]"], parse_float=Decimal, parse_int=Decimal)
    assert exactly(value) == exactly([Decimal("1.10"), Decimal(2), Decimal("1E400"), Decimal("-0.0")])
    assert exactly(value_of(midstream, ["[1, 1.0]"], parse_float=str)) == exactly([1, "1.0"])
    assert exactly(value_of(midstream, ["[1, 1.0]"], parse_int=float)) == exactly([1.0, 1.0])


class RefusalError(ArithmeticError):
    """What a hook of a user's own might raise."""


def refuse_value(text: str) -> Any:
    raise ValueError(text)


def refuse_arithmetic(text: str) -> Any:
    raise RefusalError(text)


@pytest.mark.parametrize("hook", [refuse_value, refuse_arithmetic])
@pytest.mark.parametrize(
    ("text", "name"), [("12", "parse_int"), ("1.5", "parse_float"), ("1e5", "parse_float")]
)
def test_a_hook_may_refuse_a_number(midstream: Any, text: str, name: str, hook: Callable[[str], Any]) -> None:
    options = {name: hook}
    end = len(text)
    for fragments in ([text], characters(text)):
        assert run(midstream, fragments, **options) == [
            Item("Error", (), "number_refused", (end, 1, end + 1))
        ]
    for fragments in ([f"[{text} ]"], characters(f"[{text} ]")):
        assert run(midstream, fragments, **options) == [
            Item("StartArray", ()),
            Item("Error", (0,), "number_refused", (end + 1, 1, end + 2)),
        ]
    assert run(midstream, ['{"a":', text, "\n}"], **options)[-1] == Item(
        "Error", ("a",), "number_refused", (end + 5, 1, end + 6)
    )


def test_digits_beyond_what_int_takes_are_refused_not_a_crash(midstream: Any) -> None:
    limits = midstream.Limits(max_number=None)
    text = "1" * 5000
    for fragments in ([text], [text[:4000], text[4000:]]):
        assert error_of(midstream, fragments, limits=limits) == ("number_refused", 5000)
        assert error_of(midstream, [*fragments, " "], limits=limits) == ("number_refused", 5000)
        assert error_of(midstream, ["[", *fragments, ",1]"], limits=limits) == ("number_refused", 5001)
    assert value_of(midstream, [text], limits=limits, parse_int=len) == 5000


# --- encoding


@pytest.mark.parametrize("bom", ["\ufeff", b"\xef\xbb\xbf"], ids=["str", "bytes"])
def test_one_byte_order_mark_is_skipped(midstream: Any, bom: Any) -> None:
    text = bom + (b"[]" if isinstance(bom, bytes) else "[]")
    for fragments in cuttings(text):
        assert value_of(midstream, fragments) == []
    acc = midstream.JsonFragmentAccumulator()
    assert acc.add_fragment(bom) == []
    assert acc.position == (1, 1, 2)
    for fragments in [[bom + bom], characters(bom + bom)]:
        assert error_of(midstream, fragments) == ("expected_value", 1)
    assert error_of(midstream, [text + bom]) == ("trailing_text", 3)


def test_a_byte_order_mark_only_counts_at_the_very_start(midstream: Any) -> None:
    assert error_of(midstream, [" \ufeff1"]) == ("expected_value", 1)
    assert error_of(midstream, ["1\n", "\ufeff2"], after_root="next") == ("expected_value", 2)
    assert run(midstream, ["\ufeff"], after_root="next") == []


def test_bytes_cut_inside_characters(midstream: Any) -> None:
    text = '{"\u00e9\u20ac\U0001f600": "\U0001f600\u20ac\u00e9a"}'
    data = text.encode()
    expected = join_partials(naive([text]))
    for fragments in cuttings(data):
        assert join_partials(run(midstream, fragments)) == expected


def test_a_character_is_delivered_with_its_last_byte(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    acc.add_fragment(b'"')
    assert [acc.add_fragment(bytes([byte])) for byte in b"\xf0\x9f\x98"] == [[], [], []]
    assert acc.position == (1, 1, 2)
    assert [update.text_value for update in acc.add_fragment(b"\x80")] == ["\U0001f600"]


@pytest.mark.parametrize(
    "data", [b"\xed\xa0", b"\xed\xbf", b"\xe0\x80", b"\xf0\x8f", b"\xf4\x90", b"\xc3("], ids=repr
)
def test_two_bytes_that_begin_no_character_are_an_error_at_once(midstream: Any, data: bytes) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error="event")
    assert kinds(acc.add_fragment(b'"a' + data[:1])) == ["StartString", "PartialString"]
    (update,) = acc.add_fragment(data[1:])
    assert (update.error.code, update.error.index) == ("invalid_utf8", 2)


def test_str_and_bytes_may_be_mixed(midstream: Any) -> None:
    assert value_of(midstream, ['["\u20ac', b"\xe2\x82", b"\xac", '\u20ac"', b"]"]) == ["\u20ac\u20ac\u20ac"]


def test_a_str_inside_a_character_of_bytes_is_an_error(midstream: Any) -> None:
    items = run(midstream, [b'"a\xe2\x82', '\u20ac"'])
    assert items[1:] == [Item("PartialString", (), "a"), Item("Error", (), "invalid_utf8", (2, 1, 3))]


def test_the_end_inside_a_character(midstream: Any) -> None:
    assert error_of(midstream, [b'"a\xe2\x82']) == ("truncated", 2)
    assert error_of(midstream, [b"[]\xe2\x82"]) == ("invalid_utf8", 2)
    assert error_of(midstream, [b"[] \xe2"], after_root="ignore") == ("invalid_utf8", 3)


# --- depth

DEPTH = 100_000


@pytest.mark.parametrize(("opener", "step"), [("[", 1), ('{"a":', 5)], ids=["arrays", "objects"])
def test_depth_against_the_limit(midstream: Any, opener: str, step: int) -> None:
    for fragments in ([opener * DEPTH], [opener] * DEPTH):
        error = caught(midstream, partial(feed, midstream, fragments))
        assert (error.code, error.index) == ("depth_limit", 1000 * step)
    assert value_of(midstream, ["[" * 1000, "]" * 1000]) is not None
    assert error_of(midstream, ["[" * 1001]) == ("depth_limit", 1000)


def feed(midstream: Any, fragments: Iterable[str | bytes], **options: Any) -> Any:
    """Feed an accumulator and keep nothing."""
    acc = midstream.JsonFragmentAccumulator(**options)
    for fragment in fragments:
        acc.add_fragment(fragment)
    return acc


def feed_all(midstream: Any, fragments: Iterable[str | bytes]) -> None:
    """Feed an accumulator to the end of the text."""
    feed(midstream, fragments).finish()


@pytest.mark.parametrize(("opener", "closer"), [("[", "]"), ('{"a":', "}")], ids=["arrays", "objects"])
def test_depth_without_a_limit_parses_closes_and_is_freed(midstream: Any, opener: str, closer: str) -> None:
    limits = midstream.Limits(max_depth=None)
    depth = depth_for(midstream)
    for size in (1, depth):
        acc = midstream.JsonFragmentAccumulator(limits=limits)
        kept = []
        for start in range(0, depth, size):
            kept += acc.add_fragment(opener * min(size, depth - start))
        kept += acc.add_fragment("1")
        kept += acc.add_fragment(closer * depth)
        assert acc.is_complete
        assert kept[-1].kind == "JsonComplete"
        assert kept[-2].segments == ()
        (number,) = [update for update in kept if update.kind == "CompleteNumber"]
        assert len(number.segments) == depth
        assert midstream.parse_path(number.path) == number.segments
        del kept, acc
        gc.collect()
        # the longest path alone keeps the chain of pairs, and lets it go
        del number
        gc.collect()


def test_depth_that_is_dropped_half_way(midstream: Any) -> None:
    depth = depth_for(midstream)
    acc = feed(midstream, ['[{"a":' * depth], limits=midstream.Limits(max_depth=None))
    acc.reset()
    assert kinds(acc.add_fragment("[]")) == ["StartArray", "EndArray", "JsonComplete"]
    acc = feed(midstream, ["[" * depth], limits=midstream.Limits(max_depth=None))
    del acc
    gc.collect()


# --- the life of an accumulator

RICH = (
    '\ufeff {"key \\"1\\" \\ud83d\\ude00": [true, false, null, -12.5e+3, 0, '
    '"a\\n\\u00e9\\ud83d\\ude00\\ud83dz"],\n'
    ' "": {"\u20ac": "\U0001f600 \u00e9"}, "a.b": [[], {}, [[1]]], "dup": 1, "dup": [2]} '
)


@each_case("at", {str(at): at for at in range(len(RICH))})
def test_reset_in_mid_token(midstream: Any, at: int) -> None:
    acc = midstream.JsonFragmentAccumulator()
    acc.add_fragment(RICH[:at])
    acc.reset()
    assert acc.position == (0, 1, 1)
    assert not acc.is_complete
    assert exactly(items_of(acc.add_fragment(RICH) + acc.finish())) == exactly(naive([RICH]))


def test_reset_inside_a_character_and_after_finish(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    acc.add_fragment(b'"\xe2\x82')
    acc.reset()
    assert kinds(acc.add_fragment(b'"\xc3\xa9"')) == [
        "StartString",
        "PartialString",
        "CompleteString",
        "JsonComplete",
    ]
    acc.finish()
    acc.reset()
    assert kinds(acc.add_fragment("[]")) == ["StartArray", "EndArray", "JsonComplete"]


def test_reset_keeps_the_options(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(
        root="r", on_error="event", after_root="ignore", limits=midstream.Limits(max_depth=1), parse_int=str
    )
    acc.add_fragment("[1] x")
    assert acc.trailing == " x"
    acc.reset()
    assert acc.trailing == ""
    updates = acc.add_fragment("[1,[")
    assert [(update.path, update.value) for update in updates[:2]] == [("r", None), ("r[0]", "1")]
    assert updates[-1].error.code == "depth_limit"


@pytest.mark.parametrize("on_error", POLICIES)
def test_feeding_after_the_end(midstream: Any, on_error: str) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error=on_error)
    acc.add_fragment("[]\n")
    assert acc.finish() == []
    assert acc.finish() == []
    assert acc.add_fragment("") == acc.add_fragment(b"") == []
    assert acc.is_complete
    if on_error == "raise":
        error = caught(midstream, lambda: acc.add_fragment("x")).error
    else:
        (update,) = acc.add_fragment("x")
        error = update.error
    assert (error.code, error.index, error.line, error.column) == ("after_finish", 3, 2, 1)


def test_an_empty_fragment_says_nothing(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    delivered = []
    for char in RICH:
        delivered += acc.add_fragment(char)
        before = acc.position
        assert acc.add_fragment("") == []
        assert acc.add_fragment(b"") == []
        assert acc.position == before
    assert exactly(join_partials(items_of(delivered))) == exactly(join_partials(naive([RICH])))


def test_a_fragment_of_white_space(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    for fragment in (" \n", "[", "\t ", "1", "\r\n", ",", "\n", "2", " ", "]", " \n "):
        updates = acc.add_fragment(fragment)
        if fragment.isspace():
            assert [update.kind for update in updates] in ([], ["CompleteNumber"])
    assert acc.is_complete
    assert acc.add_fragment("\n") == acc.finish() == []


def test_position_and_is_complete_along_the_way(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    model = NaiveParser()
    for char in RICH:
        acc.add_fragment(char)
        model.add(char)
        assert acc.position == model.position
        assert acc.is_complete == model.is_complete
    assert acc.is_complete
    assert (acc.position.index, acc.position.line, acc.position.column) == acc.position
    acc.finish()
    assert acc.is_complete
    assert acc.position == model.position


@pytest.mark.parametrize("on_error", ["raise", "event"])
def test_position_and_is_complete_after_an_error(midstream: Any, on_error: str) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error=on_error)
    with suppress(midstream.JsonStreamError):
        acc.add_fragment("[1]\n\n x and more\n")
    assert acc.position == (6, 3, 2)
    assert not acc.is_complete


def test_is_complete_between_documents(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(after_root="next")
    seen = []
    for fragment in ["", "{}", "\n", "[", "]", "1", " "]:
        acc.add_fragment(fragment)
        seen.append(acc.is_complete)
    assert seen == [False, True, True, False, True, False, True]


def test_a_character_in_flight_is_not_complete(midstream: Any) -> None:
    for after_root in ("error", "ignore", "next"):
        acc = midstream.JsonFragmentAccumulator(after_root=after_root)
        acc.add_fragment(b"[] \xc3")
        assert not acc.is_complete


def test_what_is_no_text_is_a_type_error(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    others: list[Any] = [None, 1, ["[]"], {}]
    for fragment in others:
        with pytest.raises(TypeError):
            acc.add_fragment(fragment)
    assert kinds(acc.add_fragment("[]")) == ["StartArray", "EndArray", "JsonComplete"]


@pytest.mark.parametrize("options", [{"on_error": "explode"}, {"after_root": "panic"}])
def test_an_unknown_option_is_a_value_error(midstream: Any, options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="one of"):
        midstream.JsonFragmentAccumulator(**options)


# --- checkpoints


def moved(midstream: Any, acc: Any, **hooks: Any) -> Any:
    """Move an accumulator to another process: its checkpoint, written as JSON and read again."""
    return midstream.JsonFragmentAccumulator.restore(json.loads(json.dumps(acc.checkpoint())), **hooks)


def continued(midstream: Any, acc: Any, fragments: Iterable[str | bytes]) -> list[Item]:
    """Feed and finish; an error becomes the last item."""
    items: list[Item] = []
    try:
        for fragment in fragments:
            items += items_of(acc.add_fragment(fragment))
        items += items_of(acc.finish())
    except midstream.JsonStreamError as error:
        items += items_of(error.updates)
        segments = midstream.parse_path(error.path)
        items.append(Item("Error", segments, str(error.code), (error.index, error.line, error.column)))
    return items


def test_checkpoint_at_every_cut(midstream: Any) -> None:
    for text in (RICH, RICH.encode()):
        for first, second in two_way_cuts(text):
            acc = midstream.JsonFragmentAccumulator()
            model = NaiveParser()
            assert exactly(items_of(acc.add_fragment(first))) == exactly(model.add(first))
            other = moved(midstream, acc)
            assert other.position == acc.position
            assert other.is_complete == acc.is_complete
            expected = exactly(model.add(second) + model.finish())
            assert exactly(continued(midstream, other, [second])) == expected
            # the one it was taken from is not disturbed
            assert exactly(continued(midstream, acc, [second])) == expected


def test_checkpoint_after_every_character(midstream: Any) -> None:
    for text in (RICH, RICH.encode()):
        acc = midstream.JsonFragmentAccumulator()
        model = NaiveParser()
        for char in characters(text):
            assert exactly(items_of(acc.add_fragment(char))) == exactly(model.add(char))
            acc = moved(midstream, acc)
        assert exactly(items_of(acc.finish())) == exactly(model.finish())
        assert moved(midstream, acc).is_complete
        assert moved(midstream, acc).finish() == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('"ab\\', 'ncd"'),
        ('"ab\\u00', 'e9cd"'),
        ('"ab\\ud83d', '\\ude00cd"'),
        ('"ab\\ud83d\\ud', 'e00cd"'),
        ('"ab\\ud83d', 'cd"'),
        (b'"ab\xf0\x9f', b'\x98\x80cd"'),
        ("[-", "1]"),
        ("[12", "34]"),
        ("[1.", "5]"),
        ("[1e", "+5]"),
        ("12", ""),
        ("[tr", "ue]"),
        ("nul", "l"),
        ('{"ke', 'y": 1}'),
        ('{"ke\\ud83d', '\\ude00y": 1}'),
        ('{"key"', ": 1}"),
        ('{"key":', "1}"),
        ('{"key": 1,', '"b": 2}'),
        ("[[1],[2", "],[3]]"),
        ('["\ud83d', '\ude00"]'),
        ('["\ud83d\ude00', '"]'),
        ('["\\ud83d\ude00', '"]'),
        ('{"\ud83d\ude00', '": 1}'),
        ('{"\ud83d\ude00": ', "[1, x]}"),
        ("[1,2,", "]"),
        ("[1,2", "x]"),
        ("", "[]"),
        ("\ufeff", "[]"),
        ("[]", " x"),
    ],
)
def test_checkpoint_inside_tokens(midstream: Any, first: str | bytes, second: str | bytes) -> None:
    model = NaiveParser()
    acc = midstream.JsonFragmentAccumulator()
    assert exactly(items_of(acc.add_fragment(first))) == exactly(model.add(first))
    expected = exactly(model.add(second) + model.finish())
    assert exactly(continued(midstream, moved(midstream, moved(midstream, acc)), [second])) == expected


def test_checkpoint_after_an_error(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error="raise")
    error = caught(midstream, lambda: acc.add_fragment('{"a": [1,\n]'))
    other = moved(midstream, acc)
    assert other.position == acc.position == (10, 2, 1)
    assert not other.is_complete
    for call in (lambda: other.add_fragment("3]}"), lambda: other.add_fragment(""), other.finish):
        again = caught(midstream, call)
        assert again.error == error.error
        assert again.path == error.path
        assert again.updates == []
    other.reset()
    assert kinds(other.add_fragment("[]")) == ["StartArray", "EndArray", "JsonComplete"]

    acc = midstream.JsonFragmentAccumulator(on_error="event")
    acc.add_fragment("[x")
    other = moved(midstream, acc)
    assert other.add_fragment("]") == other.finish() == []
    assert not other.is_complete


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        (r'"\u0041"', NaiveLimits(max_string=0)),
        (r'"\n"', NaiveLimits(max_string=0)),
        (r'"\ud83d\ud83d"', NaiveLimits(max_string=1)),
        (r'"\ud83d\u004x"', NaiveLimits()),
        (r'{"\u00e9": 1}', NaiveLimits(max_string=0)),
        ("[123", NaiveLimits(max_number=2)),
        ("[[", NaiveLimits(max_depth=1)),
        ("[1, 2", NaiveLimits(max_document=3)),
        (b'["\xe2\x28', NaiveLimits()),
        ("[tru!", NaiveLimits()),
    ],
)
def test_checkpoint_after_each_kind_of_error(midstream: Any, text: str | bytes, limits: NaiveLimits) -> None:
    for fragments in ([text], characters(text)):
        acc = midstream.JsonFragmentAccumulator(on_error="event", limits=midstream.Limits(*limits))
        for fragment in fragments:
            acc.add_fragment(fragment)
        other = moved(midstream, acc)
        assert other.position == acc.position
        assert other.add_fragment("]") == other.finish() == []


@pytest.mark.parametrize("after_root", ["ignore", "next"])
def test_checkpoint_after_the_root(midstream: Any, after_root: str) -> None:
    text = ' [1] \n{"a": 2} 34 "x"true 5 '
    for first, second in two_way_cuts(text):
        model = NaiveParser(after_root=after_root)
        acc = midstream.JsonFragmentAccumulator(after_root=after_root)
        assert exactly(items_of(acc.add_fragment(first))) == exactly(model.add(first))
        other = moved(midstream, acc)
        assert other.is_complete == model.is_complete
        expected = exactly(model.add(second) + model.finish())
        assert exactly(continued(midstream, other, [second])) == expected
        if after_root == "ignore":
            assert other.trailing == model.trailing == ' \n{"a": 2} 34 "x"true 5 '
        assert other.position == model.position


def test_checkpoint_keeps_the_options(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(
        root="args", on_error="event", after_root="next", limits=midstream.Limits(3, 4, 5, 60)
    )
    acc.add_fragment("[1] [")
    other = moved(midstream, acc, parse_int=str, parse_float=Decimal)
    updates = other.add_fragment("12, 1.5] [[[[")
    assert [(update.path, update.value) for update in updates[:2]] == [
        ("args[0]", "12"),
        ("args[1]", Decimal("1.5")),
    ]
    assert (updates[-1].error.code, updates[-1].error.index) == ("depth_limit", 17)
    assert updates[-1].path == "args[0][0][0]"
    for text, code in (('"abcde"', "string_limit"), ("123456", "number_limit"), (" " * 61, "document_limit")):
        acc.reset()
        assert moved(midstream, acc).add_fragment(text)[-1].error.code == code


@pytest.mark.parametrize("split", range(1, 12))
def test_checkpoint_keeps_count_against_the_limits(midstream: Any, split: int) -> None:
    for text, limits in (
        (r'"ab\ud83d\ude00c"', NaiveLimits(max_string=3)),
        ("123456789012", NaiveLimits(max_number=11)),
        ("[1, 2, 3, 4]", NaiveLimits(max_document=11)),
        ("[[[[[[[[[[[[", NaiveLimits(max_depth=11)),
    ):
        acc = midstream.JsonFragmentAccumulator(limits=midstream.Limits(*limits))
        model = NaiveParser(limits=limits)
        assert exactly(items_of(acc.add_fragment(text[:split]))) == exactly(model.add(text[:split]))
        expected = exactly(model.add(text[split:]) + model.finish())
        assert exactly(continued(midstream, moved(midstream, acc), [text[split:]])) == expected


DAMAGED = [
    '{"a": 1, "b": tru, "c": [1, nope, 3], "d": 4}',
    '{"a": 1 "b": [2 3], "c" 4, "d": {"e": "\\x", "f": 5}, g: 6, "h": 7}',
    '[1, {"a" "b"}, [2 "x" [3]], "y"',
    '[1, "a\nb", [tru], 01, {"a":: 1}, 2]',
]


@pytest.mark.parametrize("text", DAMAGED)
def test_checkpoint_while_recovering(midstream: Any, text: str) -> None:
    complete = midstream.JsonFragmentAccumulator(on_error="recover")
    expected = exactly(join_partials(continued(midstream, complete, [text])))
    for first, second in two_way_cuts(text):
        acc = midstream.JsonFragmentAccumulator(on_error="recover")
        items = items_of(acc.add_fragment(first))
        items += continued(midstream, moved(midstream, acc), [second])
        assert exactly(join_partials(items)) == expected, first


def test_a_checkpoint_is_small(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    acc.add_fragment("[" + '{"key": "some text", "n": [1, 2, 3]}, ' * 5000)
    assert len(json.dumps(acc.checkpoint())) < 2000


@pytest.mark.parametrize("data", [None, 1, "x", [], {}, {"version": 999}, [1, 2, 3], "[]", True], ids=repr)
def test_what_is_no_checkpoint(midstream: Any, data: Any) -> None:
    restore = midstream.JsonFragmentAccumulator.restore
    assert caught(midstream, lambda: restore(data)).code == "invalid_checkpoint"


@pytest.mark.parametrize(
    ("name", "damage"),
    [("index", -5), ("index", "0"), ("index", None), ("index", 1.0), ("in_array", None), ("in_array", 1)],
)
def test_a_checkpoint_at_no_place(midstream: Any, name: str, damage: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    acc.add_fragment("[1,")
    data = acc.checkpoint()
    data["visitor"][name] = damage
    with pytest.raises(midstream.JsonStreamError, match="not a checkpoint"):
        midstream.JsonFragmentAccumulator.restore(data)


def test_a_damaged_checkpoint_is_an_error_or_harmless(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator()
    acc.add_fragment('{"a": [1, "te')
    good = json.loads(json.dumps(acc.checkpoint()))

    def damaged(data: Any) -> Iterator[Any]:
        """Put something else in every place of some plain data, and take every member away."""
        yield from (None, -1, "?", [], {}, 1.5, 10**30)
        if isinstance(data, (dict, list)):
            for member in data if isinstance(data, dict) else range(len(data)):
                less = copy.copy(data)
                del less[member]
                yield less
                for junk in damaged(data[member]):
                    other = copy.copy(data)
                    other[member] = junk
                    yield other

    for data in damaged(good):
        try:
            other = midstream.JsonFragmentAccumulator.restore(data)
            other.add_fragment('xt"], "b": 2}')
            other.finish()
        except midstream.JsonStreamError:
            continue


# --- limits


@pytest.mark.parametrize(
    ("limits", "text", "code", "index", "before"),
    [
        (NaiveLimits(max_depth=2), '[[{"a":1}]]', "depth_limit", 2, ["StartArray", "StartArray"]),
        (
            NaiveLimits(max_string=2),
            '["abc"]',
            "string_limit",
            4,
            ["StartArray", "StartString", "PartialString"],
        ),
        (NaiveLimits(max_string=2), '{"abc":1}', "string_limit", 4, ["StartObject"]),
        (NaiveLimits(max_number=2), "[123]", "number_limit", 3, ["StartArray"]),
        (NaiveLimits(max_document=4), "[1, 2]", "document_limit", 4, ["StartArray", "CompleteNumber"]),
    ],
    ids=["depth", "string", "key", "number", "document"],
)
def test_each_limit_has_its_code_and_its_place(
    midstream: Any, limits: NaiveLimits, text: str, code: str, index: int, before: list[str]
) -> None:
    for fragments in [*cuttings(text), characters(text.encode())]:
        items = run(midstream, fragments, limits=midstream.Limits(*limits))
        assert (items[-1].text_value, items[-1].value) == (code, (index, 1, index + 1))
        assert [item.kind for item in join_partials(items)[:-1]] == before


def test_what_is_within_max_string_is_delivered(midstream: Any) -> None:
    for text in ('"abcdef"', r'"ab\u0063\u0064"', r'"abc\n"'):
        for fragments in ([text], characters(text)):
            items = join_partials(run(midstream, fragments, limits=midstream.Limits(max_string=3)))
            assert items[1] == Item("PartialString", (), "abc")
            assert items[2].text_value == "string_limit"


def test_max_number_is_a_matter_of_valid_numbers_only(midstream: Any) -> None:
    limits = midstream.Limits(max_number=3)
    assert error_of(midstream, ["1234"], limits=limits) == ("number_limit", 3)
    assert error_of(midstream, ["1.2."], limits=limits) == ("invalid_number", 3)
    assert error_of(midstream, ["1e+x"], limits=limits) == ("invalid_number", 3)
    assert error_of(midstream, ["123x"], limits=limits) == ("trailing_text", 3)
    assert value_of(midstream, ["123 "], limits=limits) == 123


def test_the_default_limits(midstream: Any) -> None:
    assert tuple(midstream.Limits()) == (1000, None, 4300, None, 1000)
    assert value_of(midstream, ["1" * 4300]) == int("1" * 4300)
    assert error_of(midstream, ["1" * 4301]) == ("number_limit", 4300)
    assert error_of(midstream, ["-" + "1" * 4300]) == ("number_limit", 4300)


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ('{"a":1}{"b":2}', None),
        ('{"a":1}\n{"b":2}', 14),
        ('{"a":12}', 7),
        ("1234567 1234567", 14),
        ("1234567 123456", None),
        ('1234567"12345"', None),
        ('1234567"12345678', 14),
        ("1234567[12345]", None),
        ("1234567{}{}", None),
        ("true true true", None),
        ("true true  true", None),
        ("true true    true", 16),
    ],
)
def test_max_document_counts_each_document(midstream: Any, text: str, index: int | None) -> None:
    limits = NaiveLimits(max_document=7)
    expected = naive([text], after_root="next", limits=limits)
    for fragments in cuttings(text):
        items = run(midstream, fragments, after_root="next", limits=midstream.Limits(*limits))
        assert exactly(join_partials(items)) == exactly(expected)
    if index is None:
        assert expected[-1].kind == "JsonComplete"
    else:
        assert (expected[-1].text_value, expected[-1].value[0]) == ("document_limit", index)


def test_trailing_text_counts_in_the_document(midstream: Any) -> None:
    limits = midstream.Limits(max_document=4)
    for fragments in (["[] xyz"], characters("[] xyz")):
        items = run(midstream, fragments, after_root="ignore", limits=limits)
        assert [item.kind for item in items] == ["StartArray", "EndArray", "JsonComplete", "Error"]
        assert (items[-1].text_value, items[-1].value[0]) == ("document_limit", 4)


# --- after the root


@pytest.mark.parametrize("root", ["{}", "[1]", '"x"', "true", "null"])
def test_the_document_is_complete_with_its_last_character(midstream: Any, root: str) -> None:
    for after_root in ("error", "ignore", "next"):
        acc = midstream.JsonFragmentAccumulator(after_root=after_root)
        assert "JsonComplete" not in kinds(acc.add_fragment(root[:-1]))
        assert not acc.is_complete
        assert kinds(acc.add_fragment(root[-1]))[-1] == "JsonComplete"
        assert acc.is_complete
        assert acc.finish() == []
        assert acc.is_complete


def test_after_root_error(midstream: Any) -> None:
    for fragments in (["[1] x"], characters("[1] x")):
        items = run(midstream, fragments, after_root="error")
        assert [item.kind for item in items][-2:] == ["JsonComplete", "Error"]
        assert items[-1] == Item("Error", (), "trailing_text", (4, 1, 5))


@pytest.mark.parametrize(
    ("text", "trailing"),
    [
        ("[1]", ""),
        ("[1] ", " "),
        ("[1] and so on {", " and so on {"),
        ("true\n\n", "\n\n"),
        ("truex", "x"),
        ('"a""b"', '"b"'),
        ("12 x", " x"),
        ("12x", "x"),
        ("12", ""),
        ("{}\ufeff\x00\u20ac", "\ufeff\x00\u20ac"),
    ],
)
def test_after_root_ignore(midstream: Any, text: str, trailing: str) -> None:
    for fragments in [*cuttings(text), characters(text.encode())]:
        acc = midstream.JsonFragmentAccumulator(after_root="ignore")
        updates = [update for fragment in fragments for update in acc.add_fragment(fragment)] + acc.finish()
        assert kinds(updates)[-1] == "JsonComplete"
        assert kinds(updates).count("JsonComplete") == 1
        assert acc.trailing == trailing
        assert acc.is_complete
        assert acc.position.index == len(text)


def test_after_root_ignore_still_needs_a_complete_root(midstream: Any) -> None:
    assert error_of(midstream, ["12-"], after_root="ignore") == ("invalid_number", 2)
    assert error_of(midstream, ["12."], after_root="ignore") == ("truncated", 3)
    assert error_of(midstream, [""], after_root="ignore") == ("truncated", 0)
    assert error_of(midstream, ["[1"], after_root="ignore") == ("truncated", 2)
    assert error_of(midstream, [b"{} \xff"], after_root="ignore") == ("invalid_utf8", 3)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", []),
        (" \n ", []),
        ("1", [1]),
        ("1 2\n3", [1, 2, 3]),
        ('{"a":1}\n{"a":2}\n', [{"a": 1}, {"a": 2}]),
        ("{}{}[][]", [{}, {}, [], []]),
        ('"a""b"', ["a", "b"]),
        ("truefalsenull", [True, False, None]),
        ("12true", [12, True]),
        ('1"x"2', [1, "x", 2]),
        ("1[2]3{}", [1, [2], 3, {}]),
        ("\ufeff1\r\n2", [1, 2]),
    ],
)
def test_after_root_next(midstream: Any, text: str, values: list[Any]) -> None:
    for fragments in [*cuttings(text), characters(text.encode())]:
        items = run(midstream, fragments, after_root="next")
        documents = split_documents(items)
        assert exactly([fold(document) for document in documents]) == exactly(values)
        assert all(document[-1].kind == "JsonComplete" for document in documents)


def test_after_root_next_continues_counting(midstream: Any) -> None:
    items = run(midstream, ['{"a": 1}\n', "[2]\n", "[3,\n,"], after_root="next")
    assert items[-1] == Item("Error", (1,), "expected_value", (17, 4, 1))
    assert error_of(midstream, ["{} [1"], after_root="next") == ("truncated", 5)
    assert error_of(midstream, ["{} ,"], after_root="next") == ("expected_value", 3)
    assert error_of(midstream, ["1 -"], after_root="next") == ("truncated", 3)
    assert error_of(midstream, ["1-2"], after_root="next") == ("invalid_number", 1)


def test_paths_begin_anew_with_every_document(midstream: Any) -> None:
    items = run(midstream, ["[1,2][3]"], after_root="next")
    assert [item.segments for item in items if item.kind == "CompleteNumber"] == [(0,), (1,), (0,)]


# --- errors


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("x", "root"),
        ("", "root"),
        ("[x", "root[0]"),
        ("[1,x", "root[1]"),
        ("[1,]", "root[1]"),
        ("[1 x", "root"),
        ('{"a":x', "root.a"),
        ('{"a":tru!', "root.a"),
        ('{"a":-!', "root.a"),
        ('{"a":01', "root.a"),
        ('{"a":"\n', "root.a"),
        ('{"a":"\\x', "root.a"),
        ('{"a":"', "root.a"),
        ('{"a":1', "root.a"),
        ('{"a":1 x', "root"),
        ('{"a":1,x', "root"),
        ('{"a":1,}', "root"),
        ('{"a"x', "root"),
        ('{"a\n', "root"),
        ("{x", "root"),
        ('{"a":[{"b":[1,2,x', "root.a[0].b[2]"),
        ('{"a":[{"b":[1,2],x', "root.a[0]"),
        ('{"a":[{"b":[1,2]}', "root.a"),
        ("[] x", "root"),
        ('{"a.b":x', 'root["a.b"]'),
    ],
)
def test_the_path_of_an_error(midstream: Any, text: str, path: str) -> None:
    for fragments in cuttings(text):
        error = caught(midstream, partial(feed_all, midstream, fragments))
        assert error.path == path
        acc = midstream.JsonFragmentAccumulator(on_error="event")
        updates = [update for fragment in fragments for update in acc.add_fragment(fragment)] + acc.finish()
        assert updates[-1].path == path
        assert updates[-1].error == error.error


def test_raise_gives_the_updates_of_the_fragment(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error="raise")
    assert kinds(acc.add_fragment("[1,")) == ["StartArray", "CompleteNumber"]
    error = caught(midstream, lambda: acc.add_fragment('"a", 2 \n 3]'))
    assert issubclass(midstream.JsonStreamError, ValueError)
    assert (error.code, error.index, error.line, error.column) == ("expected_comma", 12, 2, 2)
    assert kinds(error.updates) == ["StartString", "PartialString", "CompleteString", "CompleteNumber"]
    assert isinstance(error.updates, list)
    assert str(error) == error.error.message
    assert error.error == midstream.ParserError.at(error.code, error.index, error.line, error.column)


def test_raise_continues_raising_until_reset(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error="raise")
    first = caught(midstream, lambda: acc.add_fragment("[1,,"))
    assert kinds(first.updates) == ["StartArray", "CompleteNumber"]
    for call in (
        lambda: acc.add_fragment("2]"),
        lambda: acc.add_fragment(b"2]"),
        lambda: acc.add_fragment(""),
        acc.finish,
        acc.finish,
    ):
        again = caught(midstream, call)
        assert (again.error, again.path, again.updates) == (first.error, first.path, [])
    # what was returned is not touched
    assert kinds(first.updates) == ["StartArray", "CompleteNumber"]
    acc.reset()
    assert kinds(acc.add_fragment("[]")) == ["StartArray", "EndArray", "JsonComplete"]


def test_event_says_it_once(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error="event")
    updates = acc.add_fragment('{"a": [1,,2]} and more')
    assert kinds(updates) == ["StartObject", "Key", "StartArray", "CompleteNumber", "Error"]
    error = updates[-1]
    assert (error.path, error.value) == ("root.a[1]", None)
    assert error.text_value == error.error.message
    assert (error.error.code, error.error.index, error.error.line, error.error.column) == (
        "expected_value", 9, 1, 10,
    )  # fmt: skip
    assert acc.add_fragment("x") == acc.add_fragment("") == acc.finish() == acc.finish() == []
    assert acc.position == (9, 1, 10)
    assert not acc.is_complete


def test_truncation_is_reported_by_finish(midstream: Any) -> None:
    acc = midstream.JsonFragmentAccumulator(on_error="event")
    acc.add_fragment('{"a":\n [1, "x')
    (error,) = acc.finish()
    assert error.error[2:] == (13, 2, 8)
    assert error.error.code == "truncated"
    assert acc.finish() == []


def test_no_text_of_the_document_in_a_message(midstream: Any) -> None:
    for text in ('["secret" secret', '{"secret": secret', "secret", '"secret\\x', "[1secret"):
        error = caught(midstream, partial(feed, midstream, [text]))
        assert "secret" not in str(error)


RECOVERABLE = [
    ("[1, 2,]", [1, 2], ["trailing_comma"]),
    ('{"a": 1,}', {"a": 1}, ["trailing_comma"]),
    ('{"a": [1, ], "b": {"c": 2, }, }', {"a": [1], "b": {"c": 2}}, ["trailing_comma"] * 3),
    ('{"a": 1, "b": tru, "c": 3}', {"a": 1, "c": 3}, ["invalid_literal"]),
    (
        '{"a": 1, "b": tru, "c": [1, nope, 3], "d": 4}',
        {"a": 1, "c": [1, 3], "d": 4},
        ["invalid_literal", "invalid_literal"],
    ),
]


@pytest.mark.parametrize(("text", "value", "codes"), RECOVERABLE)
def test_recover_loses_only_the_damage(midstream: Any, text: str, value: Any, codes: list[str]) -> None:
    for fragments in cuttings(text):
        items = run(midstream, fragments, on_error="recover")
        assert fold(items) == value
        assert [item.text_value for item in items if item.kind == "Error"] == codes
        assert items[-1].kind == "JsonComplete"


def test_recover_ends_where_not_even_a_root_container_is_allowed(midstream: Any) -> None:
    for text in ("[]", "{", '[{"a": [1]}] x', "[[\n]]"):
        for after_root in ("error", "ignore", "next"):
            options = {"on_error": "recover", "after_root": after_root}
            with within(5):
                items = run(midstream, [text], limits=midstream.Limits(max_depth=0), **options)
            assert (items[0].text_value, items[0].value) == ("depth_limit", (0, 1, 1))
            assert len(items) < 10


@pytest.mark.parametrize(
    "data",
    [
        b"1 x\x80\x80",
        b"[1] \xff\xfe\xfd",
        b'["a\xff\xff\xff", 2]',
        b"[1, \xff\xff, 2]",
        b"[1\xff, 23]",
        b"[-\xff, 2, 3]",
        b"[1.\xff\xff 5, 2.5]",
        b"[tru\xff, true]",
        b'[1\xff, {"a": 2}]',
        b"\xff\xff[1]",
        b'{"a\xff\xff": 1}',
    ],
    ids=ascii,
)
def test_recover_from_several_bad_bytes_at_any_cut(midstream: Any, data: bytes) -> None:
    for after_root in ("error", "ignore", "next"):
        options = {"on_error": "recover", "after_root": after_root}
        complete = exactly(join_partials(run(midstream, [data], **options)))
        for fragments in cuttings(data):
            assert exactly(join_partials(run(midstream, fragments, **options))) == complete


@pytest.mark.parametrize("on_error", POLICIES)
def test_the_policies_agree_on_valid_text(midstream: Any, on_error: str) -> None:
    expected = exactly(naive([RICH]))
    assert exactly(run(midstream, [RICH], on_error=on_error)) == expected


# --- the one-liners


def test_updates(midstream: Any) -> None:
    fragments = pieces(RICH, range(0, len(RICH), 5))
    single = midstream.updates(iter(fragments))
    assert exactly(items_of(single)) == exactly(naive(fragments))
    assert exactly(items_of(midstream.updates(["1", "2"]))) == exactly(naive(["12"]))
    assert exactly(items_of(midstream.updates([b"[1]"], root="r"))) == exactly(naive(["[1]"]))
    assert next(midstream.updates(["{"], root="r", on_error="event")).path == "r"


def test_updates_come_before_the_next_fragment_is_read(midstream: Any) -> None:
    read = []

    def source() -> Iterator[str]:
        for fragment in ("[1,", "2,", "3]"):
            read.append(fragment)
            yield fragment

    stream = midstream.updates(source())
    assert item_of(next(stream)).kind == "StartArray"
    assert read == ["[1,"]


def test_updates_yields_what_came_before_an_error_then_raises(midstream: Any) -> None:
    stream = midstream.updates(['["a', 'b", 1 x', "]"])
    items: list[Item] = []

    def drain() -> None:
        items.extend(map(item_of, stream))

    error = caught(midstream, drain)
    assert (error.code, error.index) == ("expected_comma", 9)
    assert exactly(items) == exactly(naive(['["a', 'b", 1 x'])[:-1])
    items.clear()
    stream = midstream.updates(['["a'])
    assert caught(midstream, drain).code == "truncated"
    assert exactly(items) == exactly(naive(['["a'])[:-1])


def test_updates_over_an_async_iterable(midstream: Any) -> None:
    fragments = pieces(RICH, range(0, len(RICH), 5))

    async def source(parts: Iterable[str | bytes]) -> AsyncIterator[str | bytes]:
        for part in parts:
            await asyncio.sleep(0)
            yield part

    async def collect(parts: Iterable[str | bytes], into: list[Item], **options: Any) -> None:
        async for update in midstream.aio.updates(source(parts), **options):
            into.append(item_of(update))  # noqa: PERF401 (it must keep what came before an error)

    items: list[Item] = []
    asyncio.run(collect(fragments, items))
    assert exactly(items) == exactly(naive(fragments))
    items.clear()
    error = caught(midstream, lambda: asyncio.run(collect(['["a', 'b", 1 x', "]"], items)))
    assert (error.code, error.index) == ("expected_comma", 9)
    assert exactly(items) == exactly(naive(['["a', 'b", 1 x'])[:-1])
    items.clear()
    asyncio.run(collect(["[x"], items, on_error="event"))
    assert [item.kind for item in items] == ["StartArray", "Error"]


# --- tokens of very many fragments


@pytest.mark.parametrize("length", [1023, 1024, 1025, 2048, 3000])
def test_tokens_of_thousands_of_fragments(length: int, midstream: Any) -> None:
    """Pieces are joined in batches; a token that ends with a full batch is as complete as any other."""
    key, text, number = "k" * length, "ä" * length, "1" * length
    document = json.dumps({key: [text, int(number)]}, ensure_ascii=False)
    accumulator = midstream.JsonFragmentAccumulator()
    updates = [update for character in document for update in accumulator.add_fragment(character)]
    values = {str(u.kind): u.value for u in updates if u.value is not None}
    assert values == {"Key": key, "CompleteString": text, "CompleteNumber": int(number)}


class Text(str):
    __slots__ = ()


class Data(bytes):
    pass


def test_fragments_of_derived_types(midstream: Any) -> None:
    """SDKs wrap what they return; our results are plain."""
    for fragments in (
        [Text('{"a": "b'), Text("c"), Text('d"}')],
        [Data(b'{"a": "b'), bytearray(b"c"), memoryview(b'd"}')],
    ):
        accumulator = midstream.JsonFragmentAccumulator(root=Text("args"), on_error=Text("raise"))
        updates = [update for fragment in fragments for update in accumulator.add_fragment(fragment)]
        assert [u.text_value for u in updates if u.kind == "PartialString"] == ["b", "c", "d"]
        assert {type(u.text_value) for u in updates if u.text_value is not None} == {str}
        assert updates[-1].path == "args"
        values = midstream.JsonValueAccumulator()
        state = midstream.create_parser_state()
        for fragment in fragments:
            values.add_fragment(fragment)
            state = midstream.parse_chunk(state, fragment)
        assert values.value == midstream.get_resolved_value(state) == {"a": "bcd"}


def test_nothing_of_the_last_fragment_is_kept(midstream: Any) -> None:
    """An idle stream holds its depth and its open token: neither the text nor the updates before."""
    accumulator = midstream.JsonFragmentAccumulator()
    text = '["' + "x" * 1_000_000 + '", ["y'
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        accumulator.add_fragment("".join(text))
        assert tracemalloc.get_traced_memory()[0] - before < 50_000
    finally:
        tracemalloc.stop()
