"""Text fragments in, the value so far out.

Feeding changes the open containers in place: a stream that nobody looks at costs what building
the value costs. Reading the value *publishes* it: from then on it belongs to the reader, and the
next change first copies the *spine*, the containers that are still open. All else is shared, so a
snapshot costs as much as the spine is wide, and stays for ever as it was read. Compiled, what the
reader has dropped by then is not copied either: nobody can tell.
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
    from ..core.grammar import new_grammar
    from ..core.modes import IN_CONTAINER, IN_STRING
    from ..core.text import BATCH
    from .reentrancy import IDLE, end_turn

    def references(container: Any) -> int:
        """Count the references to a container; uncompiled, take it that there are some."""
        return sys.maxsize


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..errors import ParserError
    from ..paths import PathPair, Segment, Segments

__all__ = ["JsonValueAccumulator", "parse_partial", "values"]

# in `_copy_spine` an open container is held by the one around it, the spine and a variable
_OURS = 3


# of most calls, the documents that they completed: never changed
_NONE: list[Any] = []


@cython.final
@cython.cclass
class ValueVisitor(Visitor):
    """Build the value.

    ``current`` is the innermost open container, None at the root; ``spine`` holds it and those
    around it, ``keys`` the key of each in the one around it. The text of an open string is put
    into its place when somebody looks, or when it ends.
    """

    __slots__ = (
        "changed",
        "current",
        "documents",
        "in_array",
        "in_string",
        "key_of_value",
        "keys",
        "news",
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
        # the places of open containers, as far as an error has asked for them
        self.pairs: list[PathPair] | None = None
        self.text = TextBuffer()
        self.stale = False
        self.published = False
        # of the call under way: whether anything changed, the same for the document under way, the
        # documents that were completed, and those of them that had changed
        self.changed = False
        self.touched = False
        self.documents: list[Any] = _NONE
        self.news: list[Any] = _NONE

    def begin_call(self) -> None:
        """Get ready to tell what a call does."""
        self.changed = False
        self.touched = False
        if self.documents is not _NONE:
            self.documents = _NONE
            self.news = _NONE

    def publish(self) -> Any:
        """Give the value away: it won't be changed any more."""
        self._settle()
        self.published = True
        return self.root

    def open_path(self) -> Segments | None:
        """Give the way to the innermost open value, None if nothing is open."""
        if not self.spine:
            return () if self.in_string else None
        return self._path()

    def _path(self) -> Segments:
        """Give the way to the innermost open container, or to the open string in it."""
        segments: list[Segment] = []
        for depth in range(1, len(self.spine)):
            above = self.spine[depth - 1]
            segments.append(len(above) - 1 if isinstance(above, list) else str(self.keys[depth]))
        if self.in_string:
            segments.append(len(self.current) - 1 if self.in_array else str(self.key_of_value))
        return tuple(segments)

    def _pair(self) -> PathPair:
        """Give the place of the innermost open container; the next error in it won't look for it again."""
        if self.pairs is None:
            self.pairs = [(None, "root")]
        pairs = self.pairs
        for depth in range(len(pairs), len(self.spine)):
            above = self.spine[depth - 1]
            segment = len(above) - 1 if isinstance(above, list) else str(self.keys[depth])
            pairs.append((pairs[depth - 1], segment))
        return pairs[len(pairs) - 1]

    def _copy_spine(self) -> None:
        """Replace every open container that a reader may still hold by a copy."""
        self.published = False
        self.current = None
        above: Any = None
        for depth in range(len(self.spine)):
            container = self.spine[depth]
            if references(container) > _OURS:
                container = container.copy() if isinstance(container, dict) else container[:]
                self.spine[depth] = container
                self._place(above, self.keys[depth], container)
            above = container
        self.current = above

    def _place(self, above: Any, key: str | None, value: Any) -> None:
        """Put a value in the place of the last one in an open container."""
        if above is None:
            self.root = value
        elif isinstance(above, dict):
            members = above
            members[key] = value
        else:
            items = above
            items[len(items) - 1] = value

    def _end_string(self) -> None:
        """Leave a string, at its end or where an error broke it off: what there is of it stays."""
        self._settle()
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

    def _settle(self) -> None:
        """Put the text of the open string where it belongs."""
        if self.stale:
            self.stale = False
            if self.published:
                self._copy_spine()
            if self.text.is_long():
                # let go of the old text before the new one is made of it
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
            # the same, most often without the call
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
            self.news = []
        self.documents.append(self.root)
        if self.touched:
            self.news.append(self.root)
            self.touched = False

    def error(self, error: ParserError, where: int) -> None:
        self._settle()
        self.last_error = error
        place = self._pair()
        if where != IN_CONTAINER and self.spine:
            begun = where == IN_STRING
            place = (place, len(self.current) - begun if self.in_array else str(self.key_of_value))
        self.error_place = place

    def state(self) -> dict[str, Any]:
        """Save the value as text, and the keys that lead to what is open in it."""
        self._settle()
        return {
            "value": None if self.root is UNDEFINED else save_text(value_text(self.root)),
            "keys": [None if key is None else save_text(key) for key in self.keys],
            "key": None if self.key_of_value is None else save_text(self.key_of_value),
            "text": save_text(self.text.read()),
            "in_string": self.in_string,
        }

    def load(self, state: dict[str, Any]) -> None:
        """Go on from a saved state, whose value has been read back from its text."""
        self.root = state["value"]
        for bracket, key in zip(state["open"], state["keys"], strict=True):
            key = None if key is None else load_text(key)
            above, inner = self.current, self.root
            if above is not None:
                inner = above[key] if isinstance(above, dict) else above[len(above) - 1]
            if not isinstance(inner, dict if bracket == "{" else list):
                raise TypeError("another container than the open one")
            self.spine.append(inner)
            self.keys.append(key)
            self.current = inner
        self.in_array = isinstance(self.current, list)
        self.key_of_value = None if state["key"] is None else load_text(state["key"])
        self.text.load(state["text"])
        if type(state["in_string"]) is not bool:
            raise TypeError("in a string or not")
        self.in_string = state["in_string"]


