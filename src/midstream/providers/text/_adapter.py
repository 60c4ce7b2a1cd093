"""The adapter of a text format: everything around the bodies of calls.

It is a state machine over the characters; each ``_read_`` method is a state. It reads ``text`` from ``i`` on
and returns the index up to which it got. What is left is read again when more has arrived, so a state may
leave only what is bounded: what may become a marker, or the name of a call.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.surrogates import SurrogateJoiner
from ...errors import ErrorCode, invalid
from .._adapter import Adapter as BaseAdapter
from ._documents import DocumentBody
from ._markers import Markers, skip_space
from ._objects import ObjectBody
from ._output import Output
from ._parameters import ParametersBody
from ._schema import ToolSchema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..._options import Dialect
    from ...calls.messages import Message
    from ._formats import TextFormat

    Body = ObjectBody | DocumentBody | ParametersBody

__all__ = ["Options", "TextAdapter"]

# characters of a name or an id
_LONGEST_NAME = 256
# how an object of a call may begin, without white space, and the characters in which that must show
_HEADS = tuple(
    '{"' + key + '":' for key in ("name", "arguments", "parameters", "type", "id", "function")
)  # fmt: skip
_LONGEST_HEAD = 128


class Options(NamedTuple):
    """How the calls of a text format are read.

    ``bare``: an object at the very start of the text is a call without its marker (the formats of engine
    E1). ``unwrap``: arguments that are a JSON string are its content. ``tools``: the JSON Schema of the
    arguments of each tool, by name. ``dialect``: that of objects and arguments.
    """

    bare: bool = False
    unwrap: bool = False
    tools: Mapping[str, Any] | None = None
    dialect: Dialect = "strict"


class TextAdapter(BaseAdapter):
    """Turn the deltas of a model's text into messages."""

    def __init__(self, format: TextFormat, options: Options) -> None:
        self._format = format
        self._options = options
        self._output = Output()
        self._joiner = SurrogateJoiner()
        self._decoder = getincrementaldecoder("utf-8")("strict")
        self._held = ""
        self._has_begun = False
        # what has been read of a marker and its header, in case that they are text
        self._opening: list[str] = []
        self._header = dict(format.header)
        self._field = ""
        self._fields: dict[str, str] = {}
        self._body: Body | None = None
        self._think_end = Markers(())
        # whether the marker that ends a section may follow
        self._is_framed = False
        row = format
        calls = (*row.frames, *row.starts, *row.stops)
        thinking = tuple(start for start, _ in row.thinking)
        self._calls = Markers(calls)
        self._starts = Markers(row.starts)
        self._outside = Markers((*calls, *thinking))
        self._inside = Markers((*calls, *thinking, *row.ends))
        self._after = Markers((*calls, *thinking, *row.ends, *row.fences))
        # what ends a body that cannot be read
        self._resume = Markers((*calls, *row.ends, *(row.parameters.ends if row.parameters else ())))
        self._state: Callable[[str, int], int] = self._read_text
        if options.bare and row.engine == "objects":
            self._state = self._read_bare

    @staticmethod
    def knows(event: Any) -> bool:  # noqa: ARG004  # no text shows its format
        return False

    def add_event(self, event: Any) -> list[Message]:
        """Return the messages of the next delta, a `str`; bytes are decoded as UTF-8."""
        if isinstance(event, str):
            piece = str.__str__(event)
        elif isinstance(event, (bytes, bytearray)):
            try:
                piece = self._decoder.decode(bytes(event))
            except UnicodeDecodeError:
                raise invalid(ErrorCode.INVALID_UTF8) from None
        else:
            why = f"a text format reads pieces of text, not {type(event).__name__}"
            raise invalid(ErrorCode.INVALID_EVENT, why)
        self._has_begun = self._has_begun or bool(piece)
        self._add(self._joiner.add_fragment(piece))
        return self._output.take()

    def finish(self) -> list[Message]:
        """Return the last messages; the last of all is the end of the message."""
        if not self._has_begun:
            return []
        # a character of which only some bytes have arrived
        rest = "\ufffd" if self._decoder.getstate()[0] else ""
        self._add(self._joiner.add_fragment(rest) + self._joiner.finish())
        is_truncated = self._finish() or bool(rest)
        self._output.end(is_truncated)
        return self._output.take()

    def _add(self, piece: str) -> None:
        text = self._held + piece if self._held else piece
        i = 0
        while i < len(text):
            read = self._state
            j = read(text, i)
            if j == i and read == self._state:
                break
            i = j
        self._held = text[i:]

    def _finish(self) -> bool:
        """Emit what has been held back, and report whether the text was cut off in a call or in reasoning."""
        held, self._held = self._held, ""
        read = self._state
        if read == self._read_thinking:
            self._output.reasoning(held)
        elif read == self._read_body and self._body is not None:
            self._body.finish(held)
        elif read == self._read_broken:
            self._add_broken(held)
            self._end_broken()
        elif read in (self._read_frame, self._read_header) and self._opening[0] != self._format.separator:
            # a call of which nothing has arrived but its marker
            self._output.open_call()
            self._output.mention_call()
        else:
            self._output.text("".join(self._opening) + held)
            return False
        return True

    # Outside of calls

    def _read_bare(self, text: str, i: int) -> int:
        """Read the very start of the text, where an object without a marker may stand."""
        j = skip_space(text, i)
        if j > i:
            self._opening.append(text[i:j])
            return j
        opening = self._format.opening
        head = "".join(text[i : i + _LONGEST_HEAD].split())
        beginnings = [opening[:-1] + head for head in _HEADS]
        if head.startswith(tuple(beginnings)):
            self._opening.clear()
            return self._begin_body(i)
        is_open = len(text) - i < _LONGEST_HEAD and any(begin.startswith(head) for begin in beginnings)
        return i if is_open else self._reject(i)

    def _read_text(self, text: str, i: int) -> int:
        """Read text up to the next marker."""
        start, marker = (self._inside if self._is_framed else self._outside).find(text, i)
        self._output.text(text[i:start])
        return self._begin(marker, start) if marker else start

    def _read_after(self, text: str, i: int) -> int:
        """Read what follows a body or a marker: white space and ends belong to the frame."""
        j = skip_space(text, i)
        if j == len(text):
            return j
        separator = self._format.separator
        if self._is_framed and separator and text[j] == separator:
            self._opening[:] = [separator]
            self._state = self._read_frame
            return j + 1
        marker = (self._after if self._is_framed else self._outside).at(text, j)
        if marker:
            return self._begin(marker, j)
        if marker is None:
            self._state = self._read_text
        return j

    def _begin(self, marker: str, i: int) -> int:
        """Act on a marker at i that is outside of a body."""
        row, after = self._format, i + len(marker)
        for start, end in row.thinking:
            if marker == start:
                self._think_end = Markers((end,))
                self._state = self._read_thinking
                return after
        if marker in row.frames:
            self._opening[:] = [marker]
            self._state = self._read_frame
        elif marker in row.starts:
            self._begin_header(marker)
        else:
            if marker in row.stops or marker == row.ends[-1]:
                self._is_framed = False
            self._state = self._read_after
        return after

    def _read_thinking(self, text: str, i: int) -> int:
        start, marker = self._think_end.find(text, i)
        self._output.reasoning(text[i:start])
        if not marker:
            return start
        is_bare = self._options.bare and self._format.engine == "objects" and not self._output.has_content
        self._state = self._read_bare if is_bare else self._read_after
        return start + len(marker)

    # The beginning of a call

    def _read_frame(self, text: str, i: int) -> int:
        """Read what follows a marker that opens a section: a call, or it was text."""
        j = skip_space(text, i)
        if j > i:
            self._opening.append(text[i:j])
            return j
        if opening := self._format.opening:
            return self._begin_body(i) if text[i] == opening[0] else self._reject(i)
        marker = self._starts.at(text, i)
        if marker is None:
            if self._format.has_sections:
                self._opening.clear()
                self._is_framed = True
            return self._reject(i)
        if marker:
            self._begin_header(marker)
        return i + len(marker)

    def _begin_header(self, marker: str) -> None:
        self._opening.append(marker)
        self._fields = {}
        self._field = next(iter(self._header))
        self._state = self._read_header

    def _read_header(self, text: str, i: int) -> int:
        """Read a field of the header up to its end; a header that is none is text."""
        j = skip_space(text, i)
        if j > i and not (self._opening[-1].isspace()):
            self._opening.append(text[i:j])
            return j
        field = self._header[self._field]
        start, end = field.markers.find(text, i, _LONGEST_NAME)
        value = text[i:start]
        if len(value) >= _LONGEST_NAME or not field.pattern.fullmatch(value):
            return self._reject(i)
        if not end:
            return i
        value = value.strip()
        if not value and not field.may_be_empty:
            return self._reject(i)
        self._fields[self._field] = value
        after = start if end in field.kept else start + len(end)
        if following := field.ends[end]:
            self._opening.append(text[i:after])
            self._field = following
            self._state = self._read_header
            return after
        name, id = self._fields.get("name"), self._fields.get("id")
        if name is None and id is not None:
            name = id.removeprefix(self._format.id_prefix).rpartition(":")[0] or id
        self._output.open_call(name, id)
        return self._begin_body(after)

    def _reject(self, i: int) -> int:
        """Turn what seemed to begin a call into text."""
        self._output.text("".join(self._opening))
        self._opening.clear()
        self._state = self._read_text
        return i

    # The body of a call

    def _begin_body(self, i: int) -> int:
        self._opening.clear()
        self._is_framed = True
        self._body = self._new_body()
        self._state = self._read_body
        return i

    def _new_body(self) -> Body:
        row, output, options = self._format, self._output, self._options
        if row.engine == "objects":
            return ObjectBody(output, row.opening, options.unwrap, options.dialect)
        if row.parameters is not None:
            schema = ToolSchema((options.tools or {}).get(output.name or ""))
            return ParametersBody(output, row.parameters, (*row.frames, *row.starts), row.ends, schema)
        return DocumentBody(output, self._resume, options.unwrap, options.dialect)

    def _read_body(self, text: str, i: int) -> int:
        body = self._body
        if body is None:
            raise AssertionError("a body is read without one")
        i = body.read(text, i)
        if body.is_over:
            self._state = self._read_after
        elif body.is_broken:
            self._state = self._read_broken
        return i

    def _read_broken(self, text: str, i: int) -> int:
        """Read the rest of a body that is invalid; only a marker can show its end."""
        start, marker = self._resume.find(text, i)
        self._add_broken(text[i:start])
        if marker:
            self._end_broken()
            # what ends the call is read by the next state, except for the end tag of parameters
            self._state = self._read_after
            parameters = self._format.parameters
            if parameters is not None and marker in parameters.ends:
                return start + len(marker)
        return start

    def _add_broken(self, piece: str) -> None:
        if self._output.has_open_call:
            self._output.arguments(piece)
        else:
            self._output.text(piece)

    def _end_broken(self) -> None:
        if self._output.has_open_call:
            self._output.close_call(failed=True)
