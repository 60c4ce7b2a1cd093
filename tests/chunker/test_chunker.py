"""The chunker's rules, one stream each, chunk by chunk."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import re
from enum import Enum, StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from chunker_source import Readable, identical
from costs import assert_linear
from midstream.chunker.chunker import JsonStreamChunker, PlainTextStreamChunker, chunks
from midstream.errors import ErrorCode, JsonStreamError

if TYPE_CHECKING:
    from collections.abc import Callable


class Stream(NamedTuple):
    """Snapshots and the chunks they give, flush last, as a file under tests/chunker/streams lists them."""

    name: str
    options: list[str]
    steps: list[list[str]]


def streams(file: str) -> list[Stream]:
    """Read such a file."""
    text = (Path(__file__).parent / "streams" / file).read_text("utf-8")
    _, *blocks = text.rstrip("\n").split("\n\n")
    found = []
    for block in blocks:
        title, *lines = block.split("\n")
        name, _, options = title.removeprefix("# ").removesuffix("]").partition(" [")
        steps = [re.split(" → | →$", line, maxsplit=1) for line in lines]
        assert steps[-1][0] == "flush"
        found.append(Stream(name, options.split(", ") if options else [], steps))
    return found


# the snapshot before, the one that contradicts it, the place, and whether "override" can help
CONFLICTS = [
    ('{"a":1}', '{"a":2}', "root.a", True),
    ('{"a":1}', '{"a":"1"}', "root.a", True),
    ('{"a":1}', '{"a":true}', "root.a", True),
    ('{"a b":{"c":[1,{"d":"x"}]}}', '{"a b":{"c":[1,{"d":"y"}]}}', 'root["a b"].c[1].d', True),
    ('{"a":{"b":[1,[2,3],"x"]}}', '{"a":{"b":[1,[2,4],"x"]}}', "root.a.b[1][1]", True),
    ('{"a":{"b":[1,{"c":1,"d":2},"x"]}}', '{"a":{"b":[1,{"c":1},"x"]}}', "root.a.b[1].d", True),
    ('{"a":[1,2,3]}', '{"a":[1]}', "root.a[1]", True),
    ('{"a":{"b":1}}', '{"a":{}}', "root.a.b", True),
    ('{"a":{"b":1}}', '{"a":[]}', "root.a", True),
    ('{"a":1}', "{}", "root.a", False),
    ('{"a":"x"}', "{}", "root.a", False),
    ('{"a":1}', "[1]", "root", False),
    ("[1,2]", "[1,3]", "root[1]", False),
    ("[1,2]", "[1]", "root[1]", False),
    ('["ab"]', '["ac"]', "root[0]", False),
    ('[["a"]]', "[1]", "root[0]", False),
    ('[{"a":1}]', "[{}]", "root[0].a", False),
    ('"ab"', '"a"', "root", False),
    ("1", "2", "root", False),
    ("1", "true", "root", False),
    ("null", "{}", "root", False),
]


def as_value(snapshot: str) -> Any:
    """Parse a snapshot; but a str is always JSON text."""
    value = json.loads(snapshot)
    return snapshot if isinstance(value, str) else value


def replay(chunker: JsonStreamChunker, stream: Stream, given: Callable[[str], Any]) -> Any:
    """Check a stream chunk by chunk; return what its text is to a reader."""
    text = ""
    for snapshot, chunk in stream.steps:
        written = chunker.flush() if snapshot == "flush" else chunker.process(given(snapshot))
        assert written == chunk, snapshot
        text += written
    value = json.loads(text)
    assert identical(value, json.loads(stream.steps[-2][0]))
    return text


@pytest.mark.parametrize("given", [str, str.encode, as_value], ids=["text", "bytes", "value"])
@pytest.mark.parametrize(
    "stream", streams("walkthroughs.txt") + streams("rules.txt"), ids=lambda stream: stream.name
)
def test_chunk_by_chunk(stream: Stream, given: Callable[[str], Any]) -> None:
    options = dict.fromkeys(stream.options, True)
    chunker = JsonStreamChunker(on_conflict="raise", **options)
    # this reader refuses a key that comes twice
    Readable().add(replay(chunker, stream, given))
    assert chunker.overrides == 0


@pytest.mark.parametrize("stream", streams("overrides.txt"), ids=lambda stream: stream.name)
def test_override_chunk_by_chunk(stream: Stream) -> None:
    count, *flags = stream.options
    options = dict.fromkeys(flags, True)
    chunker = JsonStreamChunker(on_conflict="override", **options)
    replay(chunker, stream, str)
    assert chunker.overrides == int(count)


@pytest.mark.parametrize(
    ("before", "now", "why"),
    [
        ('{"a":1}', '{"a":true}', "a number has become a boolean"),
        ('{"a":1}', "{}", "a number is missing"),
        ("[1,[2],3]", "[1,[2,null],3]", "null joined a container that was already closed"),
        ('[{"b":1},1]', '[{"b":1,"d":[]},1]', "an array joined a container that was already closed"),
        ('[{"a":"x"},1]', '[{"a":"xy"},1]', "a string has changed"),
        ('{"a":{}, "b":1, "c": 1}', '{"a":[], "b":1}', "a number is missing"),
        ('{"a":null}', '{"a":"x"}', "null has become a string; if your source sends null for unset fields, "
            "pass tentative_nulls=True"),
        ('{"a":1}', '{"a":12}', "a number has changed; if your source sends numbers before they are "
            "complete, pass tentative_numbers=True"),
    ],
)  # fmt: skip
def test_a_conflict_says_what_changed_and_what_to_try(before: str, now: str, why: str) -> None:
    chunker = JsonStreamChunker()
    chunker.process(before)
    with pytest.raises(JsonStreamError) as raised:
        chunker.process(now)
    assert str(raised.value) == f"the snapshot contradicts what was already written: {why}"


@pytest.mark.parametrize(("before", "now", "path", "_"), CONFLICTS)
def test_conflict_raises_with_its_path(before: str, now: str, path: str, _: bool) -> None:
    chunker = JsonStreamChunker()
    chunker.process(before)
    with pytest.raises(JsonStreamError) as raised:
        chunker.process(now)
    assert (raised.value.code, raised.value.path) == (ErrorCode.CONFLICT, path)
    # dropped, that snapshot has no effect
    assert chunker.process(before) == ""


@pytest.mark.parametrize(("before", "now", "path", "correctable"), CONFLICTS)
def test_override_where_an_object_is_open(before: str, now: str, path: str, correctable: bool) -> None:
    chunker = JsonStreamChunker(on_conflict="override")
    text = chunker.process(before)
    if correctable:
        text += chunker.process(now) + chunker.flush()
        assert identical(json.loads(text), json.loads(now))
        assert chunker.overrides == 1
    else:
        with pytest.raises(JsonStreamError) as raised:
            chunker.process(now)
        assert (raised.value.code, raised.value.path) == (ErrorCode.CONFLICT, path)
        assert chunker.overrides == 0
        assert identical(json.loads(text + chunker.process(before) + chunker.flush()), json.loads(before))


def test_the_worst_of_several_conflicts_decides() -> None:
    chunker = JsonStreamChunker(on_conflict="override")
    chunker.process('{"a":1,"b":2,"c":"x"}')
    with pytest.raises(JsonStreamError) as raised:
        chunker.process('{"a":5,"c":"y"}')
    assert raised.value.path == "root.b"
    assert (chunker.process('{"a":1,"b":2,"c":"xy"}'), chunker.overrides) == ("y", 0)


class Colour(StrEnum):
    RED = "red"


class Part(StrEnum):
    PAIR = "\ud83d\ude00"


class Level(int, Enum):
    HIGH = 3


@dataclasses.dataclass
class Step:
    text: str
    parts: tuple[Any, ...] = ()


class Model:
    """Look like a model that knows one plain form only."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self) -> dict[str, Any]:
        return self.fields


