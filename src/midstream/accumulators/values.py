"""Text fragments in, the value so far out.

Feeding changes the open containers in place: a stream whose value is not read costs no more than building the
value. Reading the value *publishes* it: from then on it belongs to the reader, and the next change first
copies the *spine*, the containers that are still open (copy-on-write). Everything else is shared, so a
snapshot costs as much as the spine is wide, and never changes afterwards. Compiled, a container of the spine
that the reader has dropped by then, which shows in its reference count, is not copied.
"""

from __future__ import annotations

import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any

from .._closing import Source
from .._undefined import UNDEFINED
from ..core import cython_shim as cython
from ..core.text import TextBuffer, load_text, save_text
from ..core.visitor import Visitor
from ..errors import JsonStreamError
from ..limits import Limits
from .base import DEFAULT_LIMITS, Accumulator, restore
from .value_text import value_text

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.grammar import feed, finish
    from ..core.machine import new_machine
    from ..core.modes import IN_CONTAINER, IN_STRING
    from ..core.text import BATCH
    from .reentrancy import IDLE, release

    def references(container: Any) -> int:
        """Return the number of references to a container; uncompiled, assume that a reader holds one."""
        return sys.maxsize


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..errors import ParserError
    from ..paths import PathPair, Segment, Segments

__all__ = ["JsonValueAccumulator", "parse_partial", "values"]

# the visitor's own references to an open container in `_copy_spine`: the container around it, the spine, a
# variable
_OWN_REFERENCES = 3


# the documents that a call completed, for the many calls that complete none; never changed
_NONE: list[Any] = []


