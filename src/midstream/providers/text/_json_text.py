"""Read a JSON text inside other text, up to its end, and pass it on as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...accumulators.fragments import JsonFragmentAccumulator
from ...accumulators.update import JsonFragmentKind
from ...limits import Limits

if TYPE_CHECKING:
    from ..._options import Dialect
    from ._output import Output

__all__ = ["JsonText", "new_reader"]

# the limits of a call are those of its reader; here the text is only searched for its end
_UNLIMITED = Limits(None, None, None, None, None)
# what is read at once doubles with the text, so that little is read after its end
_FIRST_WINDOW = 256
_LARGEST_WINDOW = 65_536


def new_reader(dialect: Dialect, root: str = "root") -> JsonFragmentAccumulator:
    """Return an accumulator that reads one document and keeps what follows."""
    return JsonFragmentAccumulator(
        root=root,
        on_error="event",
        after_root="ignore",
        limits=_UNLIMITED,
        parse_int=str,
        parse_float=str,
        dialect=dialect,
    )


class JsonText:
    """The arguments of a call: an object, an array or a string.

    With ``unwrap``, a string is decoded: its content is the text of the arguments. A string itself is read
    strictly in every dialect, because only its context shows where one with mistakes ends.
    """

    __slots__ = ("_is_decoded", "_length", "_output", "_reader", "_window", "is_broken", "is_over")

    def __init__(self, output: Output, unwrap: bool, dialect: Dialect, opening: str) -> None:
        self._output = output
        self._is_decoded = unwrap and opening == '"'
        self._reader = new_reader("strict" if opening == '"' else dialect)
        self._window = _FIRST_WINDOW
        # the characters read so far
        self._length = 0
        self.is_over = False
        self.is_broken = False

    def read(self, text: str, i: int) -> int:
        """Read from i on; return the index after what belongs to the JSON text."""
        end = len(text)
        while i < end and not self.is_over and not self.is_broken:
            i = self._read_window(text, i, min(end, i + self._window))
        return i

    def _read_window(self, text: str, i: int, stop: int) -> int:
        reader = self._reader
        updates = reader.add_fragment(text[i:stop])
        error = reader.error
        if error is not None:
            stop = min(stop, i + max(0, error.index - self._length))
            self.is_broken = True
        elif reader.is_complete:
            stop -= len(reader.trailing)
            self.is_over = True
        if self._is_decoded:
            for update in updates:
                if update.kind is JsonFragmentKind.PartialString:
                    self._output.arguments(update.text_value or "")
        else:
            self._output.arguments(text[i:stop])
        self._length += stop - i
        self._window = min(2 * self._window, _LARGEST_WINDOW)
        return stop
