"""Where the grammar has an edge: fragments that say nothing, and numbers that a hook refuses."""

from __future__ import annotations

import ast
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from builds import BUILDS

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))


@each_build
@pytest.mark.parametrize("empty", ["", b"", bytearray(), memoryview(b"")])
@pytest.mark.parametrize("text", ["", '{"a', '{"a"', '["a', '["\\', '["\\ud83d', "[1", "[tr", "[1]", "1"])
def test_an_empty_fragment_says_nothing(midstream: Any, text: str, empty: Any) -> None:
    accumulator = midstream.JsonFragmentAccumulator()
    accumulator.add_fragment(text)
    before = accumulator.checkpoint()
    assert accumulator.add_fragment(empty) == []
    assert accumulator.checkpoint() == before
    value = midstream.JsonValueAccumulator()
    value.add_fragment(text)
    assert value.add_fragment(empty) is False


# (section 7) which code units are surrogates

SURROGATES = ["d7ff", "d800", "d83d", "dbff", "dc00", "dfff", "e000", "0000", "ffff", "FFFF"]


@each_build
def test_only_a_high_and_a_low_surrogate_make_a_pair(midstream: Any) -> None:
    for first in SURROGATES:
        for second in SURROGATES:
            text = f'"\\u{first}\\u{second}."'
            for fragments in ([text], [*text]):
                assert [*midstream.values(fragments)][-1] == json.loads(text), text


# What recovery does where only a comma or a colon is missing: it costs one error and no value


def recovered(midstream: Any, fragments: list[str]) -> tuple[list[int], Any]:
    updates = midstream.JsonFragmentAccumulator(on_error="recover")
    value = midstream.JsonValueAccumulator(on_error="recover")
    reported = []
    for fragment in fragments:
        reported += updates.add_fragment(fragment)
        value.add_fragment(fragment)
    reported += updates.finish()
    value.finish()
    return [update.error.index for update in reported if update.kind == "Error"], value.value


@each_build
@pytest.mark.parametrize(
    ("text", "errors", "value"),
    [
        ('[1 {"a":2}, 5]', [3], [1, {"a": 2}, 5]),
        ("[1 [2], 5]", [3], [1, [2], 5]),
        ('[1 "x", 5]', [3], [1, "x", 5]),
        ('{"a":1 "b":2}', [7], {"a": 1, "b": 2}),
        ('{"a" {"b":1}, "c":2}', [5], {"a": {"b": 1}, "c": 2}),
        ('{"a" [1], "c":2}', [5], {"a": [1], "c": 2}),
        ('{"a" "b", "c":2}', [5], {"a": "b", "c": 2}),
        # a value can't stand for a key
        ('{"a":1 {"b":2}, "c":3}', [7], {"a": 1, "c": 3}),
        ('{"a":1 ["b"], "c":3}', [7], {"a": 1, "c": 3}),
        # no token with which the structure could continue
        ("[1 }, 2]", [3], [1, 2]),
        ("[1 ~, 2]", [3], [1, 2]),
        ("[1 é, 2]", [3], [1, 2]),
        ("[1 \\, 2]", [3], [1, 2]),
        ('[1 #, "x"]', [3], [1, "x"]),
        ("[1 3, 2]", [3], [1, 2]),
    ],
)
def test_a_missing_separator_costs_one_error(
    midstream: Any, text: str, errors: list[int], value: Any
) -> None:
    assert recovered(midstream, [text]) == (errors, value)
    assert recovered(midstream, [*text]) == (errors, value)


# What a checkpoint may say of a token that is cut