VALUES = [
    (Step("a", (1, Step("b"))), '{"text":"a","parts":[1,{"text":"b","parts":[]}]}'),
    ({"m": Model(a=1, b=[Model()])}, '{"m":{"a":1,"b":[{}]}}'),
    ([Colour.RED, Level.HIGH, {Colour.RED: 1}], '["red",3,{"red":1}]'),
    ((1, (2.5, None)), "[1,[2.5,null]]"),
    (10**4299, "1" + "0" * 4299),
    (True, "true"),
    (None, "null"),
    ([[], {}], "[[],{}]"),
]


@pytest.mark.parametrize(("value", "text"), VALUES, ids=itertools.count())
def test_values_in_their_plain_form(value: Any, text: str) -> None:
    assert identical(json.loads("".join(chunks([value]))), json.loads(text))


def test_pydantic_models_of_an_unfinished_answer() -> None:
    model: Any = pytest.importorskip("pydantic").BaseModel

    class Person(model):  # type: ignore[misc]
        name: str | None = None
        age: int | None = None
        tags: list[str] | None = None

    class Answer(model):  # type: ignore[misc]
        person: Person | None = None
        people: list[Person] | None = None

    stream = [
        (Answer(), "{"),
        (Answer(person=Person()), '"person":{'),
        (Answer(person=Person(name="A")), '"name":"A'),
        (Answer(person=Person(name="Ada", age=3)), 'da"'),
        (Answer(person=Person(name="Ada", age=36)), ""),
        (Answer(person=Person(name="Ada", age=36, tags=["x"])), ',"age":36,"tags":["x'),
        (Answer(person=Person(name="Ada", age=36, tags=["x"]), people=[Person(age=1)]), '"]},"people":[{'),
        (
            Answer(person=Person(name="Ada", age=36, tags=["x"]), people=[Person(age=17), Person()]),
            '"age":17,"name":null,"tags":null},{',
        ),
    ]
    chunker = JsonStreamChunker(tentative_nulls=True, tentative_numbers=True)
    written = [chunker.process(answer) for answer, _ in stream]
    assert written == [chunk for _, chunk in stream]
    assert json.loads("".join(written) + chunker.flush()) == stream[-1][0].model_dump()