@cython.cclass
class JsonValueAccumulator(Accumulator):
    """Turn text fragments into the value so far.

    The options are those of `JsonFragmentAccumulator` but for ``root``. With ``"event"`` and
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
            end_turn(self)

    def _new_visitor(self) -> Visitor:
        return ValueVisitor()

    def add_fragment(self, fragment: str | bytes) -> bool:
        """Read a fragment (bytes: UTF-8, cut anywhere) and tell whether the value changed."""
        if cython.compiled:
            self._begin_call()
        else:
            # the same without the call; nothing may come between the next two lines, as a call would
            own = get_ident()
            if self._phase != IDLE:
                self._refuse_call()
            self._phase = own
        visitor = self._visitor
        visitor.changed = visitor.touched = False
        if visitor.documents is not _NONE:
            visitor.begin_call()
        try:
            self._grammar.feed(fragment, visitor)
            if self._grammar.error is not None:
                self._raise([])
            return visitor.changed
        finally:
            if cython.compiled:
                end_turn(self)
            else:
                self._phase = IDLE

    def finish(self) -> bool:
        """Take the end of the input as the end of the text, and tell whether that changed the value.

        A truncated text is an error; a number at the root is complete only now.
        """
        self._begin_call()
        visitor = self._visitor
        visitor.begin_call()
        try:
            self._grammar.finish(visitor)
            if self._grammar.error is not None:
                self._raise([])
            return visitor.changed
        finally:
            end_turn(self)

    @property
    def value(self) -> Any:
        """A snapshot of the value so far, `UNDEFINED` before there is one."""
        return self._publish()

    def _publish(self) -> Any:
        begun = self._begin_look()
        try:
            visitor = self._visitor
            return visitor.publish()
        finally:
            if begun:
                end_turn(self)

    @property
    def open_path(self) -> Segments | None:
        """The way to the innermost value that is still open, None if nothing is.

        All that it does not lead through is whole and final; only the same key once more replaces it.
        After an error it still leads to what was open then.

        >>> acc = JsonValueAccumulator()
        >>> _ = acc.add_fragment('{"done": "yes", "list": ["a", "b')
        >>> acc.open_path
        ('list', 1)
        """
        return self._open_path()

    def _open_path(self) -> Segments | None:
        begun = self._begin_look()
        try:
            visitor = self._visitor
            return visitor.open_path()
        finally:
            if begun:
                end_turn(self)

    @property
    def documents(self) -> list[Any]:
        """The values that the last call completed: with ``after_root="next"`` there may be many."""
        begun = self._begin_look()
        try:
            visitor = self._visitor
            return [] if visitor.documents is _NONE else visitor.documents
        finally:
            if begun:
                end_turn(self)

    def _news(self) -> list[Any]:
        """List what the last call made of the value: each document that changed, and the one open."""
        begun = self._begin_look()
        try:
            visitor = self._visitor
            return [*visitor.news, visitor.publish()] if visitor.touched else visitor.news
        finally:
            if begun:
                end_turn(self)

    def _load(self, grammar: dict[str, Any], visitor: dict[str, Any]) -> None:
        value: Any = UNDEFINED
        if visitor["value"] is not None:
            reader = ValueVisitor()
            rules = new_grammar(_NO_LIMITS, "error", False, self._parse_int, self._parse_float)
            rules.feed(load_text(visitor["value"]), reader)
            rules.finish(reader)
            if not rules.is_complete():
                raise ValueError("not a value")
            value = reader.root
        super()._load(grammar, {**visitor, "value": value, "open": grammar["open"]})

    @classmethod
    def restore(
        cls,
        data: dict[str, Any],
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
    ) -> JsonValueAccumulator:
        """Go on from a checkpoint, in this process or another one.

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
    """What `values` and its async twin do with each fragment: yield what is new, then raise."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.accumulator = JsonValueAccumulator(**options)

    def add_fragment(self, fragment: str | bytes) -> Iterator[Any]:
        """Give what a fragment made of the value, every completed document included."""
        return self._run(lambda: self.accumulator.add_fragment(fragment))

    def finish(self) -> Iterator[Any]:
        """Give what the end made of it."""
        return self._run(self.accumulator.finish)

    def _run(self, step: Callable[[], bool]) -> Iterator[Any]:
        try:
            step()
        except JsonStreamError:
            yield from self.accumulator._news()
            raise
        yield from self.accumulator._news()


def values(
    fragments: Iterable[str | bytes] | str | bytes, *, close: bool = True, **options: Any
) -> Iterator[Any]:
    """Iterate over the snapshots of a value that arrives in fragments, whenever it changed.

    The options are those of `JsonValueAccumulator`. What came before an error is yielded before
    it is raised. Leaving the iterator early closes what it reads, unless that is a file or ``close``
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
    """Give the best value that a text supports which may be cut off anywhere.

    Strings go as far as they are there, as with jiter's ``partial_mode="trailing-strings"``.
    Unlike there, a number counts only when what follows shows that it is whole: in ``[1, 2`` the
    second may yet become 25, so only the first is shown, and of ``12`` alone nothing (to say that
    a text is whole, use `JsonValueAccumulator` and its ``finish``). Literals count when their last
    letter is there. Without any value the result is `UNDEFINED`. Invalid text raises
    `JsonStreamError`. The options are those of `JsonValueAccumulator`.

    >>> parse_partial('{"city": "Zür')
    {'city': 'Zür'}
    >>> parse_partial("[1, 2"), parse_partial("[1, 2]"), parse_partial(" ")
    ([1], [1, 2], UNDEFINED)
    """
    accumulator = JsonValueAccumulator(**options)
    accumulator.add_fragment(text)
    return accumulator.value
