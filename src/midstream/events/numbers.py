"""What the form ``compact`` numbers: calls and texts, each introduced once and then known by its number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..accumulators.base import DEFAULT_LIMITS
from ..calls.registry import Call
from ..core import cython_shim as cython
from ..core.visitor import Visitor
from .updates import SentStrings

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.grammar import feed
    from ..core.machine import new_machine
    from ..core.surrogates import joined_length

if TYPE_CHECKING:
    from ..calls.messages import ToolCallUpdate

__all__ = ["NumberedCall", "NumberedText", "new_names"]

_IGNORE = Visitor()


@cython.cclass
class NumberedCall(Call):
    """A call that is being written."""

    __slots__ = (
        "_machine",
        "has_updates",
        "introduced",
        "is_free_text",
        "number",
        "received",
        "sent_strings",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        # None until it is introduced
        self.number: int | None = None
        # the id, index and name that the client knows
        self.introduced: tuple[Any, ...] = (None, None, None)
        self.is_free_text = False
        # the client needs updates, because it cannot read the text
        self.has_updates = False
        # characters of arguments so far
        self.received = 0
        self.sent_strings = SentStrings()
        self._machine = new_machine(DEFAULT_LIMITS, "error", False, int, float)

    def add_text(self, text: str) -> int:
        """Add a piece of the arguments, and return how many characters it has."""
        if text.isascii() and not self.joiner.pending:
            # most pieces: nothing to join, and nothing to count as one
            if not self.is_free_text:
                feed(self._machine, text, _IGNORE)
            return len(text)
        if not self.is_free_text and (piece := self.joiner.add_fragment(text)):
            feed(self._machine, piece, _IGNORE)
        return joined_length(text)

    def count(self, stated: int | None, text: str) -> int:
        """Count a piece of the arguments, and return how many characters come before it."""
        offset = self.received if stated is None else stated
        self.received = max(self.received, offset + self.add_text(text))
        return offset

    def news(self, update: ToolCallUpdate) -> dict[str, Any] | None:
        """Return what an update says about the call that the client does not know yet, None for nothing."""
        id, index, name = update.tool_call_id, update.index, update.function_name
        before = self.introduced
        if id is None and name is None and index == before[1]:
            # a shortcut for most pieces
            return None
        about = new_names((id, index, name), before)
        self.introduced = (id or before[0], before[1] if index is None else index, name or before[2])
        return about or None

    def is_complete_text(self) -> bool:
        """Report whether the arguments could be complete; only a hint for the boundary of two calls."""
        return self._machine.is_complete() and not self.joiner.waits


@cython.cclass
class NumberedText:
    """A text that is being written: of a message, its reasoning or its refusal."""

    __slots__ = ("kind", "length", "number", "type")

    def __init__(self, type: str, kind: str | None = None) -> None:
        # -1 until it is introduced
        self.number = -1
        self.type = type
        self.kind = kind
        # characters so far
        self.length = 0

    def add(self, piece: str) -> None:
        """Count the characters of a piece."""
        self.length += joined_length(piece)


def new_names(names: tuple[Any, ...], before: tuple[Any, ...]) -> dict[str, Any]:
    """Return the id, index and name of a call that differ from those before."""
    return {
        key: new
        for key, new, old in zip(("id", "index", "name"), names, before, strict=True)
        if new is not None and new != old
    }
