"""Immutable snapshots of a tool call, whose arguments are read on first access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._signature import SourceSignature
from .._undefined import UNDEFINED
from ..accumulators.values import JsonValueAccumulator
from ..core import cython_shim as cython
from ..tree.rope import rope_text

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._options import Dialect
    from ..errors import ParserError, Repair
    from ..paths import Segments
    from ..tree.rope import Rope

__all__ = ["UNREAD", "ToolCall", "Version"]

# placeholder in a snapshot for a value that has not been read yet
UNREAD: Any = object()


@cython.auto_pickle(True)
@cython.cclass
class Version:
    """The source of the arguments for all snapshots made between two changes; None after the next change.

    The text of that time is read in the dialect that the call has by then.
    """

    __slots__ = ("dialect", "source")

    def __init__(self, source: Any) -> None:
        self.source = source
        self.dialect: Dialect = "strict"


@cython.cclass
class ToolCall:
    """An immutable snapshot of a tool call.

    ``args`` is `UNDEFINED` until a value has arrived. ``raw_args`` is the text as it arrived. ``error``
    says what is wrong with it (code "truncated": it was cut off). ``finish_reason`` is the provider's
    reason for the end of the message. ``repairs`` lists what the lenient dialect repaired in the arguments:
    a caller may refuse to run a call that ``is_repaired``. Values outside ``open_path`` are final even while
    the call is open; only a duplicate key can replace them.

    >>> call = ToolCall(name="weather", args={"city": "Par"}, raw_args='{"city": "Par')
    >>> call.name, call.args, call.is_complete
    ('weather', {'city': 'Par'}, False)
    """

    __signature__ = SourceSignature()
    __slots__ = (
        "_args", "_around", "_error", "_finish_reason", "_id", "_index", "_is_complete", "_length", "_limits",
        "_name", "_open_path", "_raw", "_repairs", "_rope", "_version",
    )  # fmt: skip
    __match_args__ = ("name", "args", "is_complete", "error")
    __hash__ = None  # type: ignore[assignment]  # its arguments are not hashable

    def __init__(
        self,
        id: str | None = None,
        index: int | str | None = None,
        name: str | None = None,
        args: Any = UNDEFINED,
        raw_args: str = "",
        is_complete: bool = False,
        error: ParserError | None = None,
        finish_reason: str | None = None,
        open_path: Segments | None = None,
        repairs: Sequence[Repair] = (),
    ) -> None:
        self._id = id
        self._index = index
        self._name = name
        self._is_complete = is_complete
        self._error = error
        self._finish_reason = finish_reason
        self._args = args
        self._open_path = open_path
        # of the arguments, and of the text around them
        self._repairs = tuple(repairs)
        self._around: tuple[Repair, ...] = ()
        self._raw = raw_args
        # for a lazy snapshot: the version, the text so far and its length; it must not refer to the call
        # itself, whose text continues to grow
        self._version: Version | None = None
        self._rope: Rope = ""
        self._limits: Any = None
        self._length = 0

    @property
    def id(self) -> str | None:
        """The id that the tool's result must carry."""
        return self._id

    @property
    def index(self) -> int | str | None:
        """The position among the calls of a message, as the provider counts."""
        return self._index

    @property
    def name(self) -> str | None:
        """The name of the tool."""
        return self._name

    @property
    def is_complete(self) -> bool:
        """Whether the call or the stream had ended and the arguments were complete."""
        return self._is_complete

    @property
    def error(self) -> ParserError | None:
        """What is wrong with the arguments."""
        return self._error

    @property
    def finish_reason(self) -> str | None:
        """The provider's reason for the end of the message."""
        return self._finish_reason

    @property
    def args(self) -> Any:
        """The arguments as far as they had arrived, `UNDEFINED` if none had."""
        if self._args is UNREAD:
            self._read()
        return self._args

    @property
    def open_path(self) -> Segments | None:
        """The path of the innermost value in ``args`` that was still open."""
        if self._args is UNREAD:
            self._read()
        return self._open_path

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What the lenient dialect repaired in the arguments, in text order.

        If the model wrote the call as text, repairs around its arguments come first; their paths begin with
        "call" instead of "root".
        """
        if self._repairs is UNREAD:
            self._read()
        return self._around + self._repairs

    @property
    def is_repaired(self) -> bool:
        """Whether the lenient dialect repaired anything."""
        return len(self.repairs) > 0

    @property
    def raw_args(self) -> str:
        """The text of the arguments as it arrived."""
        if self._raw is UNREAD:
            self._raw = rope_text(self._rope)
            self._rope = ""
        return self._raw

    def _read(self) -> None:
        """Read the arguments: from the call if it has not changed since, else from the text of that time."""
        source: Any = None if self._version is None else self._version.source
        if source is None:
            dialect: Dialect = "strict" if self._version is None else self._version.dialect
            source = JsonValueAccumulator(on_error="event", limits=self._limits, dialect=dialect)
            source.add_fragment(self.raw_args)
        if self._args is UNREAD:
            self._args = source.value
            self._open_path = source.open_path
        self._repairs = source.repairs

    def _parts(self) -> tuple[Any, ...]:
        return (
            self.id, self.index, self.name, self.args, self.raw_args, self.is_complete, self.error,
            self.finish_reason, self.open_path, self.repairs,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the call as plain data, ready for `json.dumps`; fields without a value are absent.

        ``args`` is absent while it is `UNDEFINED`, ``error`` is a dict of its ``code`` and ``message``, and
        ``repairs`` a list of such dicts, with the ``path`` of each.

        >>> ToolCall("call_1", 0, "weather", raw_args='{"ci').to_dict()
        {'id': 'call_1', 'index': 0, 'name': 'weather', 'raw_args': '{"ci', 'is_complete': False}
        """
        data: dict[str, Any] = {"id": self.id, "index": self.index, "name": self.name}
        if self.args is not UNDEFINED:
            data["args"] = self.args
        data |= {"raw_args": self.raw_args, "is_complete": self.is_complete}
        if self.error is not None:
            data["error"] = {"code": self.error.code.value, "message": self.error.message}
        if self.repairs:
            data["repairs"] = [
                {"code": str(repair.code), "message": repair.message, "path": repair.path}
                for repair in self.repairs
            ]
        if self.finish_reason is not None:
            data["finish_reason"] = self.finish_reason
        return data

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, ToolCall) else NotImplemented

    def __repr__(self) -> str:
        parts = [f"name={self.name!r}", f"args={self.args!r}", f"is_complete={self.is_complete}"]
        if self.id is not None:
            parts.insert(0, f"id={self.id!r}")
        if self.is_repaired:
            parts.append("is_repaired=True")
        if self.error is not None:
            parts.append(f"error={self.error.message!r}")
        if self.finish_reason is not None:
            parts.append(f"finish_reason={self.finish_reason!r}")
        return f"ToolCall({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ToolCall, self._parts()