@each_build
@pytest.mark.parametrize(
    ("text", "token", "place", "most"),
    [
        ('["\\u12', "place in an escape", 1, 5),
        ('["\\ud83d', "high surrogate", 2, 0xDBFF),
        ('["\\u12', "code so far", 3, 0xFF),
        ('["\\u', "code so far", 3, 0),
        ('["\\', "code so far", 3, 0),
        ("[tr", "letters of true", 1, 3),
        ("[fals", "letters of false", 1, 4),
        ("[1 x", "where the error was", 0, 24),
        ('[1 x "\\', "quote and backslash", 2, 2),
    ],
)
def test_a_checkpoint_with_a_number_that_can_not_be_is_refused(
    midstream: Any, text: str, token: str, place: int, most: int
) -> None:
    accumulator = midstream.JsonFragmentAccumulator(on_error="recover")
    accumulator.add_fragment(text)
    data = json.loads(json.dumps(accumulator.checkpoint()))
    midstream.JsonFragmentAccumulator.restore(data)
    data["grammar"]["token"][place] = most
    midstream.JsonFragmentAccumulator.restore(data)
    for number in (most + 1, -1, True, None, str(most), float(most)):
        data["grammar"]["token"][place] = number
        with pytest.raises(midstream.JsonStreamError) as raised:
            midstream.JsonFragmentAccumulator.restore(data)
        assert raised.value.code == "invalid_checkpoint"


def restored(midstream: Any, data: dict[str, Any]) -> Any:
    return midstream.JsonFragmentAccumulator.restore(json.loads(json.dumps(data)))


@each_build
@pytest.mark.parametrize("text", ["-", "0", "12", "-0.", "1.5", "1e", "12E-", "-3.25e+07"])
def test_a_checkpoint_in_a_number_has_a_number_to_continue_with(midstream: Any, text: str) -> None:
    accumulator = midstream.JsonFragmentAccumulator()
    accumulator.add_fragment("[" + text)
    data = accumulator.checkpoint()
    state = data["grammar"]["token"][0]
    (update, *_) = restored(midstream, data).add_fragment("1]" if text != "0" else "]")
    assert update.text_value == text + "1" * (text != "0")
    for other in range(-1, 10):
        if other != state:
            data["grammar"]["token"] = [other, text]
            with pytest.raises(midstream.JsonStreamError, match="checkpoint"):
                restored(midstream, data)
    for other_text in (
        "",
        "abc",
        "1\xe9",
        "\u0661",
        "\uff11\uff12",
        "01",
        "+1",
        text + " ",
        text + "x",
        text + "\x00",
    ):
        data["grammar"]["token"] = [state, other_text]
        with pytest.raises(midstream.JsonStreamError, match="checkpoint"):
            restored(midstream, data)


@each_build
@pytest.mark.parametrize("high", [1, 65, 0xD7FF])
def test_a_checkpoint_with_part_of_a_character_has_a_high_surrogate(midstream: Any, high: int) -> None:
    accumulator = midstream.JsonFragmentAccumulator()
    accumulator.add_fragment('["\\ud83d')
    data = accumulator.checkpoint()
    data["grammar"]["token"][2] = high
    with pytest.raises(midstream.JsonStreamError, match="checkpoint"):
        restored(midstream, data)


@each_build
def test_a_stream_that_is_as_long_as_can_be_counted_continues(midstream: Any) -> None:
    accumulator = midstream.JsonValueAccumulator(after_root="next", limits=midstream.Limits(*[None] * 4))
    accumulator.add_fragment("[")
    data = accumulator.checkpoint()
    far = sys.maxsize // 2
    data["grammar"]["position"] = [far, 1, 0, far]
    accumulator = midstream.JsonValueAccumulator.restore(json.loads(json.dumps(data)))
    for piece in ('1] [2, "a', "b", '"]'):
        accumulator.add_fragment(piece)
    assert accumulator.value == [2, "ab"]


@each_build
@pytest.mark.parametrize("text", ["", "[", "[12,", '{"a', '{"a":true', '{"a":true,', '{"a":"b",', "[1]"])
def test_a_checkpoint_between_tokens_says_nothing_of_the_last_one(midstream: Any, text: str) -> None:
    accumulator = midstream.JsonFragmentAccumulator()
    for character in text:
        accumulator.add_fragment(character)
    assert bool(accumulator.checkpoint()["grammar"]["token"]) == text.endswith("a")


# What a limit leaves of a string


def summary(updates: list[Any]) -> list[tuple[str, Any]]:
    return [(str(update.kind.value), update.text_value) for update in updates if update.kind != "Error"]


