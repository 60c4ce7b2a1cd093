"""What the table of web cases tries: inputs only, see make_web_cases for what is expected of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import midstream
import midstream.providers
import midstream.recordings
import midstream.sse
from cases import ACCEPTED, REJECTED, Accepted, Rejected
from identified_calls import IDENTIFIED
from midstream.calls.messages import to_event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Case", "all_cases"]

# what is no longer a case to read
_LONG = 3_000

Case = dict[str, Any]
Fragments = list[dict[str, Any]]


def rebuild(name: str, *batches: Any, **options: Any) -> Case:
    steps = [{"reset": True} if batch == "reset" else {"apply": batch} for batch in batches]
    return {"name": name, "kind": "rebuild", "options": options, "steps": steps}


def text(name: str, *pieces: str | None, **options: Any) -> Case:
    steps = [{"finish": True} if piece is None else {"add": piece} for piece in pieces]
    return {"name": name, "kind": "text", "options": options, "steps": steps}


def updates(name: str, *pieces: str | None, **options: Any) -> Case:
    return text(name, *pieces, **options) | {"kind": "updates"}


def handler(name: str, *steps: dict[str, Any], **options: Any) -> Case:
    plain = [step if set(step) <= {"complete", "calls"} else {"event": step} for step in steps]
    return {"name": name, "kind": "handler", "options": options, "steps": plain}


def frag(kind: str, path: str = "root", **more: Any) -> dict[str, Any]:
    return {"path": path, "kind": kind, **more}


def partial(path: str, text: str) -> dict[str, Any]:
    return frag("PartialString", path, textValue=text)


def complete(path: str, text: str) -> dict[str, Any]:
    return frag("CompleteString", path, textValue=text, value=text)


def number(path: str, value: float) -> dict[str, Any]:
    return frag("CompleteNumber", path, textValue=str(value), value=value)


def wire(pieces: Iterable[str], **options: Any) -> list[Fragments]:
    """Return the updates of each piece of a text in their wire form, and those of its end."""
    accumulator = midstream.JsonFragmentAccumulator(**{"on_error": "event", **options})
    batches = [[midstream.to_wire(update) for update in accumulator.add_fragment(piece)] for piece in pieces]
    end = [midstream.to_wire(update) for update in accumulator.finish()]
    return [*batches, end] if end else batches


def cut(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def without(batches: list[Fragments], *kinds: str) -> list[Fragments]:
    return [[fragment for fragment in batch if fragment["kind"] not in kinds] for batch in batches]


def camel(batches: list[Fragments]) -> list[Fragments]:
    return [
        [{**each, "kind": each["kind"][0].lower() + each["kind"][1:]} for each in batch] for batch in batches
    ]


DOCUMENTS = {
    "flat object": '{"city": "Zürich", "days": 12, "open": true, "note": null}',
    "nested objects": '{"a": {"b": {"c": {}}}, "d": {"e": 1}}',
    "nested arrays": "[[], [[]], [[1, 2], [3]], 4]",
    "mixed": '{"users": [{"name": "Ada", "tags": ["x", "y"]}, {"name": "", "tags": []}], "total": 2}',
    "root array": '[1, "two", null, {"three": 3}]',
    "root string": '"just a string"',
    "root number": "-12.5e3",
    "root literal": "false",
    "empty object": "{}",
    "empty array": "[ ]",
    "escapes": r'{"q": "a\"b\\c\/d\b\f\n\r\te", "u": "\u00e9\u4e2d\ud83d\ude00"}',
    "lone surrogates": r'["\ud800", "a\udc00b", "\ud800\ud801\udc01", "\ud83d!"]',
    "characters outside the BMP": '{"😀": "👩‍👩‍👧", "x": "𝒳y"}',
    "keys that need quotes": '{"a.b": {"": {"c d": {"[0]": {"q\\"": {"\\n": [1]}}}}}, "\\u0085": 2}',
    "keys like numbers": '{"10": "a", "9": "b", "x": {"1": [0]}, "01": 1}',
    "keys of Object.prototype": (
        '{"__proto__": {"__proto__": [1], "polluted": true}, "constructor": {"prototype": 1},'
        ' "toString": "s", "hasOwnProperty": null}'
    ),
    "repeated keys": '{"a": 1, "b": "x", "a": {"a": "first", "a": "second"}, "b": [1]}',
    "numbers": "[0, -0, 1.5, 1e5, 1E-7, 0.1, 123456789012345678, -9007199254740993, 1e999, 2.5e-400]",
    "deep": "[" * 30 + '{"k": "v"}' + "]" * 30,
    "line ends": '{\n  "a": [\r\n    1,\n    "b"\t\n  ]\n}\n',
    "wide": json.dumps({f"key{i}": [i, str(i)] for i in range(5)}),
    "a complete tool call": json.dumps(
        {"query": "weather in Zürich", "filters": {"days": [1, 2, 3], "units": "metric"}, "explain": False}
    ),
}


def rebuild_documents() -> Iterable[Case]:
    for name, document in DOCUMENTS.items():
        repeats = name == "repeated keys"
        for label, size in (("in one piece", len(document)), ("cut in threes", 3)):
            yield rebuild(f"{name}, {label}", *wire(cut(document, size))) | {"repeats": repeats}
        if len(document) < 60:
            yield rebuild(f"{name}, per character", *wire(cut(document, 1))) | {"repeats": repeats}
        batches = wire(cut(document, 4))
        yield rebuild(f"{name}, without keys", *without(batches, "Key", "StartString")) | {"repeats": True}
        if name not in (
            "empty object",
            "empty array",
            "nested arrays",
            "nested objects",
            "deep",
            "repeated keys",
        ):
            kinds = ("Key", "StartString", "StartObject", "StartArray", "EndObject", "EndArray")
            implied = [batch for batch in without(batches, *kinds) if batch]
            yield rebuild(f"{name}, containers implied", *implied) | {"repeats": True}
        yield rebuild(f"{name}, without parts", *without(batches, "PartialString")) | {"repeats": repeats}
        yield rebuild(f"{name}, no root name", *wire(cut(document, 5), root="")) | {"repeats": repeats}
        if name in ("mixed", "root array", "root string", "keys that need quotes"):
            yield rebuild(f"{name}, camelCase", *camel(wire([document])))
            yield rebuild(f"{name}, another root", *wire(cut(document, 5), root="args"))


def rebuild_roots() -> Iterable[Case]:
    document = DOCUMENTS["mixed"]
    for root in ("$", "the.args", "my args", "a[0]", "root"):
        yield rebuild(f"root {root!r} given", *wire(cut(document, 7), root=root), root=root)
    yield rebuild("a root name that is not the one given", *wire(['{"a": 1}'], root="args"), root="root")
    yield rebuild("a root name found out from an array", *wire(cut("[[1], 2]", 2), root="list"))
    yield rebuild("a scalar at an unnamed root", *wire(["12"], root=""))
    yield rebuild("a scalar at a named root: read as a member", *wire(["12"], root="n"))
    yield rebuild("a root name that a key begins with", *wire(['{"root": 1, "rooted": {"root": 2}}']))
    yield rebuild("no root name, a key that is root", *wire(cut('{"root": {"x": 1}, "y": 2}', 4), root=""))


def rebuild_errors() -> Iterable[Case]:
    damaged = {
        "bad literal": '{"a": [1, 2], "b": nope}',
        "bad escape": r'{"a": "good \x bad", "b": 1}',
        "a lone surrogate, then damage": '["\\ud83d\x01", 2]',
        "truncated": '{"a": {"b": "c',
        "truncated in a key": '{"a": 1, "b',
        "truncated in an escape": r'["ab\u12',
        "trailing comma": '{"a": 1,}',
        "trailing text": "[1] x",
        "a string at the root": '"abc\x02',
        "missing colon": '{"a" 1, "b": 2}',
    }
    for name, document in damaged.items():
        yield rebuild(f"error: {name}", *wire(cut(document, 4)))
        yield rebuild(f"recovered: {name}", *wire(cut(document, 4), on_error="recover")) | {"repeats": True}
    yield rebuild("an Error without data", [frag("StartArray"), frag("Error", "root[0]", textValue="oops")])
    yield rebuild(
        "an Error before anything", [frag("Error", "root")], [number("root", 1), frag("JsonComplete")]
    )
    yield rebuild("an Error after the end", [number("root", 1), frag("JsonComplete")], [frag("Error")])
    data = {"code": "invalid_escape", "index": 3, "line": 1, "column": 4}
    for name, error in {
        "of a known code": data,
        "of an unknown code": {**data, "code": "from_the_future"},
        "of a code of the server": {**data, "code": "invalid_utf8"},
        "without its place": {"code": "truncated"},
        "without a code": {"index": 1, "line": 1, "column": 2},
        "that is a string": "truncated",
        "that is a list": [1, 2],
        "at no place": {**data, "index": "x"},
        "that is null": None,
    }.items():
        yield rebuild(
            f"an Error {name}", [frag("StartArray"), frag("Error", textValue="reported", error=error)]
        )
    yield rebuild(
        "an Error in an open string at the root, then another value",
        [frag("StartString"), partial("root", "ab"), frag("Error")],
        [complete("root", "cd"), frag("JsonComplete")],
    )
    yield rebuild(
        "an Error in an open string releases a surrogate",
        [frag("StartArray"), partial("root[0]", "a\ud83d")],
        [frag("Error", "root[0]")],
        [number("root[1]", 1), frag("EndArray"), frag("JsonComplete")],
    )
    yield rebuild(
        "an Error forgets the announced key",
        [frag("StartObject"), frag("Key", textValue="a"), frag("Error")],
        [frag("Key", textValue="b"), number("root.b", 2)],
        [frag("EndObject"), frag("JsonComplete")],
    )


def rebuild_strings() -> Iterable[Case]:
    opened = [frag("StartObject"), frag("Key", textValue="s"), frag("StartString", "root.s")]
    yield rebuild("a part that is empty", opened, [partial("root.s", "")], [partial("root.s", "x")])
    yield rebuild(
        "a pair cut in two", opened, [partial("root.s", "a\ud83d")], [partial("root.s", "\ude00b")],
        [complete("root.s", "a😀b")],
    )  # fmt: skip
    yield rebuild(
        "a lone surrogate that stays alone", opened, [partial("root.s", "\ud83d")], [partial("root.s", "x")],
        [complete("root.s", "\ud83dx")],
    )  # fmt: skip
    yield rebuild(
        "a lone surrogate at the end", opened, [partial("root.s", "a\ud83d")], [complete("root.s", "a\ud83d")]
    )
    yield rebuild(
        "a lone surrogate, then the complete text without it",
        opened,
        [partial("root.s", "a\ud83d")],
        [complete("root.s", "a")],
    )
    yield rebuild("not the sum of its parts", opened, [partial("root.s", "abc")], [complete("root.s", "abd")])
    yield rebuild("shorter than its parts", opened, [partial("root.s", "abc")], [complete("root.s", "ab")])
    yield rebuild("parts only, no end", opened, [partial("root.s", "abc")], [frag("EndObject")])
    yield rebuild("a complete string at once", [complete("root.s", "all")], [frag("JsonComplete")])
    yield rebuild(
        "text as value only",
        [frag("PartialString", "root.s", value="ab")],
        [frag("CompleteString", "root.s", value="abc")],
    )
    yield rebuild(
        "a second part after the end", opened, [complete("root.s", "ab")], [partial("root.s", "cd")]
    )
    yield rebuild(
        "a string once more",
        opened,
        [complete("root.s", "ab")],
        [frag("StartString", "root.s")],
        [complete("root.s", "cd")],
    ) | {"repeats": True}
    yield rebuild("another place while a string is open", opened, [partial("root.t", "x")])
    yield rebuild("a number while a string is open", opened, [number("root.n", 1)])
    yield rebuild("a key while a string is open", opened, [frag("Key", textValue="t")])
    yield rebuild("an end while a string is open", opened, [frag("EndObject")])
    yield rebuild("the end while a string is open", opened, [frag("JsonComplete")])
    yield rebuild("a string that starts twice", opened, [frag("StartString", "root.s")])


def rebuild_misplaced() -> Iterable[Case]:
    opened = [frag("StartObject")]
    listed = [frag("StartArray"), number("root[0]", 1)]
    done = [number("root", 1), frag("JsonComplete")]
    yield rebuild("all or none", opened, [number("root.a", 1), number("root[0]", 2)], [number("root.b", 3)])
    yield rebuild("none of the first batch", [number("args.a", 1), number("x.b", 2)], [number("x", 1)])
    yield rebuild("the document is complete", done, [number("root", 2)])
    yield rebuild("complete twice", done, [frag("JsonComplete")])
    yield rebuild("nothing after the end", done, [])
    yield rebuild("reset after the end", done, "reset", [frag("StartArray"), frag("EndArray")])
    yield rebuild("reset in a string", [partial("root.a", "x")], "reset", [partial("b", "y")])
    yield rebuild(
        "an item out of order", listed, [number("root[2]", 1)], [number("root[0]", 1)], [number("root[1]", 2)]
    )
    yield rebuild("a key in an array", listed, [number("root.a", 1)], [frag("Key", textValue="a")])
    yield rebuild("an index in an object", opened, [number("root[0]", 1)])
    yield rebuild(
        "the end of another container",
        opened,
        [frag("EndArray")],
        [frag("EndObject", "root.a")],
        [frag("EndObject")],
    )
    yield rebuild("an end before anything", [frag("EndObject")])
    yield rebuild("complete before anything", [frag("JsonComplete")])
    yield rebuild("complete at another place", opened, [frag("EndObject"), frag("JsonComplete", "root.a")])
    yield rebuild("complete too early", opened, [frag("JsonComplete")])
    yield rebuild("the root value has ended", [frag("StartArray"), frag("EndArray")], [number("root", 1)])
    yield rebuild(
        "another key than announced",
        opened,
        [frag("Key", textValue="a")],
        [number("root.b", 1)],
        [number("root.a", 1)],
    )
    yield rebuild(
        "a key announced twice",
        opened,
        [frag("Key", textValue="a"), frag("Key", textValue="b")],
        [number("root.b", 1)],
    )
    yield rebuild("a container open at this place", opened, [frag("StartObject")], [frag("StartArray")])
    yield rebuild(
        "another place", [frag("StartObject", "root"), frag("StartObject", "root.a")], [number("root.b", 1)]
    )
    yield rebuild("another root", opened, [number("other.a", 1)])
    yield rebuild(
        "a place that only begins alike",
        [frag("StartObject"), frag("StartObject", "root.a")],
        [number("root.ab", 1)],
    )
    yield rebuild(
        "implied containers end by themselves",
        [number("root.a.b[0].c", 1)],
        [number("root.a.b[1]", 2)],
        [number("root.d", 3)],
        [frag("JsonComplete")],
    )
    yield rebuild(
        "implied root array", [number("root[0]", 1)], [complete("root[1].a", "x")], [frag("JsonComplete")]
    )
    yield rebuild(
        "implied object by a key", [frag("Key", textValue="a")], [number("root.a", 1)], [frag("JsonComplete")]
    )
    yield rebuild(
        "implied object in an object by a key",
        opened,
        [frag("Key", "root.x", textValue="a")],
        [number("root.x.a", 1)],
        [frag("EndObject", "root.x"), frag("EndObject")],
    )
    yield rebuild(
        "an implied container once more",
        [number("root.a.b", 1)],
        [number("root.a", 2)],
        [frag("JsonComplete")],
    ) | {"repeats": True}
    for name in ("[0]", ".a", '["a.b"]', '[""]'):
        keys = [frag("Key", f"root{name}", textValue="k"), number(f"root{name}.k", 1)]
        yield rebuild(f"a key in an object that is implied at {name}", keys, [frag("JsonComplete")])
        back = [frag("Key", f"root{name}", textValue="j"), number(f"root{name}.j", 2)]
        inner = f"root{name}{name}"
        nested = [frag("Key", inner, textValue="k"), number(f"{inner}.k", 1)]
        if name != "[0]":
            yield rebuild(
                f"back from an object that is implied at {name}", nested, back, [frag("JsonComplete")]
            )
    cut_off = frag("Error", "root.a", error={"code": "truncated", "index": 9, "line": 1, "column": 10})
    yield rebuild("cut off in a string", [partial("root.a", "x\ud83d"), cut_off], [partial("root.a", "y")])
    yield rebuild(
        "a key without a value", opened, [frag("Key", textValue="a")], [frag("EndObject")], [cut_off]
    )
    yield rebuild("an Error at no path", opened, [frag("Error", "root..a")])
    yield rebuild("an implied root again", [number("root.a", 1)], [frag("StartObject")])
    yield rebuild("too deep", [number("root" + "[0]" * 1000, 1)], [number("root" + "[0]" * 1001, 1)])
    yield rebuild(
        "one update alone", frag("StartObject"), number("root.a", 1), frag("EndObject"), frag("JsonComplete")
    )
    yield rebuild("nothing", [])


def rebuild_unknown() -> Iterable[Case]:
    """Kinds that only newer senders know change nothing, wherever they come."""
    for name in ("Repair", "STARTOBJECT", "__proto__", "toString", ""):
        unknown = frag(name, "root.a", textValue="x", value={"new": [1]})
        yield rebuild(
            f"an unknown kind: {name}",
            [unknown],
            [frag("StartObject"), unknown, frag("PartialString", "root.a", textValue="b")],
            [unknown, frag("PartialString", "root.a", textValue="c"), unknown],
            [frag("CompleteString", "root.a", textValue="bc"), frag("EndObject"), frag("JsonComplete")],
            [unknown],
        )


def rebuild_malformed() -> Iterable[Case]:
    bad: dict[str, Any] = {
        "null": None,
        "a string": "StartObject",
        "a number": 1,
        "a list": [frag("StartObject")],
        "no path": {"kind": "StartObject"},
        "a path of null": {"path": None, "kind": "StartObject"},
        "a path of a number": {"path": 1, "kind": "StartObject"},
        "no kind": {"path": "root"},
        "a kind that is no string": frag("x") | {"kind": 3},
        "a key without text": frag("Key"),
        "a part without text": frag("PartialString"),
        "a string without text": frag("CompleteString", value=None),
        "a text that is no string": frag("PartialString", textValue=1),
        "a value that is no text": frag("Key", value=["a"]),
        "a number without value": frag("CompleteNumber"),
        "a number that is a string": frag("CompleteNumber", value="1"),
        "a number that is a boolean": frag("CompleteNumber", value=True),
        "a number with a bad text": frag("CompleteNumber", textValue="01"),
        "a number with a text of Infinity": frag("CompleteNumber", textValue="Infinity"),
        "a number with a text with a line end": frag("CompleteNumber", textValue="1\n"),
        "a number with too long a text": frag("CompleteNumber", textValue="1" * 4301),
        "a number with another text": frag("CompleteNumber", textValue="x", value=1),
        "a null with a value": frag("CompleteNull", value=3, textValue="null"),
        "a string with another value": frag("CompleteString", textValue="a", value="b"),
        "a string with a value that is no text": frag("CompleteString", textValue="a", value=1),
        "a key with another value": frag("Key", textValue="a", value="b"),
        "a boolean without value": frag("CompleteBoolean"),
        "a boolean that is a number": frag("CompleteBoolean", value=1),
        "a boolean with a bad text": frag("CompleteBoolean", textValue="True"),
        "a path with an empty name": frag("CompleteNull", "root..a"),
        "a path with an open bracket": frag("CompleteNull", "root[0"),
        "a path with a bad index": frag("CompleteNull", "root[01]"),
        "a path with a negative index": frag("CompleteNull", "root[-1]"),
        "a path with a bad key": frag("CompleteNull", 'root["a\\x"]'),
        "a path with an open key": frag("CompleteNull", 'root["a'),
        "a path with a space": frag("CompleteNull", "root.a b"),
        "a path with text after a bracket": frag("CompleteNull", "root[0]a"),
    }
    for name, update in bad.items():
        yield rebuild(
            f"malformed: {name}", [frag("StartObject")], [number("root.a", 1), update], [number("root.b", 2)]
        )
        yield rebuild(f"malformed at first: {name}", [update], [frag("StartArray")])
    good: dict[str, Any] = {
        "a number of its text": frag("CompleteNumber", textValue="12"),
        "a float of its text": frag("CompleteNumber", textValue="-1.5e3"),
        "an infinite number of its text": frag("CompleteNumber", textValue="1e999"),
        "a number of 4300 digits": frag("CompleteNumber", textValue="9" * 300),
        "a number without text": frag("CompleteNumber", value=12.5),
        "a big number": frag("CompleteNumber", textValue="9" * 30, value=int("9" * 30)),
        "a boolean of its text": frag("CompleteBoolean", textValue="false"),
        "a boolean without text": frag("CompleteBoolean", value=True),
        "a null with nothing": frag("CompleteNull"),
        "a number that is not its text": frag("CompleteNumber", textValue="12.50", value=3),
        "more than is known": frag("CompleteNull", extra=1, error={"code": "x"}),
    }  # fmt: skip
    for name, update in good.items():
        yield rebuild(f"well formed: {name}", [update], [frag("JsonComplete")])


def text_limits() -> Iterable[Case]:
    """Limits count characters, wherever a text is cut."""
    document = '["😀\\ud83d\\ude00é\\n", {"kęy😀": -12.5e3}]'
    for size in range(8):
        yield text(f"strings of {size}", *cut(document, 3), None, limits={"max_string": size})
        yield text(f"numbers of {size}", *cut(document, 3), None, limits={"max_number": size})
    for size in range(0, len(document) + 2, 3):
        yield text(f"a document of {size}", *cut(document, 5), None, limits={"max_document": size})
    for size in range(4):
        yield text(f"a depth of {size}", "[[{", '"a":[', "]}]]", None, limits={"max_depth": size})
    yield text("a number over the default limit", "9" * 4300, "1", None)
    yield text("no limit of numbers", "0." + "1" * 4300, "1", None, limits={"max_number": None})
    yield text("no limit of depth", "[" * 1000, "[1", "]" * 1001, limits={"max_depth": None})


def text_documents() -> Iterable[Case]:
    rules: list[Accepted | Rejected] = [*ACCEPTED, *REJECTED]
    for case in rules:
        if isinstance(case.text, str) and len(case.text) < _LONG:
            repeats = {"repeats": True} if case.name.startswith(("repeat", "duplicate")) else {}
            options: dict[str, Any] = {"limits": case.limits} if case.limits else {}
            yield text(f"RFC 8259: {case.name}", case.text, None, **options) | repeats
    yield from text_limits()
    for name, document in DOCUMENTS.items():
        yield text(f"{name}, cut in threes", *cut(document, 3), None) | {"repeats": name == "repeated keys"}
    for name, document in {
        "bad literal": '{"a": [1, 2], "b": nope}',
        "bad escape": r'{"a": "good \x bad"}',
        "truncated": '{"a": {"b": "c',
        "trailing text": "[1] x",
        "after characters of two units": '{"😀": ["👍👍",\n"👍", x]}',
        "a bad key": '{"a": {"b": 1, c: 2}}',
    }.items():
        yield text(f"thrown: {name}", *cut(document, 4), None, onError="raise")
    yield text("text after the finish", "[1]", None, "x", None)
    yield text("nothing after the finish", "[1]", None, "", None)
    yield text("nothing at all", None)
    yield text("white space only", " \n", None)
    yield text("a mark of byte order, then nothing", "\ufeff", None)
    yield text("a mark of byte order, later", " \ufeff1", None)
    yield text("text after an error", "[1,]", "2]", None)
    yield text("a number that is cut", "[1", "2", ".", "5e", "3", "]")
    yield text("a number at the root, cut", "-", "1", "2", None)
    yield text("a number at the root that is cut off", "-1.", None)
    yield text("a literal that is cut", "[tr", "u", "e,fa", "lse,n", "ull]")
    yield text("a key that is cut", '{"a', "b\\", "u00e", "9c", '":', "1}")
    yield text("a lone surrogate, an escape apart", '["\\ud83d', "\\", "ude00", '"]')
    yield text("a lone surrogate, then content", '["\\ud83d', "x", '"]')
    yield text("a lone surrogate, then an escape", '["\\ud83d', "\\n", '"]')
    yield text("a lone surrogate, then another", '["\\ud83d', "\\ud83d", "\\ude00", '"]')
    yield text("a lone surrogate, then damage", '["\\ud83d', "\x01", None)
    yield text("a lone surrogate, then the end", '["\\ud83d', None)
    yield text("too deep", "[" * 1001)
    yield text("as deep as may be", "[" * 1000 + "]" * 1000, None)
    yield text("too long a number", "[" + "1" * 4301)
    yield text("too long a number, in two", "[" + "1" * 4000, "1" * 500)
    yield text("lines", '{"a":\n[1,\r\n2,\n\n"x"', "\n", " 3]}")


def calls_of(pieces: Iterable[str], **identity: Any) -> list[dict[str, Any]]:
    """Return the events of a call whose arguments come in pieces, with their fragments."""
    events: list[dict[str, Any]] = []
    middleware = midstream.JsonFragmentUpdateMiddleware()
    for piece in pieces:
        event = {"type": "tool_call_update", **identity, "function_args": piece}
        events += middleware.add_message(event)
        identity.pop("function_name", None)
    return events


def upd(
    args: str | None = None, id: str | None = None, index: Any = None, name: str | None = None, **more: Any
) -> dict[str, Any]:
    fields = {"tool_call_id": id, "index": index, "function_name": name, "function_args": args, **more}
    return {"type": "tool_call_update", **{key: value for key, value in fields.items() if value is not None}}


def end(id: str | None = None, index: Any = None, **more: Any) -> dict[str, Any]:
    fields = {"tool_call_id": id, "index": index, **more}
    return {"type": "tool_call_end", **{key: value for key, value in fields.items() if value is not None}}


def over(reason: str | None = None, **more: Any) -> dict[str, Any]:
    return {"type": "message_end", **({"reason": reason} if reason else {}), **more}


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text_delta", "text": text, **more}


LAST = {"complete": None}
WEATHER = '{"city": "Zürich 😀", "days": [1, 2], "units": {"t": "C"}}'


def handler_sources() -> Iterable[Case]:
    fragments = calls_of(cut(WEATHER, 6), tool_call_id="c1", index=0, function_name="weather")
    raw = [
        {key: value for key, value in each.items() if key != "json_update_fragments"} for each in fragments
    ]
    only = [{key: value for key, value in each.items() if key != "function_args"} for each in fragments]
    for name, events in {"fragments": fragments, "raw text": raw, "fragments without text": only}.items():
        yield handler(f"{name}, ended by the message", *events, over("tool_calls"), LAST)
        yield handler(f"{name}, ended by the call", *events, end("c1"), over("stop"), LAST)
        yield handler(f"{name}, ended by the stream", *events, LAST)
        yield handler(
            f"{name}, ended by a result",
            *events,
            {"type": "tool_result", "tool_call_id": "c1", "result": 1},
            LAST,
        )
        # a text that was cut off is read once more
        again = {"repeats": name == "fragments"}
        yield handler(f"{name}, cut off by the stream", *events[:4], LAST) | again
        cut_off = over("length", is_truncated=True)
        yield handler(f"{name}, cut off by the message", *events[:4], cut_off, LAST) | again
        yield handler(f"{name}, ended too early", *events[:4], end("c1"), LAST) | again
        yield handler(f"{name}, complete but cut off", *events, over("length", is_truncated=True), LAST)
        yield handler(f"{name}, failed", *events, end("c1", failed=True), LAST)
        yield handler(f"{name}, read late", *events, over("tool_calls"), LAST, lazy=True)
    yield handler("fragments that stop coming", *fragments[:4], *raw[4:], over("stop"), LAST)
    yield handler("fragments that begin late", *raw[:4], *fragments[4:], over("stop"), LAST)
    yield handler("fragments with a gap", *fragments[:3], raw[3], *fragments[4:], over("stop"), LAST) | {
        "repeats": True
    }
    yield handler(
        "fragments that are empty lists", *[{**each, "json_update_fragments": []} for each in raw], LAST
    )
    yield handler(
        "fragments that don't fit",
        fragments[0],
        {**fragments[1], "json_update_fragments": [number("root[3]", 1)]},
        *fragments[2:],
        over("stop"),
        LAST,
    )
    yield handler(
        "fragments that don't fit, and no text",
        only[0],
        {**only[1], "json_update_fragments": [{"path": 1}]},
        only[2],
        LAST,
    )
    yield handler("fragments without text, then text", *only[:3], *raw[3:], over("stop"), LAST) | {
        "repeats": True
    }
    yield handler("text, then fragments without text", *raw[:3], *only[3:], over("stop"), LAST)
    yield handler("text, then the end reported in fragments", *raw, *only[-1:], over("stop"), LAST)
    error = frag(
        "Error", textValue="reported", error={"code": "truncated", "index": 1, "line": 1, "column": 2}
    )
    yield handler(
        "text, then an error reported in fragments", *raw, upd(id="c1", json_update_fragments=[error]), LAST
    )
    yield handler(
        "fragments, then an error", *fragments[:3], upd(id="c1", json_update_fragments=[error]), LAST
    )
    yield handler(
        "fragments, then an error, read late",
        *fragments[:3],
        upd(id="c1", json_update_fragments=[error]),
        LAST,
        lazy=True,
    )
    parts = [frag("StartObject"), number("root.a", 3), frag("EndObject"), frag("JsonComplete")]
    for args in (
        ': 3}', '{"a": 3', '{"a": 3}}', '{"a": 3}\ud83d', " ", '{"a": 4}', '{"a": true}', '{"a": [3]}',
        '{"a": {}}', '{"b": 3}', '{"a": 3, "b": 4}', "[3]", "{}", "3", "null", '{"a": 3.0}',
        '{"a": 1, "a": 3}',
    ):  # fmt: skip
        yield handler(
            f"fragments beside the text {args}",
            upd(args, id="c1", name="f", json_update_fragments=parts),
            over("stop"),
            LAST,
        )
    yield handler(
        "fragments beside another text, ended by the call",
        upd('{"a": 4}', id="c1", name="f", json_update_fragments=parts),
        end("c1"),
        LAST,
    )
    part = [frag("StartObject"), frag("PartialString", "root.a", textValue="x")]
    for args in (
        '{"a": "xy", "b": 1}',
        '{"a": "y"}',
        '{"a": 1}',
        '{"b": 1}',
        '["x"]',
        '{"a": "x", y',
        '{"a": "x',
    ):
        yield handler(
            f"fragments that stop before the text {args}",
            upd(args, id="c1", name="f", json_update_fragments=part),
            over("stop"),
            LAST,
        ) | {"repeats": True}
    yield handler(
        "an empty list of fragments and no text",
        upd(id="c1", name="f", json_update_fragments=[]),
        over("stop"),
        LAST,
    )
    yield handler(
        "calls at any time",
        {"calls": None},
        fragments[0],
        {"calls": None},
        {"calls": "other"},
        LAST,
        {"calls": None},
        LAST,
    )


def restored(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "stream_snapshot", "stream": "s", "messages": [{"calls": list(calls), **more}]}


def known(status: Any, text: str = '{"a": "x', **more: Any) -> dict[str, Any]:
    call = {"tool_call_id": "c1", "index": 0, "function_name": "f", "function_args": text, "status": status}
    return call | more


def handler_snapshots() -> Iterable[Case]:
    other = upd("[1, 2", id="old", name="g", index=0)
    rest = upd('y"}', index=0, args_offset=8)
    for status in ("open", "complete", "truncated", "invalid", "failed", None, "newer"):
        yield handler(f"a snapshot, {status}", other, restored(known(status)), rest, over("stop"), LAST)
        complete = known(status, '{"a": 1}')
        yield handler(
            f"a snapshot of a complete text, {status}", other, restored(complete), over("stop"), LAST
        )
    yield handler("a snapshot of nothing", other, restored(), LAST)
    yield handler("a snapshot without messages", other, {"type": "stream_snapshot", "messages": []}, LAST)
    again = [upd(': "x', index=0, args_offset=4), rest]
    yield handler(
        "a snapshot that holds what comes again", restored(known("open")), *again, over("stop"), LAST
    )
    lost = upd('"}', index=0, args_offset=9)
    yield handler("a snapshot, then a lost piece", restored(known("open")), lost, over("stop"), LAST)
    yield handler(
        "a snapshot after a snapshot", restored(known("open", "[1")), restored(known("open")), rest, LAST
    )
    second = known("open", "[", tool_call_id="c2", index=1)
    yield handler(
        "a snapshot of several calls, messages and choices",
        {
            "type": "stream_snapshot",
            "messages": [
                {"message_id": "m1", "finish_reason": "tool_calls", "calls": [known("complete", "{}")]},
                {
                    "message_id": "m2",
                    "text": "a",
                    "calls": [known("open"), second],
                },
                {"message_id": "m2", "choice": 1, "calls": [known("open", "[1, ")]},
                {"message_id": "m3", "calls": None},
            ],
        },
        upd("]", index=1, message_id="m2"),
        upd("2]", index=0, message_id="m2", choice=1),
        over("stop", message_id="m2"),
        {"complete": "m1"},
        {"complete": "m2"},
    )
    free = known("open", "print(", is_free_text=True)
    yield handler("a snapshot of free text", restored(free), upd("1)", index=0), over("stop"), LAST)
    parts = [frag("StartObject"), partial("root.a", "x")]
    yield handler(
        "a snapshot with fragments",
        restored(known("open", "{a: 'x", json_update_fragments=parts)),
        upd(
            "y'}",
            index=0,
            json_update_fragments=[partial("root.a", "y"), frag("EndObject"), frag("JsonComplete")],
        ),
        over("stop"),
        LAST,
    )
    for wrong in (
        {"messages": None}, {"messages": 1}, {"messages": [1]}, {"messages": [{"calls": 1}]},
        {"messages": [{"calls": [1]}]}, {"messages": [{"calls": [], "finish_reason": 1}]},
        {"messages": [{"calls": [known("open")], "message_id": 1}]},
        {"messages": [{"calls": [known(1)]}]}, {"messages": [{"calls": [known("open", index=[])]}]},
    ):  # fmt: skip
        yield handler(f"a malformed snapshot: {wrong}", other, {"type": "stream_snapshot", **wrong}, LAST)


def handler_arguments() -> Iterable[Case]:
    yield handler("no arguments, ended by the message", upd(id="a", name="now"), over("tool_calls"), LAST)
    yield handler("no arguments, ended by the call", upd(id="a", name="now"), end("a"), over("stop"), LAST)
    yield handler("no arguments, ended, then text", upd(id="a", name="now"), end("a"), said("Well"), LAST)
    for content in ("reasoning_delta", "refusal_delta", "server_tool_update", "server_tool_result"):
        other = {"type": content, **({"text": "Well"} if content.endswith("delta") else {})}
        yield handler(f"no arguments, ended, then {content}", upd(id="a", name="now"), end("a"), other, LAST)
    for ignored in ("usage", "provider_error", "other", "of a newer version"):
        other = {"type": ignored, "part_type": "x"}
        yield handler(f"no arguments, ended, then {ignored}", upd(id="a", name="now"), end("a"), other, LAST)
    yield handler(
        "no arguments, ended, then another call",
        upd(id="a", index=0, name="now"),
        end("a"),
        upd("{", id="b", index=1, name="f"),
        LAST,
    )
    yield handler(
        "no arguments, ended, then cut off",
        upd(id="a", name="now"),
        end("a"),
        over("length", is_truncated=True),
        LAST,
    )
    yield handler("no arguments, not ended", upd(id="a", name="now"), LAST)
    yield handler("no arguments, cut off", upd(id="a", name="now"), over("length", is_truncated=True), LAST)
    yield handler("empty arguments", upd("", id="a", name="now"), over("stop"), LAST)
    yield handler("blank arguments", upd(" \n", id="a", name="now"), over("stop"), LAST)
    yield handler(
        "blank arguments of another script", upd("\u3000\x1f", id="a", name="now"), over("stop"), LAST
    )
    yield handler("a mark of byte order as arguments", upd("\ufeff", id="a", name="now"), over("stop"), LAST)
    yield handler("a number as arguments", upd("1", id="a"), upd("2", id="a"), over("stop"), LAST)
    yield handler("a number as arguments, not ended", upd("12", id="a"), LAST)
    yield handler("invalid arguments", upd('{"a": 1, b', id="a"), upd('": 2}', id="a"), over("stop"), LAST)
    yield handler(
        "invalid arguments, with fragments",
        *calls_of(['{"a": 1, b', '": 2}'], tool_call_id="a"),
        over("stop"),
        LAST,
    )
    yield handler("two documents as arguments", upd('{"a": 1}{"b": 2}', id="a"), over("stop"), LAST)
    yield handler(
        "free text", upd("print(", id="a", is_free_text=True), upd("1)", id="a"), over("stop"), LAST
    )
    yield handler(
        "free text, cut off",
        upd("print(", id="a", is_free_text=True),
        over("length", is_truncated=True),
        LAST,
    )
    yield handler("free text, not ended", upd("print(", id="a", is_free_text=True), LAST)
    yield handler(
        "free text that looks like JSON", upd('{"a": 1}', id="a", is_free_text=True), end("a"), LAST
    )
    yield handler("text after the end of a call", upd("[1]", id="a"), end("a"), upd("[2]", id="a"), LAST)
    yield handler(
        "the key __proto__", upd('{"__proto__": {"x": 1}}', id="__proto__", name="constructor"), over(), LAST
    )
    yield handler("a lone surrogate that waits in vain", upd('["\ud83d', id="a"), over("stop"), LAST)
    yield handler(
        "a lone surrogate that waits, with fragments",
        *calls_of(['["\ud83d', '\ude00"]'], tool_call_id="a"),
        over("stop"),
        LAST,
    )
    yield handler(
        "a lone surrogate that waits in vain, with fragments",
        *calls_of(['["\ud83d'], tool_call_id="a"),
        over("stop"),
        LAST,
    ) | {"repeats": True}
    yield handler(
        "a lone surrogate in free text",
        upd("x\ud83d", id="a", is_free_text=True),
        end("a"),
        over("stop"),
        LAST,
    )
    yield handler(
        "a lone surrogate before an end", upd("\ud83d", id="a"), end("a"), upd("\ude00", id="a"), LAST
    )
    yield handler("failed before its arguments", upd(id="a", name="f"), end("a", failed=True), LAST)
    yield handler("a pair cut in two", upd('["\ud83d', id="a"), upd('\ude00"]', id="a"), over("stop"), LAST)


def handler_ends() -> Iterable[Case]:
    cut_off = over("length", is_truncated=True)
    for name, args in {
        "a number": "12",
        "part of a number": "-",
        "a literal": "tru",
        "a string": '"ab"',
        "lines": "[1,\n 2,\n😀",
    }.items():
        yield handler(
            f"{name}, ended by the call, then by the message", upd(args, id="a"), end("a"), over("stop"), LAST
        )
        yield handler(f"{name}, ended twice, then by the stream", upd(args, id="a"), end("a"), end("a"), LAST)
        yield handler(f"{name}, ended by the call, then by the stream", upd(args, id="a"), end("a"), LAST)
        yield handler(f"{name}, ended by the call, then cut off", upd(args, id="a"), end("a"), cut_off, LAST)
        yield handler(
            f"{name}, ended by the call, then text", upd(args, id="a"), end("a"), said("x"), cut_off, LAST
        )
        yield handler(f"{name}, cut off", upd(args, id="a"), cut_off, LAST)
    yield handler("lines that were cut off", upd('{"a":\n [1,\n\n "😀', id="a"), LAST)
    yield handler(
        "lines that were cut off, with fragments",
        *calls_of(['{"a":\n [1,\n', '\n "😀'], tool_call_id="a"),
        LAST,
    ) | {"repeats": True}
    yield handler("failed after its end", upd("[1]", id="a"), end("a"), end("a", failed=True), LAST)
    yield handler("failed while it waits", upd("1", id="a"), end("a"), end("a", failed=True), LAST)
    yield handler(
        "a blank piece is no content",
        upd("[1]", id="a", index=0),
        end("a"),
        upd("", id="a", index=0, name="f"),
        cut_off,
        LAST,
    )


def enriched(*events: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a server makes of events, and what it reports at their end."""
    messages = midstream.JsonFragmentUpdateMiddleware()(list(events))
    return [each if isinstance(each, dict) else to_event(each) for each in messages]


