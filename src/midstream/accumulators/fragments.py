"""Text fragments in, updates with paths and values out."""

from __future__ import annotations

import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any

from .._signature import SourceSignature
from ..core import cython_shim as cython
from ..core.text import TextBuffer, load_text, save_text
from ..paths import format_path, pair_of, root_of, segments_of
from .base import DEFAULT_LIMITS, Accumulator, restore
from .update import (
    COMPLETE_BOOLEAN,
    COMPLETE_NULL,
    COMPLETE_NUMBER,
    COMPLETE_STRING,
    END_ARRAY,
    END_OBJECT,
    ERROR,
    JSON_COMPLETE,
    KEY,
    PARTIAL_STRING,
    REPAIR,
    START_ARRAY,
    START_OBJECT,
    START_STRING,
    Emitter,
    JsonFragmentKind,
    JsonFragmentUpdate,
)

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.chars import ascii_slice
    from ..core.grammar import feed, finish
    from ..core.modes import IN_CONTAINER, IN_NEXT_VALUE
    from .reentrancy import IDLE, release
    from .update import list_with_room

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._options import AfterRoot, Dialect, OnError
    from ..core.visitor import Visitor
    from ..errors import ParserError, Repair
    from ..limits import Limits
    from ..paths import Segment

__all__ = ["JsonFragmentAccumulator"]

# the visitor's list between two calls: the list of the last call belongs to the caller
_NONE: list[JsonFragmentUpdate] = []
# a shorter list is not worth allocating in advance
_FEW = 32