@each_build
@pytest.mark.parametrize("start", ["", "[", '["'])
@pytest.mark.parametrize(
    ("limit", "piece"), [(3, "a"), (4, "ab"), (9, "ab"), (10, "ab\ud83d"), (11, "ab\ud83dc")]
)
def test_up_to_the_limit_of_a_document_a_string_comes_in_one_piece(
    midstream: Any, limit: int, piece: str, start: str
) -> None:
    limits = midstream.Limits(max_document=limit)
    accumulator = midstream.JsonFragmentAccumulator(on_error="event", limits=limits)
    updates = accumulator.add_fragment(start)
    updates += accumulator.add_fragment('["ab\\ud83dcd"]'.removeprefix(start))
    assert summary(updates) == [("StartArray", None), ("StartString", None), ("PartialString", piece)]
    assert (updates[-1].error.code, updates[-1].error.index) == ("document_limit", limit)


@each_build
@pytest.mark.parametrize("after_root", ["error", "ignore", "next"])
@pytest.mark.parametrize("number", ["-", "12.", "1e", "1E+"])
@pytest.mark.parametrize("after", [" ", "x", "\ufffd", "]", "2"])
def test_what_can_not_end_a_number_at_the_limit_is_too_much(
    midstream: Any, number: str, after: str, after_root: str
) -> None:
    limits = midstream.Limits(max_document=len(number))
    for fragments in ([number + after], [number, after], [*(number + after)]):
        accumulator = midstream.JsonFragmentAccumulator(
            root="root", on_error="event", after_root=after_root, limits=limits
        )
        updates = [update for fragment in fragments for update in accumulator.add_fragment(fragment)]
        errors = [(update.error.code, update.error.index) for update in updates]
        assert errors == [("document_limit", len(number))]


@each_build
@pytest.mark.parametrize("before", ["", "1 ", "[1] ", '"a" {} null '])
def test_every_document_in_a_row_has_the_limit_to_itself(midstream: Any, before: str) -> None:
    limits = midstream.Limits(max_document=10)
    for fragments in (['["abc', "defgh", "ijk"], [*'["abcdefghijk']):
        accumulator = midstream.JsonFragmentAccumulator(on_error="event", after_root="next", limits=limits)
        accumulator.add_fragment(before)
        start = len(before.rstrip())
        updates = [update for fragment in fragments for update in accumulator.add_fragment(fragment)]
        text = "".join(update.text_value for update in updates if update.kind == "PartialString")
        assert text == "abcdefghijk"[: 10 - (len(before) - start) - 2]
        assert (updates[-1].error.code, updates[-1].error.index) == ("document_limit", start + 10)


# Long fragments, cut everywhere


@each_build
@pytest.mark.parametrize(
    "text",
    [
        "[" + " " * 300 + '"' + "long text " * 3 + '\\n\\u00e9",' + "1" * 30 + ",-1.5e-3,true,false,null]",
        " " * 300 + '{"' + "key" * 10 + '":1,"' + "\\u0041" * 5 + '":{"a":[]}}',
    ],
    ids=["values", "keys"],
)
def test_a_long_fragment_may_end_anywhere(midstream: Any, text: str) -> None:
    value = json.loads(text)
    slowly = midstream.JsonValueAccumulator()
    for at, char in enumerate(text):
        if at > 297:
            assert [*midstream.values([text[:at], text[at:]])][-1] == value
            assert midstream.parse_partial(text[:at]) == slowly.value
        slowly.add_fragment(char)


# Where recovery continues


@each_build
@pytest.mark.parametrize(
    ("text", "places", "value"),
    [
        ('{"a" x : 1, "b":2}', [(1, 6)], {"a": 1, "b": 2}),
        ('{"a" x ; 1, "b":2}', [(1, 6)], {"b": 2}),
        # a bracket that fits nothing but the root is a slip of the right one
        ('{"a":[1, x}, "b":2}', [(1, 10)], {"a": [1], "b": 2}),
        ('[{"a":x], 2]', [(1, 7)], [{}, 2]),
        # lines are counted in what is skipped, too
        ("[x\n y,\n z, 1]", [(1, 2), (3, 2)], [1]),
        ('[x\n\n"\n",\n z, 1]', [(1, 2), (5, 2)], [1]),
        ("[1 x\ny\n\n, ?]", [(1, 4), (4, 3)], [1]),
    ],
)
def test_recovery_continues_at_its_place(
    midstream: Any, text: str, places: list[tuple[int, int]], value: Any
) -> None:
    for fragments in ([text], [*text]):
        accumulator = midstream.JsonFragmentAccumulator(on_error="recover")
        updates = [update for fragment in fragments for update in accumulator.add_fragment(fragment)]
        errors = [update.error for update in updates if update.kind == "Error"]
        assert [(error.line, error.column) for error in errors] == places
        assert recovered(midstream, fragments)[1] == value


