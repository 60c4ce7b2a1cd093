"""Gemini generateContent: complete calls, and on Vertex calls whose arguments come with their paths."""

from __future__ import annotations

from typing import Any

from . import Event, Faults, call

__all__ = ["CALLS", "FAULTS", "STREAM", "TEXT"]


def chunk(*parts: Event, reason: str | None = None) -> Event:
    """Make a chunk with one candidate."""
    candidate: Event = {"content": {"role": "model", "parts": list(parts)}}
    if reason is not None:
        candidate["finishReason"] = reason
    return {"candidates": [candidate], "modelVersion": "gemini-3.1-pro-preview", "responseId": "r"}


def complete(name: str | None, **more: Any) -> Event:
    """Make a part that is a call."""
    return {"functionCall": {"name": name, **more}}


def start(name: str, **more: Any) -> Event:
    """Begin a call whose arguments will come with their paths."""
    return {"functionCall": {"name": name, "willContinue": True, **more}}


def arg(path: str, value: Any, continues: bool = False) -> Event:
    """Make a piece of the arguments."""
    kinds = {
        str: "stringValue",
        bool: "boolValue",
        int: "numberValue",
        float: "numberValue",
        type(None): "nullValue",
    }
    piece = {"jsonPath": path, kinds[type(value)]: value}
    return {**piece, "willContinue": True} if continues else piece


def args(*pieces: Event, **more: Any) -> Event:
    """Continue a call."""
    return {"functionCall": {"partialArgs": list(pieces), "willContinue": True, **more}}


def string(path: str, text: str) -> list[Event]:
    """Return a string as it is seen on the wire: all but the end, and the end."""
    return [chunk(args(arg(path, text, continues=True))), chunk(args(arg(path, "")))]


OVER: Event = {"functionCall": {}}
_END = chunk({"text": ""}, reason="STOP")

STREAM = [
    chunk({"text": "Hm.", "thought": True}),
    chunk({"text": "I'll look "}),
    chunk({"text": "that up."}),
    chunk({**start("weather"), "thoughtSignature": "cw=="}),
    chunk(args(arg("$.city", "Z", continues=True))),
    chunk(args(arg("$.city", "ürich \ud83c", continues=True))),
    chunk(args(arg("$.city", '\udf27 "\n', continues=True))),
    chunk(args(arg("$.city", ""))),
    chunk(args(arg("$.days", 3.0), arg("$.exact", True))),
    *string("$.stops[0].name", "Bern"),
    chunk({"functionCall": {"willContinue": True}}),
    *string("$.stops[1].name", "東京"),
    chunk(args(arg("$.stops[1].at", 0.5), arg("$.note", None))),
    chunk(OVER),
    chunk(complete("book", id="b1", args={"to": "東京", "days": 3})),
    chunk({"text": ""}, reason="STOP"),
]
TEXT = "I'll look that up."
CALLS = [
    call(
        None,
        0,
        "weather",
        {
            "city": 'Zürich 🌧 "\n',
            "days": 3,
            "exact": True,
            "stops": [{"name": "Bern"}, {"name": "東京", "at": 0.5}],
            "note": None,
        },
        '{"city":"Zürich \\ud83c\\udf27 \\"\\n","days":3,"exact":true,'
        '"stops":[{"name":"Bern"},{"name":"東京","at":0.5}],"note":null}',
        reason="STOP",
    ),
    call("b1", 1, "book", {"to": "東京", "days": 3}, '{"to":"東京","days":3}', reason="STOP"),
]

_A = call(None, 0, "f", {"x": 1}, '{"x":1}', reason="STOP")
_B = call(None, 1, "f", {"y": 2}, '{"y":2}', reason="STOP")

