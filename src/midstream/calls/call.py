"""One tool call: under way, and as it stood at some moment.

Its arguments are read from the fragments that the server sent where there are some, else from the
raw text. It is complete when its end has been told and its arguments are a whole document: not
because they happen to be one so far, and never when they were cut off.
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

# in a snapshot, for what nobody has looked at
_UNREAD: Any = object()


class _Version:
    """What shows the arguments while they are as the snapshots of one version saw them."""

    __slots__ = ("source",)

    def __init__(self, source: Any) -> None:
        self.source = source


class ToolCall:
    """A tool call as it stood at some moment; it does not change any more.

    ``args`` is `UNDEFINED` while there is nothing, ``raw_args`` the text that came, ``error`` what is
    wrong with it (a code of "truncated": it was cut off), ``finish_reason`` the provider's word for
    why the message ended. What ``open_path`` does not lead through is final, even in a call that is not; only
    the same key once more replaces it.

    >>> call = ToolCall(name="weather", args={"city": "Par"}, raw_args='{"city": "Par')
    >>> call.name, call.args, call.is_complete
    ('weather', {'city': 'Par'}, False)
    """

    __slots__ = (
        "_args", "_error", "_finish_reason", "_id", "_index", "_is_complete", "_length", "_limits", "_name",
        "_open_path", "_raw", "_rope", "_version",
    )  # fmt: skip
    __match_args__ = ("name", "args", "is_complete", "error")
    __hash__ = None  # type: ignore[assignment]  # its arguments have none

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
        # of a snapshot: how far the call had come, and what there is to read of it; not the call itself,
        # whose text goes on
        self._version: Any = None
        self._rope: Rope = ""
        self._limits: Any = None
        self._length = 0

    @property
    def id(self) -> str | None:
        """The id that the result must name."""
        return self._id

    @property
    def index(self) -> int | str | None:
        """The place among the calls of a message, as the provider counts."""
        return self._index

    @property
    def name(self) -> str | None:
        """The tool."""
        return self._name

    @property
    def is_complete(self) -> bool:
        """Whether its provider had ended the call, or the stream was over, and the arguments were whole."""
        return self._is_complete

    @property
    def error(self) -> ParserError | None:
        """What is wrong with the arguments."""
        return self._error

    @property
    def finish_reason(self) -> str | None:
        """The provider's word for why the message ended."""
        return self._finish_reason

    @property
    def args(self) -> Any:
        """The arguments as far as they had arrived, `UNDEFINED` if nothing had."""
        if self._args is _UNREAD:
            self._read()
        return self._args

    @property
    def open_path(self) -> Segments | None:
        """The way to the innermost value in ``args`` that was still open."""
        if self._args is _UNREAD:
            self._read()
        return self._open_path

    @property
    def raw_args(self) -> str:
        """The text of the arguments, as it came."""
        if self._raw is _UNREAD:
            self._raw = rope_text(self._rope)
            self._rope = ""
        return self._raw

    def _read(self) -> None:
        """Read the arguments when somebody looks: at once from the call, later from the text of then."""
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
    """A call under way: its text, and what reads it."""

    __slots__ = (
        "error", "finish_reason", "gap", "has_value", "is_complete", "is_free_text", "length", "limits",
        "received", "rope", "snapshot", "source", "version", "waits",
    )  # fmt: skip

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.limits = limits
        # the text; snapshots share what there was of it
        self.rope: Rope = ""
        self.length = 0
        # characters of arguments that came, or were before what came
        self.received = 0
        self.source: JsonValueAccumulator | JsonFragmentRebuilder | None = None
        # another one with every change of what the source would show
        self.version = _Version(None)
        self.has_value = False
        # what is missing for good: a piece that was lost, or fragments that did not fit, without text
        self.gap: ParserError | None = None
        self.error: ParserError | None = None
        self.is_complete = False
        self.is_free_text = False
        # it ended where it may have been cut off; what comes next will tell
        self.waits = False
        self.finish_reason: str | None = None
        self.snapshot: ToolCall | None = None

    def is_whole(self) -> bool:
        """Report whether the arguments so far are a complete JSON text."""
        source = self.source
        # a rebuilder has been complete even if there was more, as half a pair is, too
        return source is not None and source.is_complete and source.error is None and not self.halves.waits

    def text(self) -> str:
        """Give all the text that came; the pieces are joined only once."""
        self.rope = text = rope_text(self.rope)
        return text

    def add_update(self, update: ToolCallUpdate) -> bool:
        """Take a piece of the call, and tell whether it had anything to say of the arguments."""
        if not self.is_open:
            return False
        text, offset = update.function_args or "", update.args_offset
        arrived = len(text if text.isascii() else join_halves(text))
        if not arrived:
            # who sends fragments alone has no text to count
            offset = None
        elif offset is not None and offset != self.received:
            if offset + arrived <= self.received:
                # it came before, as happens when a connection was lost
                return False
            self._miss(why="a piece of the arguments is missing")
        self.received = arrived + (self.received if offset is None else offset)
        # told behind a text that has been read as JSON, it comes too late
        self.is_free_text = self.is_free_text or (update.is_free_text and self.source is None)
        piece, fragments = self.halves.add_fragment(text), update.json_update_fragments
        had_text = self.length > 0
        if piece:
            self.rope = grow(self.rope, piece)
            self.length += len(piece)
        if not self.is_free_text:
            self._read(piece, fragments, had_text)
        # that a call has ended is told by whoever ends it, and is no content
        return text != "" or (self.length == 0 and _tell_values(fragments))

    def _read(self, piece: str, fragments: Sequence[Fragment] | None, had_text: bool) -> None:
        """Show a piece to the source: fragments while all pieces have them and they fit, else the text."""
        if self.gap is not None:
            # what there is behind a gap would only look like the arguments
            return
        if isinstance(self.source, JsonValueAccumulator):
            if piece:
                self._changed(self.source.add_fragment(piece))
            elif _tell_values(fragments):
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
        """Go on with the raw text: there are no fragments, or they have a gap or don't fit."""
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

    def _miss(self, error: ParserError | None = None, why: str = "text and fragments take turns") -> None:
        self.gap = self.gap or error or ParserError.of(ErrorCode.MISPLACED_UPDATE, 0, why)
        self.error = self.gap

    def end_if_certain(self) -> None:
        """End the call as the provider told, or wait: nothing or a number may have been cut off."""
        is_in_doubt = self.source is None or (not self.source.is_complete and self.source.open_path is None)
        if self.is_open and is_in_doubt and self.error is None:
            self.is_open, self.waits = False, True
        else:
            self.end(True, False)

    def end(self, was_told: bool, was_cut: bool) -> None:
        """End the call: the provider told so, or the stream is over."""
        if not self.is_open and not self.waits:
            return
        self.is_open = self.waits = False
        if half := self.halves.finish():
            self.rope = grow(self.rope, half)
            self.length += 1
            if isinstance(self.source, JsonValueAccumulator):
                self._changed(self.source.add_fragment(half))
        self.is_complete = self._is_all(was_told) and not was_cut
        if not self.is_complete and self.error is None:
            self.error = ParserError.at(ErrorCode.TRUNCATED, *self._place())

    def _is_all(self, was_told: bool) -> bool:
        """Tell whether the arguments are whole at their end; of text and fragments, both must say so."""
        if self.error is not None:
            return False
        if self.is_free_text or not (self.has_value or self.text().strip()):
            # no arguments at all stand for an empty object
            return was_told
        # a number at the root has no end of its own
        is_certain = was_told or self.is_whole()
        if isinstance(self.source, JsonValueAccumulator):
            if not self.is_whole():
                self._changed(self.source.finish())
        elif self.length:
            text = JsonValueAccumulator(on_error="event", limits=self.limits)
            text.add_fragment(self.text())
            is_certain = is_certain or text.is_complete
            text.finish()
            self._compare(text)
        return is_certain and self.is_whole() and self.error is None

    def _compare(self, text: JsonValueAccumulator) -> None:
        """Let the text have the last word where fragments told less, but not where they told otherwise."""
        value = text.value
        shown = self.source.value if self.source is not None and self.has_value else value
        if self.has_value and text.error is not None:
            self.error = text.error
        elif not is_part(shown, value) or (self.is_whole() and not is_part(value, shown)):
            self._miss(why="text and fragments differ")
        elif not self.is_whole():
            self.source = text
            self._changed(value is not UNDEFINED)

    def _place(self) -> tuple[int, int, int]:
        """Give the end of the text: index, line and column."""
        text = self.text()
        return self.length, text.count("\n") + 1, len(text) - text.rfind("\n")

    def fail(self) -> None:
        """End the call as one that the provider gave up, unless it was complete before."""
        if self.is_open or self.waits:
            self.end(True, False)
            self.is_complete = False
            self.error = self.error or ParserError.of(ErrorCode.PROVIDER_ERROR)

    def view(self) -> ToolCall:
        """Give the call as it stands; the same object while nothing changes."""
        last = self.snapshot
        if last is None or last._version is not self.version or not self._is_as(last):
            last = self.snapshot = _seen(self)
        return last

    def _is_as(self, last: ToolCall) -> bool:
        """Tell whether a snapshot of this version has everything else as it is, too."""
        return (
            last._length == self.length
            and last._is_complete == self.is_complete
            and last._error == self.error
            and last._id == self.id
            and last._index == self.index
            and last._name == self.name
            and last._finish_reason == self.finish_reason
        )


def _tell_values(fragments: Sequence[Fragment] | None) -> bool:
    """Tell whether fragments are part of a value, and not only its end."""
    return not all(map(is_end, fragments or ()))


def _seen(state: CallState) -> ToolCall:
    """Make the snapshot of a call; its arguments are read when somebody looks."""
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
        # what the text alone would not show later
        call._read()
    return call
