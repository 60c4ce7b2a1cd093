"""The state of one tool call: its arguments so far and how it ended.

The arguments are read from the updates that the server sent, if there are any, else from the raw
text. ``state`` has the table of the call's life; this module answers its questions about the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._undefined import UNDEFINED
from ..accumulators.values import JsonValueAccumulator
from ..core import cython_shim as cython
from ..core.surrogates import is_part
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..wire.rebuilder import JsonFragmentRebuilder
from .registry import Call
from .snapshot import ToolCall, Version
from .state import Event, Judgement, State

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.surrogates import joined_length
    from ..tree.rope import grow, rope_text
    from .registry import is_end, kind_of
    from .snapshot import UNREAD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._options import Dialect
    from ..errors import Repair
    from ..limits import Limits
    from ..tree.rope import Rope
    from .messages import Fragment, ToolCallUpdate

__all__ = ["CallState"]


_OPEN = State.OPEN
_COMPLETE = State.COMPLETE
# by the status in a snapshot of the stream: what ended the call
_ENDINGS = {
    "complete": Event.RESULT,
    "truncated": Event.MESSAGE_CUT,
    "failed": Event.CALL_FAILED,
}


@cython.auto_pickle(True)
@cython.cclass
class CallState(Call):
    """The state of a call: its text and the parser or rebuilder that reads it."""

    __slots__ = (
        "around", "dialect", "error", "finish_reason", "gap", "has_value", "is_free_text", "length", "limits",
        "received", "rope", "snapshot", "source", "version",
    )  # fmt: skip

    def __init__(self, limits: Limits, dialect: Dialect = "strict") -> None:
        super().__init__()
        self.limits = limits
        # in which the text is read
        self.dialect: Dialect = dialect
        # the text as a rope, which snapshots share
        self.rope: Rope = ""
        self.length = 0
        # characters of arguments received, including those that were lost before a known offset
        self.received = 0
        self.source: JsonValueAccumulator | JsonFragmentRebuilder | None = None
        # replaced whenever the value that the source shows changes
        self.version = Version(None)
        self.has_value = False
        # arguments that cannot be recovered: a lost piece, or updates that did not fit and came without text
        self.gap: ParserError | None = None
        self.error: ParserError | None = None
        self.is_free_text = False
        # repairs in the text around the arguments
        self.around: tuple[Repair, ...] = ()
        self.finish_reason: str | None = None
        self.snapshot: ToolCall | None = None

    def is_complete_text(self) -> bool:
        """Report whether the arguments so far are a complete JSON text."""
        source = self.source
        # a rebuilder stays complete when more text follows, such as a lone surrogate
        return source is not None and source.is_complete and source.error is None and not self.joiner.waits

    def text(self) -> str:
        """Return all text so far; the pieces are joined only once."""
        self.rope = text = rope_text(self.rope)
        return text

    def add_update(self, update: ToolCallUpdate) -> bool:
        """Add a piece of the call, and report whether it carried any arguments."""
        if self.state is not _OPEN:
            return False
        text, offset, fragments = update.function_args or "", update.args_offset, update.json_update_fragments
        if update.repairs:
            self.around = (*self.around, *update.repairs)
        arrived = joined_length(text)
        if not arrived:
            if offset is not None and offset > self.received and fragments is None:
                # it states the length of the arguments
                self._note_gap(None, "a piece of the arguments is missing")
            # a sender of updates alone has no text to count
            offset = None
        elif offset is not None and offset != self.received:
            if offset + arrived <= self.received:
                # a repetition, as happens after a reconnection
                return False
            self._note_gap(None, "a piece of the arguments is missing")
        self.received = arrived + (self.received if offset is None else offset)
        # ignored once a text has been read as JSON
        self.is_free_text = self.is_free_text or (update.is_free_text and self.source is None)
        piece = self.joiner.add_fragment(text)
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
            if fragments is not None and self.dialect == "strict" and _carries_repair(fragments):
                # the sender reads the text leniently, and has attached updates only from here on
                self.dialect = "lenient"
                self._switch_to_text(has_all=True)
            elif piece:
                source = self.source
                self._changed(source.add_fragment(piece))
            elif _carries_value(fragments):
                self._note_gap()
        elif fragments is None:
            if piece:
                self._switch_to_text(has_all=had_text or self.source is None)
        elif fragments or piece:
            try:
                if self.source is None:
                    self.source = JsonFragmentRebuilder(limits=self.limits)
                self._changed(self.source.apply(fragments))
            except JsonStreamError as error:
                if self.length:
                    self._switch_to_text(has_all=piece != "" or had_text)
                else:
                    self._note_gap(error.error)

    def _switch_to_text(self, has_all: bool) -> None:
        """Continue with the raw text: there are no updates, or they have a gap or do not fit."""
        if not has_all:
            self._note_gap()
        self._read_as_sent()
        self.source = self._new_reader()
        self._changed(self.source.add_fragment(self.text()))

    def _new_reader(self) -> JsonValueAccumulator:
        """Return a reader of the text."""
        return JsonValueAccumulator(on_error="event", limits=self.limits, dialect=self.dialect)

    def _read_as_sent(self) -> None:
        """Read the text leniently from now on, if updates say that the sender has repaired it."""
        if isinstance(self.source, JsonFragmentRebuilder) and self.source.repairs:
            self.dialect = "lenient"

    def _changed(self, has_changed: bool) -> None:
        last = self.snapshot
        if last is not None and last._version is self.version:
            self._read_as_sent()
            self.version.source = None
            self.version.dialect = self.dialect
            self.version = Version(None)
        # without a snapshot of it, nobody has seen the last version
        source = self.source
        self.version.source = source
        self.has_value = self.has_value or has_changed
        if source is not None:
            self.error = self.gap or source.error

    def _note_gap(
        self, error: ParserError | None = None, why: str = "some pieces are text alone, others updates alone"
    ) -> None:
        self.gap = self.gap or error or ParserError.of(ErrorCode.MISPLACED_UPDATE, 0, why)
        self.error = self.gap

    def judge(self, question: Judgement) -> State:
        """Return the state that follows from the arguments and from the signal that ended them."""
        if question is Judgement.IF_CERTAIN:
            source = self.source
            # no text at all, or a number at the root, whose end no token shows
            is_in_doubt = source is None or (not source.is_complete and source.open_path is None)
            if is_in_doubt and self.error is None:
                return State.WAITING
            question = Judgement.SIGNALLED
        self._end_text()
        is_complete = self._is_complete(question is not Judgement.FROM_TEXT) and question is not Judgement.CUT
        if is_complete:
            return State.COMPLETE
        if self.error is None:
            self.error = ParserError.at(ErrorCode.TRUNCATED, *self._end_position())
        return State.TRUNCATED if self.error.code == ErrorCode.TRUNCATED else State.INVALID

    def fail(self) -> None:
        """End the arguments, and note that the provider reported the call as invalid."""
        self._end_text()
        if not self._is_complete(True) and self.error is None:
            self.error = ParserError.at(ErrorCode.TRUNCATED, *self._end_position())
        self.error = self.error or ParserError.of(ErrorCode.PROVIDER_ERROR)

    def restore(self, status: str, finish_reason: str | None) -> None:
        """End the call as a snapshot says that it ended; with an unknown status it is open.

        Invalid arguments may still grow, so they end nothing.
        """
        if status in _ENDINGS:
            self.signal(_ENDINGS[status])
        elif status == "invalid" and self.error is None:
            self._note_gap(ParserError.of(ErrorCode.UNKNOWN, 0, "the sender found the arguments invalid"))
        self.finish_reason = finish_reason

    def _end_text(self) -> None:
        """Add the high surrogate that was held back; no low surrogate followed."""
        if rest := self.joiner.finish():
            self.rope = grow(self.rope, rest)
            self.length += 1
            if isinstance(self.source, JsonValueAccumulator):
                self._changed(self.source.add_fragment(rest))

    def _is_complete(self, was_signalled: bool) -> bool:
        """Report whether the arguments are complete; text and updates must agree."""
        if self.error is not None:
            return False
        if self.is_free_text or not (self.has_value or self.text().strip()):
            # no arguments at all mean an empty object
            return was_signalled
        # a number at the root has no closing token
        is_certain = was_signalled or self.is_complete_text()
        if isinstance(self.source, JsonValueAccumulator):
            if self.dialect == "lenient" or not self.is_complete_text():
                self._changed(self.source.finish())
        elif self.length:
            self._read_as_sent()
            text = self._new_reader()
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
            self._note_gap(None, "the text and the updates differ")
        elif not self.is_complete_text():
            self.source = text
            self._changed(value is not UNDEFINED)

    def _end_position(self) -> tuple[int, int, int]:
        """Return the end of the text: index, line and column."""
        text = self.text()
        return self.length, text.count("\n") + 1, len(text) - text.rfind("\n")

    def view(self) -> ToolCall:
        """Return a snapshot of the call; the same object while nothing changes."""
        last = self.snapshot
        if last is None or last._version is not self.version or not self._is_equal(last):
            last = self.snapshot = _new_snapshot(self)
        return last

    def _is_equal(self, last: ToolCall) -> bool:
        """Report whether a snapshot of this version is still equal in everything else."""
        return (
            last._length == self.length
            and last._is_complete == (self.state is _COMPLETE)
            and (last._error is self.error or last._error == self.error)
            and last._id == self.id
            and last._index == self.index
            and last._name == self.name
            and last._finish_reason == self.finish_reason
            and last._around is self.around
        )


def _carries_value(fragments: Sequence[Fragment] | None) -> bool:
    """Report whether some of the updates carry a value, not only its end."""
    # compiled, `any` would need a generator
    for fragment in fragments or ():  # noqa: SIM110
        if not is_end(fragment):
            return True
    return False


def _carries_repair(fragments: Sequence[Fragment]) -> bool:
    """Report whether one of the updates is a Repair."""
    for fragment in fragments:  # noqa: SIM110
        if kind_of(fragment) in ("Repair", "repair"):
            return True
    return False


def _new_snapshot(state: CallState) -> ToolCall:
    """Make the snapshot of a call; its arguments are read on first access."""
    # each field once: the constructor would set some of them twice
    call = ToolCall.__new__(ToolCall)
    call._id = state.id
    call._index = state.index
    call._name = state.name
    call._is_complete = state.state is _COMPLETE
    call._error = state.error
    call._finish_reason = state.finish_reason
    call._args = call._raw = call._repairs = UNREAD
    call._around = state.around
    call._open_path = None
    call._version = state.version
    call._rope = state.rope
    call._limits = state.limits
    call._length = state.length
    if state.source is None:
        # free text, or nothing yet
        call._repairs = ()
    if not state.has_value:
        call._args = {} if call._is_complete and not state.is_free_text else UNDEFINED
    elif isinstance(state.source, JsonFragmentRebuilder) and (state.length == 0 or state.source.error):
        # the text alone would not show this value later
        call._read()
    return call