@each_build
@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("[1234.x, 5678.5]", ["5678.5"]),
        ("[1234e+, 5678.5]", ["5678.5"]),
        ('["abcd\x01ef", "ghijk"]', ["ghijk"]),
        ('{"abcd\x01ef": "ghijk"}', []),
        ('{"abcd\x01ef": 1, "ghijk": "lmnop"}', ["ghijk", "lmnop"]),
    ],
    ids=ascii,
)
def test_what_was_broken_off_is_no_part_of_the_next(midstream: Any, text: str, texts: list[str]) -> None:
    for fragments in ([text], [*text]):
        accumulator = midstream.JsonFragmentAccumulator(on_error="recover")
        updates = [update for fragment in fragments for update in accumulator.add_fragment(fragment)]
        complete = ("Key", "CompleteString", "CompleteNumber")
        assert [update.text_value for update in updates if update.kind in complete] == texts


# Keys repeat: the same object again costs no memory


@each_build
@pytest.mark.parametrize("padding", ["", " " * 60, " " * 62, " " * 125])
def test_a_key_that_comes_again_is_the_same_object(midstream: Any, padding: str) -> None:
    for key in ("name", "a long name of a field", "x" * 64):
        members = [f'"{key}":1}},{padding}{{', f'"{key}":2}}]']
        for text in (
            ["[{", *members],
            ["[{" + "".join(members)],
            ['[{"', members[0][1:] + '"', members[1][1:]],
        ):
            accumulator = midstream.JsonValueAccumulator()
            for fragment in text:
                accumulator.add_fragment(fragment)
            (first,), (second,) = accumulator.value
            assert first is second


CUTS = [
    '{"a": [1, "x\\ud83d',
    '{"a\\',
    "[tr",
    "[-1.5e",
    '[1, {"b": nul',
    '["x" 1, "y',
    "[1] x\n[2",
    "\ufeff[",
    "[1]\n {",
]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("text", CUTS, ids=ascii)
def test_a_clone_is_the_same_machine_and_another_object(build: str, text: str) -> None:
    machines, grammar = (
        import_module(f"{BUILDS[build].__name__}.core.{name}") for name in ("machine", "grammar")
    )
    visitor_type = import_module(f"{BUILDS[build].__name__}.core.visitor").Visitor
    for recover in (False, True):
        machine = machines.new_machine(BUILDS[build].Limits(), "next", recover, int, float)
        grammar.feed(machine, text, visitor_type())
        before, clone = machine.state(), machine.clone()
        assert clone.state() == before
        assert clone.position() == machine.position()
        if build == "plain":
            # every field is either equal, or a copy of its own
            for name in machines.Machine.__slots__:
                mine, its = getattr(machine, name), getattr(clone, name)
                assert its is mine or its == mine or type(its) is type(mine), name
        grammar.feed(clone, '"]}, 7 ', visitor_type())
        grammar.finish(clone, visitor_type())
        assert machine.state() == before
        loaded = machines.new_machine(BUILDS[build].Limits(), "next", recover, int, float)
        loaded.load(before)
        assert loaded.state() == before


def test_only_two_functions_write_the_end_of_the_fast_path() -> None:
    """The invariant that ``core/machine.py`` states can break nowhere else."""
    core = Path(__file__).parents[2] / "src" / "midstream" / "core"
    writers = {
        (path.name, function.name, target.attr)
        for path in core.glob("*.py")
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef)
        for statement in ast.walk(function)
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign)
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
        if isinstance(target, ast.Attribute) and target.attr in ("clear_until", "string_end")
    }
    assert writers == {
        ("machine.py", "enable_fast_path", "clear_until"),
        ("machine.py", "enable_fast_path", "string_end"),
        ("machine.py", "disable_fast_path", "clear_until"),
    }
