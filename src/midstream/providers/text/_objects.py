"""Engine E1: objects that hold the name, the arguments and perhaps the id of a call.

The object is read by one accumulator and its arguments by another, because the arguments are passed on as
they are written. The first one reads null in their place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...accumulators.update import JsonFragmentKind as Kind
from ._json_text import JsonText, new_reader

if TYPE_CHECKING:
    from ..._options import Dialect
    from ...accumulators.update import JsonFragmentUpdate
    from ._output import Output

__all__ = ["ObjectBody"]

# the characters before which the object is cut: the arguments can begin with one of them
_CUT = re.compile(r'["\[{]')
_VALUES = (Kind.CompleteString, Kind.CompleteNumber, Kind.CompleteBoolean, Kind.CompleteNull)
_ARGUMENTS = ("arguments", "parameters")


class ObjectBody:
    """The object of one call, or the array of the objects of several."""

    def __init__(self, output: Output, opening: str, unwrap: bool, dialect: Dialect) -> None:
        self._output = output
        self._unwrap = unwrap
        self._dialect = dialect
        self._reader = new_reader(dialect, "call")
        # the characters that the reader has read, and how deep the objects of calls are
        self._length = 0
        self._call_depth = len(opening)
        self._depth = 0
        self._is_call = False
        self._key: str | None = None
        self._value: JsonText | None = None
        self._is_placeholder = False
        self._name: str | None = None
        self._id: str | None = None
        self._has_arguments = False
        self.is_over = False
        self.is_broken = False

    def read(self, text: str, i: int) -> int:
        """Read from i on; return the index after the object."""
        end = len(text)
        while i < end and not self.is_over and not self.is_broken:
            if self._value is not None:
                i = self._value.read(text, i)
                self.is_broken = self._value.is_broken
                if self._value.is_over:
                    self._value = None
            elif self._expects_arguments() and _CUT.match(text, i):
                self._has_arguments = self._is_placeholder = True
                self._feed("null", 0, 4)
                self._is_placeholder = False
                self._key = None
                self._value = JsonText(self._output, self._unwrap, self._dialect, text[i])
            else:
                cut = _CUT.search(text, i + 1)
                i = self._feed(text, i, end if cut is None else cut.start())
        return i

    def finish(self, held: str) -> None:
        """End the call where the text ends."""
        self._output.arguments(held)
        self._output.mention_call()

    def _expects_arguments(self) -> bool:
        is_key = self._key in _ARGUMENTS and self._depth == self._call_depth
        return is_key and not self._has_arguments

    def _feed(self, text: str, i: int, stop: int) -> int:
        reader = self._reader
        for update in reader.add_fragment(text[i:stop]):
            self._apply(update)
        error = reader.error
        if error is not None:
            stop = min(stop, i + max(0, error.index - self._length))
            self.is_broken = True
        elif reader.is_complete:
            stop -= len(reader.trailing)
            self.is_over = True
        self._length += stop - i
        return stop

    def _apply(self, update: JsonFragmentUpdate) -> None:
        kind = update.kind
        if kind is Kind.StartObject or kind is Kind.StartArray:
            if self._expects_arguments():
                # a repair has found their key only now, so some of their text has been read with the object
                self.is_broken = True
            self._depth += 1
            if self._depth == self._call_depth:
                # anything else in an array of calls means nothing
                self._is_call = kind is Kind.StartObject
                if self._is_call:
                    self._begin_call()
        elif update.repair is not None:
            self._output.repair(update.repair)
        elif kind is Kind.EndObject or kind is Kind.EndArray:
            self._depth -= 1
            if self._depth == self._call_depth - 1 and kind is Kind.EndObject:
                self._end_call()
            elif self._depth == self._call_depth:
                self._key = None
        elif self._depth == self._call_depth and self._is_call:
            if kind is Kind.Key:
                self._key = update.text_value
            elif kind in _VALUES:
                self._add_member(kind, update.text_value or "")
                self._key = None

    def _add_member(self, kind: Kind, text: str) -> None:
        if self._is_placeholder:
            return
        if kind is Kind.CompleteString and self._key == "name" and self._name is None:
            self._name = text
            self._output.identify(text, self._id)
        elif kind is Kind.CompleteString and self._key == "id" and self._id is None:
            self._id = text
            if self._name is not None or self._has_arguments:
                self._output.identify(None, text)
        elif self._expects_arguments():
            self._has_arguments = True
            self._output.arguments(text)

    def _begin_call(self) -> None:
        self._key = self._name = self._id = None
        self._has_arguments = False
        self._output.open_call()

    def _end_call(self) -> None:
        if not self._has_arguments:
            self._output.arguments("{}")
        # a call without a name cannot be executed
        self._output.close_call(failed=self._name is None)
