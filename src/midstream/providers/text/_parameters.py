"""Engine E3: arguments as XML parameters. Nothing in a value is escaped, so its first end tag ends it.

The arguments become the text of a JSON object. Strings are written as they arrive; a value of another type,
which only the schema of its tool can show, when it has ended.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ._markers import Markers, skip_space
from ._schema import json_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._formats import Parameters
    from ._output import Output
    from ._schema import ToolSchema

__all__ = ["ParametersBody"]

# characters of a key
_LONGEST_KEY = 1024
# characters of null with white space around it
_LONGEST_NULL = 64
_STRING = frozenset({"string"})
_STRING_OR_NULL = frozenset({"string", "null"})


class ParametersBody:
    """The parameters of one call."""

    def __init__(
        self,
        output: Output,
        parameters: Parameters,
        calls: tuple[str, ...],
        ends: tuple[str, ...],
        schema: ToolSchema,
    ) -> None:
        self._output = output
        self._tags = parameters
        # what may stand between two parameters; the beginning of another call shows that the end is missing
        self._ends = (*parameters.ends, *ends)
        self._between = Markers((parameters.key, *self._ends, *calls))
        self._key_end = Markers((parameters.key_end,))
        self._value = Markers((parameters.value,)) if parameters.value else None
        line = parameters.line
        self._value_end = Markers({line + parameters.value_end, parameters.value_end})
        self._schema = schema
        self._state: Callable[[str, int], int] = self._read_between
        self._key = ""
        self._types = _STRING
        # a value that is not a string, until it has ended; None while a string is written
        self._pieces: list[str] | None = None
        self._count = 0
        self.is_over = False
        self.is_broken = False
        output.arguments("{")

    def read(self, text: str, i: int) -> int:
        """Read from i on; return the index of what is left, which the caller keeps for the next time."""
        while i < len(text) and not self.is_over and not self.is_broken:
            read = self._state
            j = read(text, i)
            if j == i and read == self._state:
                break
            i = j
        return i

    def finish(self, held: str) -> None:
        """End the call where the text ends."""
        if self._state == self._read_value:
            self._add_value(held)

    def _read_between(self, text: str, i: int) -> int:
        """Read between two parameters, where text without a meaning is passed on as text."""
        j = skip_space(text, i)
        if j > i:
            return j
        marker = self._between.at(text, i)
        if marker is None:
            self._state = self._read_stray
        elif marker == self._tags.key:
            self._state = self._read_key
        elif marker in self._ends:
            self._output.arguments("}")
            self._output.close_call()
            self.is_over = True
            # the end of a section is read by the caller
            return i + len(marker) if marker in self._tags.ends else i
        elif marker:
            self.is_broken = True
            return i
        return i + len(marker or "")

    def _read_stray(self, text: str, i: int) -> int:
        """Read text that has no meaning here, with its white space, up to the next marker."""
        start, marker = self._between.find(text, i)
        self._output.text(text[i:start])
        if marker:
            self._state = self._read_between
        return start

    def _read_key(self, text: str, i: int) -> int:
        start, end = self._key_end.find(text, i, _LONGEST_KEY)
        if start - i >= _LONGEST_KEY:
            self.is_broken = True
            return i
        if not end:
            return i
        self._key = text[i:start].strip()
        self._state = self._read_value_start
        return start + len(end)

    def _read_value_start(self, text: str, i: int) -> int:
        """Read the tag of a value, or the line break that belongs to the frame."""
        if self._value is not None:
            j = skip_space(text, i)
            if j > i:
                return j
            marker = self._value.at(text, i)
            if marker is None:
                # a key without a value
                self._state = self._read_between
                return i
            if not marker:
                return i
            i += len(marker)
        elif self._tags.line and text.startswith(self._tags.line, i):
            i += len(self._tags.line)
        self._begin_value()
        return i

    def _begin_value(self) -> None:
        self._state = self._read_value
        self._types = self._schema.types_of(self._key)
        separator = ", " if self._count else ""
        self._count += 1
        self._output.arguments(f"{separator}{json.dumps(self._key, ensure_ascii=False)}: ")
        self._pieces = []
        if self._types == _STRING:
            self._begin_string()

    def _begin_string(self) -> None:
        pieces, self._pieces = self._pieces, None
        self._output.arguments('"')
        self._add_value("".join(pieces or ()))

    def _read_value(self, text: str, i: int) -> int:
        start, end = self._value_end.find(text, i)
        self._add_value(text[i:start])
        if not end:
            return start
        if self._pieces is None:
            self._output.arguments('"')
        else:
            self._output.arguments(json_of("".join(self._pieces), self._types))
            self._pieces = None
        self._state = self._read_between
        return start + len(end)

    def _add_value(self, piece: str) -> None:
        if self._pieces is None:
            self._output.arguments(json.dumps(piece, ensure_ascii=False)[1:-1])
            return
        if piece:
            self._pieces.append(piece)
            if self._types == _STRING_OR_NULL:
                value = "".join(self._pieces)
                if len(value) > _LONGEST_NULL or not "null".startswith(value.strip()):
                    # it cannot become null any more
                    self._begin_string()