def test_a_debounced_source_merges_steps() -> None:
    stream = [
        ({"title": "Tea"}, '{"title":"Tea'),
        (
            {"title": "Tea time", "steps": ["Boil", "Po"], "minutes": 4},
            ' time","minutes":4,"steps":["Boil","Po',
        ),
        (
            {
                "minutes": 4,
                "title": "Tea time",
                "steps": ["Boil", "Pour", "Wait"],
                "notes": "No",
                "tags": ["hot"],
            },
            'ur","Wait"',
        ),
        (
            {
                "minutes": 4,
                "title": "Tea time",
                "steps": ["Boil", "Pour", "Wait"],
                "notes": "No",
                "tags": ["hot", "d"],
            },
            '],"notes":"No","tags":["hot","d',
        ),
    ]
    chunker = JsonStreamChunker()
    assert [chunker.process(value) for value, _ in stream] == [chunk for _, chunk in stream]


@pytest.mark.parametrize(
    "text", ['{"k\ud83d\ude00":["\ud83d\ude00"]}', '{"k\ud83d\\ude00":["\\ud83d\ude00"]}']
)
def test_two_surrogates_in_a_text_are_one_character(text: str) -> None:
    chunker = JsonStreamChunker()
    assert chunker.process(text) == '{"k😀":["😀'
    assert chunker.process({"k😀": ["😀!"]}) == "!"
    deep = "[" * 2000 + '"\ud83d\ude00"' + "]" * 2000
    assert JsonStreamChunker().process(deep) == "[" * 2000 + '"😀'


def test_two_surrogates_in_a_value_are_one_character() -> None:
    chunker = JsonStreamChunker()
    assert chunker.process({"k\ud83d\ude00": ["a\ud83d"]}) == '{"k😀":["a'
    assert chunker.process({"k\ud83d\ude00": ["a\ud83d\ude00"]}) == "😀"
    # whichever way the next one comes
    assert chunker.process('{"k😀":["a\\ud83d\\ude00b"]}') == "b"
    stays_alone = {"k😀": ["a\ud83d\ude00b", "\ude00\ud83d", [Part.PAIR]], "\ud83d": {"\ude00": 1}}
    text = chunker.process(stays_alone)
    assert text == r"""","\ude00\ud83d",["😀"]],"\ud83d":{"\ude00":1"""
    assert chunker.flush() == "}}"
    assert "".join(chunks([Model(a="\ud83d\ude00")])) == '{"a":"😀"}'