FAULTS: Faults = {
    "interleaved": (
        [
            chunk(start("f", id="a")),
            chunk(args(arg("$.x", "ü", continues=True), id="a")),
            chunk(start("g", id="b")),
            chunk(args(arg("$.y", 2), id="b")),
            chunk({"functionCall": {"id": "a", "partialArgs": [arg("$.x", "!")]}}),
            chunk({"functionCall": {"id": "b"}}),
            _END,
        ],
        [
            call("a", 0, "f", {"x": "ü!"}, '{"x":"ü!"}', reason="STOP"),
            call("b", 1, "g", {"y": 2}, '{"y":2}', reason="STOP"),
        ],
    ),
    "repeated id and name": (
        [
            chunk(start("f", id="a")),
            chunk(args(arg("$.x", "ü", continues=True), id="a", name="f")),
            chunk(
                {
                    "functionCall": {
                        "id": "a",
                        "name": "f",
                        "partialArgs": [arg("$.x", "!")],
                        "willContinue": False,
                    }
                }
            ),
            _END,
        ],
        [call("a", 0, "f", {"x": "ü!"}, '{"x":"ü!"}', reason="STOP")],
    ),
    "changing id": (
        [chunk(start("f", id="a")), chunk(args(arg("$.x", 1), id="a2")), chunk(OVER), _END],
        [_A._replace(id="a")],
    ),
    "no index": (
        # several candidates would be choices; of one, calls are counted
        [chunk(complete("f", id="a", args={"x": 1}), complete("f", id="b", args={"y": 2}), reason="STOP")],
        [_A._replace(id="a"), _B._replace(id="b")],
    ),
    "no id": (
        [
            chunk(complete("f", args={"x": 1}), complete("f", args={"y": 2})),
            chunk(start("f")),
            chunk(args(arg("$.z", 3))),
            chunk(OVER),
            chunk(start("f")),
            chunk({"functionCall": {"partialArgs": [arg("$.z", 4)]}}),
            _END,
        ],
        [
            _A,
            _B,
            call(None, 2, "f", {"z": 3}, '{"z":3}', reason="STOP"),
            call(None, 3, "f", {"z": 4}, '{"z":4}', reason="STOP"),
        ],
    ),
    "empty arguments": (
        [chunk(complete("now")), chunk(complete("now", args={})), chunk(start("now")), chunk(OVER), _END],
        [
            call(None, 0, "now", {}, "", reason="STOP"),
            call(None, 1, "now", {}, "{}", reason="STOP"),
            call(None, 2, "now", {}, "", reason="STOP"),
        ],
    ),
    "complete arguments": (
        [chunk(complete("f", args={"x": 1})), chunk(complete("f", args={"y": 2}), reason="STOP")],
        [_A, _B],
    ),
    "arguments at the start": (
        [
            chunk(start("f", partialArgs=[arg("$.x", 1)])),
            chunk(complete("f", partialArgs=[arg("$.y", 2)])),
            _END,
        ],
        # the second has the name of the first, which was to continue, and pieces: it continues it
        [call(None, 0, "f", {"x": 1, "y": 2}, '{"x":1,"y":2}', reason="STOP")],
    ),
    "cut by length": (
        [
            chunk(complete("f", args={"x": 1})),
            chunk(start("g")),
            chunk(args(arg("$.a", 1))),
            chunk(args(arg("$.y", "so far", continues=True))),
            chunk(OVER, reason="MAX_TOKENS"),
        ],
        [
            call(None, 0, "f", {"x": 1}, '{"x":1}', reason="MAX_TOKENS"),
            call(
                None, 1, "g", {"a": 1, "y": "so far"}, '{"a":1,"y":"so far', False, "truncated", "MAX_TOKENS"
            ),
        ],
    ),
    "invalid JSON": (
        # there is no JSON, but there are paths that lead nowhere, here to an item after one that never came
        [
            chunk(start("f")),
            chunk(args(arg("$.x", 1))),
            chunk(args(arg("$.y[1]", "ü"), arg("$.z", 3))),
            chunk(OVER),
            _END,
        ],
        [call(None, 0, "f", {"x": 1}, '{"x":1!$.y[1]="ü"!$.z=3', False, "expected_comma", "STOP")],
    ),
    "merged calls": (
        # the next one begins although the first was to continue, with a number that may not be all
        [
            chunk(start("f")),
            chunk(args(arg("$.x", 1))),
            chunk(start("f")),
            chunk(args(arg("$.y", 2))),
            chunk(OVER),
            chunk({"text": ""}, reason="MAX_TOKENS"),
        ],
        [
            call(None, 0, "f", {}, '{"x":1', False, "truncated", "MAX_TOKENS"),
            _B._replace(reason="MAX_TOKENS"),
        ],
    ),
    "prefix not the end": (
        # back to what was closed: of two equal keys the first would be lost
        [
            chunk(start("f")),
            chunk(args(arg("$.x.a", 1))),
            chunk(args(arg("$.y", 2))),
            chunk(args(arg("$.x.b", 3))),
            chunk(OVER),
            _END,
        ],
        [
            call(
                None,
                0,
                "f",
                {"x": {"a": 1}, "y": 2},
                '{"x":{"a":1},"y":2!$.x.b=3',
                False,
                "expected_comma",
                "STOP",
            )
        ],
    ),
    "split surrogates": (
        [
            chunk(start("f")),
            chunk(args(arg("$.x", "\ud83c", continues=True))),
            chunk(args(arg("$.x", "\udf27 \ud83c", continues=True))),
            chunk(args(arg("$.x", " ü"))),
            chunk(OVER),
            _END,
        ],
        [call(None, 0, "f", {"x": "🌧 \ud83c ü"}, '{"x":"\\ud83c\\udf27 \\ud83c ü"}', reason="STOP")],
    ),
    "just stops": (
        [
            chunk(complete("f", args={"x": 1})),
            chunk(start("g")),
            chunk(args(arg("$.y", "so", continues=True))),
        ],
        [
            call(None, 0, "f", {"x": 1}, '{"x":1}'),
            call(None, 1, "g", {"y": "so"}, '{"y":"so', False, "truncated"),
        ],
    ),
}
