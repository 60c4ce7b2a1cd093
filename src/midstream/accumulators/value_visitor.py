"""The visitor that builds the value so far, with copy-on-write snapshots.

Feeding changes the open containers in place: a stream whose value is not read costs no more than building the
value. Reading the value *publishes* it: from then on it belongs to the reader, and the next change first
copies the *spine*, the containers that are still open (copy-on-write). Everything else is shared, so a
snapshot costs as much as the spine is wide, and never changes afterwards. Compiled, a container of the spine
that the reader has dropped by then, which shows in its reference count, is not copied.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..core import cython_shim as cython
from ..core.text import TextBuffer, load_text, save_text
from ..core.visitor import Visitor
from ..paths import format_path, root_of, segments_of
from .value_text import value_text

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.modes import IN_CONTAINER, IN_STRING

    def references(container: Any) -> int:
        """Return the number of references to a container; uncompiled, assume that a reader holds one."""
        return sys.maxsize


if TYPE_CHECKING:
    from ..errors import ParserError, Repair
    from ..paths import PathPair, Segment, Segments

__all__ = ["NO_DOCUMENTS", "ValueVisitor"]

# the visitor's own references to an open container in `_copy_spine`: the container around it, the spine, a
# variable
_OWN_REFERENCES = 3

# the empty list that all calls without a complete document share; never changed
NO_DOCUMENTS: list[Any] = []


@cython.final
@cython.cclass
class ValueVisitor(Visitor):
    """Build the value.

    ``current`` is the innermost open container, None at the root; ``spine`` holds it and the containers
    around it, ``keys`` the key of each in the container around it. The text of an open string is collected
    in ``text``, and put into the value when the value is read, or when the string ends.
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
        # whether the value lacks a part of `text`, and whether a reader may hold the open containers
        self.stale = False
        self.published = False
        # for the call in progress: whether any value changed, whether the open document changed, the
        # documents that were completed, and those of them that changed
        self.changed = False
        self.touched = False
        self.documents: list[Any] = NO_DOCUMENTS
        self.changed_values: list[Any] = NO_DOCUMENTS

    def begin_call(self) -> None:
        """Reset what is recorded for one call."""
        self.changed = False
        self.touched = False
        if self.documents is not NO_DOCUMENTS:
            self.documents = NO_DOCUMENTS
            self.changed_values = NO_DOCUMENTS

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
                self._replace_last(parent, self.keys[depth], container)
            parent = container
        self.current = parent

    def _replace_last(self, parent: Any, key: str | None, value: Any) -> None:
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
                self._replace_last(self.current, self.key_of_value, None)
            self._replace_last(self.current, self.key_of_value, self.text.read())

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
        self.text.append(piece)
        self.stale = self.changed = self.touched = True

    def number(self, value: Any, chars: str, start: int, end: int) -> None:
        self._put(value)

    def literal(self, value: bool | None) -> None:
        self._put(value)

    def document(self) -> None:
        if self.documents is NO_DOCUMENTS:
            self.documents = []
            self.changed_values = []
        self.documents.append(self.root)
        if self.touched:
            self.changed_values.append(self.root)
            self.touched = False

    def _place_at(self, where: int) -> PathPair:
        """Return the place of an error or a repair."""
        place = self._pair()
        if where != IN_CONTAINER and self.spine:
            begun = where == IN_STRING
            place = (place, len(self.current) - begun if self.in_array else str(self.key_of_value))
        return place

    def error(self, error: ParserError, where: int) -> None:
        self._flush_text()
        self.last_error = error
        self.error_place = self._place_at(where)

    def repair(self, repair: Repair, where: int) -> Repair:
        place = self._place_at(where)
        return repair._replace(path=format_path(root_of(place), segments_of(place)))

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
