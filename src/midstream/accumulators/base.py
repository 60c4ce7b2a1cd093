"""What all accumulators share: options, error policies, finish, reset, checkpoints.

`JsonFragmentAccumulator` and `JsonValueAccumulator` have the same input and different results: the input is
handled here, and each class supplies the visitor that builds its results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._options import check_dialect
from .._repr import describe
from ..core import cython_shim as cython
from ..core.visitor import Visitor
from ..errors import ErrorCode, JsonStreamError, ParserError, Position, Repair
from ..limits import Limits
from .reentrancy import ReentrancyGuard

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.machine import new_machine
    from .reentrancy import release

if TYPE_CHECKING:
    from collections.abc import Callable

    from .update import JsonFragmentUpdate

__all__ = ["DEFAULT_LIMITS", "Accumulator", "restore"]

DEFAULT_LIMITS = Limits()

_VERSION = 1
_ON_ERROR = ("raise", "event", "recover")
_AFTER_ROOT = ("error", "ignore", "next")


def _quoted_list(choices: tuple[str, ...]) -> str:
    return ", ".join(map(repr, choices))


def _hint(error: ParserError) -> str:
    """Return what to try if a text is not the single document that was expected."""
    if error.code == ErrorCode.EXPECTED_VALUE and error.index == 0:
        return "for JSON inside other text, pass extract=True to the function, or use JsonExtractor"
    if error.code == ErrorCode.TRAILING_TEXT:
        return 'for several documents, pass after_root="next"; to keep the text as it is, after_root="ignore"'
    return ""


@cython.cclass
class Accumulator(ReentrancyGuard):
    """Feed fragments through the grammar to a visitor, and apply the error policy."""

    __slots__ = (
        "_after_root",
        "_dialect",
        "_limits",
        "_machine",
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
        dialect: str = "strict",
    ) -> None:
        if on_error not in _ON_ERROR:
            raise ValueError(f"on_error must be one of {_quoted_list(_ON_ERROR)}, not {on_error!r}")
        if after_root not in _AFTER_ROOT:
            raise ValueError(f"after_root must be one of {_quoted_list(_AFTER_ROOT)}, not {after_root!r}")
        check_dialect(dialect)
        if limits is not DEFAULT_LIMITS:
            if not isinstance(limits, Limits):
                raise TypeError(f"limits must be a Limits, not {type(limits).__name__}")
            limits.check()
        if not callable(parse_int) or not callable(parse_float):
            raise TypeError("parse_int and parse_float must be callables that accept a str")

    def _set_up(
        self,
        on_error: str,
        after_root: str,
        limits: Limits,
        parse_int: Callable[[str], Any],
        parse_float: Callable[[str], Any],
        dialect: str = "strict",
    ) -> None:
        """Store options that have been checked; the reentrancy guard must be held."""
        self._on_error = on_error
        self._after_root = after_root
        self._dialect = dialect
        self._limits = limits
        self._parse_int = parse_int
        self._parse_float = parse_float
        self._raises = on_error == "raise"
        self._start()

    def reset(self) -> None:
        """Return to the state before the first fragment, with the same options."""
        self._begin_call()
        try:
            self._start()
        finally:
            release(self)

    def _start(self) -> None:
        recover = self._on_error == "recover"
        self._machine = new_machine(
            self._limits,
            self._after_root,
            recover,
            self._parse_int,
            self._parse_float,
            self._dialect == "lenient",
        )
        self._visitor = self._new_visitor()

    def _options(self) -> dict[str, Any]:
        """Return the options of the constructor as plain data."""
        return {
            "on_error": self._on_error,
            "after_root": self._after_root,
            "limits": list(self._limits),
            "dialect": self._dialect,
        }

    def _new_visitor(self) -> Visitor:
        """Return the visitor for a new stream."""
        return Visitor()

    @property
    def is_complete(self) -> bool:
        """Whether a complete document has been read and nothing is pending."""
        begun = self._begin_read()
        try:
            return self._machine.is_complete()
        finally:
            if begun:
                release(self)

    @property
    def position(self) -> Position:
        """How far the text has been read; after an error that ended the text, the place of that error."""
        begun = self._begin_read()
        try:
            return self._machine.position()
        finally:
            if begun:
                release(self)

    @property
    def trailing(self) -> str:
        """The text after the document, with ``after_root="ignore"``."""
        begun = self._begin_read()
        try:
            trailing = self._machine.trailing
            return "" if trailing is None else trailing.read()
        finally:
            if begun:
                release(self)

    @property
    def error(self) -> ParserError | None:
        """The error that ended the text, or the last one that the parser recovered from."""
        begun = self._begin_read()
        try:
            return self._visitor.last_error
        finally:
            if begun:
                release(self)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """What the lenient dialect repaired, in text order; at most ``max_repairs`` of the limits.

        >>> from midstream import JsonValueAccumulator
        >>> acc = JsonValueAccumulator(dialect="lenient")
        >>> _ = acc.add_fragment("{'a': 1,}")
        >>> acc.value, [str(repair.code) for repair in acc.repairs]
        ({'a': 1}, ['single_quotes', 'trailing_comma'])
        """
        begun = self._begin_read()
        try:
            return tuple(self._machine.repairs or ())
        finally:
            if begun:
                release(self)

    @property
    def repair_count(self) -> int:
        """How many repairs there were, including those that exceed the limit."""
        begun = self._begin_read()
        try:
            return self._machine.repair_count
        finally:
            if begun:
                release(self)

    def _stop_at_end(self) -> None:
        """Read one document only, and leave what follows it to the caller: ``position`` is its end."""
        self._begin_call()
        try:
            self._after_root = "stop"
            self._start()
        finally:
            release(self)

    def _begin_document(self, index: int, line: int, line_start: int, fence: int) -> None:
        """Begin a document at a place of a text of which only the documents are read.

        ``fence`` is the length of the code fence in which it stands, negative for tildes, 0 outside of one.
        """
        self._begin_call()
        try:
            self._machine.begin_at(index, line, line_start, fence)
        finally:
            release(self)

    def _raise(self, updates: list[JsonFragmentUpdate]) -> None:
        """Raise the error that ended the text, if any, without the update that reports the same error."""
        error = self._machine.error
        if error is not None and self._raises:
            if updates:
                updates.pop()
            # the exception of parse_int or parse_float, if one of them refused the number
            cause = self._machine.numbers.cause
            failure = JsonStreamError(error, self._visitor.written_error_path(), updates)
            if hint := _hint(error):
                failure.add_note(hint)
            raise failure from cause

    def __repr__(self) -> str:
        return describe(self)

    def __reduce__(self) -> tuple[object, ...]:
        data = self.checkpoint()
        return restore, (type(self), data, self._parse_int, self._parse_float)

    def checkpoint(self) -> dict[str, Any]:
        """Return the state as plain data for json.dumps, from which ``restore`` continues."""
        self._begin_call()
        try:
            error = self._visitor.last_error
            return {
                "midstream": _VERSION,
                "type": type(self).__name__,
                "options": self._options(),
                "hooks": self._parse_int is not int or self._parse_float is not float,
                "grammar": self._machine.state(),
                "visitor": self._visitor.state(),
                "error": None if error is None else [*error, self._visitor.written_error_path()],
            }
        finally:
            release(self)

    def _load(self, grammar: dict[str, Any], visitor: dict[str, Any]) -> None:
        self._machine.load(grammar)
        self._visitor.load(visitor)

    def _load_error(self, code: str, message: str, index: int, line: int, column: int, path: str) -> None:
        self._visitor.last_error = ParserError(ErrorCode(code), message, index, line, column)
        self._visitor.error_place = None
        self._visitor.error_path = path


def restore(
    cls: Any, data: dict[str, Any], parse_int: Callable[[str], Any], parse_float: Callable[[str], Any]
) -> Any:
    """Return an accumulator of a class that continues from a checkpoint."""
    try:
        if not isinstance(data, dict):
            raise TypeError("expected a dict")
        if data["midstream"] != _VERSION or data["type"] != cls.__name__:
            raise ValueError("it is of another version or of another type")
        if data["hooks"] and parse_int is int and parse_float is float:
            raise ValueError("it was made with parse_int or parse_float: pass the same functions to restore")
        options = {**data["options"], "limits": Limits(*data["options"]["limits"])}
        stops = options["after_root"] == "stop"
        if stops:
            options["after_root"] = "error"
        accumulator = cls(**options, parse_int=parse_int, parse_float=parse_float)
        if stops:
            accumulator._stop_at_end()
        accumulator._load(data["grammar"], data["visitor"])
        if data["error"] is not None:
            accumulator._load_error(*data["error"])
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        message = f"not a checkpoint from which to continue: {error}"
        raise JsonStreamError(ParserError(ErrorCode.INVALID_CHECKPOINT, message, 0, 1, 1)) from None
    return accumulator