def handler_signalled_ends() -> Iterable[Case]:
    stop, second = over("stop"), upd('{"b":', name="g")
    for name, events in {
        "a number at an index, then a call that nothing names": [upd("1", index=0, name="f"), second, stop],
        "an unnamed piece after the end of another call": [
            upd('{"a":', index=0, name="f"), second, end(index=0), upd("1}"), stop,
        ],
        "an unnamed piece after the result of another call": [
            upd("1", id="a", name="f"), second, {"type": "tool_result", "tool_call_id": "a"}, upd("1}"), stop,
        ],
        "an end by an id of another choice": [
            upd("[1]", id="a", index=0, choice=1), upd("[", id="b", index=0), end("a", 0), upd("]", id="b"),
            stop,
        ],
        "the same name again after damage": [upd("{}}", name="f"), upd("[1]", name="f"), stop],
        "a lone surrogate after the document of a call that nothing names": [
            upd("{}", name="f"), upd("\ud83d"), upd("[1]", name="g"), stop,
        ],
        "free text, signalled with the first piece": [
            upd("SELECT", id="a", is_free_text=True), upd(" 1", id="a"), stop,
        ],
    }.items():  # fmt: skip
        yield handler(name, *events, LAST)
        parts = enriched(*events)
        yield handler(f"{name}, with fragments", *parts, LAST) | {"repeats": True}
        only = [{key: value for key, value in each.items() if key != "function_args"} for each in parts]
        yield handler(f"{name}, without text", *only, LAST) | {"repeats": True}


