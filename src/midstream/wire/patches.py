"""JSON Patch (RFC 6902): updates as patch operations, and values with patches applied.

`JsonPatchWriter` sends a growing value to a client that keeps a copy and applies patches, such as an AG-UI
``STATE_DELTA``. The operations of one call are merged: a container that is new in a call is sent with all
members that have arrived. `apply_patch` is the client's side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .._closing import Source
from ..accumulators.base import DEFAULT_LIMITS
from ..accumulators.fragments import JsonFragmentAccumulator
from ..errors import JsonStreamError
from ..paths import escape_token
from .pointers import parse_pointer
from .reader import CALLS, UpdateReader

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from .._options import Dialect, OnError
    from ..limits import Limits
    from .reader import Update

    Op = dict[str, Any]

__all__ = ["JsonPatchWriter", "patches"]

DO_OBJECT, DO_ARRAY, DO_END, DO_KEY, DO_STRING, DO_NUMBER, DO_LITERAL, DO_DOCUMENT = CALLS


class _Frame:
    """An open container: its pointer, the number of its items or its keys, and itself while it is unsent."""

    __slots__ = ("count", "keys", "pointer", "unsent")

    def __init__(self, pointer: str, container: dict[str, Any] | list[Any]) -> None:
        self.pointer = pointer
        self.count = 0
        self.keys: set[str] | None = set() if isinstance(container, dict) else None
        self.unsent: Any = container


class JsonPatchWriter:
    """Convert updates into the operations of a JSON Patch (RFC 6902).

    Applying the operations in order gives the value at that point. A new member or item is an ``add``, and a
    value that exists is changed by ``replace``. With ``append``, a growing string is continued by
    ``{"op": "append", "path": …, "value": …}``, which is not in RFC 6902 but much shorter; `apply_patch`
    reads it. ``base`` is the JSON Pointer of the value in the client's document; with "" the value is the
    document. ``root`` and ``limits`` are those of `JsonFragmentRebuilder`.

    >>> accumulator, writer = JsonFragmentAccumulator(), JsonPatchWriter(base="/args", append=True)
    >>> writer.add_updates(accumulator.add_fragment('{"days": [1], "city": "Par'))
    [{'op': 'add', 'path': '/args', 'value': {'days': [1], 'city': 'Par'}}]
    >>> writer.add_updates(accumulator.add_fragment('is"'))
    [{'op': 'append', 'path': '/args/city', 'value': 'is'}]
    """

    def __init__(
        self,
        *,
        base: str = "",
        append: bool = False,
        root: str | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        limits.check()
        parse_pointer(base)
        self._base = base
        self._append = append
        self._root = root
        self._limits = limits
        self.reset()

    def reset(self) -> None:
        """Discard all state; the next value is added at ``base`` again.

        >>> writer = JsonPatchWriter()
        >>> update = {"path": "root", "kind": "CompleteNumber", "value": 1}
        >>> writer.add_updates(update), writer.reset(), writer.add_updates(update)
        ([{'op': 'add', 'path': '', 'value': 1}], None, [{'op': 'add', 'path': '', 'value': 1}])
        """
        self._reader = UpdateReader(self._root, self._limits)
        self._frames: list[_Frame] = []
        self._key = ""
        self._has_root = False
        # the open string: its pointer, its text that has to be sent, and the container and key in which
        # this text is set at the end of the call: a value that is unsent, or an operation
        self._pointer = ""
        self._text: list[str] = []
        self._holder: Any = None
        self._holder_key: Any = None
        self._ops: list[Op] = []

    def add_updates(self, updates: Iterable[Update] | Update) -> list[Op]:
        """Return the operations for the next updates, which may be in their wire form.

        Updates that cannot follow the previous ones raise `JsonStreamError` and change nothing.

        >>> JsonPatchWriter().add_updates([{"path": "root.a", "kind": "PartialString", "textValue": "x"}])
        [{'op': 'add', 'path': '', 'value': {'a': 'x'}}]
        """
        for call, argument, starts, _ in self._reader.read(updates):
            if call == DO_STRING:
                if starts:
                    self._holder, self._holder_key = self._add("")
                    self._text.clear()
                if argument:
                    self._grow(argument)
            elif call == DO_KEY:
                self._key = argument
            elif call == DO_OBJECT:
                self._open({})
            elif call == DO_ARRAY:
                self._open([])
            elif call == DO_END:
                self._frames.pop()
            elif call != DO_DOCUMENT:
                self._add(argument)
        return self._sent()

    def _add(self, value: Any) -> tuple[Any, Any]:
        """Add a value, and return the container and key that hold it."""
        self._end_text()
        frame = self._frames[-1] if self._frames else None
        if frame is None:
            self._pointer, exists = self._base, self._has_root
            self._has_root = True
        elif frame.keys is None:
            key: Any = frame.count
            self._pointer, exists = f"{frame.pointer}/{key}", False
            frame.count += 1
            if frame.unsent is not None:
                frame.unsent.append(value)
                return frame.unsent, key
        else:
            key = self._key
            self._pointer, exists = f"{frame.pointer}/{escape_token(key)}", key in frame.keys
            frame.keys.add(key)
            if frame.unsent is not None:
                frame.unsent[key] = value
                return frame.unsent, key
        op = {"op": "replace" if exists else "add", "path": self._pointer, "value": value}
        self._ops.append(op)
        return op, "value"

    def _open(self, container: dict[str, Any] | list[Any]) -> None:
        self._add(container)
        self._frames.append(_Frame(self._pointer, container))

    def _grow(self, piece: str) -> None:
        """Continue the open string: in a value or operation of this call, or by a new operation."""
        if self._holder is None:
            op = {"op": "append" if self._append else "replace", "path": self._pointer, "value": ""}
            self._ops.append(op)
            self._holder, self._holder_key = op, "value"
        self._text.append(piece)

    def _end_text(self) -> None:
        """Set the text of the open string in the value or operation that holds it."""
        if self._holder is not None:
            self._holder[self._holder_key] = text = "".join(self._text)
            # a replace repeats the complete text, an append only what is new
            self._text = [] if self._append else [text]
            self._holder = None

    def _sent(self) -> list[Op]:
        """Return the operations of this call; the containers in them belong to the caller now."""
        self._end_text()
        for frame in reversed(self._frames):
            if frame.unsent is None:
                break
            frame.unsent = None
        ops, self._ops = self._ops, []
        return ops


class PatchStream:
    """The state of `patches` and of its asynchronous twin."""

    def __init__(
        self,
        base: str,
        append: bool,
        root: str,
        on_error: OnError,
        after_root: str,
        limits: Limits,
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
        dialect: Dialect,
    ) -> None:
        if after_root not in ("error", "ignore"):
            raise ValueError(
                f"after_root must be 'error' or 'ignore', not {after_root!r}: patches change one document"
            )
        kept: Any = after_root
        self._accumulator = JsonFragmentAccumulator(
            root=root,
            on_error=on_error,
            after_root=kept,
            limits=limits,
            parse_int=parse_int,
            parse_float=parse_float,
            dialect=dialect,
        )
        self._writer = JsonPatchWriter(base=base, append=append, root=root, limits=limits)

    def add_fragment(self, fragment: str | bytes) -> Iterator[list[Op]]:
        """Yield the patch of a fragment, if there is one; yield what came before an error, then raise it."""
        try:
            updates = self._accumulator.add_fragment(fragment)
        except JsonStreamError as error:
            yield from self._patch(error.updates)
            raise
        yield from self._patch(updates)

    def finish(self) -> Iterator[list[Op]]:
        """Yield the patch of the end of the text, if there is one."""
        try:
            updates = self._accumulator.finish()
        except JsonStreamError as error:
            yield from self._patch(error.updates)
            raise
        yield from self._patch(updates)

    def _patch(self, updates: Iterable[Update]) -> Iterator[list[Op]]:
        if ops := self._writer.add_updates(updates):
            yield ops


def patches(
    fragments: Iterable[str | bytes],
    *,
    base: str = "",
    append: bool = False,
    root: str = "root",
    on_error: OnError = "raise",
    after_root: Literal["error", "ignore"] = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
    close: bool = True,
) -> Generator[list[Op], None, None]:
    """Iterate over the JSON Patches of a text that arrives in fragments, none of them empty.

    ``base`` and ``append`` are those of `JsonPatchWriter`, the other options those of
    `JsonFragmentAccumulator`. What came before an error is yielded before it is raised. Leaving the iterator
    early closes what it reads, unless that is a file or ``close`` is false.

    >>> for patch in patches(['{"city": "Par', 'is"}']): print(patch)
    [{'op': 'add', 'path': '', 'value': {'city': 'Par'}}]
    [{'op': 'replace', 'path': '/city', 'value': 'Paris'}]
    """
    stream = PatchStream(base, append, root, on_error, after_root, limits, parse_int, parse_float, dialect)
    return _patches(stream, Source(fragments, close))


def _patches(stream: PatchStream, fragments: Source) -> Generator[list[Op], None, None]:
    with fragments:
        for fragment in fragments:
            yield from stream.add_fragment(fragment)
    yield from stream.finish()
