"""The messages of gpt-oss: a header, a marker, and a body that is text, reasoning or a call.

A message is ``<|start|>assistant``, its channel and recipient, ``<|message|>``, the body, and one of the
ends. The first one of a completion begins with its header. The recipient decides: ``functions.NAME`` is a
tool of the caller, another name a tool that the model's server runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ._adapter import TextAdapter
from ._markers import Markers, skip_space

if TYPE_CHECKING:
    from ._adapter import Options
    from ._formats import TextFormat

__all__ = ["HarmonyAdapter"]

_START, _CHANNEL, _MESSAGE = "<|start|>", "<|channel|>", "<|message|>"
_ENDS = ("<|call|>", "<|end|>", "<|return|>")
_HEADER = Markers((_START, _CHANNEL, _MESSAGE, *_ENDS))
# how the first message may begin
_FIRST = Markers((_START, _CHANNEL, _MESSAGE, "to="))
_NEXT = Markers((_START, _CHANNEL))
_BODY = Markers((*_ENDS, _START, _CHANNEL))
_RECIPIENT = re.compile(r"\bto=([^\s<]+)")
_CHANNEL_NAME = re.compile(r"<\|channel\|>\s*(\w+)")
# a recipient before everything else, as far as it has arrived
_FIRST_RECIPIENT = re.compile(r"to=[^\s<]{0,256}\s?(?:<.*)?", re.DOTALL)
_FUNCTIONS = "functions."
# recipients that are not tools
_PEOPLE = ("user", "assistant", "all")
_LONGEST_HEADER = 1024


class HarmonyAdapter(TextAdapter):
    """Read the messages of gpt-oss."""

    def __init__(self, format: TextFormat, options: Options) -> None:
        super().__init__(format, options)
        self._resume = _BODY
        self._write = self._output.text
        self._state = self._read_first

    def _finish(self) -> bool:
        held = self._held
        if self._state == self._read_message_header:
            self._held = ""
            header = "".join(self._opening) + held
            if f"to={_FUNCTIONS}" in header:
                self._output.open_call()
                self._output.mention_call()
            return True
        if self._state == self._read_message:
            self._held = ""
            self._write(held)
            return self._write != self._output.text
        return super()._finish()

    def _read_first(self, text: str, i: int) -> int:
        """Read the very start of the text: a header, or text without any."""
        j = skip_space(text, i)
        if j > i:
            self._opening.append(text[i:j])
            return j
        marker = _FIRST.at(text, i)
        if marker:
            self._opening.clear()
            self._state = self._read_message_header
        elif marker is None:
            return self._reject(i)
        return i

    def _read_text(self, text: str, i: int) -> int:
        """Read text that is not in a message."""
        start, marker = _NEXT.find(text, i)
        self._output.text(text[i:start])
        if marker:
            self._state = self._read_message_header
        return start

    def _read_after(self, text: str, i: int) -> int:
        """Read what follows a message: its end, and the next header."""
        j = skip_space(text, i)
        if j == len(text):
            return j
        marker = _BODY.at(text, j)
        if marker is None:
            self._state = self._read_text
        elif marker in (_START, _CHANNEL):
            self._state = self._read_message_header
        elif marker:
            return j + len(marker)
        return j

    def _read_message_header(self, text: str, i: int) -> int:
        start, marker = _header_end(text, i)
        header = text[i:start]
        is_header = marker in ("", _MESSAGE) and (
            header[:1] in ("", "<") or _FIRST_RECIPIENT.fullmatch(header)
        )
        if start - i >= _LONGEST_HEADER or not is_header:
            # not a header: at least its first marker is text
            end = i + max(1, len(_BODY.at(text, i) or ""))
            self._output.text(text[i:end])
            self._state = self._read_text
            return end
        if not marker:
            return i
        self._begin_message(header)
        return start + len(marker)

    def _begin_message(self, header: str) -> None:
        recipient = _RECIPIENT.search(header)
        channel = _CHANNEL_NAME.search(header)
        self._state = self._read_message
        name = "" if recipient is None else recipient[1]
        if name.startswith(_FUNCTIONS):
            self._output.open_call(name.removeprefix(_FUNCTIONS))
            self._begin_body(0)
        elif name and name not in _PEOPLE:
            self._output.open_server_call(name)
            self._write = self._output.server_input
        elif channel is not None and channel[1] == "analysis":
            self._write = self._output.reasoning
        else:
            self._write = self._output.text

    def _read_message(self, text: str, i: int) -> int:
        """Read the body of a message that is no call of the caller's tools."""
        start, marker = _BODY.find(text, i)
        self._write(text[i:start])
        if marker:
            self._state = self._read_after
        return start


def _header_end(text: str, i: int) -> tuple[int, str]:
    """Return where the header at i ends, and what ends it; it begins a message and names a channel once."""
    j, has_channel = i, False
    while True:
        start, marker = _HEADER.find(text, j, _LONGEST_HEADER - (j - i))
        if marker == _CHANNEL and not has_channel:
            has_channel = True
        elif marker != _START or start > i:
            return start, marker
        j = start + len(marker)