def handler_names() -> Iterable[Case]:
    yield handler(
        "the name again without text, then a second call",
        upd("[1]", index=0, name="f"),
        upd("", index=0, name="f"),
        upd("[2]", index=0),
        LAST,
    )
    yield handler(
        "the name again without text, then nothing",
        upd("[1]", index=0, name="f"),
        upd("", index=0, name="f"),
        upd(" ", index=0),
        LAST,
    )
    yield handler(
        "the name again, blank, after the end",
        upd("[1]", id="a", name="f"),
        end("a"),
        upd("", id="a", name="f"),
        upd("x", id="a", name="g"),
        LAST,
    )
    yield handler("ids alone", upd("[1", id="a"), upd("[2", id="b"), upd("]", id="a"), upd("]", id="c"), LAST)
    yield handler(
        "an id that comes late, without an index",
        upd("[1", name="f"),
        upd("]", id="a"),
        upd("[2]", id="b"),
        LAST,
    )
    yield handler(
        "the latest message, not named",
        upd("[1", id="a", message_id="m"),
        {"calls": None},
        end("a"),
        over("stop"),
        said("x"),
        LAST,
        LAST,
    )
    yield handler(
        "the latest of two messages",
        upd("[1]", id="a", message_id="m"),
        upd("[2]", id="b", message_id="n"),
        over("stop"),
        {"calls": None},
        LAST,
        {"calls": None},
        LAST,
    )
    yield handler(
        "an unnamed message among others",
        upd("[1]", id="a", message_id="m"),
        upd("[2]", id="b"),
        over("stop"),
        LAST,
        {"complete": "m"},
    )
    yield handler(
        "a result in another message",
        upd("[1]", id="a", message_id="m"),
        upd("[2]", id="b", message_id="n"),
        {"type": "tool_result", "tool_call_id": "a", "message_id": "n"},
        {"complete": "n"},
    )
    one = {"tool_call_id": "a", "function_name": "f", "function_args": "[1"}
    yield handler("one update by the name of several", {"type": "tools_call_update", **one}, LAST)
    yield handler(
        "several updates by the name of one", {"type": "tool_call_update", "tool_call_updates": [one]}, LAST
    )
    for name, item in {
        "another type": {"type": "text_delta", "text": "x"},
        "an unknown type": {"type": "foo"},
        "a type of its own": {"type": "tool_call_update", "function_args": "[1]"},
        "the type of several updates": {"type": "tools_call_update", "function_args": "[1]"},
        "several updates with the type of one": {
            "type": "tool_call_update",
            "tool_call_updates": [{"function_args": "[1]"}],
        },
    }.items():
        yield handler(
            f"an update of {name} among several",
            {"type": "tools_call_update", "tool_call_updates": [item]},
            LAST,
        )