def cyclic() -> list[Any]:
    value: list[Any] = [1]
    value.append({"again": value})
    return value


def cyclic_step() -> Step:
    step = Step("a")
    step.parts = (step,)
    return step


BAD_VALUES = [
    (float("nan"), "root"),
    ({"a": [float("inf")]}, "root.a[0]"),
    ({"a": {1: 2}}, "root.a"),
    ([{None: 1}], "root[0]"),
    ([1, {2}], "root[1]"),
    ({"a": object()}, "root.a"),
    ({"a": b"bytes"}, "root.a"),
    ([10**4300], "root[0]"),
    (cyclic(), "root[1].again"),
    (cyclic_step(), "root.parts[0]"),
    ([Step], "root[0]"),
    ({"m": Model(a=Model(b=1j))}, "root.m.a.b"),
]


@pytest.mark.parametrize(("value", "path"), BAD_VALUES, ids=itertools.count())
def test_what_is_not_json_is_refused(value: Any, path: str) -> None:
    chunker = JsonStreamChunker()
    chunker.process({"s": "x"})
    with pytest.raises(JsonStreamError) as raised:
        chunker.process(value)
    assert (raised.value.code, raised.value.path) == (ErrorCode.INVALID_SNAPSHOT, path)
    assert chunker.process({"s": "xy"}) == "y"


def test_a_model_that_fails_is_refused_with_its_reason() -> None:
    class Broken:
        def model_dump(self, mode: str = "python") -> Any:
            raise RuntimeError("no plain form")

    with pytest.raises(JsonStreamError) as raised:
        JsonStreamChunker().process(Broken())
    assert isinstance(raised.value.__cause__, RuntimeError)


BAD_TEXTS = [
    ("", 0),
    ("  ", 2),
    ("{", 1),
    ('{"a":1,}', 7),
    ("[1] 2", 4),
    ("NaN", 0),
    ("[-Infinity]", 2),
    ("[1e999]", None),
    ("[" + "9" * 4301 + "]", None),
    ("01", 1),
    ('"\n"', 1),
    (b"\xff", 0),
    (b'{"a": "\xc3"}', 7),
    (b"", 0),
]


@pytest.mark.parametrize(("text", "index"), BAD_TEXTS, ids=itertools.count())
def test_a_text_that_is_not_json_is_refused(text: str | bytes, index: int | None) -> None:
    chunker = JsonStreamChunker()
    chunker.process('{"s":"x"}')
    with pytest.raises(JsonStreamError) as raised:
        chunker.process(text)
    assert raised.value.code == ErrorCode.INVALID_SNAPSHOT
    if index is not None:
        assert raised.value.index == index
    assert chunker.process('{"s":"xy"}') == "y"


def test_a_byte_order_mark_is_ignored() -> None:
    assert "".join(chunks(["\ufeff[1]"])) == "[1]"
    assert "".join(chunks([b"\xef\xbb\xbf[1]"])) == "[1]"
    assert "".join(chunks([bytearray(b"[1]")])) == "".join(chunks([memoryview(b"[1]")])) == "[1]"


def test_values_are_neither_changed_nor_kept() -> None:
    value: dict[str, Any] = {"a": [{"b": "x"}], "c": "y"}
    as_given = copy.deepcopy(value)
    chunker = JsonStreamChunker()
    text = chunker.process(value)
    assert value == as_given
    value["a"][0]["b"] = "something else"
    value["a"].clear()
    value["c"] = 1
    text += chunker.process(as_given)
    as_given["c"] = "yes"
    text += chunker.process(as_given) + chunker.flush()
    assert json.loads(text) == as_given


