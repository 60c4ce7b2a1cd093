"""One tool call: its state while it is open, and immutable snapshots of it.

The arguments are read from the updates that the server sent, if there are any, else from the raw
text. A call is complete when its end was signalled and its arguments are a complete document. A text
that happens to be valid JSON so far is not enough, and truncated arguments are never complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..accumulators.values import JsonValueAccumulator
from ..core.surrogates import is_part, join_halves
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..tree.nodes import grow, rope_text
from ..wire.rebuilder import JsonFragmentRebuilder
from .registry import Call, is_end

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..limits import Limits
    from ..paths import Segments
    from ..tree.nodes import Rope
    from .messages import Fragment, ToolCallUpdate

__all__ = ["CallState", "ToolCall"]

# placeholder in a snapshot for a value that has not been read yet
_UNREAD: Any = object()


class _Version:
    """The source of the arguments for all snapshots made between two changes; None after the next change."""

    __slots__ = ("source",)

    def __init__(self, source: Any) -> None:
        self.source = source


class ToolCall:
    """An immutable snapshot of a tool call.

    ``args`` is `UNDEFINED` until a value has arrived. ``raw_args`` is the text as it arrived. ``error``
    says what is wrong with it (code "truncated": it was cut off). ``finish_reason`` is the provider's
    reason for the end of the message. Values outside ``open_path`` are final even while the call is
    open; only a duplicate key can replace them.

    >>> call = ToolCall(name="weather", args={"city": "Par"}, raw_args='{"city": "Par')
    >>> call.name, call.args, call.is_complete
    ('weather', {'city': 'Par'}, False)
    """

    __slots__ = (
        "_args", "_error", "_finish_reason", "_id", "_index", "_is_complete", "_length", "_limits", "_name",
        "_open_path", "_raw", "_rope", "_version",
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
    ) -> None:
        self._id = id
        self._index = index
        self._name = name
        self._is_complete = is_complete
        self._error = error
        self._finish_reason = finish_reason
        self._args = args
        self._open_path = open_path
        self._raw = raw_args
        # for a lazy snapshot: the version, the text so far and its length; it must not refer to the call
        # itself, whose text continues to grow
        self._version: Any = None
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
        if self._args is _UNREAD:
            self._read()
        return self._args

    @property
    def open_path(self) -> Segments | None:
        """The path of the innermost value in ``args`` that was still open."""
        if self._args is _UNREAD:
            self._read()
        return self._open_path

    @property
    def raw_args(self) -> str:
        """The text of the arguments as it arrived."""
        if self._raw is _UNREAD:
            self._raw = rope_text(self._rope)
            self._rope = ""
        return self._raw

    def _read(self) -> None:
        """Read the arguments: from the call if it has not changed since, else from the text of that time."""
        source = self._version.source
        if source is None:
            source = JsonValueAccumulator(on_error="event", limits=self._limits)
            source.add_fragment(self.raw_args)
        self._args = source.value
        self._open_path = source.open_path

    def _parts(self) -> tuple[Any, ...]:
        return (
            self.id, self.index, self.name, self.args, self.raw_args, self.is_complete, self.error,
            self.finish_reason, self.open_path,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, ToolCall) else NotImplemented

    def __repr__(self) -> str:
        parts = [f"name={self.name!r}", f"args={self.args!r}", f"is_complete={self.is_complete}"]
        if self.id is not None:
            parts.insert(0, f"id={self.id!r}")
        if self.error is not None:
            parts.append(f"error={self.error.message!r}")
        if self.finish_reason is not None:
            parts.append(f"finish_reason={self.finish_reason!r}")
        return f"ToolCall({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return ToolCall, self._parts()


class CallState(Call):
    """The state of a call: its text and the parser or rebuilder that reads it."""

    __slots__ = (
        "error", "finish_reason", "gap", "has_value", "is_complete", "is_free_text", "length", "limits",
        "received", "rope", "snapshot", "source", "version", "waits",
    )  # fmt: skip

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.limits = limits
        # the text as a rope, which snapshots share
        self.rope: Rope = ""
        self.length = 0
        # characters of arguments received, including those that were lost before a known offset
        self.received = 0
        self.source: JsonValueAccumulator | JsonFragmentRebuilder | None = None
        # replaced whenever the value that the source shows changes
        self.version = _Version(None)
        self.has_value = False
        # arguments that cannot be recovered: a lost piece, or updates that did not fit and came without text
        self.gap: ParserError | None = None
        self.error: ParserError | None = None
        self.is_complete = False
        self.is_free_text = False
        # it ended where it may have been cut off; the next event decides
        self.waits = False
        self.finish_reason: str | None = None
        self.snapshot: ToolCall | None = None

    def is_complete_text(self) -> bool:
        """Report whether the arguments so far are a complete JSON text."""
        source = self.source
        # a rebuilder stays complete when more text follows, such as a lone surrogate
        return source is not None and source.is_complete and source.error is None and not self.halves.waits

    def text(self) -> str:
        """Return all text so far; the pieces are joined only once."""
        self.rope = text = rope_text(self.rope)
        return text

    def add_update(self, update: ToolCallUpdate) -> bool:
        """Add a piece of the call, and report whether it carried any arguments."""
        if not self.is_open:
            return False
        text, offset = update.function_args or "", update.args_offset
        arrived = len(text if text.isascii() else join_halves(text))
        if not arrived:
            # a sender of updates alone has no text to count
            offset = None
        elif offset is not None and offset != self.received:
            if offset + arrived <= self.received:
                # a repetition, as happens after a reconnection
                return False
            self._miss(why="a piece of the arguments is missing")
        self.received = arrived + (self.received if offset is None else offset)
        # ignored once a text has been read as JSON
        self.is_free_text = self.is_free_text or (update.is_free_text and self.source is None)
        piece, fragments = self.halves.add_fragment(text), update.json_update_fragments
        had_text = self.length > 0
        if piece:
            self.rope = grow(self.rope, piece)
            self.length += len(piece)
        if not self.is_free_text:
            self._read(piece, fragments, had_text)
        # the end of the document is not content: the provider's signal ends the call
        return text != "" or (self.length == 0 and _carries_value(fragments))

    def _read(self, piece: str, fragments: Sequence[Fragment] | None, had_text: bool) -> None:
        """Pass a piece to the source: updates while every piece has them and they fit, else the text."""
        if self.gap is not None:
            # text after a gap must not be taken for the arguments
            return
        if isinstance(self.source, JsonValueAccumulator):
            if piece:
                self._changed(self.source.add_fragment(piece))
            elif _carries_value(fragments):
                self._miss()
        elif fragments is None:
            if piece:
                self._turn_to_text(is_all=had_text or self.source is None)
        elif fragments or piece:
            try:
                if self.source is None:
                    self.source = JsonFragmentRebuilder(limits=self.limits)
                self._changed(self.source.apply(fragments))
            except JsonStreamError as error:
                if self.length:
                    self._turn_to_text(is_all=piece != "" or had_text)
                else:
                    self._miss(error.error)

    def _turn_to_text(self, is_all: bool) -> None:
        """Continue with the raw text: there are no updates, or they have a gap or do not fit."""
        if not is_all:
            self._miss()
        self.source = JsonValueAccumulator(on_error="event", limits=self.limits)
        self._changed(self.source.add_fragment(self.text()))

    def _changed(self, has_changed: bool) -> None:
        self.version.source = None
        self.version = _Version(self.source)
        self.has_value = self.has_value or has_changed
        if self.source is not None:
            self.error = self.gap or self.source.error

    def _miss(
        self, error: ParserError | None = None, why: str = "some pieces are text alone, others updates alone"
    ) -> None:
        self.gap = self.gap or error or ParserError.of(ErrorCode.MISPLACED_UPDATE, 0, why)
        self.error = self.gap

    def end_if_certain(self) -> None:
        """End the call at the provider's signal, or wait: no text, or a number, may have been cut off."""
        is_in_doubt = self.source is None or (not self.source.is_complete and self.source.open_path is None)
        if self.is_open and is_in_doubt and self.error is None:
            self.is_open, self.waits = False, True
        else:
            self.end(True, False)

    def end(self, was_signalled: bool, was_cut: bool) -> None:
        """End the call: at the provider's signal, or at the end of the stream."""
        if not self.is_open and not self.waits:
            return
        self.is_open = self.waits = False
        if half := self.halves.finish():
            self.rope = grow(self.rope, half)
            self.length += 1
            if isinstance(self.source, JsonValueAccumulator):
                self._changed(self.source.add_fragment(half))
        self.is_complete = self._is_all(was_signalled) and not was_cut
        if not self.is_complete and self.error is None:
            self.error = ParserError.at(ErrorCode.TRUNCATED, *self._place())

    def _is_all(self, was_signalled: bool) -> bool:
        """Report whether the arguments are complete; text and updates must both agree."""
        if self.error is not None:
            return False
        if self.is_free_text or not (self.has_value or self.text().strip()):
            # no arguments at all mean an empty object
            return was_signalled
        # a number at the root has no closing token
        is_certain = was_signalled or self.is_complete_text()
        if isinstance(self.source, JsonValueAccumulator):
            if not self.is_complete_text():
                self._changed(self.source.finish())
        elif self.length:
            text = JsonValueAccumulator(on_error="event", limits=self.limits)
            text.add_fragment(self.text())
            is_certain = is_certain or text.is_complete
            text.finish()
            self._compare(text)
        return is_certain and self.is_complete_text() and self.error is None

    def _compare(self, text: JsonValueAccumulator) -> None:
        """Prefer the text where the updates contained less; report a conflict where they differ."""
        value = text.value
        shown = self.source.value if self.source is not None and self.has_value else value
        if self.has_value and text.error is not None:
            self.error = text.error
        elif not is_part(shown, value) or (self.is_complete_text() and not is_part(value, shown)):
            self._miss(why="the text and the updates differ")
        elif not self.is_complete_text():
            self.source = text
            self._changed(value is not UNDEFINED)

    def _place(self) -> tuple[int, int, int]:
        """Return the end of the text: index, line and column."""
        text = self.text()
        return self.length, text.count("\n") + 1, len(text) - text.rfind("\n")

    def fail(self) -> None:
        """End the call as failed at the provider, unless it was complete before."""
        if self.is_open or self.waits:
            self.end(True, False)
            self.is_complete = False
            self.error = self.error or ParserError.of(ErrorCode.PROVIDER_ERROR)

    def view(self) -> ToolCall:
        """Return a snapshot of the call; the same object while nothing changes."""
        last = self.snapshot
        if last is None or last._version is not self.version or not self._is_as(last):
            last = self.snapshot = _seen(self)
        return last

    def _is_as(self, last: ToolCall) -> bool:
        """Report whether a snapshot of this version is still equal in everything else."""
        return (
            last._length == self.length
            and last._is_complete == self.is_complete
            and last._error == self.error
            and last._id == self.id
            and last._index == self.index
            and last._name == self.name
            and last._finish_reason == self.finish_reason
        )


def _carries_value(fragments: Sequence[Fragment] | None) -> bool:
    """Report whether some of the updates carry a value, not only its end."""
    return not all(map(is_end, fragments or ()))


def _seen(state: CallState) -> ToolCall:
    """Make the snapshot of a call; its arguments are read on first access."""
    call = ToolCall(
        state.id,
        state.index,
        state.name,
        _UNREAD,
        _UNREAD,
        state.is_complete,
        state.error,
        state.finish_reason,
    )
    call._version = state.version
    call._rope = state.rope
    call._limits = state.limits
    call._length = state.length
    if not state.has_value:
        call._args = {} if state.is_complete and not state.is_free_text else UNDEFINED
    elif isinstance(state.source, JsonFragmentRebuilder) and (state.length == 0 or state.source.error):
        # the text alone would not show this value later
        call._read()
    return call