def handler_identified() -> Iterable[Case]:
    """Make the cases of the table in Python's registry, which JavaScript's shares."""
    for case in IDENTIFIED:
        events = [to_event(message) for message in case.stream]
        yield handler(f"identified: {case.name}", *events, over("stop"), LAST)


def handler_identity() -> Iterable[Case]:
    yield handler(
        "by id",
        upd("[1", id="a", name="f"),
        upd("[2", id="b", name="f"),
        upd(",3]", id="a"),
        upd("]", id="b"),
        over("stop"),
        LAST,
    )
    yield handler(
        "by index",
        upd("[1", index=0, name="f"),
        upd("[2", index=1, name="f"),
        upd(",3]", index=0),
        upd("]", index=1),
        LAST,
    )
    yield handler(
        "by index, as strings",
        upd("[1", index="0"),
        upd("[2", index=0),
        upd("]", index="0"),
        upd("]", index=0),
        LAST,
    )
    yield handler("by neither: the latest", upd("[1", id="a", name="f"), upd(",2]"), LAST)
    yield handler("by neither, from the beginning", upd("[1"), upd(",2]"), LAST)
    yield handler("by id first, then by index", upd("[1", id="a", index=0, name="f"), upd("]", index=0), LAST)
    yield handler(
        "an id that changes",
        upd("[1", id="a", index=0, name="f"),
        upd("]", id="b", index=0),
        upd(" ", id="a"),
        LAST,
    )
    yield handler("an id that comes late", upd("[1", index=0), upd("]", id="a", index=0), LAST)
    yield handler("an index that comes late", upd("[1", id="a"), upd("]", index=0), LAST)
    yield handler(
        "index 0 for all", upd("[1]", id="a", index=0, name="f"), upd("[2]", id="b", index=0, name="g"), LAST
    )
    yield handler(
        "index 0 for all, the same name",
        upd("[1]", id="a", index=0, name="f"),
        upd("[2]", id="b", index=0, name="f"),
        LAST,
    )
    yield handler(
        "the name again and again", upd("[1", index=0, name="f"), upd(",2]", index=0, name="f"), LAST
    )
    yield handler(
        "the same name for the next call", upd("[1]", index=0, name="f"), upd("[2]", index=0, name="f"), LAST
    )
    yield handler(
        "another name at the same index", upd("[1", index=0, name="f"), upd("[2]", index=0, name="g"), LAST
    )
    yield handler("a name that comes late", upd("[1", index=0), upd("]", index=0, name="f"), LAST)
    yield handler(
        "a name in two pieces", upd(index=0, id="a"), upd(id="a", name="f"), upd("[]", id="a"), LAST
    )
    yield handler(
        "empty ids and names", upd("[1", id="", index=0, name=""), upd("]", id="", index=0, name=""), LAST
    )
    yield handler(
        "a known id after its end", upd("[1]", id="a", name="f"), end("a"), upd("[2]", id="a", name="f"), LAST
    )
    yield handler(
        "an index after its end", upd("[1]", index=0, name="f"), end(index=0), upd("[2]", index=0), LAST
    )
    yield handler("an unknown index without a name", upd("[1", index=0, name="f"), upd("]", index=3), LAST)
    yield handler(
        "late pieces",
        upd("[1]", id="a", index=0, name="f"),
        end("a"),
        upd("[2]", index=0),
        upd("[3]"),
        upd("[4]", id="b"),
        LAST,
    )
    yield handler("the end by index", upd("[1]", index=0), upd("[2]", index=1), end(index=0), LAST)
    yield handler("the end by neither", upd("[1]", id="a"), upd("[2]", id="b"), end(), LAST)
    yield handler(
        "the end of nothing", end("x"), upd("[1]", id="a"), end("x"), end("x", 5), end(index=7), LAST
    )
    yield handler(
        "the end by an unknown id and a known index", upd("[1]", id="a", index=0), end("x", 0), LAST
    )
    yield handler("the end twice", upd("[1]", id="a"), end("a"), end("a", failed=True), LAST)
    yield handler(
        "choices",
        upd("[1", index=0),
        upd("[2", index=0, choice=1),
        upd("]", index=0),
        upd("]", index=0, choice=1),
        over("stop", choice=1),
        over("length", choice=0, is_truncated=True),
        LAST,
    )
    yield handler(
        "an id that determines the choice",
        upd("[1", id="a", choice=1),
        upd("[2", id="b"),
        upd("]", id="a"),
        LAST,
    )
    yield handler("text of another choice", upd(id="a"), end("a"), said("x", choice=1), LAST)
    yield handler(
        "messages",
        upd("[1", id="a", message_id="m"),
        upd("[2", id="a", message_id="n"),
        upd("]", id="a", message_id="m"),
        over("stop", message_id="m"),
        {"complete": "m"},
        {"complete": "n"},
        {"complete": "n"},
    ) | {"repeats": True}
    yield handler(
        "parts of whatever message",
        upd("[1]", id="a", message_id="m"),
        upd("[2]", id="b", message_id="n"),
        {"type": "tool_result", "tool_call_id": "b"},
        {"type": "tool_result", "tool_call_id": "a", "message_id": "n"},
        {"type": "tool_result", "tool_call_id": "x"},
        {"type": "tool_result"},
        {"complete": "m"},
        {"complete": "n"},
    )
    yield handler(
        "only the last call is cut off",
        upd("[1]", id="a", index=0),
        upd("[2]", id="b", index=1),
        over("length", is_truncated=True),
        LAST,
    )
    yield handler(
        "cut off in the text", upd("[1]", id="a"), said("We"), over("length", is_truncated=True), LAST
    )
    yield handler(
        "ends twice", upd("[1]", id="a"), over("stop"), over("other"), upd("[2]", id="b"), over(), LAST
    )


