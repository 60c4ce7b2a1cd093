"""The life of a machine that takes fragments: options, policies, finish, reset, checkpoints.

What comes out of `JsonFragmentAccumulator` and `JsonValueAccumulator` differs, so each brings its
visitor. What goes in does not, and lives here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import cython_shim as cython
from ..core.visitor import Visitor
from ..errors import ErrorCode, JsonStreamError, ParserError, Position
from ..limits import Limits
from .reentrancy import Turns

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.grammar import new_grammar
    from .reentrancy import end_turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from .update import JsonFragmentUpdate

__all__ = ["DEFAULT_LIMITS", "Accumulator", "restore"]

DEFAULT_LIMITS = Limits()

_VERSION = 1
_ON_ERROR = ("raise", "event", "recover")
_AFTER_ROOT = ("error", "ignore", "next")


def _words(choices: tuple[str, ...]) -> str:
    return ", ".join(map(repr, choices))


@cython.cclass
class Accumulator(Turns):
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

    def _check_options(
        self,
        on_error: str,
        after_root: str,
        limits: Limits,
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
    ) -> None:
        if on_error not in _ON_ERROR:
            raise ValueError(f"on_error is one of {_words(_ON_ERROR)}, not {on_error!r}")
        if after_root not in _AFTER_ROOT:
            raise ValueError(f"after_root is one of {_words(_AFTER_ROOT)}, not {after_root!r}")
        if limits is not DEFAULT_LIMITS:
            if not isinstance(limits, Limits):
                raise TypeError(f"limits is a Limits, not {type(limits).__name__}")
            limits.check()
        if not callable(parse_int) or not callable(parse_float):
            raise TypeError("parse_int and parse_float are functions of a text")

    def _set_up(
        self,
        on_error: str,
        after_root: str,
        limits: Limits,
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
    ) -> None:
        """Take options that have been checked, in a turn that has begun."""
        self._on_error = on_error
        self._after_root = after_root
        self._limits = limits
        self._parse_int = parse_int
        self._parse_float = parse_float
        self._raises = on_error == "raise"
        self._start()

    def reset(self) -> None:
        """Forget everything but the options."""
        self._begin_call()
        try:
            self._start()
        finally:
            end_turn(self)

    def _start(self) -> None:
        recover = self._on_error == "recover"
        self._grammar = new_grammar(
            self._limits, self._after_root, recover, self._parse_int, self._parse_float
        )
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
        begun = self._begin_look()
        try:
            return self._grammar.is_complete()
        finally:
            if begun:
                end_turn(self)

    @property
    def position(self) -> Position:
        """How far the text has been read; after an error that ended it, where that is."""
        begun = self._begin_look()
        try:
            return self._grammar.position()
        finally:
            if begun:
                end_turn(self)

    @property
    def trailing(self) -> str:
        """The text behind the document, with ``after_root="ignore"``."""
        begun = self._begin_look()
        try:
            trailing = self._grammar.trailing
            return "" if trailing is None else trailing.read()
        finally:
            if begun:
                end_turn(self)

    @property
    def error(self) -> ParserError | None:
        """The error that ended the text, or the last that it recovered from."""
        begun = self._begin_look()
        try:
            return self._visitor.last_error
        finally:
            if begun:
                end_turn(self)

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
        data = self.checkpoint()
        return restore, (type(self), data, self._parse_int, self._parse_float)

    def checkpoint(self) -> dict[str, Any]:
        """Save the state as plain data for json.dumps, to go on from with ``restore``."""
        self._begin_call()
        try:
            error = self._visitor.last_error
            return {
                "midstream": _VERSION,
                "type": type(self).__name__,
                "options": self._options(),
                "hooks": self._parse_int is not int or self._parse_float is not float,
                "grammar": self._grammar.state(),
                "visitor": self._visitor.state(),
                "error": None if error is None else [*error, self._visitor.written_error_path()],
            }
        finally:
            end_turn(self)

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
