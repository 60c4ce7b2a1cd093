"""The states of a tool call, and the events that move it from one to the next.

A call is ``OPEN`` from its first piece on. Only a signal ends it: the provider's, or the end of the stream.
A text that happens to be valid JSON ends nothing. What a signal means depends on the arguments, so most
entries of the table name a question to the arguments instead of a state:

=============  ==============  =========  =======  ====================================================
event          OPEN            WAITING    ended    sent by
=============  ==============  =========  =======  ====================================================
CALL_END       if certain      --         --       `ToolCallEnd`
CALL_FAILED    FAILED          FAILED     --       `ToolCallEnd` with ``failed``
OTHER_CONTENT  --              signalled  --       text, reasoning or another call of the same choice
RESULT         signalled       signalled  --       `ToolResult`
MESSAGE_END    signalled       signalled  --       `MessageEnd`
MESSAGE_CUT    cut             cut        --       `MessageEnd` with ``is_truncated``, for the latest call
STREAM_END     from text       signalled  --       the end of the stream
=============  ==============  =========  =======  ====================================================

The questions, `Judgement`, and their answers:

- *if certain*: arguments with a closing token are judged as *signalled*. Empty arguments and a number at the
  root could have been cut off, so the call is ``WAITING`` for the next event to confirm its end.
- *signalled*: ``COMPLETE`` if the arguments are a complete document or empty, which means ``{}``.
- *from text*: ``COMPLETE`` only if the text itself shows that it is complete.
- *cut*: never ``COMPLETE``.

Without ``COMPLETE`` the answer is ``TRUNCATED`` if the text ends too early, ``INVALID`` if it is wrong.
``COMPLETE``, ``TRUNCATED``, ``INVALID`` and ``FAILED`` are final: every later event is ignored.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from ..core import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

__all__ = ["ENDED", "TRANSITIONS", "Event", "Judgement", "Lifecycle", "State"]


class State(Enum):
    """The state of a call."""

    OPEN = "open"
    WAITING = "waiting for confirmation"
    COMPLETE = "complete"
    TRUNCATED = "truncated"
    INVALID = "invalid"
    FAILED = "failed"


class Event(Enum):
    """What can end a call, or confirm its end."""

    CALL_END = "the provider ended the call"
    CALL_FAILED = "the provider reported the call as invalid"
    OTHER_CONTENT = "another part of the message followed"
    RESULT = "the result of the call arrived"
    MESSAGE_END = "the message ended"
    MESSAGE_CUT = "the message was cut off in this call"
    STREAM_END = "the stream ended"


class Judgement(Enum):
    """A question to the arguments whose answer is the next state."""

    IF_CERTAIN = "if certain"
    SIGNALLED = "signalled"
    FROM_TEXT = "from text"
    CUT = "cut"


TRANSITIONS: dict[State, dict[Event, State | Judgement]] = {
    State.OPEN: {
        Event.CALL_END: Judgement.IF_CERTAIN,
        Event.CALL_FAILED: State.FAILED,
        Event.RESULT: Judgement.SIGNALLED,
        Event.MESSAGE_END: Judgement.SIGNALLED,
        Event.MESSAGE_CUT: Judgement.CUT,
        Event.STREAM_END: Judgement.FROM_TEXT,
    },
    State.WAITING: {
        Event.CALL_FAILED: State.FAILED,
        Event.OTHER_CONTENT: Judgement.SIGNALLED,
        Event.RESULT: Judgement.SIGNALLED,
        Event.MESSAGE_END: Judgement.SIGNALLED,
        Event.MESSAGE_CUT: Judgement.CUT,
        Event.STREAM_END: Judgement.SIGNALLED,
    },
    State.COMPLETE: {},
    State.TRUNCATED: {},
    State.INVALID: {},
    State.FAILED: {},
}
ENDED = frozenset(state for state, events in TRANSITIONS.items() if not events)


@cython.auto_pickle(True)
@cython.cclass
class Lifecycle:
    """The state of one call; subclasses answer the questions about its arguments."""

    __slots__ = ("state",)

    def __init__(self) -> None:
        self.state = State.OPEN

    def signal(self, event: Event) -> None:
        """Move to the next state."""
        step = TRANSITIONS[self.state].get(event)
        if step is State.FAILED:
            self.fail()
            self.state = step
        elif isinstance(step, Judgement):
            self.state = self.judge(step)

    def judge(self, question: Judgement) -> State:
        """Return the next state, which depends on the arguments."""
        raise NotImplementedError

    def fail(self) -> None:
        """Note why the call failed."""
        raise NotImplementedError
