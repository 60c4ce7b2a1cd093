"""One call at a time: what serves one stream refuses a second call while one is under way.

That is a slip in the program, be it a hook that feeds its own accumulator or two threads that share one, and
should be told, not answered from a state that is half-way to the next. Only the thread whose call it is may
look in the midst of it, as a hook does.

A turn is taken in one step, so that of two threads one gets it: with a global lock nothing comes between a
comparison and an assignment; without one it is an exchange of the processor (``_turns.pxd``) or, uncompiled,
the ``pop`` of a list.
"""

from __future__ import annotations

import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any, Self

from . import _cython as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

__all__ = ["Turns"]

if not cython.compiled:
    # the phases of a life; any other number is the thread whose call is under way
    NEW = 0
    IDLE = 1

    _HAS_GLOBAL_LOCK = getattr(sys, "_is_gil_enabled", lambda: True)()

    def take_turn(thing: Turns, phase: int) -> bool:
        """Make a thing that is in that phase this thread's; tell whether it was."""
        own = get_ident()
        if thing._phase != phase:
            return False
        if not _HAS_GLOBAL_LOCK:
            try:
                thing._turn.pop()
            except IndexError:
                return False
        thing._phase = own
        return True

    def is_own(thing: Turns) -> bool:
        """Tell whether the call under way is this thread's."""
        return thing._phase == get_ident()

    def end_turn(thing: Turns) -> None:
        """Let the next call in."""
        thing._phase = IDLE
        if not _HAS_GLOBAL_LOCK:
            thing._turn.append(None)


@cython.cclass
class Turns:
    """Let one call in at a time: all of them begin with one of these methods, and end with `end_turn`."""

    __slots__ = ("_phase", "_turn")

    _phase: int

    if not cython.compiled:
        _turn: list[None]

        def __new__(cls, *_args: Any, **_options: Any) -> Self:
            """Begin as an extension type does: with nothing set up."""
            self = super().__new__(cls)
            self._phase = NEW
            self._turn = [None]
            return self

    def _begin_set_up(self) -> None:
        """Refuse to be set up in the midst of a call."""
        if not take_turn(self, NEW) and not take_turn(self, IDLE):
            self._refuse_call()

    def _begin_call(self) -> None:
        """Refuse a call from inside another one, be it from a hook or from another thread."""
        if not cython.compiled and _HAS_GLOBAL_LOCK:
            # `take_turn` without a call, which is dear there
            own = get_ident()
            if self._phase != IDLE:
                self._refuse_call()
            self._phase = own
        elif not take_turn(self, IDLE):
            self._refuse_call()

    def _begin_look(self) -> bool:
        """Refuse a look from another thread than that of the call under way; tell if it must be ended."""
        if take_turn(self, IDLE):
            return True
        if not is_own(self):
            self._refuse_call()
        return False

    def _refuse_call(self) -> None:
        if self._phase == NEW:
            raise RuntimeError(f"the {self._word()} was not set up: its __init__ has not been called")
        raise RuntimeError(f"the {self._word()} is in the midst of a call")

    def _word(self) -> str:
        """Say what it is."""
        return "accumulator"