@cython.final
@cython.cclass
class FragmentVisitor(Emitter):
    """Create updates from the calls of the grammar.

    ``index`` counts the items of an array that have begun, so an item that is lost to an error leaves no gap.
    """

    __slots__ = ("in_array", "index", "text")

    def __init__(self, root: str) -> None:
        self.last_error = None
        self.error_place = None
        self.error_path = ""
        self.updates = _NONE
        self.pair = (None, root)
        self.segment = None
        self.in_array = False
        self.index = -1
        self.text = TextBuffer()

    def _begin_item(self) -> None:
        """Move to the next item of an array."""
        self.index += 1
        self.segment = self.index

    def _enter(self, kind: JsonFragmentKind) -> None:
        if self.in_array:
            self._begin_item()
        if self.segment is not None:
            self.pair = (self.pair, self.segment)
            self.segment = None
        self.emit(kind, None, None)

    def _leave(self, kind: JsonFragmentKind) -> None:
        self.segment = None
        self.emit(kind, None, None)
        pair = self.pair
        self.in_array = False
        if pair[0] is not None:
            self.pair = pair[0]
            self.segment = pair[1]
            if isinstance(pair[1], int):
                self.in_array = True
                self.index = pair[1]

    def begin_object(self) -> None:
        self._enter(START_OBJECT)
        self.in_array = False

    def end_object(self) -> None:
        self._leave(END_OBJECT)

    def begin_array(self) -> None:
        self._enter(START_ARRAY)
        self.in_array = True
        self.index = -1

    def end_array(self) -> None:
        self._leave(END_ARRAY)

    def key(self, text: str) -> None:
        self.segment = None
        self.emit(KEY, text, text)
        self.segment = text

    def string(self, piece: str, starts: bool, ends: bool) -> None:
        if starts:
            if self.in_array:
                self._begin_item()
            self.emit(START_STRING, None, None)
            self.text.clear()
        if ends:
            if piece:
                self.emit(PARTIAL_STRING, piece, None)
            if not starts:
                piece = self.text.take(piece)
            self.emit(COMPLETE_STRING, piece, piece)
        elif piece:
            self.more(piece)

    def more(self, piece: str) -> None:
        self.emit(PARTIAL_STRING, piece, None)
        self.text.append(piece)

    def number(self, value: Any, chars: str, start: int, end: int) -> None:
        if self.in_array:
            self._begin_item()
        written = ascii_slice(chars, start, end)
        self.emit(COMPLETE_NUMBER, written, value)

    def literal(self, value: bool | None) -> None:
        if self.in_array:
            self._begin_item()
        if value is None:
            self.emit(COMPLETE_NULL, "null", None)
        else:
            self.emit(COMPLETE_BOOLEAN, "true" if value else "false", value)

    def document(self) -> None:
        self.emit(JSON_COMPLETE, None, None)
        self.segment = None

    def _segment_at(self, where: int) -> Segment | None:
        """Return the segment of a place: where an error or a repair is."""
        if where == IN_CONTAINER:
            return None
        return self.index + 1 if where == IN_NEXT_VALUE and self.in_array else self.segment

    def repair(self, repair: Repair, where: int) -> Repair:
        last = self.segment
        self.segment = self._segment_at(where)
        segments = segments_of(self.pair)
        if self.segment is not None:
            segments = (*segments, self.segment)
        repair = repair._replace(path=format_path(root_of(self.pair), segments))
        self.emit(REPAIR, repair.message, repair)
        self.segment = last
        return repair

    def error(self, error: ParserError, where: int) -> None:
        segment = self._segment_at(where)
        self.last_error = error
        self.error_place = self.pair if segment is None else (self.pair, segment)
        last, self.segment = self.segment, segment
        self.emit(ERROR, error.message, error)
        self.segment = last

    def state(self) -> dict[str, Any]:
        """Return the place and the open string as plain data."""
        return {
            "segments": [_save_segment(segment) for segment in segments_of(self.pair)],
            "segment": _save_segment(self.segment),
            "index": self.index,
            "in_array": self.in_array,
            "text": save_text(self.text.read()),
        }

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state."""
        self.pair = pair_of(root_of(self.pair), [_load_segment(data) for data in state["segments"]])
        self.segment = None if state["segment"] is None else _load_segment(state["segment"])
        index, in_array = state["index"], state["in_array"]
        if type(index) is not int or not -1 <= index < sys.maxsize or type(in_array) is not bool:
            raise ValueError("an index is an int from -1 on, and in_array a bool")
        self.index = index
        self.in_array = in_array
        self.text.load(state["text"])


def _save_segment(segment: Segment | None) -> Any:
    return save_text(segment) if isinstance(segment, str) else segment


def _load_segment(data: Any) -> Segment:
    return data if type(data) is int and 0 <= data < sys.maxsize else load_text(data)


@cython.cclass
class JsonFragmentAccumulator(Accumulator):
    """Convert text fragments to updates, as soon as the text determines them.

    Options, with their defaults:

    - ``root="root"``: the name of the root in paths; with ``""`` they look like ``users[2].email``.
    - ``on_error="raise"``: invalid text raises `JsonStreamError`. ``"event"``: the last update is an
      Error. ``"recover"``: an Error update, then updates for what follows the invalid text.
    - ``after_root="error"``: text after the document is an error. ``"ignore"``: it is kept in
      ``trailing``. ``"next"``: it is another document (NDJSON, concatenated JSON).
    - ``limits=Limits()``: the size and depth that a document may have.
    - ``parse_int=int``, ``parse_float=float``: the functions that convert the text of a number.
    - ``dialect="strict"``: RFC 8259 only. ``"lenient"``: text as models write it, too; each repair is an
      update and listed in ``repairs``.

    An accumulator reads one stream, in one thread at a time.

    >>> acc = JsonFragmentAccumulator()
    >>> for update in acc.add_fragment('{"city": "Par'): print(update)
    JsonFragmentUpdate('root', 'StartObject')
    JsonFragmentUpdate('root', 'Key', 'city', 'city')
    JsonFragmentUpdate('root.city', 'StartString')
    JsonFragmentUpdate('root.city', 'PartialString', 'Par')
    >>> for update in acc.add_fragment('is"}'): print(update)
    JsonFragmentUpdate('root.city', 'PartialString', 'is')
    JsonFragmentUpdate('root.city', 'CompleteString', 'Paris', 'Paris')
    JsonFragmentUpdate('root', 'EndObject')
    JsonFragmentUpdate('root', 'JsonComplete')
    >>> acc.is_complete
    True
    """

    __signature__ = SourceSignature()
    __slots__ = ("_room", "_root")

    _visitor: FragmentVisitor

    def __init__(
        self,
        *,
        root: str = "root",
        on_error: OnError = "raise",
        after_root: AfterRoot = "error",
        limits: Limits = DEFAULT_LIMITS,
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
        dialect: Dialect = "strict",
    ) -> None:
        root = str(root)
        self._check_options(on_error, after_root, limits, parse_int, parse_float, dialect)
        self._begin_set_up()
        try:
            self._root = root
            # how many updates the next call is likely to return, 0 for a few
            self._room = 0
            self._set_up(on_error, after_root, limits, parse_int, parse_float, dialect)
        finally:
            release(self)

    def _new_visitor(self) -> Visitor:
        return FragmentVisitor(self._root)

    def _options(self) -> dict[str, Any]:
        return {"root": self._root, **super()._options()}

    def add_fragment(self, fragment: str | bytes) -> list[JsonFragmentUpdate]:
        """Read a fragment (bytes: UTF-8, cut anywhere) and return what became known."""
        updates: list[JsonFragmentUpdate]
        if cython.compiled:
            updates = list_with_room(self._room)
            self._begin_call()
        else:
            updates = []
            # `_begin_call`, written inline; a thread switch between the comparison and the assignment would
            # break the guard, so there must not be a call between them
            own = get_ident()
            if self._phase != IDLE:
                self._refuse_call()
            self._phase = own
        visitor = self._visitor
        visitor.updates = updates
        try:
            feed(self._machine, fragment, visitor)
            if cython.compiled:
                self._room = len(updates) * 9 // 8 if len(updates) > _FEW else 0
            if self._machine.error is not None:
                self._raise(updates)
            return updates
        finally:
            visitor.updates = _NONE
            if cython.compiled:
                release(self)
            else:
                self._phase = IDLE

    def finish(self) -> list[JsonFragmentUpdate]:
        """End the text where the input ends; a truncated text is an error."""
        self._begin_call()
        visitor = self._visitor
        updates: list[JsonFragmentUpdate] = []
        visitor.updates = updates
        try:
            finish(self._machine, visitor)
            if self._machine.error is not None:
                self._raise(updates)
            return updates
        finally:
            visitor.updates = _NONE
            release(self)

    @classmethod
    def restore(
        cls,
        data: dict[str, Any],
        *,
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
    ) -> JsonFragmentAccumulator:
        """Continue from a checkpoint, in this process or another one.

        >>> acc = JsonFragmentAccumulator()
        >>> _ = acc.add_fragment('["mid')
        >>> JsonFragmentAccumulator.restore(acc.checkpoint()).add_fragment('stream"]')[1]
        JsonFragmentUpdate('root[0]', 'CompleteString', 'midstream', 'midstream')
        """
        accumulator: JsonFragmentAccumulator = restore(cls, data, parse_int, parse_float)
        return accumulator
