"""The terminal renderer: recorded screens, properties of all screens, cost, and the throttle.

The screens are in ``tests/render/screens``, one for each situation and window. ``MIDSTREAM_RECORD=1`` writes
them anew: look at the difference before you commit it.
"""

from __future__ import annotations

import io
import json
import os
import re
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from costs import assert_level, ratio
from midstream import UNDEFINED, JsonValueAccumulator, ToolCall, updates
from midstream.errors import ErrorCode, ParserError
from midstream.render.glyphs import glyphs
from midstream.render.marks import ASCII, UNICODE, Marks, marks_for
from midstream.render.plain import print_updates, print_value
from midstream.render.safe import TROUBLE
from midstream.render.terminal import CallsView, LiveView, MessageView, ValueView, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from midstream.render.line import Line

SCREENS = Path(__file__).parent / "screens"
WINDOWS = [(40, 12), (80, 24), (160, 50)]
ESSAY = "It was a bright cold day in April, and the clocks were striking thirteen. "
CODE = "def area(radius: float) -> float:\n\treturn math.pi * radius**2\n\n"


@dataclass
class Call:
    name: str | None
    index: int | str | None = 0
    args: Any = UNDEFINED
    raw_args: str = ""
    open_path: tuple[str | int, ...] | None = None
    is_complete: bool = False
    error: ParserError | None = None
    finish_reason: str | None = None
    id: str | None = None


def seen(text: str) -> ValueView:
    """View what there is of a text."""
    accumulator = JsonValueAccumulator()
    accumulator.add_fragment(text)
    return ValueView(accumulator.value, accumulator.open_path)


def call(name: str | None, text: str, index: int = 0, error: str | None = None, **more: Any) -> Call:
    """Make the call whose arguments have arrived so far."""
    view = ValueView(UNDEFINED) if error == "expected_value" else seen(text)
    return Call(
        name,
        index,
        view.value,
        text,
        view.open_path,
        is_complete=error is None and view.open_path is None and view.value is not UNDEFINED,
        error=ParserError.at(ErrorCode(error), len(text), 1, len(text) + 1) if error else None,
        **more,
    )


def row(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "name": f"Person {number}",
        "email": f"person.{number}@example.org",
        "tags": ["new", "active", f"group-{number % 7}"],
        "address": {"street": f"{number} Long Street", "city": "Zürich", "geo": {"lat": 47.37, "lon": 8.54}},
        "note": ESSAY * (number % 3),
    }


def deep(levels: int) -> str:
    return "".join('{"id": 1, "next": ' if level % 2 else "[" for level in range(levels))


FORECAST = '{"city": "Zürich", "days": 12, "units": "celsius", "location": {"lat": 47.37, "lon": 8.54}'