@cython.final
@cython.cclass
class ValueVisitor(Visitor):
    """Build the value.

    ``current`` is the innermost open container, None at the root; ``spine`` holds it and the containers
    around it, ``keys`` the key of each in the container around it. The text of an open string is put
    in its place when the value is read, or when the string ends.
    """

    __slots__ = (
        "changed",
        "changed_values",
        "current",
        "documents",
        "in_array",
        "in_string",
        "key_of_value",
        "keys",
        "pairs",
        "published",
        "root",
        "spine",
        "stale",
        "text",
        "touched",
    )

    def __init__(self) -> None:
        self.last_error = None
        self.error_place = None
        self.error_path = ""
        self.root: Any = UNDEFINED
        self.current: Any = None
        self.in_array = False
        self.in_string = False
        self.key_of_value: str | None = None
        self.spine: list[Any] = []
        self.keys: list[str | None] = []
        # the places of the open containers, as far as an error needed them
        self.pairs: list[PathPair] | None = None
        self.text = TextBuffer()
        self.stale = False
        self.published = False
        # for the call in progress: whether any value changed, whether the open document changed, the
        # documents that were completed, and those of them that changed
        self.changed = False
        self.touched = False
        self.documents: list[Any] = _NONE
        self.changed_values: list[Any] = _NONE

    def begin_call(self) -> None:
        """Reset what is recorded for one call."""
        self.changed = False
        self.touched = False
        if self.documents is not _NONE:
            self.documents = _NONE
            self.changed_values = _NONE

    def publish(self) -> Any:
        """Return the value, which will not be changed any more."""
        self._flush_text()
        self.published = True
        return self.root

    def open_path(self) -> Segments | None:
        """Return the path to the innermost open value, None if nothing is open."""
        if not self.spine:
            return () if self.in_string else None
        return self._path()

    def _path(self) -> Segments:
        """Return the path to the innermost open container, or to the open string in it."""
        segments: list[Segment] = []
        for depth in range(1, len(self.spine)):
            parent = self.spine[depth - 1]
            segments.append(len(parent) - 1 if isinstance(parent, list) else str(self.keys[depth]))
        if self.in_string:
            segments.append(len(self.current) - 1 if self.in_array else str(self.key_of_value))
        return tuple(segments)

    def _pair(self) -> PathPair:
        """Return the place of the innermost open container, and keep it for further errors."""
        if self.pairs is None:
            self.pairs = [(None, "root")]
        pairs = self.pairs
        for depth in range(len(pairs), len(self.spine)):
            parent = self.spine[depth - 1]
            segment = len(parent) - 1 if isinstance(parent, list) else str(self.keys[depth])
            pairs.append((pairs[depth - 1], segment))
        return pairs[len(pairs) - 1]

    def _copy_spine(self) -> None:
        """Replace every open container that a reader may still hold by a copy.

        Skipping the containers that no reader holds, by their reference count, makes a stream of snapshots
        that are read and dropped 3.4 times as fast.
        """
        self.published = False
        self.current = None
        parent: Any = None
        for depth in range(len(self.spine)):
            container = self.spine[depth]
            if references(container) > _OWN_REFERENCES:
                container = container.copy() if isinstance(container, dict) else container[:]
                self.spine[depth] = container
                self._place(parent, self.keys[depth], container)
            parent = container
        self.current = parent

    def _place(self, parent: Any, key: str | None, value: Any) -> None:
        """Replace the last value of an open container, or the root."""
        if parent is None:
            self.root = value
        elif isinstance(parent, dict):
            members = parent
            members[key] = value
        else:
            items = parent
            items[len(items) - 1] = value

    def _end_string(self) -> None:
        """End the open string, complete or cut off by an error; the text so far remains."""
        self._flush_text()
        self.text.clear()
        self.in_string = False

    def _put(self, value: Any) -> None:
        """Add a value to the innermost open container."""
        if self.in_string:
            self._end_string()
        if self.published:
            self._copy_spine()
        self.changed = self.touched = True
        if self.in_array:
            items = self.current
            items.append(value)
        elif self.current is None:
            self.root = value
        else:
            members = self.current
            members[self.key_of_value] = value

    def _flush_text(self) -> None:
        """Put the text of the open string into the value."""
        if self.stale:
            self.stale = False
            if self.published:
                self._copy_spine()
            if self.text.is_long():
                # drop the value's reference to the old text, so that CPython can extend it in place
                self._place(self.current, self.key_of_value, None)
            self._place(self.current, self.key_of_value, self.text.read())

    def _enter(self, container: Any, is_array: bool) -> None:
        self._put(container)
        self.spine.append(container)
        self.keys.append(self.key_of_value)
        self.current = container
        self.in_array = is_array

    def _leave(self) -> None:
        if self.in_string:
            self._end_string()
        self.spine.pop()
        self.key_of_value = self.keys.pop()
        if self.pairs is not None and len(self.pairs) > len(self.spine) > 0:
            self.pairs.pop()
        self.current = self.spine[len(self.spine) - 1] if self.spine else None
        self.in_array = isinstance(self.current, list)

    def begin_object(self) -> None:
        self._enter({}, False)

    def end_object(self) -> None:
        self._leave()

    def begin_array(self) -> None:
        self._enter([], True)

    def end_array(self) -> None:
        self._leave()

    def key(self, text: str) -> None:
        if self.in_string:
            self._end_string()
        self.key_of_value = text

    def string(self, piece: str, starts: bool, ends: bool) -> None:
        if starts:
            self._put(piece)
            if not ends:
                self.in_string = True
                self.text.clear()
                if piece:
                    self.text.append(piece)
        else:
            if piece:
                self.more(piece)
            if ends:
                self._end_string()

    def more(self, piece: str) -> None:
        if cython.compiled:
            self.text.append(piece)
        else:
            # the same as `append`, usually without the call
            pieces = self.text.pieces
            if pieces is not None and len(pieces) < BATCH:
                pieces.append(piece)
            else:
                self.text.append(piece)
        self.stale = self.changed = self.touched = True

    def number(self, value: Any, chars: str, start: int, end: int) -> None:
        self._put(value)

    def literal(self, value: bool | None) -> None:
        self._put(value)

    def document(self) -> None:
        if self.documents is _NONE:
            self.documents = []
            self.changed_values = []
        self.documents.append(self.root)
        if self.touched:
            self.changed_values.append(self.root)
            self.touched = False

    def error(self, error: ParserError, where: int) -> None:
        self._flush_text()
        self.last_error = error
        place = self._pair()
        if where != IN_CONTAINER and self.spine:
            begun = where == IN_STRING
            place = (place, len(self.current) - begun if self.in_array else str(self.key_of_value))
        self.error_place = place

    def state(self) -> dict[str, Any]:
        """Return the value as JSON text, and the keys on the path to its open container."""
        self._flush_text()
        return {
            "value": None if self.root is UNDEFINED else save_text(value_text(self.root)),
            "keys": [None if key is None else save_text(key) for key in self.keys],
            "key": None if self.key_of_value is None else save_text(self.key_of_value),
            "text": save_text(self.text.read()),
            "in_string": self.in_string,
        }

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state, whose value has already been parsed."""
        self.root = state["value"]
        for bracket, key in zip(state["open"], state["keys"], strict=True):
            key = None if key is None else load_text(key)
            parent, inner = self.current, self.root
            if parent is not None:
                inner = parent[key] if isinstance(parent, dict) else parent[len(parent) - 1]
            if not isinstance(inner, dict if bracket == "{" else list):
                raise TypeError("the value and the open containers do not match")
            self.spine.append(inner)
            self.keys.append(key)
            self.current = inner
        self.in_array = isinstance(self.current, list)
        self.key_of_value = None if state["key"] is None else load_text(state["key"])
        self.text.load(state["text"])
        if type(state["in_string"]) is not bool:
            raise TypeError("in_string must be a bool")
        self.in_string = state["in_string"]


@cython.cclass
class JsonValueAccumulator(Accumulator):
    """Convert text fragments to the value so far.

    The options are those of `JsonFragmentAccumulator` without ``root``. With ``"event"`` and
    ``"recover"`` the error is in ``error``. Snapshots share what did not change: treat them as
    read-only, and copy what you want to edit.

    >>> acc = JsonValueAccumulator()
    >>> acc.add_fragment('{"city": "Par')
    True
    >>> before = acc.value
    >>> acc.add_fragment('is", "days": 1')
    True
    >>> before, acc.value
    ({'city': 'Par'}, {'city': 'Paris'})
    """

    __slots__ = ()

    _visitor: ValueVisitor

    def __init__(
        self,
        on_error: str = "raise",
        after_root: str = "error",
        limits: Limits = DEFAULT_LIMITS,
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
    ) -> None:
        self._check_options(on_error, after_root, limits, parse_int, parse_float)
        self._begin_set_up()
        try:
            self._set_up(on_error, after_root, limits, parse_int, parse_float)
        finally:
            release(self)

    def _new_visitor(self) -> Visitor:
        return ValueVisitor()

    def add_fragment(self, fragment: str | bytes) -> bool:
        """Read a fragment (bytes: UTF-8, cut anywhere) and return whether the value changed."""
        if cython.compiled:
            self._begin_call()
        else:
            # `_begin_call`, written inline; a thread switch between the comparison and the assignment would
            # break the guard, so there must not be a call between them
            own = get_ident()
            if self._phase != IDLE:
                self._refuse_call()
            self._phase = own
        visitor = self._visitor
        visitor.changed = visitor.touched = False
        if visitor.documents is not _NONE:
            visitor.begin_call()
        try:
            feed(self._machine, fragment, visitor)
            if self._machine.error is not None:
                self._raise([])
            return visitor.changed
        finally:
            if cython.compiled:
                release(self)
            else:
                self._phase = IDLE

    def finish(self) -> bool:
        """End the text where the input ends, and return whether that changed the value.

        A truncated text is an error; a number at the root is complete only now.
        """
        self._begin_call()
        visitor = self._visitor
        visitor.begin_call()
        try:
            finish(self._machine, visitor)
            if self._machine.error is not None:
                self._raise([])
            return visitor.changed
        finally:
            release(self)

    @property
    def value(self) -> Any:
        """A snapshot of the value so far, `UNDEFINED` before there is one."""
        return self._publish()

    def _publish(self) -> Any:
        begun = self._begin_read()
        try:
            visitor = self._visitor
            return visitor.publish()
        finally:
            if begun:
                release(self)

    @property
    def open_path(self) -> Segments | None:
        """The path to the innermost value that is still open, None if nothing is.

        Every value that is not on this path is complete and final; only a duplicate key replaces it.
        After an error the path still leads to the value that was open then.

        >>> acc = JsonValueAccumulator()
        >>> _ = acc.add_fragment('{"done": "yes", "list": ["a", "b')
        >>> acc.open_path
        ('list', 1)
        """
        return self._open_path()

    def _open_path(self) -> Segments | None:
        begun = self._begin_read()
        try:
            visitor = self._visitor
            return visitor.open_path()
        finally:
            if begun:
                release(self)

    @property
    def documents(self) -> list[Any]:
        """The values that the last call completed: with ``after_root="next"`` there may be several."""
        begun = self._begin_read()
        try:
            visitor = self._visitor
            return [] if visitor.documents is _NONE else visitor.documents
        finally:
            if begun:
                release(self)

    def _changed_values(self) -> list[Any]:
        """Return the documents that the last call completed and changed, then the open one if it changed."""
        begun = self._begin_read()
        try:
            visitor = self._visitor
            return [*visitor.changed_values, visitor.publish()] if visitor.touched else visitor.changed_values
        finally:
            if begun:
                release(self)

    def _load(self, grammar: dict[str, Any], visitor: dict[str, Any]) -> None:
        value: Any = UNDEFINED
        if visitor["value"] is not None:
            reader = ValueVisitor()
            machine = new_machine(_NO_LIMITS, "error", False, self._parse_int, self._parse_float)
            feed(machine, load_text(visitor["value"]), reader)
            finish(machine, reader)
            if not machine.is_complete():
                raise ValueError("the value is not a complete JSON text")
            value = reader.root
        super()._load(grammar, {**visitor, "value": value, "open": grammar["open"]})

    @classmethod
    def restore(
        cls,
        data: dict[str, Any],
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
    ) -> JsonValueAccumulator:
        """Continue from a checkpoint, in this process or another one.

        >>> acc = JsonValueAccumulator()
        >>> _ = acc.add_fragment('["mid')
        >>> other = JsonValueAccumulator.restore(acc.checkpoint())
        >>> _ = other.add_fragment('stream"]')
        >>> other.value
        ['midstream']
        """
        accumulator: JsonValueAccumulator = restore(cls, data, parse_int, parse_float)
        return accumulator


_NO_LIMITS = Limits(None, None, None, None)


class ValueStream:
    """Process fragments for `values` and its async twin: yield what is new, then raise."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.accumulator = JsonValueAccumulator(**options)

    def add_fragment(self, fragment: str | bytes) -> Iterator[Any]:
        """Yield the value after a fragment, and every document that the fragment completed."""
        return self._run(lambda: self.accumulator.add_fragment(fragment))

    def finish(self) -> Iterator[Any]:
        """Yield the value after the end."""
        return self._run(self.accumulator.finish)

    def _run(self, step: Callable[[], bool]) -> Iterator[Any]:
        try:
            step()
        except JsonStreamError:
            yield from self.accumulator._changed_values()
            raise
        yield from self.accumulator._changed_values()


