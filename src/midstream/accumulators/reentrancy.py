"""A reentrancy guard: an object that serves one stream refuses a second call while one is in progress.

A second call is a mistake in the program: a hook that feeds its own accumulator, or two threads that share
one. It raises an error instead of working on an intermediate state. Only the thread whose call is in progress
has read access meanwhile, so that a hook may read properties.

The guard is acquired atomically, so that only one of two threads gets it. With a global lock no other thread
can run between a comparison and an assignment. Without one, the compiled code uses the processor's
compare-and-exchange (``reentrancy.pxd``), and the plain code an assignment that fails for the second thread
(`ExchangedPhase`), because only one of them can ``pop`` the only item of a list.
"""

from __future__ import annotations

import sys
from threading import get_ident
from typing import TYPE_CHECKING, Any, Self

from ..core import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

__all__ = ["ReentrancyGuard"]

if not cython.compiled:
    # the phases of an object; any other number is the id of the thread whose call is in progress
    NEW = 0
    IDLE = 1

    class ExchangedPhase:
        """A phase that, without a global lock, only one of two threads can change."""

        def __init__(self, slot: Any) -> None:
            self.slot = slot

        def __get__(self, thing: Any, owner: type) -> Any:
            return self.slot.__get__(thing, owner)

        def __set__(self, thing: Any, phase: int) -> None:
            if phase == NEW:
                thing._token = [None]
            elif phase != IDLE:
                try:
                    thing._token.pop()
                except IndexError:
                    thing._refuse_call()
            self.slot.__set__(thing, phase)
            if phase == IDLE:
                thing._token.append(None)

    def acquire(thing: ReentrancyGuard, phase: int) -> bool:
        """Acquire the guard for this thread if the object is in the given phase; return whether it was."""
        own = get_ident()
        if thing._phase != phase:
            return False
        thing._phase = own
        return True

    def is_owner(thing: ReentrancyGuard) -> bool:
        """Report whether the call in progress is this thread's."""
        return thing._phase == get_ident()

    def release(thing: ReentrancyGuard) -> None:
        """Release the guard, so that the next call may begin."""
        thing._phase = IDLE


@cython.cclass
class ReentrancyGuard:
    """Admit one call at a time: each begins with one of these methods and ends with `release`.

    Uncompiled, where a call is slow, the methods that run once per fragment are written inline: `_begin_call`
    is a comparison and an assignment of ``_phase``, and `release` is an assignment.
    """

    __slots__ = ("_phase", "_token")

    _phase: int

    if not cython.compiled:

        def __new__(cls, *_args: Any, **_options: Any) -> Self:
            """Create an object that is not set up, as an extension type does."""
            self = super().__new__(cls)
            self._phase = NEW
            return self

    def _begin_set_up(self) -> None:
        """Acquire the guard for ``__init__``; raise RuntimeError if a call is in progress."""
        if not acquire(self, NEW) and not acquire(self, IDLE):
            self._refuse_call()

    def _begin_call(self) -> None:
        """Acquire the guard; raise RuntimeError if a call is in progress, in a hook or in another thread."""
        if not acquire(self, IDLE):
            self._refuse_call()

    def _begin_read(self) -> bool:
        """Allow read access unless another thread's call is in progress; return whether to `release` it."""
        if acquire(self, IDLE):
            return True
        if not is_owner(self):
            self._refuse_call()
        return False

    def _refuse_call(self) -> None:
        if self._phase == NEW:
            raise RuntimeError(f"the {self._word()} was not set up: its __init__ has not been called")
        raise RuntimeError(
            f"the {self._word()} is busy with another call: "
            "use it in one thread at a time, and not from its own hooks"
        )

    def _word(self) -> str:
        """Return the word for this object in error messages."""
        return "accumulator"


if not cython.compiled and not getattr(sys, "_is_gil_enabled", lambda: True)():
    ReentrancyGuard._phase = ExchangedPhase(ReentrancyGuard._phase)  # type: ignore[assignment, misc]
