"""The grammar's state diagram, found out by trying.

The machine is driven from its beginning with every kind of character in every state it can be in, down to
a small depth; the transitions between modes, and the calls of the visitor, are recorded. The picture only has
places for the modes and ways for the arrows. An arrow that the machine does not know, or a transition for
which there is no arrow, is an error here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from builds import PLAIN
from diagram_svg import AMBER, AMBER_FILL, BLUE, BLUE_FILL, GREEN, INK, QUIET, RED, RED_FILL, Drawing

if TYPE_CHECKING:
    from collections.abc import Iterable

# one of each kind of character that the grammar distinguishes; the letters are those of the literals
ALPHABET = ' {}[]:,"\\7-.+etfnrualsx'
NAMES = {" ": "white space", "7": "0…9"}
DEPTH = 2

MODES: dict[str, str] = {}
for _line in Path(str(PLAIN.__path__[0]), "core", "modes.py").read_text("utf-8").splitlines():
    if found := re.fullmatch(r"([A-Z_]+) = (\d+)(?:  # (.*))?", _line):
        MODES[found[1]] = found[3] or ""
        if found[1] == "STOPPED":
            break
_NAMES = list(MODES)


class Transition(NamedTuple):
    """What one character does."""

    mode: str
    char: str
    to: str
    calls: tuple[str, ...]


class Recorder(PLAIN.core.visitor.Visitor):  # type: ignore[misc,name-defined]
    """Note which calls the grammar makes."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def begin_object(self) -> None:
        self.calls.append("begin_object")

    def end_object(self) -> None:
        self.calls.append("end_object")

    def begin_array(self) -> None:
        self.calls.append("begin_array")

    def end_array(self) -> None:
        self.calls.append("end_array")

    def key(self, text: str) -> None:
        self.calls.append("key")

    def string(self, piece: str, starts: bool, ends: bool) -> None:
        self.calls.append("string")

    def number(self, value: Any, chars: str, start: int, end: int) -> None:
        self.calls.append("number")

    def literal(self, value: bool | None) -> None:
        self.calls.append("literal")

    def document(self) -> None:
        self.calls.append("document")

    def error(self, error: Any, where: int) -> None:
        self.calls.append("error")


def explore(after_root: str = "error", recover: bool = False) -> list[Transition]:
    """Try every character in every state that can be reached, and list what happened."""
    start = PLAIN.core.machine.new_machine(PLAIN.Limits(), after_root, recover, int, float)
    waiting, seen, transitions = [start], {_key(start)}, set()
    while waiting:
        machine = waiting.pop()
        for char in ALPHABET:
            after, recorder = machine.clone(), Recorder()
            PLAIN.core.grammar.feed(after, char, recorder)
            transitions.add(Transition(_NAMES[machine.mode], char, _NAMES[after.mode], tuple(recorder.calls)))
            if _key(after) not in seen and len(after.stack) <= DEPTH and after.skip_depth <= 1:
                seen.add(_key(after))
                waiting.append(after)
    return sorted(transitions, key=lambda t: (_NAMES.index(t[0]), ALPHABET.index(t[1]), t[2:]))


def _key(machine: Any) -> tuple[Any, ...]:
    """Distinguish characters that continue differently."""
    inside = {
        "STRING": (machine.strings.place, machine.strings.high > 0),
        "KEY": (machine.strings.place, machine.strings.high > 0),
        "NUMBER": (machine.numbers.state,),
        "LITERAL": (machine.literal_word, machine.literal_at),
        "SKIP": (machine.skip_from, machine.skip_starts, machine.skip_depth, machine.skip_quote),
    }
    return machine.mode, machine.after, *machine.stack, *inside.get(_NAMES[machine.mode], ())


# --- the picture

