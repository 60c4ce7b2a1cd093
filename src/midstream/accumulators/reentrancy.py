"""One call at a time: what serves one stream refuses a second call while one is under way.

That is a slip in the program, be it a hook that feeds its own accumulator or two threads that share one, and
should be told, not answered from a state that is half-way to the next. Only the thread whose call it is may
look in the midst of it, as a hook does.

A turn is taken in one step, so that of two threads one gets it: with a global lock nothing comes between a
comparison and an assignment; without one it is an exchange of the processor (``_turns.pxd``) or, uncompiled,
an assignment that is refused to the second (`Exchanged`), by the ``pop`` of a list.
"""

from __future__ import annotations

import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any, Self

from ..core import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

__all__ = ["Turns"]

if not cython.compiled:
    # the phases of a life; any other number is the thread whose call is under way
    NEW = 0
    IDLE = 1

    class Exchanged:
        """A phase from which, without a global lock, only one of two threads gets to the next."""

        def __init__(self, slot: Any) -> None:
            self.slot = slot

        def __get__(self, thing: Any, owner: type) -> Any:
            return self.slot.__get__(thing, owner)

        def __set__(self, thing: Any, phase: int) -> None:
            if phase == NEW:
                thing._turn = [None]
            elif phase != IDLE:
                try:
                    thing._turn.pop()
                except IndexError:
                    thing._refuse_call()
            self.slot.__set__(thing, phase)
            if phase == IDLE:
                thing._turn.append(None)

    def take_turn(thing: Turns, phase: int) -> bool:
        """Make a thing that is in that phase this thread's; tell whether it was."""
        own = get_ident()
        if thing._phase != phase:
            return False
        thing._phase = own
        return True

    def is_own(thing: Turns) -> bool:
        """Tell whether the call under way is this thread's."""
        return thing._phase == get_ident()

    def end_turn(thing: Turns) -> None:
        """Let the next call in."""
        thing._phase = IDLE


@cython.cclass
class Turns:
    """Let one call in at a time: all of them begin with one of these methods, and end with `end_turn`.

    Uncompiled, where calls are dear, those that come once a fragment are written out: `_begin_call` is a
    comparison and an assignment of ``_phase``, and `end_turn` an assignment.
    """

    __slots__ = ("_phase", "_turn")

    _phase: int

    if not cython.compiled:

        def __new__(cls, *_args: Any, **_options: Any) -> Self:
            """Begin as an extension type does: with nothing set up."""
            self = super().__new__(cls)
            self._phase = NEW
            return self

    def _begin_set_up(self) -> None:
        """Refuse to be set up in the midst of a call."""
        if not take_turn(self, NEW) and not take_turn(self, IDLE):
            self._refuse_call()

    def _begin_call(self) -> None:
        """Refuse a call from inside another one, be it from a hook or from another thread."""
        if not take_turn(self, IDLE):
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


if not cython.compiled and not getattr(sys, "_is_gil_enabled", lambda: True)():
    Turns._phase = Exchanged(Turns._phase)  # type: ignore[assignment, misc]