def handler_events() -> Iterable[Case]:
    several = {
        "type": "tools_call_update",
        "message_id": "m",
        "tool_call_updates": [
            {"tool_call_id": "a", "index": 0, "function_args": "[1"},
            {"tool_call_id": "b", "index": 1, "function_args": "[2"},
        ],
    }
    more = {
        "type": "tools_call_update",
        "message_id": "m",
        "tool_call_updates": [{"index": 1, "function_args": "]"}, {"index": 0, "function_args": "]"}],
    }
    yield handler("several updates in one", several, more, over("stop", message_id="m"), {"complete": "m"})
    yield handler(
        "several updates without a type",
        {key: value for key, value in several.items() if key != "type"},
        {"complete": "m"},
    )
    yield handler("an update without a type", {"function_args": "[1]", "index": 0}, LAST)
    yield handler("a name without a type", {"function_name": "f", "index": 0}, LAST)
    yield handler(
        "updates for several messages in one",
        {
            "tool_call_updates": [
                {"function_args": "[1]", "message_id": "n"},
                {"function_args": "[2]", "message_id": None},
            ],
            "message_id": "m",
        },
        {"complete": "m"},
        {"complete": "n"},
    )
    yield handler("no updates in it", {"type": "tools_call_update", "tool_call_updates": []}, LAST)
    yield handler(
        "fields of null",
        {
            "type": "tool_call_update",
            "tool_call_id": None,
            "index": None,
            "function_name": None,
            "function_args": "[]",
            "json_update_fragments": None,
            "message_id": None,
            "choice": None,
            "is_free_text": None,
        },
        LAST,
    )
    for name, event in {
        "something else": {"type": "ping"},
        "nothing": {},
        "a type of null": {"type": None},
        "a type of a number": {"type": 3},
        "a type of __proto__": {"type": "__proto__"},
        "a type of constructor": {"type": "constructor"},
        "a list": [1],
        "a string": "tool_call_update",
        "null": None,
        "an id that is a number": upd("[1]") | {"tool_call_id": 7},
        "an index that is a list": upd("[1]") | {"index": [0]},
        "an index that is true": upd("[1]") | {"index": True},
        "an index that is a fraction": upd("[1]") | {"index": 0.5},
        "a name that is a number": upd("[1]") | {"function_name": 1},
        "arguments that are an object": upd() | {"function_args": {"a": 1}},
        "fragments that are an object": upd("[1]") | {"json_update_fragments": {"path": "root"}},
        "a choice that is a string": upd("[1]") | {"choice": "0"},
        "no text": {"type": "text_delta"},
        "a text that is a number": {"type": "text_delta", "text": 1},
        "updates that are an object": {"type": "tools_call_update", "tool_call_updates": {"a": 1}},
        "updates that are missing": {"type": "tools_call_update"},
        "an update that is a string": {"type": "tools_call_update", "tool_call_updates": ["x"]},
        "an update that is malformed": {"type": "tools_call_update", "tool_call_updates": [{"index": []}]},
        "a reason that is a number": over() | {"reason": 1},
        "truncated that is a string": over(is_truncated="yes"),
        "failed that is a number": end("a", failed=1),
    }.items():
        steps = [{"event": upd("[0]", id="z")}, {"event": event}, {"complete": None}]
        yield {"name": f"an event: {name}", "kind": "handler", "options": {}, "steps": steps}


