"""Text fragments in, the values at selected paths out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._signature import SourceSignature
from .._undefined import UNDEFINED
from ..core import cython_shim as cython
from ..errors import JsonStreamError, TypedStreamError
from ..patterns import parse_pattern
from .automaton import Automaton
from .base import DEFAULT_LIMITS, Accumulator
from .selection import SelectionVisitor, Stop

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.grammar import feed, finish
    from .reentrancy import release

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._options import AfterRoot, Dialect, OnInvalid
    from ..core.visitor import Visitor
    from ..limits import Limits
    from ..patterns import Step
    from .match import Match
    from .validation import Validator

    Path = str | tuple[Step, ...]
    # lists and dicts are invariant: a list[str] would not be a list[Path]
    Paths = Path | list[Any] | dict[Any, Any]

__all__ = ["JsonSelectAccumulator"]

_ON_INVALID = ("raise", "match")


@cython.cclass
class JsonSelectAccumulator(Accumulator):
    """Convert text fragments to the values at selected paths.

    ``paths`` is a path (``"items[*].title"``, or a tuple such as ``("items", ANY, "title")``), a list of
    paths, or a dict of a type for each path. Nothing is built but what matches. The other options are those
    of `select`. A selection has no checkpoints.

    >>> acc = JsonSelectAccumulator("items[*].title")
    >>> acc.add_fragment('{"items": [{"title": "mid')
    []
    >>> acc.add_fragment('stream", "pages": 3}, {"title"')
    [Match('root.items[0].title', 'midstream')]
    """

    __signature__ = SourceSignature()
    __slots__ = (
        "_automaton",
        "_errors",
        "_limit",
        "_many",
        "_native",
        "_on_invalid",
        "_partial",
        "_paths",
        "_to_end",
        "_validators",
    )

    _visitor: SelectionVisitor

    def __init__(
        self,
        paths: Paths,
        type: Any = None,
        *,
        partial: bool = False,
        limit: int | None = None,
        to_end: bool = False,
        on_invalid: OnInvalid = "raise",
        after_root: AfterRoot = "error",
        limits: Limits = DEFAULT_LIMITS,
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
        dialect: Dialect = "strict",
    ) -> None:
        self._check_options("raise", after_root, limits, parse_int, parse_float, dialect)
        if on_invalid not in _ON_INVALID:
            raise ValueError(f"on_invalid must be 'raise' or 'match', not {on_invalid!r}")
        if limit is not None and (limit.__class__ is not int or limit < 1):
            raise ValueError(f"limit must be a positive int or None, not {limit!r}")
        types = _types_of(paths, type)
        automaton = Automaton([parse_pattern(path) for path in types])
        validators = _validators_of(types)
        self._begin_set_up()
        try:
            self._paths = list(types)
            self._automaton = automaton
            self._validators = validators
            self._partial = partial
            self._limit = -1 if limit is None else limit
            self._to_end = to_end
            self._on_invalid = on_invalid
            self._many = after_root == "next"
            self._set_up("raise", after_root, limits, parse_int, parse_float, dialect)
        finally:
            release(self)

    def _new_visitor(self) -> Visitor:
        # what is wrong with the value that ended the stream because it does not fit its type, and the
        # library's exception
        self._errors: list[Any] | None = None
        self._native: Any = None
        return SelectionVisitor(self._automaton, self._paths, self._limit, not self._to_end, self._many)

    @property
    def is_done(self) -> bool:
        """Whether nothing more can match; further text is not read, unless ``to_end`` is true."""
        begun = self._begin_read()
        try:
            return self._is_done()
        finally:
            if begun:
                release(self)

    def _is_done(self) -> bool:
        visitor = self._visitor
        return visitor.is_done

    def add_fragment(self, fragment: str | bytes) -> list[Match[Any]]:
        """Read a fragment (bytes: UTF-8, cut anywhere) and return the matches that it completes.

        Matches that precede an error in the same fragment are in the error's ``matches``.
        """
        self._begin_call()
        try:
            return self._run(fragment)
        finally:
            release(self)

    def finish(self) -> list[Match[Any]]:
        """End the text where the input ends; a truncated text is an error unless `is_done` is true."""
        self._begin_call()
        try:
            return self._run(None)
        finally:
            release(self)

    def _run(self, fragment: Any) -> list[Match[Any]]:
        """Read a fragment, or end the text (None)."""
        visitor = self._visitor
        if self._errors is not None:
            raise TypedStreamError(self._errors, self._native)
        if visitor.is_done and visitor.stops:
            return []
        matches: list[Any] = []
        visitor.matches = matches
        visitor.builder.changed = False
        try:
            if fragment is None:
                finish(self._machine, visitor)
            else:
                feed(self._machine, fragment, visitor)
        except Stop:
            if self._validators is not None:
                self._validate(matches)
            return matches
        if self._partial:
            visitor.add_partial_matches()
        if self._validators is not None and matches:
            self._validate(matches)
        if self._machine.error is not None:
            try:
                self._raise([])
            except JsonStreamError as error:
                error.matches = matches
                raise
        return matches

    def _validate(self, matches: list[Any]) -> None:
        """Replace the values of final matches by typed ones."""
        validators = self._validators or {}
        for i in range(len(matches)):
            match = matches[i]
            validator = validators[match.pattern]
            if validator is None or not match.is_final:
                continue
            value, errors, native = validator(match.value, match.segments)
            if not errors:
                matches[i] = match._replace(value=value)
            elif self._on_invalid == "match":
                matches[i] = match._replace(value=UNDEFINED, errors=tuple(errors))
            else:
                self._errors = errors
                self._native = native
                failure = TypedStreamError(errors, native)
                failure.matches = matches[:i]
                raise failure

    def checkpoint(self) -> dict[str, Any]:
        """Raise TypeError: a type cannot be saved as plain data."""
        raise TypeError("a JsonSelectAccumulator has no checkpoints")


def _types_of(paths: Paths, type: Any) -> dict[Any, Any]:
    """Return a dict of the type for each path; None for a path without one."""
    if isinstance(paths, dict):
        if type is not None:
            raise TypeError("with a dict of paths, the types are its values: leave out type")
        types: dict[Any, Any] = dict(paths)
    elif isinstance(paths, list):
        types = dict.fromkeys(paths, type)
    else:
        types = {paths: type} if isinstance(paths, (str, tuple)) else {}
        if not types:
            raise TypeError(
                f"paths must be a str, a tuple, a list or a dict of them, not {paths.__class__.__name__}"
            )
    if not types:
        raise ValueError("there is no path to select")
    return types


def _validators_of(types: dict[Any, Any]) -> dict[Any, Validator | None] | None:
    if all(type is None for type in types.values()):
        return None
    # imported only now: plain values need no library for types
    from .validation import validator_of

    return {path: None if type is None else validator_of(type) for path, type in types.items()}