def test_the_same_object_changed_in_place_is_a_new_snapshot() -> None:
    value: dict[str, Any] = {"a": "x"}
    chunker = JsonStreamChunker()
    text = chunker.process(value)
    for more in "yz":
        value.setdefault("l", []).append({"m": more})
        text += chunker.process(value)
    assert json.loads(text + chunker.flush()) == value


@pytest.mark.parametrize("opening", ['{"a":', "["])
def test_depth_is_no_matter(opening: str) -> None:
    depth = 20_000
    value: Any = "x"
    for _ in range(depth):
        value = {"a": value} if opening == '{"a":' else [value]
    closing = ("}" if opening == '{"a":' else "]") * depth
    chunker = JsonStreamChunker()
    assert chunker.process(value) == opening * depth + '"x'
    assert chunker.process(value) == ""
    assert chunker.process([*value, 1] if opening == "[" else {**value, "b": 1}).startswith(
        '"' + closing[:-1]
    )
    assert chunker.flush() == closing[-1]
    # held, compared and written completely
    chunker.reset()
    assert chunker.process({"p": value, "q": "x"}) == "{"
    assert (
        chunker.process({"p": value, "q": "x", "n": 1})
        == '"n":1,"p":' + opening * depth + '"x"' + closing + ',"q":"x"'
    )
    with pytest.raises(JsonStreamError) as raised:
        chunker.process({"p": [], "q": "x", "n": 1})
    assert raised.value.path.startswith("root.p")


@pytest.mark.parametrize("opening", ['{"a":', "[", '{"b":"","a":', '{"a":[', '{"n":0,"a":'])
@pytest.mark.parametrize("on_conflict", ["raise", "override"])
def test_a_step_inside_is_linear_in_the_depth(opening: str, on_conflict: Any) -> None:
    closing = "".join("}" if bracket == "{" else "]" for bracket in reversed(re.findall(r"[{\[]", opening)))

    def follow(depth: int) -> None:
        def snapshot(leaf: str) -> str:
            return f'{{"q":"y","p":{opening * depth}"{leaf}"{closing * depth}}}'

        # held, then followed
        chunker = JsonStreamChunker(on_conflict=on_conflict)
        assert chunker.process(snapshot("x")) == "{"
        text = "{" + chunker.process(snapshot("xy"))
        assert text.startswith('{"q":"y","p":')
        assert text.endswith('"xy')
        assert chunker.process(snapshot("xyz")) == "z"
        # what is empty waited until its object closes
        assert chunker.flush().replace(',"b":""', "") == '"' + closing * depth + "}"
        assert chunker.overrides == 0

    assert_linear(lambda depth: partial(follow, depth), 3000)


def test_an_override_is_linear_in_the_depth() -> None:
    def override(depth: int) -> None:
        def snapshot(leaf: str) -> str:
            return f'{{"p":{"[" * depth}"{leaf}"{"]" * depth}}}'

        chunker = JsonStreamChunker(on_conflict="override")
        assert chunker.process(snapshot("x")) == '{"p":' + "[" * depth + '"x'
        assert chunker.process(snapshot("y")) == '"' + "]" * depth + ',"p":' + "[" * depth + '"y'
        assert (chunker.flush(), chunker.overrides) == ('"' + "]" * depth + "}", 1)

    assert_linear(lambda depth: partial(override, depth), 6000)


def test_many_overrides_in_one_step() -> None:
    def override(count: int) -> None:
        chunker = JsonStreamChunker(on_conflict="override")
        chunker.process(dict.fromkeys(map(str, range(count)), True))
        chunker.process(dict.fromkeys(map(str, range(count)), False))
        assert chunker.overrides == count

    assert_linear(lambda count: partial(override, count), 5000)


def test_deep_text() -> None:
    depth = 100_000
    chunker = JsonStreamChunker()
    assert chunker.process("[" * depth + "]" * depth) == "[" * depth
    assert chunker.flush() == "]" * depth