def paths() -> Iterable[Case]:
    good = [
        ["root"], ["root.a"], ["root[0]"], ["root.a[10].b"], ['root["a.b"]'], ['root[""]'], ["a.b"], ["a[1]"],
        [""], ["[0]"], ['["x y"]'], ["rooted.a"], ["root.root"], ["x.a", "x"], ["$.a", "$"], ["a.b", "a"],
        ["a.b", ""], ["root.é.😀"], ['root["\\ud83d\\ude00\\n\\u0041\\/"]'], ["root.a-b"],
        ["root.__proto__.constructor"], ["root.\ufeff"], ["root[123456789012345]"],
    ]  # fmt: skip
    bad = [
        ["."], [".a"], ["root."], ["root..a"], ["root[]"], ["root[0"], ["root[00]"], ["root[-1]"],
        ["root[a]"],
        ['root["a]'], ['root["a"'], ['root["a\\q"]'], ['root["\n"]'], ["root.a b"], ["root.a]"],
        ["root[0]b"], ["root.a'b"], ["root.a\\b"], ["root.a\u3000b"], ["root.\x85"], ["root.😀.😀 x"],
        ["root[1234567890123456789]"], ['root["a\\"]'], ['root["a"x]'],
    ]  # fmt: skip
    yield {"name": "paths", "kind": "path", "steps": [{"path": path} for path in good]}
    yield {"name": "paths that are none", "kind": "path", "steps": [{"path": path} for path in bad]}