SITUATIONS: dict[str, Callable[[], View]] = {
    "flat": lambda: seen('{"city": "Zürich", "days": 12, "wind": true, "rain": null, "note": "Bring a co'),
    "nested": lambda: seen(FORECAST + ', "alerts": [{"kind": "wind", "areas": ["north", "ea'),
    "finished": lambda: seen(FORECAST + ', "alerts": [true, "wind"], "note": "Bring a coat."}'),
    "long-array": lambda: seen('{"title": "primes", "numbers": ' + json.dumps([*range(12_345)])[:-1] + ","),
    "rows": lambda: seen('{"rows": ' + json.dumps([*map(row, range(500))])[:-90]),
    "rows-finished": lambda: seen(json.dumps({"rows": [*map(row, range(500))], "total": 500})),
    "long-string": lambda: seen(f'{{"title": "1984", "text": "{ESSAY * 900}'),
    "long-strings-finished": lambda: seen(
        json.dumps({"title": "1984", "text": ESSAY * 90, "notes": [ESSAY * 9] * 9})
    ),
    "code": lambda: seen(json.dumps({"path": "shapes.py", "content": CODE * 20})[:-20]),
    "deep": lambda: seen(deep(999) + '"how far dow'),
    "deep-finished": lambda: ValueView(json.loads("[" * 500 + "]" * 500)),
    "wide-keys": lambda: seen(json.dumps({f"key {n} " * (1 + n % 9): n for n in range(60)})[:-1]),
    "scripts": lambda: seen(
        json.dumps(
            {
                "עברית": "שלום עולם, זה משפט ארוך מימין לשמאל",
                "العربية": "مرحبا بالعالم",
                "日本語": "吾輩は猫である。名前はまだ無い。" * 3,
                "emoji": ["👨‍👩‍👧‍👦", "❤️‍🔥", "🏳️‍🌈", "🇨🇭", "👍🏽", "☎️"],
                "हिन्दी": "नमस्ते दुनिया",
                "combining": "e\u0301a\u0308o\u0302",
                "한국어": "안녕하세요 세",
            },
            ensure_ascii=False,
        )[:-2]
    ),
    "nasty": lambda: ValueView(
        {
            "[red]markup[/red]": "[bold]not bold[/bold] :smile: [link=x]y[/link]",
            "esc\x1b[2Jape": "\x1b[31mred\x1b[0m \x9b2J \x07bell \x00 \x7f",
            "lines": "one\ntwo\r\nthree\ttab\x0bvt\u2028ls\u2029ps",
            "bidi": "user\u202e\u2066gpj.exe\u2069\u200f\u061c",
            "zero\u200bwidth": "a\u200bb\u200dc\ufeffd\xade\u2060f",
            "half": "\ud83e and \udd26",
            "tags": "\U000e0041\U000e0042",
            "accent first": "\u0301\ufe0f",
            'quote " and \\': 'say "hi" \\o/',
            "private": "\ue000\U0010fffd\u0378",
        },
        ("private",),
    ),
    "empty": lambda: seen('{"object": {}, "array": [], "string": "", "both": [{}, []], "open": {'),
    "root-string": lambda: seen('"' + ESSAY + "And th"),
    "root-number": lambda: ValueView(1e999),
    "root-empty-array": lambda: seen("["),
    "nothing": lambda: ValueView(UNDEFINED),
    "one-call": lambda: CallsView([call("get_forecast", FORECAST + ', "note": "Bring a')]),
    "two-calls": lambda: CallsView(
        [
            call("get_forecast", FORECAST + ', "note": "Bring a coat."}', finish_reason="length"),
            call(
                "send_mail",
                '{"to": "ada@example.org", "body": "Dear A',
                1,
                "truncated",
                finish_reason="length",
            ),
        ]
    ),
    "four-calls": lambda: CallsView(
        [
            call("get_forecast", FORECAST + "}"),
            call(
                "search", '{"query": "best [bold]coat[/bold]", "pages": 3, "sites": ["example.org", "exam', 1
            ),
            call(None, "", 2),
            call("[red]rm\x1b[2J", 'Sure! Here you are:\n\n{"path": "C:\\\\temp"}', 3, "expected_value"),
        ]
    ),
    "twelve-calls": lambda: CallsView(
        [
            call(f"step_{n}", json.dumps(row(n), ensure_ascii=False)[: -60 if n in (4, 10, 11) else None], n)
            for n in range(12)
        ]
    ),
    "hundred-calls": lambda: CallsView(
        [call("look_up", json.dumps({"word": f"w{n}"})[: None if n < 90 else -2], n) for n in range(100)]
    ),
}

SITUATIONS |= {
    "message": lambda: MessageView(
        f"Let me see.\n\n{ESSAY * 4}\r\n\tThen: [red]rain\x1b[2J[/red]\n",
        [call("get_forecast", FORECAST), call("look_up", '{"word": "rai', 1)],
    ),
    "structured-message": lambda: MessageView(seen(FORECAST), [call("look_up", '{"word": "rain"}')]),
    "long-message": lambda: MessageView(ESSAY * 900, []),
}


def printed(view: Any, width: int, height: int) -> list[str]:
    """Print a view as rich does, and give its lines."""
    console = Console(file=io.StringIO(), width=width, height=height, color_system=None, force_terminal=False)
    console.print(view, end="")
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    return text.split("\n")[:-1]


