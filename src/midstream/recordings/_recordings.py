"""The recorded streams by name, each as its provider sends it."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from ..providers._reading import decoded
from ..sse import decode

if TYPE_CHECKING:
    from ..providers import Format

__all__ = ["NAMES", "Recording", "load"]

_KNOWN: dict[str, tuple[Format, str]] = {
    "trip": ("openai-chat", "Two tool calls side by side, with split escapes"),
    "cut": ("anthropic", "Two tool calls, the second truncated by max_tokens"),
    "invalid": ("anthropic", "Two tool calls, the second with damaged JSON"),
    "report": ("openai-chat", "A structured output, as text"),
    "patch": ("openai-responses", "A custom tool, whose input is free text"),
    "search": ("vercel-ui", "A tool call, its result and the answer"),
}
NAMES = tuple(_KNOWN)


class Recording(NamedTuple):
    """A provider's stream, byte for byte as it is sent.

    >>> load("trip").format
    'openai-chat'
    """

    name: str
    title: str
    format: Format
    body: bytes

    def __repr__(self) -> str:
        return f"<Recording {self.name} ({self.format}): {self.title}, {len(self.body):,} bytes>"

    def blocks(self) -> list[bytes]:
        r"""Return the stream split into its events, each with its blank line.

        >>> load("trip").blocks()[-1]
        b'data: [DONE]\n\n'
        """
        return [block + b"\n\n" for block in self.body.split(b"\n\n")[:-1]]

    def events(self) -> list[Any]:
        """Return the provider's events, decoded.

        >>> load("cut").events()[0]["type"]
        'message_start'
        """
        events = (decoded(event) for event in decode([self.body]))
        return [event for event in events if event is not None]


def load(name: str) -> Recording:
    """Return a recording by its name, one of `NAMES`.

    >>> load("report").title
    'A structured output, as text'
    """
    if name not in _KNOWN:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, not {name!r}")
    format, title = _KNOWN[name]
    return Recording(name, title, format, files(__package__).joinpath(f"{name}.sse").read_bytes())