def event_streams() -> Iterable[Case]:
    streams = {
        "one event": ["data: 1\n\n"],
        "two events in one": ["data: 1\n\ndata: 2\n\n"],
        "cut anywhere": list("event: add\nid: s-1\ndata: a\ndata: b\n\nid: s-2\ndata: c\n\n"),
        "line ends of all kinds": ["data: 1\r\ndata: 2\rdata: 3\n\r\n", "data: 4\r", "\r", "\ndata: 5\n\n"],
        "a line end cut in two": ["data: 1\r", "\ndata: 2\r", "\n\r", "\n"],
        "comments and unknown fields": [": hello\n\nretry: 10\nfoo: bar\ndata: x\n\n"],
        "an id stays": ["id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n"],
        "no data, no event": ["event: x\n\ndata: y\n\n"],
        "empty data": ["data\n\ndata:\n\ndata:\ndata:\n\n"],
        "spaces": ["data:  two\ndata:none\nevent:  x\n\n"],
        "colons": ["data: a:b\nid: :\n\n"],
        "an id with a null": ["id: a\x00b\ndata: x\n\n"],
        "a mark of byte order": ["\xef\xbb\xbfdata: x\n\n"],
        "UTF-8 cut in two": ["data: \xc3", "\xa9\xf0\x9f", "\x98\x80\n\n"],
        "not ended": ["data: x\n"],
    }
    for name, chunks in streams.items():
        yield {"name": f"events: {name}", "kind": "sse", "steps": [{"chunk": chunk} for chunk in chunks]}


def stream(name: str, *events: Any, end: bool = True) -> Case:
    """A stream of the gateway: each event is its data, or [name, data, id]."""
    steps: list[dict[str, Any]] = []
    for event in events:
        complete = (
            event if isinstance(event, list) and len(event) == 3 and isinstance(event[0], str) else None
        )
        kind, data, id = complete or ["message", event, ""]
        steps.append({"event": [kind, data if isinstance(data, str) else json.dumps(data), id]})
    return {"name": name, "kind": "stream", "steps": steps + ([{"end": True}] if end else [])}


def server_streams() -> Iterable[Case]:
    start = ["stream_start", {"version": 1, "form": "compact", "message_id": "m", "format": None}, ""]
    numbered = [*start[:2], "s-0"]
    over = ["stream_end", {}, ""]
    about = {"type": "call", "id": "a", "index": 0, "name": "f"}
    text, weather = [0, {"type": "text"}], [1, about]
    done = ["message_end", {"type": "message_end", "reason": "stop", "choice": 0}, ""]
    yield stream(
        "a text and a call", start, [text, [0, 0, "Hé"]], [0, 2, "y"], weather, [1, 0, "{}"], done, over
    )
    yield stream(
        "a call in the event that introduces it", start, [[0, weather[1]], [0, 0, "{"]], [0, 1, "}"], done
    )
    yield stream(
        "two calls in one event", start, [[0, weather[1]], [1, {"type": "call", "index": 1}], [1, 0, "1"]]
    )
    yield stream(
        "names that come late",
        start,
        [0, {"type": "call", "index": 2}],
        [0, 0, "{"],
        [0, {"id": "a", "name": "f"}],
    )
    yield stream(
        "names with a piece", start, [0, {"type": "call"}], [[0, {"index": 3, "name": "f"}], [0, 0, "x"]]
    )
    yield stream(
        "ends", start, [0, weather[1]], [0, 0, "{}"], [0, {"end": True}], [0, 0, "{}"], [0, {"end": True}]
    )
    yield stream("a failed call", start, [0, weather[1]], [0, {"end": True, "failed": True}], done)
    yield stream(
        "places",
        start,
        [0, {"type": "call", "choice": 1, "message_id": "n"}],
        [0, 0, "1"],
        [1, {"type": "text", "message_id": None}],
        [1, 0, "x"],
    )
    yield stream(
        "reasoning and refusals",
        start,
        [0, {"type": "reasoning", "kind": "summary"}],
        [0, 0, "a"],
        [1, {"type": "refusal"}],
        [1, 0, "b"],
        [2, {"type": "reasoning"}],
        [2, 0, "c"],
    )
    yield stream(
        "free text, and its length",
        start,
        [0, {"type": "call", "free_text": True}],
        [0, 0, "a"],
        [0, {"length": 1}],
        [0, {"length": 3}],
        done,
    )
    yield stream(
        "lengths at the end of a message",
        start,
        [text, [0, 0, "a"]],
        [1, {"type": "call", "free_text": True}],
        [1, 0, "b"],
        [2, {"type": "refusal", "choice": 1}],
        [2, 0, "c"],
        ["message_end", {"type": "message_end", "choice": 0, "lengths": [[0, 2], [1, 4], [7, 1]]}, ""],
        [0, 1, "b"],
        ["message_end", {"type": "message_end", "lengths": [[2, 1]]}, ""],
    )
    yield stream(
        "lengths with a result",
        start,
        [0, about | {"free_text": True}],
        [0, 0, "b"],
        ["tool_result", {"type": "tool_result", "tool_call_id": "a", "result": 1, "lengths": [[0, 5]]}, ""],
    )
    yield stream(
        "ids of another sender",
        ["ping", {}, "p-9"],
        [*start[:2], "p-9"],
        ["message", json.dumps([text, [0, 0, "a"]]), "p-9"],
        ["message", json.dumps([0, 1, "b"]), "p-9"],
        ["message", json.dumps([0, 2, "c"]), "p-8"],
        over,
    )
    yield stream(
        "a snapshot, and what continues it",
        start,
        [text, [0, 0, "lost"]],
        [
            "stream_snapshot",
            {
                "type": "stream_snapshot",
                "messages": [{"message_id": "m", "text": "Hey"}],
                "numbers": [[1, {"type": "text"}, 3], [4, about | {"message_id": "n"}, 2]],
                "next_number": 6,
            },
            "",
        ],
        [0, 4, "s"],
        [1, 1, "ey"],
        [1, 3, " you"],
        [4, 2, "}"],
        [5, {"type": "text"}],
        [6, {"type": "text"}],
        [6, 0, "new"],
        over,
    )
    yield stream(
        "a snapshot without numbers",
        start,
        weather,
        ["stream_snapshot", {"type": "stream_snapshot", "messages": []}, ""],
        [0, {"type": "text"}],
        [0, 0, "x"],
        done,
    )
    yield stream(
        "a snapshot with malformed numbers",
        start,
        ["stream_snapshot", {"type": "stream_snapshot", "messages": [], "numbers": [[1, 2, 3]]}, ""],
    )
    parts = [partial("root.a", "x")]
    yield stream(
        "updates", start, [0, weather[1]], [0, 0, "{a:'x", [frag("StartObject"), *parts]], [0, 6, "'}", []]
    )
    yield stream(
        "pieces that come again",
        start,
        [text, [0, 0, "abc"]],
        [0, 0, "abc"],
        [0, 1, "bcd"],
        [0, 4, ""],
        [1, weather[1]],
        [1, 0, "{"],
        [1, 0, "{"],
    )
    yield stream(
        "characters and surrogates",
        start,
        [text, [0, 0, "😀b"]],
        [0, 1, "bc"],
        [0, 3, "\ud83d"],
        [0, 4, "\ude00"],
        [1, {"type": "call"}],
        [1, 0, "\ud83d"],
        [1, 1, "😀"],
    )
    yield stream(
        "lost pieces",
        start,
        [text, [0, 0, "abc"]],
        [0, 5, "f"],
        [0, {"length": 9}],
        [1, weather[1]],
        [1, 4, "}"],
        [1, {"length": 9}],
    )
    yield stream(
        "lost introductions",
        start,
        [2, {"type": "text"}],
        [2, 0, "x"],
        [1, 0, "y"],
        [4, 0, "z"],
        [4, 1, "z"],
        [5, {"id": "a"}],
        [5, 0, "b"],
    )
    yield stream("a lost start", [[0, {"type": "text"}], [0, 0, "x"]], [0, 1, "y"], done)
    yield stream(
        "types of newer versions",
        start,
        [0, {"type": "image", "x": 1}],
        [0, 0, "x"],
        [1, {"type": "text", "y": 1}],
        [1, {"type": "text"}],
        [1, {"z": 1}],
        [1, 0, "x"],
        ["news", {"type": "news"}, ""],
        ["news", "?", ""],
    )
    yield stream(
        "a second message", start, [text, [0, 0, "a"]], done, [0, 1, "b"], [1, {"type": "text"}], [1, 0, "c"]
    )
    yield stream(
        "a message that ends elsewhere",
        start,
        [text, [0, 0, "a"]],
        ["message_end", {"type": "message_end", "message_id": "n"}, ""],
        [0, 1, "b"],
        ["message_end", {"type": "message_end", "choice": 1}, ""],
        [0, 2, "c"],
    )
    yield stream(
        "ids that come again",
        numbered,
        ["message", json.dumps(text), "s-1"],
        ["message", '[0,0,"a"]', "s-2"],
        ["message", '[0,0,"a"]', "s-2"],
        numbered,
        ["message", '[0,1,"b"]', "s-3"],
        ["stream_end", "{}", "s-4"],
    )
    full = ["stream_start", {"version": 1, "form": "full", "message_id": "m"}, ""]
    yield stream(
        "the full form",
        full,
        ["text_delta", {"type": "text_delta", "text": "a", "message_id": "m"}, ""],
        ["tools_call_update", {"tool_call_updates": [{"index": 0, "function_args": "1"}, {"index": 1}]}, ""],
        ["tool_result", {"tool_call_id": "a", "result": [1]}, ""],
        done,
        over,
    )
    yield stream(
        "an error of the server", start, ["error", {"code": "event_limit", "message": "too long"}, ""], over
    )
    yield stream(
        "events of a provider in between",
        start,
        {"id": "chatcmpl", "choices": []},
        "[DONE]",
        ["ping", {"type": "ping"}, ""],
        ["error", {"type": "error", "error": {}}, ""],
        {"type": "message_start"},
        ["error", "?", ""],
    )
    snapshot = {"type": "stream_snapshot", "stream": "s", "messages": [{"text": "x", "calls": []}]}
    yield stream("a snapshot", start, ["stream_snapshot", snapshot, ""], over)
    for wrong in (
        [0],
        [0, 0],
        [-1, 0, "x"],
        [0, -1, "x"],
        [0, 0, 1],
        [0, 0, "x", [], 1],
        [[0]],
        [0, None],
        [True, 0, "x"],
        [text, 1],
    ):
        yield stream(f"malformed: {json.dumps(wrong)}", start, wrong, end=False)
    for field, value in {
        "choice": "0",
        "message_id": 1,
        "free_text": 1,
        "index": 1.5,
        "id": 1,
        "name": [],
    }.items():
        yield stream(f"a wrong type: {field}", start, [0, {"type": "call", field: value}], end=False)
    yield stream("a wrong length", start, text, [0, {"length": "1"}], end=False)
    yield stream("wrong updates", start, [0, weather[1]], [0, 0, "x", {}], end=False)
    yield stream("no JSON", start, ["text_delta", "{", ""], end=False)
    yield stream("no JSON, without a name", start, "[1", end=False)
    for name, form in (("trip", "compact"), ("patch", "compact"), ("search", "full"), ("cut", "compact")):
        yield stream(f"{name}, {form}", *_recorded(name, form))


