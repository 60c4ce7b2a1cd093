"""Which call a piece belongs to: the cases of the table in `calls/registry`, for Python and for JavaScript.

Most are the streams that providers and servers were seen to send.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from midstream.calls.messages import TextDelta, ToolCallEnd, ToolCallUpdate, ToolResult

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["IDENTIFIED", "Case"]

# of any types, as what is written with it may be wrong
U: Any = ToolCallUpdate
A, B = '{"a":1}', '{"b":"é"}'


class Case(NamedTuple):
    """Pieces, and the calls that they are: id, name, text."""

    name: str
    stream: list[Any]
    calls: Sequence[tuple[str | None, str | None, str]]


TWO = [("a", "f", A), ("b", "g", B)]
UNNAMED = [(None, "f", A), (None, "g", B)]

IDENTIFIED = [
    Case(
        "id and name first, the index on all, interleaved",
        [
            *(U("a", 0, "f", ""), U("b", 1, "g", ""), U(None, 0, None, A[:3]), U(None, 1, None, B[:2])),
            *(U(None, 1, None, B[2:]), U(None, 0, None, A[3:])),
        ],
        TWO,
    ),
    Case(
        "id and name on every piece",
        [U("a", 0, "f", A[:3]), U("b", 1, "g", B[:3]), U("a", 0, "f", A[3:]), U("b", 1, "g", B[3:])],
        TWO,
    ),
    Case(
        "id and name on every piece, the last one empty",
        [U("a", 0, "f", A), U("a", 0, "f", ""), U("b", 1, "g", B), U("b", 1, "g", "")],
        TWO,
    ),
    Case(
        "the id changes after the first piece",
        [U("a", 0, "f", A[:3]), U("x", 0, None, A[3:5]), U("y", 0, None, A[5:]), U("b", 1, "g", B)],
        TWO,
    ),
    Case(
        "the id changes and comes back",
        [
            *(U("a", 0, "f", A[:3]), U("b", 1, "g", B[:3]), U("x", 0, None, A[3:5])),
            *(U("b", None, None, B[3:]), U("a", None, None, A[5:])),
        ],
        TWO,
    ),
    Case(
        "index 0 for all, other ids, pieces by index",
        [U("a", 0, "f", A[:3]), U(None, 0, None, A[3:]), U("b", 0, "g", B[:3]), U(None, 0, None, B[3:])],
        TWO,
    ),
    Case(
        "index 0 for all, other ids, pieces by id, interleaved",
        [U("a", 0, "f", A[:3]), U("b", 0, "g", B[:3]), U("a", 0, None, A[3:]), U("b", 0, None, B[3:])],
        TWO,
    ),
    Case(
        "index 0 for all, other ids, the same tool, arguments in one piece",
        [U("a", 0, "f", A), U("b", 0, "f", A)],
        [("a", "f", A), ("b", "f", A)],
    ),
    Case(
        "index 0 for all, other ids, the name only, then pieces",
        [U("a", 0, "f"), U(None, 0, None, A), U("b", 0, "g"), U(None, 0, None, B)],
        TWO,
    ),
    Case(
        "no index, ids on all, interleaved",
        [
            U("a", None, "f", A[:3]),
            U("b", None, "g", B[:3]),
            U("a", None, None, A[3:]),
            U("b", None, None, B[3:]),
        ],
        TWO,
    ),
    Case(
        "no index, the id first",
        [U("a", None, "f", A[:3]), U(None, None, None, A[3:]), U("b", None, "g"), U(None, None, None, B)],
        TWO,
    ),
    Case(
        "no id, the index on all, interleaved",
        [U(None, 0, "f", A[:3]), U(None, 1, "g", B[:3]), U(None, 0, None, A[3:]), U(None, 1, None, B[3:])],
        UNNAMED,
    ),
    Case(
        "no id, the index and the name on all, interleaved",
        [U(None, 0, "f", A[:3]), U(None, 1, "g", B[:3]), U(None, 0, "f", A[3:]), U(None, 1, "g", B[3:])],
        UNNAMED,
    ),
    Case(
        "neither id nor index, the name first",
        [U(None, None, "f", A[:3]), U(None, None, None, A[3:]), U(None, None, "g", B)],
        UNNAMED,
    ),
    Case(
        "neither id nor index, the name on all",
        [
            U(None, None, "f", A[:3]),
            U(None, None, "f", A[3:]),
            U(None, None, "g", B[:1]),
            U(None, None, "g", B[1:]),
        ],
        UNNAMED,
    ),
    Case(
        "neither id nor index, the same tool twice, arguments in one piece",
        [U(None, None, "f", A), U(None, None, "f", A)],
        [(None, "f", A), (None, "f", A)],
    ),
    Case(
        "index 0 for all, no id, the same tool twice, arguments in one piece",
        [U(None, 0, "f", A), U(None, 0, "f", A)],
        [(None, "f", A), (None, "f", A)],
    ),
    Case("nothing but text", [U(function_args=A[:3]), U(function_args=A[3:])], [(None, None, A)]),
    Case(
        "the id comes late",
        [U(None, 0, None, A[:3]), U("a", 0, None, A[3:5]), U("a", None, "f", A[5:])],
        [("a", "f", A)],
    ),
    Case(
        "the index comes late",
        [U("a", None, "f", A[:3]), U(None, 4, None, A[3:5]), U(None, 4, None, A[5:])],
        [("a", "f", A)],
    ),
    Case(
        "the name comes late",
        [U("a", 0, None, A[:3]), U(None, 0, "f", A[3:]), U("b", 1, None, B), U("b", 1, "g")],
        TWO,
    ),
    Case(
        "a known id at the index of another: the index decides",
        [U("a", 0, "f", A), U("b", 1, "g", B[:3]), U("a", 1, None, B[3:])],
        TWO,
    ),
    Case(
        "parallel calls with one id, as OpenRouter sends them",
        [U("x", 0, "f", A[:3]), U("x", 1, "g", B[:2]), U(None, 0, None, A[3:]), U(None, 1, None, B[2:])],
        [("x", "f", A), ("x", "g", B)],
    ),
    Case(
        "parallel calls with one id, on every piece, the same tool",
        [U("x", 0, "f", A[:3]), U("x", 1, "f", B[:2]), U("x", 0, "f", A[3:]), U("x", 1, "f", B[2:])],
        [("x", "f", A), ("x", "f", B)],
    ),
    Case(
        "two choices of one response with one id, as OpenAI sends them",
        [
            *(U("x", 0, "f", "", choice=0), U("x", 0, "f", "", choice=1), U(None, 0, None, A[:3], choice=0)),
            *(U(None, 0, None, B[:4], choice=1), U(None, 0, None, A[3:]), U(None, 0, None, B[4:], choice=1)),
        ],
        [("x", "f", A), ("x", "f", B)],
    ),
    Case(
        "two choices with one id and no index",
        [
            *(U("x", None, "f", A[:3]), U("x", None, "f", B[:3], choice=1)),
            *(U("x", None, None, A[3:]), U("x", None, None, B[3:], choice=1)),
        ],
        [("x", "f", A), ("x", "f", B)],
    ),
    Case(
        "an end by index where calls share an id",
        [U("x", 0, "f", A), U("x", 1, "g", B[:3]), ToolCallEnd("x", 0), U("x", 1, None, B[3:])],
        [("x", "f", A), ("x", "g", B)],
    ),
    Case(
        "an unknown id at a new index",
        [U("a", 0, None, A), U("b", 1, None, B)],
        [("a", None, A), ("b", None, B)],
    ),
    Case(
        "an index that is a text",
        [U("a", "i1", "f", A[:2]), U("b", "i2", "g", B), U(None, "i1", None, A[2:])],
        TWO,
    ),
    Case(
        "empty ids and names are none", [U("a", 0, "f", A[:2]), U("", 0, "", A[2:]), U("b", 1, "g", B)], TWO
    ),
    Case(
        "block indices that also count text",
        [
            TextDelta("hm"),
            U("a", 1, "f"),
            U(None, 1, None, A),
            ToolCallEnd(index=1),
            U("b", 3, "g", B),
            ToolCallEnd(),
        ],
        TWO,
    ),
    Case(
        "two calls merged by the server: the text survives",
        [U("a", 0, "f", A + B)],
        [("a", "f", A + B)],
    ),
    Case(
        "the same name again after damage: nothing shows that another call begins",
        [U(None, None, "f", A + "}"), U(None, None, "f", B)],
        [(None, "f", A + "}" + B)],
    ),
    Case(
        "the same name again after a lone surrogate",
        [U(None, None, "f", A), U(None, None, None, "\ud83d"), U(None, None, "f", B)],
        [(None, "f", A + "\ud83d" + B)],
    ),
    Case(
        "an unnamed piece after the end of another call than its own",
        [
            U(None, 0, "f", A + "}"),
            U(None, None, "g", B[:4]),
            ToolCallEnd(index=0),
            U(None, None, None, B[4:]),
        ],
        [(None, "f", A + "}"), (None, "g", B)],
    ),
    Case(
        "an unnamed piece after the result of another call than its own",
        [U("a", 0, "f", "12"), U(None, None, "g", B[:4]), ToolResult("a", 1), U(None, None, None, B[4:])],
        [("a", "f", "12"), (None, "g", B)],
    ),
    Case(
        "an end by an id that is known in another choice",
        [U("a", 0, "f", A, choice=1), U("b", 0, "g", B[:4]), ToolCallEnd("a", 0), U("b", 0, None, B[4:])],
        TWO,
    ),
    Case(
        "an index that is used again after the end of its call",
        [U("a", 0, "f", A), ToolCallEnd(index=0), U("b", 0, "g", B[:2]), U(None, 0, None, B[2:])],
        TWO,
    ),
    Case(
        "a piece by id after the end of its call is no part of it",
        [U("a", 0, "f", A), ToolCallEnd("a"), U("a", None, None, "x"), U("b", 1, "g", B)],
        TWO,
    ),
    Case(
        "an empty piece by index after the end",
        [U("a", 0, "f", A), ToolCallEnd("a"), U(None, 0, None, "")],
        [("a", "f", A)],
    ),
    Case(
        "ids alone, without names",
        [U("a", function_args=A), U("b", function_args=B)],
        [("a", None, A), ("b", None, B)],
    ),
    Case(
        "ids alone, interleaved",
        [
            U("a", function_args=A[:2]),
            U("b", function_args=B[:2]),
            U("a", function_args=A[2:]),
            U("b", function_args=B[2:]),
        ],
        [("a", None, A), ("b", None, B)],
    ),
    Case(
        "no id, the name on all, an empty piece at the end",
        [U(None, 0, "f", A), U(None, 0, "f", "")],
        [(None, "f", A)],
    ),
    Case(
        "no id, the name on all, white space at the end",
        [U(None, None, "f", A), U(None, None, "f", "\n")],
        [(None, "f", A + "\n")],
    ),
    Case(
        "id and name on all, one more after the end",
        [U("a", 0, "f", A), ToolCallEnd("a"), U("a", 0, "f", "")],
        [("a", "f", A)],
    ),
    Case(
        "id and name on all, one more after the result",
        [U("a", 0, "f", A), ToolResult("a", 1), U("a", 0, "f", "")],
        [("a", "f", A)],
    ),
    Case(
        "a late piece of an ended call does not hide the one that is open",
        [
            U("a", None, "f", A),
            ToolCallEnd("a"),
            U("b", None, "g", B[:3]),
            U("a"),
            U(None, None, None, B[3:]),
        ],
        TWO,
    ),
]
