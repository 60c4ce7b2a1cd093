"""The marks and styles of a screen, with replacements for outputs that cannot show them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from rich.style import Style

from .safe import Spelling, is_encodable

__all__ = ["ASCII", "UNICODE", "Marks", "marks_for"]

KEY = Style.parse("cyan")
STRING = Style.parse("green")
NUMBER = Style.parse("magenta")
LITERAL = Style.parse("italic magenta")
ESCAPE = Style.parse("bold yellow")
PUNCTUATION = Style.parse("dim")
FOLD = Style.parse("dim italic")
CURSOR = Style.parse("bold")
FRAME = Style.parse("dim")
TITLE = Style.parse("bold")
ERROR = Style.parse("red")
PROSE = Style.null()
RAW = Style.parse("italic")
STATES = {
    "streaming": Style.parse("bold cyan"),
    "complete": Style.parse("green"),
    "truncated": Style.parse("bold yellow"),
    "invalid": Style.parse("bold red"),
}


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters that are drawn around the data; each except ``fold`` takes one cell."""

    fold: str
    cursor: str
    streaming: str
    complete: str
    truncated: str
    invalid: str
    line: str
    side: str
    corners: str
    done: str
    to_do: str
    # the encoding of the output, None if it can represent every character
    encoding: str | None = None

    @property
    def quoted(self) -> Spelling:
        """The spelling of text inside quotes."""
        return Spelling(self.encoding, True)

    @property
    def bare(self) -> Spelling:
        """The spelling of text without quotes."""
        return Spelling(self.encoding, False)

    def of_state(self, state: str) -> str:
        """Return the mark for a call's state."""
        mark: str = getattr(self, state)
        return mark


UNICODE = Marks("…", "▌", "●", "✓", "✂", "✗", "─", "│", "╭╮╰╯", "━", "─")
ASCII = Marks("...", "_", "*", "+", "%", "!", "-", "|", "++++", "=", "-")


def marks_for(encoding: str) -> Marks:
    """Return the marks that an encoding can represent."""
    if encoding.lower().replace("_", "-").startswith("utf"):
        return UNICODE
    wanted = "".join(str(getattr(UNICODE, field.name)) for field in fields(Marks)[:-1])
    return replace(UNICODE if is_encodable(wanted, encoding) else ASCII, encoding=encoding)
