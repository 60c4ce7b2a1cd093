"""The life of a machine that takes fragments: options, policies, finish, reset, checkpoints.

What comes out of `JsonFragmentAccumulator` and `JsonValueAccumulator` differs, so each brings its
visitor. What goes in does not, and lives here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

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

__all__ = ["BUSY", "DEFAULT_LIMITS", "IDLE", "NEW", "Accumulator", "restore"]

DEFAULT_LIMITS = Limits()

_VERSION = 1
_ON_ERROR = ("raise", "event", "recover")
_AFTER_ROOT = ("error", "ignore", "next")

# the phases of an accumulator's life
NEW = 0
IDLE = 1
BUSY = 2


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
        "_phase",
        "_raises",
        "_visitor",
    )

    _phase: int

    def _set_up(
        self,
        on_error: str,
        after_root: str,
        limits: Limits,
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
    ) -> None:
        for name, value, choices in (
            ("on_error", on_error, _ON_ERROR),
            ("after_root", after_root, _AFTER_ROOT),
        ):
            if value not in choices:
                raise ValueError(f"{name} is one of {', '.join(map(repr, choices))}, not {value!r}")
        if limits is not DEFAULT_LIMITS:
            if not isinstance(limits, Limits):
                raise TypeError(f"limits is a Limits, not {type(limits).__name__}")
            limits.check()
        if not callable(parse_int) or not callable(parse_float):
            raise TypeError("parse_int and parse_float are functions of a text")
        if self._phase == BUSY:
            self._refuse_call()
        self._on_error = on_error
        self._after_root = after_root
        self._limits = limits
        self._parse_int = parse_int
        self._parse_float = parse_float
        self._raises = on_error == "raise"
        self._phase = IDLE
        self.reset()

    if not cython.compiled:

        def __new__(cls, *_args: Any, **_options: Any) -> Self:
            """Begin as an extension type does: with nothing set up."""
            self = super().__new__(cls)
            self._phase = NEW
            return self

    def _begin_call(self) -> None:
        """Refuse a call from inside another one, be it from a hook or from another thread."""
        if self._phase != IDLE:
            self._refuse_call()
        self._phase = BUSY

    def _refuse_call(self) -> None:
        if self._phase == BUSY:
            raise RuntimeError("the accumulator is in the midst of a call")
        raise RuntimeError("the accumulator was not set up: its __init__ has not been called")

    def _check_set_up(self) -> None:
        if self._phase == NEW:
            self._refuse_call()

    def reset(self) -> None:
        """Forget everything but the options."""
        if self._phase != IDLE:
            self._refuse_call()
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
        self._check_set_up()
        return self._grammar.is_complete()

    @property
    def position(self) -> Position:
        """How far the text has been read; after an error that ended it, where that is."""
        self._check_set_up()
        return self._grammar.position()

    @property
    def trailing(self) -> str:
        """The text behind the document, with ``after_root="ignore"``."""
        self._check_set_up()
        trailing = self._grammar.trailing
        return "" if trailing is None else trailing.read()

    @property
    def error(self) -> ParserError | None:
        """The error that ended the text, or the last that it recovered from."""
        self._check_set_up()
        return self._visitor.last_error

    def _raise(self, updates: list[JsonFragmentUpdate]) -> None:
        """Raise the error that ended the text; the last update, if any, tells of it too."""
        error = self._grammar.error
        if error is not None and self._raises:
            if updates:
                updates.pop()
            # what made a hook refuse a number, if that is what is wrong
            cause = self._grammar.numbers.cause
            raise JsonStreamError(error, self._visitor.written_error_path(), updates) from cause

    def __reduce__(self) -> tuple[object, ...]:
        return restore, (type(self), self.checkpoint(), self._parse_int, self._parse_float)

    def checkpoint(self) -> dict[str, Any]:
        """Save the state as plain data for json.dumps, to go on from with ``restore``."""
        if self._phase != IDLE:
            self._refuse_call()
        return {
            "midstream": _VERSION,
            "type": type(self).__name__,
            "options": self._options(),
            "hooks": self._parse_int is not int or self._parse_float is not float,
            "grammar": self._grammar.state(),
            "visitor": self._visitor.state(),
            "error": None if self.error is None else [*self.error, self._visitor.written_error_path()],
        }

    def _load(self, grammar: dict[str, Any], visitor: dict[str, Any]) -> None:
        self._grammar.load(grammar)
        self._visitor.load(visitor)

    def _load_error(self, code: str, message: str, index: int, line: int, column: int, path: str) -> None:
        self._visitor.last_error = ParserError(ErrorCode(code), message, index, line, column)
        self._visitor.error_place = None
        self._visitor.error_path = path


def restore(
    cls: Any, data: dict[str, Any], parse_int: Callable[[str], Any], parse_float: Callable[[str], Any]
) -> Any:
    """Make an accumulator of that class that goes on from a checkpoint."""
    try:
        if not isinstance(data, dict):
            raise TypeError("not a dict")
        if data["midstream"] != _VERSION or data["type"] != cls.__name__:
            raise ValueError("another version or type")
        if data["hooks"] and parse_int is int and parse_float is float:
            raise ValueError("made with parse_int or parse_float, which it needs again")
        options = {**data["options"], "limits": Limits(*data["options"]["limits"])}
        accumulator = cls(**options, parse_int=parse_int, parse_float=parse_float)
        accumulator._load(data["grammar"], data["visitor"])
        if data["error"] is not None:
            accumulator._load_error(*data["error"])
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        message = f"not a checkpoint to go on from: {error}"
        raise JsonStreamError(ParserError(ErrorCode.INVALID_CHECKPOINT, message, 0, 1, 1)) from None
    return accumulator