def test_flush_ends_the_text() -> None:
    chunker = JsonStreamChunker()
    assert chunker.flush() == chunker.flush() == ""
    chunker.reset()
    assert chunker.process("[1]") + chunker.flush() + chunker.flush() == "[1]"
    with pytest.raises(JsonStreamError) as raised:
        chunker.process("[1]")
    assert raised.value.code == ErrorCode.AFTER_FINISH
    chunker.reset()
    assert chunker.process("[1]") == "[1"


def test_reset_forgets_overrides() -> None:
    chunker = JsonStreamChunker(on_conflict="override")
    chunker.process('{"a":1}')
    chunker.process('{"a":2}')
    assert chunker.overrides == 1
    chunker.reset()
    assert (chunker.overrides, chunker.process('{"a":3}')) == (0, '{"a":3')


@pytest.mark.parametrize(
    "make",
    [JsonStreamChunker, PlainTextStreamChunker, lambda on_conflict: chunks([], on_conflict=on_conflict)],
)
def test_an_unknown_policy_is_refused_at_once(make: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="on_conflict"):
        make(on_conflict="ignore")


def test_chunks_passes_its_options() -> None:
    assert [*chunks(['{"a":1}', '{"a":12}'], tentative_numbers=True)] == ["{", '"a":12}']
    assert [*chunks([{"a": None}, {"a": "x"}], tentative_nulls=True)] == ["{", '"a":"x', '"}']
    assert [*chunks([{"a": 1}, {"a": 2}], on_conflict="override")] == ['{"a":1', ',"a":2', "}"]
    assert [*chunks([])] == []


PLAIN = [
    ("grows", ["", "a", "a", "ab\n"], ["", "a", "", "b\n"], ""),
    ("bytes", [b"a", "aé".encode()], ["a", "é"], ""),
    ("a lone surrogate waits", ["a\ud83d", "a😀"], ["a", "😀"], ""),
    ("a lone surrogate at the end", ["a\ud83d"], ["a"], "\ud83d"),
    ("two surrogates", ["a\ud83d", "a\ud83d\ude00"], ["a", "\ud83d\ude00"], ""),
]


@pytest.mark.parametrize(("name", "texts", "written", "rest"), PLAIN)
def test_plain_text(name: str, texts: list[str | bytes], written: list[str], rest: str) -> None:
    chunker = PlainTextStreamChunker()
    assert [chunker.process(text) for text in texts] == written
    assert (chunker.flush(), chunker.flush()) == (rest, "")


@pytest.mark.parametrize("text", ["ax", "a", "", "x"])
def test_plain_text_that_is_not_continued(text: str) -> None:
    chunker = PlainTextStreamChunker()
    chunker.process("ab")
    with pytest.raises(JsonStreamError) as raised:
        chunker.process(text)
    assert raised.value.code == ErrorCode.CONFLICT
    assert chunker.process("abc") == "c"
    chunker = PlainTextStreamChunker(on_conflict="override")
    assert [chunker.process("ab"), chunker.process(text), chunker.process(text + "!")] == ["ab", text, "!"]
    assert chunker.overrides == 1


def test_plain_text_ends_and_begins_again() -> None:
    chunker = PlainTextStreamChunker()
    chunker.process("ab")
    chunker.flush()
    with pytest.raises(JsonStreamError) as raised:
        chunker.process("ab")
    assert raised.value.code == ErrorCode.AFTER_FINISH
    chunker.reset()
    assert chunker.process("b") == "b"
    bads: list[Any] = [b"\xff", None, 1]
    for bad in bads:
        with pytest.raises(JsonStreamError) as raised:
            chunker.process(bad)
        assert raised.value.code == ErrorCode.INVALID_SNAPSHOT


def test_the_documented_example_is_true() -> None:
    page = (Path(__file__).parents[2] / "docs" / "chunker.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.*`|flush) \| (.*) \| (`.*`|nothing) \|$", page, re.MULTILINE)
    assert len(rows) > 8
    chunker = JsonStreamChunker()
    text = ""
    for snapshot, _, chunk in rows:
        written = chunker.flush() if snapshot == "flush" else chunker.process(snapshot.strip("`"))
        assert written == ("" if chunk == "nothing" else chunk.strip("`"))
        text += written
    assert json.loads(text) == json.loads(rows[-2][0].strip("`"))
