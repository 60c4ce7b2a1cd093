"""The life of a machine that takes fragments: options, policies, finish, reset, checkpoints.

What comes out of `JsonFragmentAccumulator` and `JsonValueAccumulator` differs, so each brings its
visitor. What goes in does not, and lives here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _cython as cython
from ._grammar import Grammar
from ._visitor import Visitor
from .errors import ErrorCode, JsonStreamError, ParserError, Position
from .limits import Limits

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._update import JsonFragmentUpdate

__all__ = ["DEFAULT_LIMITS", "Accumulator", "restore"]

DEFAULT_LIMITS = Limits()

_VERSION = 1
_ON_ERROR = ("raise", "event", "recover")
_AFTER_ROOT = ("error", "ignore", "next")


@cython.cclass
class Accumulator:
    """Show fragments to a visitor, and keep the promises about errors."""

    __slots__ = (
        "_after_root",
        "_grammar",
        "_limits",
        "_on_error",
        "_parse_float",
        "_parse_int",
        "_raises",
        "_visitor",
    )

    def _set_up(
        self,
        on_error: str,
        after_root: str,
        limits: Limits,
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
    ) -> None:
        if on_error not in _ON_ERROR or after_root not in _AFTER_ROOT:
            raise ValueError(f"on_error is one of {_ON_ERROR}, after_root one of {_AFTER_ROOT}")
        if limits is not DEFAULT_LIMITS:
            limits.check()
        self._on_error = on_error
        self._after_root = after_root
        self._limits = limits
        self._parse_int = parse_int
        self._parse_float = parse_float
        self._raises = on_error == "raise"
        self.reset()

    def reset(self) -> None:
        """Forget everything but the options."""
        recover = self._on_error == "recover"
        self._grammar = Grammar(self._limits, self._after_root, recover, self._parse_int, self._parse_float)
        self._visitor = self._new_visitor()

    def _options(self) -> dict[str, Any]:
        """Name the options as the constructor does, as plain data."""
        return {"on_error": self._on_error, "after_root": self._after_root, "limits": list(self._limits)}

    def _new_visitor(self) -> Visitor:
        """Make the visitor for a stream that begins."""
        return Visitor()

    @property
    def is_complete(self) -> bool:
        """Whether a whole document has been read and nothing is in flight."""
        return self._grammar.is_complete()

    @property
    def position(self) -> Position:
        """How far the text has been read; after an error that ended it, where that is."""
        return self._grammar.position()

    @property
    def trailing(self) -> str:
        """The text behind the document, with ``after_root="ignore"``."""
        trailing = self._grammar.trailing
        return "" if trailing is None else trailing.read()

    @property
    def error(self) -> ParserError | None:
        """The error that ended the text, or the last that it recovered from."""
        return self._visitor.last_error

    def _raise(self, updates: list[JsonFragmentUpdate]) -> None:
        """Raise the error that ended the text; the last update, if any, tells of it too."""
        error = self._grammar.error
        if error is not None and self._raises:
            if updates:
                updates.pop()
            raise JsonStreamError(error, self._visitor.error_path, updates)

    def checkpoint(self) -> dict[str, Any]:
        """Save the state as plain data for json.dumps, to go on from with ``restore``."""
        return {
            "midstream": _VERSION,
            "type": type(self).__name__,
            "options": self._options(),
            "hooks": self._parse_int is not int or self._parse_float is not float,
            "grammar": self._grammar.state(),
            "visitor": self._visitor.state(),
            "error": None if self.error is None else [*self.error, self._visitor.error_path],
        }

    def _load(self, grammar: dict[str, Any], visitor: dict[str, Any]) -> None:
        self._grammar.load(grammar)
        self._visitor.load(visitor)

    def _load_error(self, code: str, message: str, index: int, line: int, column: int, path: str) -> None:
        self._visitor.last_error = ParserError(ErrorCode(code), message, index, line, column)
        self._visitor.error_path = path


def restore(
    cls: Any, data: dict[str, Any], parse_int: Callable[[str], Any], parse_float: Callable[[str], Any]
) -> Any:
    """Make an accumulator of that class that goes on from a checkpoint."""
    try:
        if data["hooks"] and parse_int is int and parse_float is float:
            raise ValueError("made with parse_int or parse_float, which it needs again")
        if data["midstream"] != _VERSION or data["type"] != cls.__name__:
            raise ValueError("another version or type")
        options = {**data["options"], "limits": Limits(*data["options"]["limits"])}
        accumulator = cls(**options, parse_int=parse_int, parse_float=parse_float)
        accumulator._load(data["grammar"], data["visitor"])
        if data["error"] is not None:
            accumulator._load_error(*data["error"])
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        message = f"not a checkpoint to go on from: {error}"
        raise JsonStreamError(ParserError(ErrorCode.INVALID_CHECKPOINT, message, 0, 1, 1)) from None
    return accumulator