BEGIN = ("NEXT_ITEM", "FIRST_ITEM", "START", "VALUE")
AFTER = ("AFTER_ITEM", "AFTER_ROOT", "AFTER_MEMBER")
KEYS = ("FIRST_KEY", "NEXT_KEY")
WIDTH, HEIGHT = 600, 728
BOX_WIDTH, BOX_HEIGHT = 106, 36
WIDTHS = {"AFTER_MEMBER": 120, "KEY": 64, "COLON": 84}
PLACES = {
    "FIRST_KEY": (130, 116),
    "NEXT_KEY": (246, 116),
    "KEY": (374, 116),
    "COLON": (486, 116),
    "NEXT_ITEM": (130, 258),
    "FIRST_ITEM": (246, 258),
    "START": (366, 258),
    "VALUE": (486, 258),
    "STRING": (150, 402),
    "NUMBER": (342, 402),
    "LITERAL": (486, 402),
    "AFTER_ITEM": (130, 560),
    "AFTER_ROOT": (308, 560),
    "AFTER_MEMBER": (486, 560),
}
# of a number, white space stands for all that ends it: see _check_numbers
ENDS_NUMBER = "not part of it"
ENDS_LITERAL = "last letter"


class Arrow(NamedTuple):
    """A way in the picture: from modes that behave alike to where their container decides."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    way: str
    label: tuple[float, float]


ARROWS = [
    Arrow(BEGIN, ("FIRST_KEY",), "M130 220 V139", (118, 172)),
    Arrow(BEGIN, ("FIRST_ITEM",), "M290 220 V206 Q290 196 280 196 H256 Q246 196 246 206 V236", (236, 186)),
    Arrow(KEYS, ("KEY",), "M306 116 H340", (312, 96)),
    Arrow(("KEY",), ("COLON",), "M406 116 H442", (404, 92)),
    Arrow(("COLON",), ("VALUE",), "M486 134 V238", (476, 172)),
    Arrow(BEGIN, ("STRING",), "M150 296 V375", (141, 336)),
    Arrow(BEGIN, ("NUMBER",), "M342 296 V375", (314, 348)),
    Arrow(BEGIN, ("LITERAL",), "M486 296 V375", (461, 348)),
    Arrow(("FIRST_ITEM",), AFTER, "M246 276 V508", (237, 322)),
    Arrow(("STRING",), AFTER, "M150 427 V508", (141, 464)),
    Arrow(("NUMBER",), AFTER, "M342 427 V508", (280, 464)),
    Arrow(("LITERAL",), AFTER, "M486 427 V508", (436, 464)),
    Arrow(("AFTER_ITEM",), ("NEXT_ITEM",), "M77 560 H54 Q44 560 44 550 V268 Q44 258 54 258 H75", (35, 402)),
    Arrow(
        ("AFTER_MEMBER",),
        ("NEXT_KEY",),
        "M546 560 H562 Q572 560 572 550 V56 Q572 46 562 46 H256 Q246 46 246 56 V95",
        (563, 330),
    ),
    Arrow(("FIRST_KEY",), AFTER, "M77 116 H30 Q20 116 20 126 V574 Q20 584 30 584 H58", (11, 196)),
    Arrow(("AFTER_ITEM",), AFTER, "M112 578 V618 Q112 628 122 628 H146 Q156 628 156 618 V599", (147, 622)),
    Arrow(("AFTER_MEMBER",), AFTER, "M470 578 V618 Q470 628 460 628 H436 Q426 628 426 618 V599", (461, 622)),
]
# what the visitor receives on the way, where there is room for it
CALLS = {"STRING": "string", "NUMBER": "number", "LITERAL": "literal", "AFTER_ROOT": "document"}


def picture() -> str:
    """Draw the machine as it is without options: RFC 8259 and nothing else."""
    transitions = explore()
    _check_numbers(transitions)
    _check_documents(transitions)
    labels = _labels(transitions)
    drawing = Drawing(
        WIDTH,
        "The grammar of midstream as a state diagram",
        "Modes and the characters that lead from one to the next; the table on the page says the same.",
    )
    drawing.text(16, 28, "What may follow, and what it leads to", size=15, bold=True)
    drawing.box(68, 78, 238, 76, fill="#ffffff", radius=8)
    drawing.text(76, 93, "a key may begin", size=12.5, fill=QUIET)
    drawing.box(68, 220, 480, 76, fill="#ffffff", radius=8)
    drawing.text(378, 291, "a value may begin", size=12.5, fill=QUIET)
    drawing.box(60, 510, 500, 86, fill="#ffffff", radius=8)
    drawing.text(70, 527, "a value is complete; what it is in decides which", size=12.5, fill=QUIET)
    for arrow in ARROWS:
        drawing.path(arrow.way)
    drawing.circle(366, 196, 5)
    drawing.path("M366 196 V238", stroke=QUIET)
    for mode, (x, y) in PLACES.items():
        call = CALLS.get(mode)
        height = BOX_HEIGHT + 14 * (call is not None)
        fill, stroke = (
            (AMBER_FILL, AMBER) if mode in ("STRING", "KEY", "NUMBER", "LITERAL") else (BLUE_FILL, BLUE)
        )
        across = WIDTHS.get(mode, BOX_WIDTH)
        drawing.box(x - across / 2, y - height / 2, across, height, fill=fill, stroke=stroke)
        drawing.text(
            x, y + (5 if call is None else -2), mode, size=13.5, fill=INK, mono=True, anchor="middle"
        )
        if call is not None:
            drawing.text(x, y + 15, call, size=12.5, fill=GREEN, mono=True, anchor="middle")
    for arrow in ARROWS:
        chars, calls = labels[arrow]
        width = drawing.pill(*arrow.label, chars)
        for number, call in enumerate(calls):
            drawing.text(
                arrow.label[0] + width + 5,
                arrow.label[1] + 4 + 14 * number,
                call,
                size=12.5,
                fill=GREEN,
                mono=True,
            )
    drawing.box(16, 656, 568, 56, fill=RED_FILL, stroke=RED, dashed=True)
    drawing.text(28, 678, "FAILED", size=13.5, mono=True, bold=True, fill=RED)
    drawing.text(88, 678, "from every mode, on any other character:", size=13)
    drawing.text(366, 678, "error", size=12.5, mono=True, fill=GREEN)
    drawing.text(
        28, 700, "Black: modes. Blue: characters read. Green: calls of the visitor.", size=13, fill=QUIET
    )
    return drawing.svg(HEIGHT)


def _labels(transitions: Iterable[Transition]) -> dict[Arrow, tuple[str, tuple[str, ...]]]:
    """Find the characters and calls of every arrow, and insist that arrows and transitions agree."""
    found: dict[Arrow, dict[str, set[tuple[str, tuple[str, ...]]]]] = {}
    for mode, char, to, calls in transitions:
        if to == "FAILED" or (mode == "NUMBER" and char != " ") or (mode == to and not _moves(mode, char)):
            continue
        labelled = tuple(call for call in calls if call not in CALLS.values())
        fitting = [arrow for arrow in ARROWS if mode in arrow.sources and to in arrow.targets]
        if mode == "FIRST_ITEM":
            fitting = [arrow for arrow in fitting if (arrow.sources == BEGIN) == (char != "]")]
        if len(fitting) != 1:
            raise ValueError(f"{len(fitting)} arrows for {mode} {char!r} {to}")
        found.setdefault(fitting[0], {}).setdefault(mode, set()).add((char, labelled))
    labels = {}
    for arrow in ARROWS:
        by_mode = found.get(arrow, {})
        if set(by_mode) != set(arrow.sources) or len({frozenset(seen) for seen in by_mode.values()}) != 1:
            raise ValueError(f"the machine has no such arrow: {arrow.sources} to {arrow.targets}")
        seen = by_mode[arrow.sources[0]]
        chars = " ".join(
            NAMES.get(char, char) for char in sorted({char for char, _ in seen}, key=ALPHABET.index)
        )
        if arrow.sources in (("NUMBER",), ("LITERAL",)):
            chars = {"NUMBER": ENDS_NUMBER, "LITERAL": ENDS_LITERAL}[arrow.sources[0]]
        (calls,) = {calls for _, calls in seen}
        labels[arrow] = chars, calls
    return labels


def _moves(mode: str, char: str) -> bool:
    """Report whether a transition from a mode to itself is one: another container, not the same token."""
    return (mode, char) in {("FIRST_ITEM", "["), ("AFTER_ITEM", "]"), ("AFTER_MEMBER", "}")}


def _check_numbers(transitions: Iterable[Transition]) -> None:
    """Insist that what ends a number is then read as what follows a value."""
    follow: dict[str, set[tuple[str, tuple[str, ...]]]] = {}
    for mode, char, to, calls in transitions:
        if mode in AFTER:
            follow.setdefault(char, set()).add((to, calls))
    for mode, char, to, calls in transitions:
        if mode == "NUMBER" and "number" in calls:
            rest = tuple(call for call in calls if call != "number")
            complete = (to, rest) in follow[char] or (to, (*rest[1:], rest[0])) in follow[char]
            after_root = (to, tuple(call for call in rest if call != "document")) in follow[char]
            if not complete and not after_root:
                raise ValueError(f"{char!r} after a number is not read as after a value")


def _check_documents(transitions: Iterable[Transition]) -> None:
    """Assert that a document is reported where the root ends, and only there."""
    for mode, char, to, calls in transitions:
        if (to == "AFTER_ROOT" and mode != "AFTER_ROOT") != ("document" in calls) and to != "FAILED":
            raise ValueError(f"{mode} {char!r} {to} {calls}")


# --- the table


def table() -> str:
    """Write every mode with what it reads, as a table in Markdown."""
    plain = explore()
    seen = {"default": plain, 'after_root="next"': explore("next"), 'after_root="ignore"': explore("ignore")}
    seen["where the caller reads what follows"] = explore("stop")
    seen['on_error="recover"'] = explore(recover=True)
    lines = ["| mode | stands | reads, and goes to |", "| --- | --- | --- |"]
    for mode, meaning in MODES.items():
        if mode == "FAILED":
            continue
        if mode in LENIENT:
            lines.append(
                f'| `{mode}` | {meaning or _INSIDE[mode]} (with `dialect="lenient"`) | {LENIENT[mode]} |'
            )
            continue
        option = next(name for name, found in seen.items() if any(t.mode == mode for t in found))
        note = "" if option == "default" else f" ({option if ' ' in option else f'with `{option}`'})"
        lines.append(f"| `{mode}` | {meaning or _INSIDE[mode]}{note} | {_reads(seen[option], mode)} |")
    lines.append("| `FAILED` | after an error | nothing more |")
    return "\n".join(lines)


_INSIDE = {
    "STRING": "inside a string that is a value",
    "KEY": "inside a key",
    "NUMBER": "inside a number",
    "LITERAL": "inside true, false or null",
    "LENIENT_KEY": "a key that may have quotes inside",
    "BARE_KEY": "a key without quotes",
    "LINE_COMMENT": "in a comment that ends with its line",
    "BLOCK_COMMENT": "in a comment between `/*` and `*/`",
}
# A character alone does not decide what these modes do: they look ahead. docs/lenient.md has their rules.
_CONTENT = "its content, and stays; what follows decides where it ends, and then → {}"
LENIENT = {
    "LENIENT_STRING": _CONTENT.format("after the value"),
    "LENIENT_KEY": _CONTENT.format("`COLON`"),
    "BARE_STRING": _CONTENT.format("after the value"),
    "BARE_KEY": _CONTENT.format("`COLON`"),
    "LINE_COMMENT": "anything, and stays; the line break → the mode before the comment",
    "BLOCK_COMMENT": "anything, and stays; `*/` → the mode before the comment",
}


def _reads(transitions: Iterable[Transition], mode: str) -> str:
    groups: dict[tuple[str, ...], list[str]] = {}
    for char in ALPHABET:
        ways = sorted({t.to for t in transitions if (t.mode, t.char) == (mode, char) and t.to != "FAILED"})
        if ways and (ways != [mode] or _moves(mode, char)):
            groups.setdefault(tuple(ways), []).append(char)
    if mode == "STOPPED":
        return "nothing more"
    if not groups:
        return "anything, and stays" if mode in ("TRAILING", "DISCARD") else "white space only"
    if mode == "LITERAL":
        return "its letters, and stays; the last → after the value"
    if mode == "NUMBER":
        return "its characters, and stays; any other one ends it, and is read after the value"
    return "; ".join(
        f"{' '.join(f'`{NAMES.get(char, char)}`' for char in chars)} → {_ways(ways, mode)}"
        for ways, chars in groups.items()
    )


def _ways(ways: tuple[str, ...], mode: str) -> str:
    others = [f"`{way}`" for way in ways if way != mode or len(ways) == 1]
    return "after the value" if set(AFTER) <= set(ways) else " or ".join(others)