def values(
    fragments: Iterable[str | bytes] | str | bytes, *, close: bool = True, **options: Any
) -> Iterator[Any]:
    """Iterate over the snapshots of a value that arrives in fragments, whenever it changed.

    The options are those of `JsonValueAccumulator`. Values that precede an error are yielded before the
    error is raised. Leaving the iterator early closes the source, unless the source is a file or ``close``
    is false.

    >>> list(values(['{"city": "Par', 'is", "days": 1', "2}"]))
    [{'city': 'Par'}, {'city': 'Paris'}, {'city': 'Paris', 'days': 12}]
    """
    stream = ValueStream(options)
    with Source([fragments] if isinstance(fragments, (str, bytes)) else fragments, close) as source:
        for fragment in source:
            yield from stream.add_fragment(fragment)
    yield from stream.finish()


def parse_partial(text: str | bytes, **options: Any) -> Any:
    """Return the value of a text that may be cut off anywhere, as far as the text determines it.

    An open string is included as far as it has arrived, as with jiter's ``partial_mode="trailing-strings"``.
    Unlike there, a number is included only when the text after it shows that it is complete: in ``[1, 2``
    the second number may still become 25, so only the first is included, and ``12`` alone gives nothing (to
    declare that a text is complete, use `JsonValueAccumulator` and its ``finish``). A literal is
    included when its last letter has arrived. Without any value the result is `UNDEFINED`. Invalid text
    raises `JsonStreamError`. The options are those of `JsonValueAccumulator`.

    >>> parse_partial('{"city": "Zür')
    {'city': 'Zür'}
    >>> parse_partial("[1, 2"), parse_partial("[1, 2]"), parse_partial(" ")
    ([1], [1, 2], UNDEFINED)
    """
    accumulator = JsonValueAccumulator(**options)
    accumulator.add_fragment(text)
    return accumulator.value
