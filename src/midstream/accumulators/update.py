"""One update: what became known, and where; and the base class of the visitor that creates updates."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from .._signature import SourceSignature
from ..core import cython_shim as cython
from ..core.visitor import Visitor
from ..paths import format_jsonpath, format_path, format_pointer, pair_of, root_of, segments_of, split_path

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..errors import ParserError, Repair
    from ..paths import PathPair, Segment, Segments

__all__ = ["Emitter", "JsonFragmentKind", "JsonFragmentUpdate", "update_of_error"]


class JsonFragmentKind(StrEnum):
    """Name what an update reports.

    >>> JsonFragmentKind.PartialString == "PartialString"
    True
    """

    StartObject = "StartObject"
    EndObject = "EndObject"
    StartArray = "StartArray"
    EndArray = "EndArray"
    Key = "Key"
    StartString = "StartString"
    PartialString = "PartialString"
    CompleteString = "CompleteString"
    CompleteNumber = "CompleteNumber"
    CompleteBoolean = "CompleteBoolean"
    CompleteNull = "CompleteNull"
    JsonComplete = "JsonComplete"
    Error = "Error"
    Repair = "Repair"


# a module global is quicker to read than a member of an Enum
START_OBJECT = JsonFragmentKind.StartObject
END_OBJECT = JsonFragmentKind.EndObject
START_ARRAY = JsonFragmentKind.StartArray
END_ARRAY = JsonFragmentKind.EndArray
KEY = JsonFragmentKind.Key
START_STRING = JsonFragmentKind.StartString
PARTIAL_STRING = JsonFragmentKind.PartialString
COMPLETE_STRING = JsonFragmentKind.CompleteString
COMPLETE_NUMBER = JsonFragmentKind.CompleteNumber
COMPLETE_BOOLEAN = JsonFragmentKind.CompleteBoolean
COMPLETE_NULL = JsonFragmentKind.CompleteNull
JSON_COMPLETE = JsonFragmentKind.JsonComplete
ERROR = JsonFragmentKind.Error
REPAIR = JsonFragmentKind.Repair


# Excluded from garbage collection: an update holds strings, scalars and path pairs, none of which can
# refer to an update. The free list reuses the memory of freed updates; without it, small fragments take 5 %
# and large ones 13 % more instructions.
@cython.final
@cython.no_gc
@cython.freelist(8192)
@cython.cclass
class JsonFragmentUpdate:
    """Report what became known at a place of the document.

    ``text_value`` is the new text of a PartialString, the complete text of a CompleteString, the key of
    a Key, a number or literal as written, or the message of an Error or a Repair; ``value`` is the complete
    value (or key), ``error`` the error and ``repair`` the repair as data. Each is None where it does not
    apply.

    >>> update = JsonFragmentUpdate("root.users[2]", "CompleteNumber", "12", 12)
    >>> update
    JsonFragmentUpdate('root.users[2]', 'CompleteNumber', '12', 12)
    >>> update.segments, update.pointer, update.jsonpath
    (('users', 2), '/users/2', "$['users'][2]")
    """

    # the place is a path pair, followed by a segment unless the segment is None
    __signature__ = SourceSignature()
    __slots__ = ("_kind", "_pair", "_segment", "_text", "_value")
    __match_args__ = ("path", "kind", "text_value", "value")

    def __init__(
        self, path: str, kind: JsonFragmentKind | str, text_value: str | None = None, value: Any = None
    ) -> None:
        self._pair = pair_of(*split_path(path))
        self._segment: Segment | None = None
        self._kind = JsonFragmentKind(kind)
        self._text = text_value
        self._value = value

    @property
    def path(self) -> str:
        """The place as a path: ``root.users[2].email``."""
        return format_path(root_of(self._pair), self.segments)

    @property
    def segments(self) -> Segments:
        """The place as a tuple of keys and indices."""
        segments = segments_of(self._pair)
        return segments if self._segment is None else (*segments, self._segment)

    @property
    def pointer(self) -> str:
        """The place as a JSON Pointer (RFC 6901)."""
        return format_pointer(self.segments)

    @property
    def jsonpath(self) -> str:
        """The place as a normalized JSONPath (RFC 9535)."""
        return format_jsonpath(self.segments)

    @property
    def kind(self) -> JsonFragmentKind:
        """What the update reports."""
        return self._kind

    @property
    def text_value(self) -> str | None:
        """The new text of a string, the key, the number or literal as written, the message of an error."""
        return self._text

    @property
    def value(self) -> Any:
        """The complete value, if there is one."""
        return None if self._kind is ERROR or self._kind is REPAIR else self._value

    @property
    def error(self) -> ParserError | None:
        """The error as data, if the update reports one."""
        return self._value if self._kind is ERROR else None

    @property
    def repair(self) -> Repair | None:
        """The repair as data, if the update reports one: only with the lenient dialect."""
        return self._value if self._kind is REPAIR else None

    def _parts(self) -> tuple[object, ...]:
        return self.path, self._kind, self._text, self._value

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, JsonFragmentUpdate) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        parts = [repr(self.path), repr(str(self._kind))]
        if self.value is not None:
            parts += [repr(self._text), repr(self._value)]
        elif self._text is not None:
            parts.append(repr(self._text))
        return f"JsonFragmentUpdate({', '.join(parts)})"

    def __reduce__(self) -> tuple[object, ...]:
        place = root_of(self._pair), self.segments
        return _load_update, (*place, str(self._kind), self._text, self._value)


def _load_update(
    root: str, segments: Segments, kind: str, text: str | None, value: Any
) -> JsonFragmentUpdate:
    update = JsonFragmentUpdate.__new__(JsonFragmentUpdate)
    update._kind = JsonFragmentKind(kind)
    update._text = text
    update._value = value
    update._pair = pair_of(root, segments)
    update._segment = None
    return update


def update_of_error(root: str, error: ParserError) -> JsonFragmentUpdate:
    """Return the update that reports an error at the root."""
    return _load_update(root, (), str(ERROR), error.message, error)


if not cython.compiled:
    # quicker than calling `JsonFragmentUpdate.__new__`
    new_update: Callable[[], JsonFragmentUpdate] = partial(object.__new__, JsonFragmentUpdate)

    def append(items: list[JsonFragmentUpdate], item: JsonFragmentUpdate) -> None:
        """Append to a list; compiled, without a call if the list has room."""
        items.append(item)

    def list_with_room(room: int) -> list[JsonFragmentUpdate]:  # noqa: ARG001
        """Return an empty list; compiled, with room for that many items."""
        return []


@cython.cclass
class Emitter(Visitor):
    """Emit updates, each with its place in the document.

    ``pair`` is the place of the innermost open container, ``segment`` the key or index of the value in it
    that began last.
    """

    __slots__ = ("pair", "segment", "updates")

    updates: list[JsonFragmentUpdate]
    pair: PathPair
    segment: Segment | None

    def emit(self, kind: JsonFragmentKind, text: str | None, value: Any) -> None:
        """Emit an update for the value that began last, or for the container if no value has begun."""
        update = JsonFragmentUpdate.__new__(JsonFragmentUpdate) if cython.compiled else new_update()
        update._kind = kind
        update._text = text
        update._value = value
        update._pair = self.pair
        update._segment = self.segment
        if cython.compiled:
            append(self.updates, update)
        else:
            self.updates.append(update)