def _recorded(name: str, form: Any) -> list[list[str]]:
    """The first and the last events of a recording, as a server sends them."""
    recording = midstream.recordings.load(name)
    adapter = midstream.providers.adapter(recording.format)
    writer = midstream.EventWriter(form, stream_id="s")
    found = [message for event in recording.events() for message in adapter.add_event(event)]
    body = b"".join([writer.start(recording.format, name), *map(writer.add_message, found), writer.end()])
    return [[event.event, event.data, event.id] for event in midstream.sse.decode([body])][:60]


def text_updates() -> Iterable[Case]:
    """The updates of a sample of the documents: what is a document is tested with values."""
    rules: list[Accepted | Rejected] = [*ACCEPTED, *REJECTED]
    for case in rules[::5]:
        if isinstance(case.text, str) and len(case.text) < _LONG:
            options = {"limits": case.limits} if case.limits else {}
            yield updates(f"RFC 8259: {case.name}", case.text, None, **options)
    for name, document in DOCUMENTS.items():
        if len(document) < _LONG:
            yield updates(f"{name}, cut in threes", *cut(document, 3), None)
            yield updates(f"{name}, another root", document, None, root="")
    for name, document in {
        "bad literal": '{"a": [1, 2], "b": nope}',
        "bad escape": r'{"a": "good \x bad"}',
        "a surrogate, then a bad escape": r'["ab\ud83d\x"]',
        "truncated": '{"a": {"b": "c',
        "truncated at a surrogate": r'{"a": {"b": "c\ud83d',
        "truncated after a key": '{"a": {"b"',
        "trailing text": "[1] x",
    }.items():
        yield updates(f"thrown: {name}", *cut(document, 4), None, onError="raise")
        yield updates(f"reported: {name}", *cut(document, 4), None, root="a.b")
    yield updates("text after the finish", "[1]", None, "x", None)
    yield updates("numbers that JavaScript writes otherwise", "[-0, 1e999, 1.50, 12345678901234567890]", None)
    yield updates("a key that is no name", '{"a.b": {"": [{"\\u00e9": 1}]}}', None)


def select(name: str, paths: list[str], *pieces: str, partial: bool = False) -> Case:
    """Values that patterns select in a text."""
    steps: list[dict[str, Any]] = [{"add": piece} for piece in pieces]
    return {
        "name": name,
        "kind": "select",
        "steps": [*steps, {"finish": True}],
        "options": {"paths": paths, "partial": partial},
    }


def selections() -> Iterable[Case]:
    text = '{"a": [{"b": "xyz", "a.b": [1, 2]}, "s", null], "a*": {"__proto__": -1.5}, "it\'s": 4}'
    patterns = [
        "a[*]", "a[*].b", "$.*", "*", "[*][*]", "*.*", "a[0]['a.b'][1]", '["a*"].*', "root.a*", "['it\\'s']",
        "$", "", "a[1].b", "b", "$['a'][*]",
    ]  # fmt: skip
    for pattern in patterns:
        for is_partial in (False, True):
            how = ", partial" if is_partial else ""
            yield select(f"{pattern}{how}", [pattern], *cut(text, 3), partial=is_partial)
    for is_partial in (False, True):
        how = ", partial" if is_partial else ""
        yield select(f"several{how}", ["[*].*", "a[*]", "*.*", "a"], *text, partial=is_partial)


def patches() -> Iterable[Case]:
    add = {"op": "add", "path": "/a/-", "value": 1}
    groups: list[tuple[Any, ...]] = [
        ("added, replaced and appended", {"a": []}, add, {"op": "replace", "path": "/a/0", "value": "x"},
         {"op": "append", "path": "/a/0", "value": "y"}),
        ("copied, then changed at both places", {"a": []}, add, {"op": "copy", "from": "/a", "path": "/b"},
         add, {"op": "add", "path": "/b/-", "value": 2}),
        ("the root within itself", {"a": []}, add, {"op": "copy", "from": "", "path": "/b"}, add),
        ("moved into itself", {"a": {}}, {"op": "move", "from": "/a", "path": "/a/b"}),
        ("moved to its place", {"a": 1}, {"op": "move", "from": "/a", "path": "/a"}),
        ("moved within an array", [1, 2, 3], {"op": "move", "from": "/2", "path": "/0"}),
        ("the root removed", {"a": 1}, {"op": "remove", "path": ""}),
        ("another value", {"a": 1}, {"op": "test", "path": "/a", "value": True}),
        ("a key __proto__", {}, {"op": "add", "path": "/__proto__", "value": {"x": 1}}),
        ("an index with a zero", [1], {"op": "replace", "path": "/00", "value": 2}),
    ]  # fmt: skip
    for name, value, *operations in groups:
        yield {"name": name, "kind": "patch", "steps": [{"value": json.dumps(value), "patch": operations}]}


_GROUPS: list[Callable[[], Iterable[Case]]] = [
    rebuild_documents, rebuild_roots, rebuild_errors, rebuild_strings, rebuild_misplaced, rebuild_unknown,
    rebuild_malformed,
    text_documents, text_updates, handler_sources, handler_snapshots, handler_arguments, handler_ends,
    handler_signalled_ends, handler_names, handler_identified, handler_identity, handler_events, paths,
    event_streams, server_streams, selections, patches,
]  # fmt: skip


def all_cases() -> Iterable[Case]:
    """Return all cases, group by group."""
    for group in _GROUPS:
        yield from group()