@pytest.mark.parametrize(("width", "height"), WINDOWS)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_screen_is_as_recorded(situation: str, width: int, height: int) -> None:
    lines = printed(SITUATIONS[situation](), width, height)
    assert len(lines) <= height
    assert max(map(cell_len, lines)) <= width
    file = SCREENS / f"{situation}.{width}x{height}.txt"
    screen = "".join(f"{line}\n" for line in lines)
    if os.environ.get("MIDSTREAM_RECORD") == "1":
        SCREENS.mkdir(exist_ok=True)
        file.write_text(screen, "utf-8", newline="\n")
    assert screen == file.read_text("utf-8")


def test_no_recorded_screen_is_left_over() -> None:
    names = {f"{situation}.{width}x{height}.txt" for situation in SITUATIONS for width, height in WINDOWS}
    assert {file.name for file in SCREENS.iterdir()} == names


def test_a_key_that_is_given_twice_is_shown_where_it_grows() -> None:
    assert printed(seen('{"a": 1, "b": 2, "a": "x'), 40, 12) == ["{", '  "b": 2,', '  "a": "x▌', "  …"]


def test_a_path_that_leads_nowhere_is_no_reason_to_fail() -> None:
    for path in [("a", "b"), ("c",), (0,), ("a", 5)]:
        assert printed(ValueView({"a": [1]}, path), 40, 12)[0] == "{"


# what every screen has in common

TEXTS = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from('"\\[]\n\t\x1b\x9b\x7f\u202e\u2066\u200b\u200d\ufe0f\u0301\U000e0041👨❤🇨🇭🏽한語שع…▌'),
        st.sampled_from("abc def"),
    ),
    max_size=30,
)
SCALARS: st.SearchStrategy[Any] = st.one_of(
    TEXTS,
    st.sampled_from([None, True, False, 0, 12, -1.5e300, 10**30, "", "long " * 400, [], {}]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=8),
        st.dictionaries(TEXTS, inner, max_size=8),
        st.builds(lambda value, count: [value] * count, SCALARS, st.integers(1, 80)),
    ),
    max_leaves=12,
)
SIZES = st.one_of(
    st.tuples(st.integers(20, 60), st.integers(5, 16)),
    st.tuples(st.integers(1, 30), st.integers(1, 8)),
    st.tuples(st.integers(1, 200), st.integers(1, 60)),
)
MARKS = st.sampled_from([UNICODE, marks_for("ascii"), marks_for("latin-1")])


@st.composite
def cut_views(draw: st.DrawFn) -> ValueView:
    """A value that has come as far as chance will have it: mostly long and deep, and near its end."""
    value = draw(VALUES)
    siblings = draw(st.lists(VALUES, max_size=4)) * draw(st.sampled_from([1, 1, 5, 30]))
    for level in range(draw(st.sampled_from([0, 1, 2, 5, 12, 60]))):
        around = siblings if level < 12 else siblings[:1]
        value = (
            [*around, value] if level % 2 else {**{f"{n}": one for n, one in enumerate(around)}, "in": value}
        )
    text = json.dumps(value, ensure_ascii=draw(st.booleans()))
    return seen(text[: len(text) - draw(st.integers(0, 60) | st.integers(0, len(text)))])


def check_screen(lines: list[Line], width: int, height: int, marks: Marks) -> None:
    assert len(lines) <= height
    for line in lines:
        text = str(line)
        assert line.cells == cell_len(text) <= width
        assert not TROUBLE.search(text)
        if marks.encoding:
            text.encode(marks.encoding)


def shows_the_tail(view: ValueView, lines: list[Line], marks: Marks) -> bool:
    """Report whether the place where the text grows is seen."""
    thing = view.value
    for segment in view.open_path or ():
        thing = thing[segment]
    texts = [str(line) for line in lines]
    if isinstance(thing, str):
        last = glyphs(thing, marks.quoted)[-1:]
        # an escape may be too long for a narrow window
        end = "" if not last or last[0].is_escape else last[0].text
        return any(text.endswith(f"{end}{marks.cursor}") for text in texts)
    if not thing:
        return any(text.endswith(f"{'{' if thing == {} else '['} {marks.fold}") for text in texts)
    places = [place for place, text in enumerate(texts) if text.strip() == marks.fold]
    return bool(places) and places[0] > 0


@given(cut_views(), SIZES, MARKS)
def test_every_value_fits_every_window(view: ValueView, size: tuple[int, int], marks: Marks) -> None:
    lines = view.lines(*size, marks)
    check_screen(lines, *size, marks)
    if size[0] >= 20 and size[1] >= 5 and view.open_path is not None:
        assert shows_the_tail(view, lines, marks)


@pytest.mark.parametrize("marks", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize(
    "inner", [[], {}, "long " * 99, "0\U00010000"], ids=["array", "object", "string", "escape"]
)
@pytest.mark.parametrize("levels", range(8))
def test_a_key_leaves_room_for_what_is_open(levels: int, inner: Any, marks: Marks) -> None:
    """In ASCII the mark for what is left out takes three cells: in a narrow window the key is cut for it."""
    value: Any = {"000000": inner}
    for _ in range(levels):
        value = [value]
    view = ValueView(value, (*[0] * levels, "000000"))
    marks = marks_for("ascii") if marks is ASCII else marks
    assert shows_the_tail(view, view.lines(20, 5, marks), marks)


@st.composite
def calls(draw: st.DrawFn) -> list[Call]:
    found = []
    views = draw(st.lists(cut_views(), min_size=1, max_size=2))
    for index in range(draw(st.integers(0, 14))):
        view = draw(st.sampled_from(views))
        error = draw(st.sampled_from([None, None, ErrorCode.TRUNCATED, ErrorCode.EXPECTED_VALUE]))
        found.append(
            Call(
                draw(st.none() | TEXTS),
                draw(st.sampled_from([index, None, f"call_{index}"])),
                view.value if draw(st.booleans()) else UNDEFINED,
                draw(TEXTS),
                view.open_path,
                view.open_path is None and error is None,
                ParserError.at(error, 3, 1, 4) if error else None,
                draw(st.none() | TEXTS),
            )
        )
    return found


@settings(max_examples=60, deadline=None)
@given(TEXTS | cut_views(), calls(), SIZES, MARKS)
def test_any_message_fits_every_window(
    content: str | View, calls: list[Call], size: tuple[int, int], marks: Marks
) -> None:
    check_screen(CallsView(calls).lines(*size, marks), *size, marks)
    check_screen(MessageView(content, calls).lines(*size, marks), *size, marks)


def test_the_calls_of_a_message_are_calls() -> None:
    made = ToolCall(
        name="look_up", index=0, args={"word": "ra"}, raw_args='{"word": "ra', open_path=("word",)
    )
    assert printed(CallsView([made]), 40, 12)[2] == '│   "word": "ra▌                       │'


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_tiny_window_is_no_reason_to_fail(situation: str) -> None:
    view = SITUATIONS[situation]()
    for width in range(1, 26, 4):
        for height in range(1, 8):
            check_screen(view.lines(width, height, UNICODE), width, height, UNICODE)


@settings(max_examples=50, deadline=None)
@given(VALUES)
def test_what_fits_is_shown_in_full(value: Any) -> None:
    """A screen that is large enough is JSON, and says the same."""
    lines = ValueView(value).lines(20_000, 5_000, UNICODE)
    assert json.loads("\n".join(map(str, lines))) == value


# cost


GROWING: dict[str, Callable[[int], tuple[Any, tuple[str | int, ...]]]] = {
    "items": lambda size: ([7] * size, ()),
    "keys": lambda size: ({str(n): n for n in range(size // 10)}, ()),
    "string": lambda size: ({"text": "lorem ipsum " * (size // 2)}, ("text",)),
    "wide string": lambda size: (["語" * size], (0,)),
    "items before": lambda size: ([[7] * size] * 50 + ["x"], (50,)),
}


@pytest.mark.parametrize("shape", GROWING)
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "final"])
def test_the_cost_depends_on_what_is_visible(shape: str, is_open: bool) -> None:
    @cache
    def view(size: int) -> ValueView:
        value, path = GROWING[shape](size)
        return ValueView(value, path if is_open else None)

    assert_level(lambda size: lambda: view(size).lines(120, 40, UNICODE), 10_000, 10_000_000, 2)


def test_depth_costs_no_more_than_the_way_down() -> None:
    value: Any = "deep"
    for _ in range(100_000):
        value = [value]
    view = ValueView(value, (0,) * 100_000)
    assert "… 99,9" in str(view.lines(80, 24, UNICODE)[0])
    assert str(view.lines(80, 24, UNICODE)[-1]).endswith('"deep▌')
    assert str(ValueView(value).lines(80, 24, UNICODE)[0]) == "["


# the live view


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def terminal(width: int = 60, height: int = 16) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, width=width, height=height, force_terminal=True, _environ={}), file


def screen_of(output: str) -> str:
    """Return an output without its control sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output).replace("\r", "\n")


def test_redraws_are_few_and_the_last_state_is_drawn() -> None:
    console, file = terminal()
    clock, drawn = Clock(), []
    with LiveView(console, clock=clock) as view:
        for number in range(10_000):
            clock.now = 100 + number / 10_000

            def see(number: int = number) -> ValueView:
                drawn.append(number)
                return ValueView([number])

            view.update(see, 1)
    assert 15 <= len(drawn) <= 21
    assert drawn[-1] == 9_999
    assert "9999" in screen_of(file.getvalue())
    assert "10.0 kB" in file.getvalue()


def test_a_slow_terminal_is_drawn_less_often() -> None:
    console, _ = terminal()
    clock, drawn = Clock(), []

    def see() -> ValueView:
        clock.now += 0.04
        drawn.append(clock.now)
        return ValueView(None)

    with LiveView(console, clock=clock) as view:
        while clock.now < 110:
            view.update(see)
            clock.now += 0.001
    assert len(drawn) < 10 / 0.4 + 3


def test_a_pause_is_a_time_to_draw() -> None:
    console, file = terminal()
    with LiveView(console, clock=Clock()) as view:
        view.update(lambda: ValueView(["first"]))
        view.update(lambda: ValueView(["second"]))
        assert "second" not in file.getvalue()
        view.refresh()
        assert "second" in file.getvalue()
        length = len(file.getvalue())
        view.refresh()
        assert len(file.getvalue()) == length


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_cursor_and_the_last_state(error: type[BaseException]) -> None:
    console, file = terminal()

    def break_off() -> None:
        with LiveView(console, clock=Clock()) as view:
            view.update(lambda: ValueView(["first"]))
            view.update(lambda: ValueView(["second"]))
            raise error

    with pytest.raises(error):
        break_off()
    output = file.getvalue()
    assert "second" in output
    assert output.rindex("\x1b[?25h") > output.rindex("\x1b[?25l")


def test_a_view_that_fails_leaves_the_cursor() -> None:
    console, file = terminal()

    def see() -> ValueView:
        raise ValueError("no view")

    with pytest.raises(ValueError, match="no view"), LiveView(console) as view:
        view.update(see)
    output = file.getvalue()
    assert output.rindex("\x1b[?25h") > output.rindex("\x1b[?25l")


def test_the_size_is_asked_for_at_every_redraw() -> None:
    console, _ = terminal(60, 16)
    clock, sizes = Clock(), []

    class Recorder:
        def lines(self, width: int, height: int, marks: Marks) -> list[Line]:
            sizes.append((width, height))
            return []

    with LiveView(console, clock=clock) as view:
        view.update(Recorder)
        console.size = (30, 8)
        clock.now += 1
        view.update(Recorder)
        console.size = (1, 1)
    # one line stays free below, one shows the progress
    assert sizes == [(60, 14), (30, 6), (1, 1)]


@pytest.mark.parametrize("term", ["dumb", None], ids=["dumb", "no terminal"])
def test_without_a_terminal_nothing_is_drawn(term: str | None) -> None:
    file = io.StringIO()
    console = Console(
        file=file, width=60, force_terminal=bool(term), color_system=None, _environ={"TERM": term or ""}
    )
    with LiveView(console, total=10) as view:
        view.update(lambda: ValueView(["x"], (0,)), 3)
        view.refresh()
    assert not view.is_live
    assert file.getvalue() == ""
    console.print(ValueView(["x\x1b[2J"], (0,)))
    assert file.getvalue() == '[\n  "x\\u001b[2J▌\n  …\n'


def test_a_closed_view_gives_the_terminal_back() -> None:
    console, file = terminal()
    with LiveView(console, clock=Clock()) as view:
        view.update(lambda: ValueView(["first"]))
        view.update(lambda: ValueView(["second"]))
        view.close()
        output = file.getvalue()
        assert "second" in output
        assert output.rindex("\x1b[?25h") > output.rindex("\x1b[?25l")
        view.refresh()
    assert file.getvalue() == output


def test_colours_can_be_forbidden() -> None:
    def output(environment: dict[str, str]) -> str:
        file = io.StringIO()
        Console(
            file=file, width=60, force_terminal=True, color_system="standard", _environ=environment
        ).print(ValueView({"city": "Zürich", "days": 12, "esc": "\x1b"}))
        return file.getvalue()

    coloured = re.compile(r"\x1b\[(?:\d+;)*3[0-7]m").search
    assert coloured(output({}))
    assert not coloured(output({"NO_COLOR": "1"}))


def test_where_there_is_only_ascii_the_marks_are_ascii() -> None:
    file = io.TextIOWrapper(io.BytesIO(), "ascii")
    console = Console(file=file, width=60, height=20, _environ={})
    console.print(SITUATIONS["two-calls"]())
    file.flush()
    assert isinstance(file.buffer, io.BytesIO)
    screen = file.buffer.getvalue().decode("ascii")
    assert '"body": "Dear A_' in screen
    assert '"city": "Z\\u00fcrich",' in screen
    assert "% truncated" in screen
    assert ASCII.encoding is None
    assert marks_for("UTF-8") is UNICODE


def document(size: int) -> bytes:
    """Make a document of so many bytes, of records as people have them."""
    record = (json.dumps(row(4), ensure_ascii=False) + ",\n").encode()
    return b'{"rows": [' + record * (size // len(record)) + b"null]}"


def test_watching_does_not_hold_the_parser_back() -> None:
    # so much that the first and the last look, which are always drawn, are a small part
    text = document(24_000_000)
    pieces = [text[at : at + 65_536] for at in range(0, len(text), 65_536)]

    def feed(watch: Callable[[JsonValueAccumulator, int], None]) -> None:
        accumulator = JsonValueAccumulator()
        for piece in pieces:
            accumulator.add_fragment(piece)
            watch(accumulator, len(piece))

    def watched() -> None:
        console, _ = terminal(120, 40)
        # by the clock on the wall it would draw more for the same work when others take the processor
        with LiveView(console, total=len(text), clock=time.thread_time) as view:
            feed(lambda acc, size: view.update(lambda: ValueView(acc.value, acc.open_path), size))

    def unwatched() -> None:
        feed(lambda acc, size: None)

    assert ratio(lambda: watched, lambda: unwatched, 1.25) <= 1.25


# plain output


def test_updates_are_plain_lines() -> None:
    file = io.StringIO()
    print_updates(updates('{"a\\u001b[2J\\u202e": "x\\n\\u009b"}'), file)
    assert file.getvalue().splitlines()[1:4] == [
        r"root  has 'a\x1b[2J\u202e'",
        r'root["a\u001b[2J\u202e"]  StartString',
        r"""root["a\u001b[2J\u202e"]  + 'x\n\x9b'""",
    ]
    assert not TROUBLE.search(file.getvalue().replace("\n", ""))


@settings(max_examples=50, deadline=None)
@given(VALUES, st.sampled_from([None, 0, 2]), st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_a_printed_value_can_be_read_back(value: Any, indent: int | None, encoding: str) -> None:
    buffer = io.BytesIO()
    file = io.TextIOWrapper(buffer, encoding, newline="\n")
    print_value(value, file, indent)
    file.flush()
    text = buffer.getvalue().decode(encoding)
    assert json.loads(text) == value
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)


def test_a_printed_value_may_be_deep_or_missing() -> None:
    value: Any = []
    for _ in range(5_000):
        value = [value]
    file = io.StringIO()
    print_value(value, file, None)
    assert file.getvalue() == "[" * 5_001 + "]" * 5_001 + "\n"
    file = io.StringIO()
    print_value(UNDEFINED, file)
    assert file.getvalue() == ""
