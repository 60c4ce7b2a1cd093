"""Error codes, errors as data, and the one exception that bad input raises."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .accumulators.match import Match
    from .accumulators.update import JsonFragmentUpdate
    from .paths import Segments

__all__ = [
    "ErrorCode",
    "JsonStreamError",
    "NoMatch",
    "ParserError",
    "Position",
    "Repair",
    "RepairCode",
    "TypedError",
    "TypedStreamError",
]


class ErrorCode(StrEnum):
    """The kind of an error, for programs to branch on.

    >>> ErrorCode.TRUNCATED
    <ErrorCode.TRUNCATED: 'truncated'>
    >>> ErrorCode.TRUNCATED == "truncated"
    True
    """

    # RFC 8259 section 2: structure
    EXPECTED_VALUE = "expected_value"
    EXPECTED_KEY = "expected_key"
    EXPECTED_COLON = "expected_colon"
    EXPECTED_COMMA = "expected_comma"
    TRAILING_COMMA = "trailing_comma"
    TRAILING_TEXT = "trailing_text"
    TRUNCATED = "truncated"
    # RFC 8259 sections 3, 6, 7 and 8.1: tokens and encoding
    INVALID_LITERAL = "invalid_literal"
    INVALID_NUMBER = "invalid_number"
    INVALID_ESCAPE = "invalid_escape"
    CONTROL_CHARACTER = "control_character"
    INVALID_UTF8 = "invalid_utf8"
    # RFC 8259 section 9: limits that a parser may set
    DEPTH_LIMIT = "depth_limit"
    STRING_LIMIT = "string_limit"
    NUMBER_LIMIT = "number_limit"
    DOCUMENT_LIMIT = "document_limit"
    # around the grammar
    NUMBER_REFUSED = "number_refused"
    NO_JSON = "no_json"
    AFTER_FINISH = "after_finish"
    INVALID_PATH = "invalid_path"
    INVALID_CHECKPOINT = "invalid_checkpoint"
    # updates back into values
    UNKNOWN = "unknown"
    INVALID_UPDATE = "invalid_update"
    MISPLACED_UPDATE = "misplaced_update"
    INVALID_PATCH = "invalid_patch"
    # tool calls and providers
    PROVIDER_ERROR = "provider_error"
    INVALID_EVENT = "invalid_event"
    UNKNOWN_FORMAT = "unknown_format"
    NOT_AN_EVENT_STREAM = "not_an_event_stream"
    REFUSED = "refused"
    # selections and types
    NO_MATCH = "no_match"
    INVALID_VALUE = "invalid_value"
    # snapshots into text
    INVALID_SNAPSHOT = "invalid_snapshot"
    CONFLICT = "conflict"
    # event streams
    EVENT_LIMIT = "event_limit"


_WORDS = {
    ErrorCode.EXPECTED_VALUE: "expected a value",
    ErrorCode.EXPECTED_KEY: "expected a key in double quotes, or '}'",
    ErrorCode.EXPECTED_COLON: "expected ':' after a key",
    ErrorCode.EXPECTED_COMMA: "expected ',' or the end of the container",
    ErrorCode.TRAILING_COMMA: "trailing comma: expected another member or item after ','",
    ErrorCode.TRAILING_TEXT: "text after the end of the document",
    ErrorCode.TRUNCATED: "the text ends before the document does",
    ErrorCode.INVALID_LITERAL: "expected true, false or null",
    ErrorCode.INVALID_NUMBER: "invalid number",
    ErrorCode.INVALID_ESCAPE: "invalid escape in a string",
    ErrorCode.CONTROL_CHARACTER: "unescaped control character in a string",
    ErrorCode.INVALID_UTF8: "invalid UTF-8",
    ErrorCode.DEPTH_LIMIT: "containers nested deeper than max_depth",
    ErrorCode.STRING_LIMIT: "string longer than max_string",
    ErrorCode.NUMBER_LIMIT: "number longer than max_number",
    ErrorCode.DOCUMENT_LIMIT: "document longer than max_document",
    ErrorCode.NUMBER_REFUSED: "parse_int or parse_float refused the number",
    ErrorCode.NO_JSON: "the text ends without a JSON document",
    ErrorCode.AFTER_FINISH: "more input after the end of the input; call reset() to begin a new text",
    ErrorCode.INVALID_PATH: "invalid path",
    ErrorCode.INVALID_CHECKPOINT: "not a checkpoint of this kind and version",
    ErrorCode.UNKNOWN: "unknown error",
    ErrorCode.INVALID_UPDATE: "not an update",
    ErrorCode.MISPLACED_UPDATE: "the update does not follow from the updates before it",
    ErrorCode.INVALID_PATCH: "the patch cannot be applied",
    ErrorCode.PROVIDER_ERROR: "the provider reported an error",
    ErrorCode.INVALID_EVENT: "not an event of this format",
    ErrorCode.UNKNOWN_FORMAT: "wrong or unknown format",
    ErrorCode.NOT_AN_EVENT_STREAM: "not an event stream",
    ErrorCode.REFUSED: "the model refused",
    ErrorCode.NO_MATCH: "the document ends without a match",
    ErrorCode.INVALID_VALUE: "the value does not fit its type",
    ErrorCode.INVALID_SNAPSHOT: "the snapshot is not a JSON value",
    ErrorCode.CONFLICT: "the snapshot contradicts what was already written",
    ErrorCode.EVENT_LIMIT: "event longer than max_event",
}


class Position(NamedTuple):
    """A position in a text: index counts characters from 0, line and column count from 1.

    >>> Position(index=7, line=1, column=8)
    Position(index=7, line=1, column=8)
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which is not useful here
    line: int
    column: int


class ParserError(NamedTuple):
    """An error as data: its code, its message and its position.

    >>> ParserError.at(ErrorCode.EXPECTED_COLON, 4, 1, 5).message
    "expected ':' after a key (line 1, column 5)"
    """

    code: ErrorCode
    message: str
    index: int  # type: ignore[assignment]  # as above
    line: int
    column: int

    @classmethod
    def at(cls, code: ErrorCode, index: int, line: int, column: int) -> ParserError:
        """Return the error with this code at a position; its message never quotes the text."""
        return cls(code, f"{_WORDS[code]} (line {line}, column {column})", index, line, column)

    @classmethod
    def of(cls, code: ErrorCode, index: int = 0, why: str = "") -> ParserError:
        """Return the error with this code without a position in a text; ``index`` counts earlier items.

        >>> ParserError.of(ErrorCode.MISPLACED_UPDATE, 3, "a Key update without a value").message
        'the update does not follow from the updates before it: a Key update without a value'
        """
        return cls(code, _WORDS[code] + (why and f": {why}"), index, 1, index + 1)


class RepairCode(StrEnum):
    """What the lenient dialect repaired, for programs to branch on.

    >>> RepairCode.TRAILING_COMMA == "trailing_comma"
    True
    """

    # strings
    INNER_QUOTE = "inner_quote"
    RAW_CONTROL = "raw_control"
    SINGLE_QUOTES = "single_quotes"
    ODD_QUOTES = "odd_quotes"
    TRIPLE_QUOTES = "triple_quotes"
    INVALID_ESCAPE = "invalid_escape"
    MISSING_QUOTE = "missing_quote"
    CONCATENATION = "concatenation"
    ESCAPED_QUOTE = "escaped_quote"
    ESCAPED_SPACE = "escaped_space"
    # tokens without quotes
    UNQUOTED_KEY = "unquoted_key"
    UNQUOTED_VALUE = "unquoted_value"
    WORD = "word"
    NUMBER = "number"
    CALL = "call"
    TUPLE = "tuple"
    # structure
    COMMENT = "comment"
    TRAILING_COMMA = "trailing_comma"
    EXTRA_COMMA = "extra_comma"
    MISSING_COMMA = "missing_comma"
    MISSING_COLON = "missing_colon"
    EQUALS = "equals"
    SEMICOLON = "semicolon"
    MISSING_VALUE = "missing_value"
    ELLIPSIS = "ellipsis"
    WRONG_CLOSER = "wrong_closer"
    EXTRA_CLOSER = "extra_closer"
    EXTRA_BRACE = "extra_brace"
    UNCLOSED = "unclosed"
    ODD_SPACE = "odd_space"
    JUNK = "junk"


_REPAIRS = {
    RepairCode.INNER_QUOTE: "a quote within a string was read as content",
    RepairCode.RAW_CONTROL: "an unescaped control character was read as content of the string",
    RepairCode.SINGLE_QUOTES: "single quotes were read as double quotes",
    RepairCode.ODD_QUOTES: "other quotes were read as double quotes",
    RepairCode.TRIPLE_QUOTES: "triple quotes were read as one quote each",
    RepairCode.INVALID_ESCAPE: "an escape that JSON does not have",
    RepairCode.MISSING_QUOTE: "a quote was missing",
    RepairCode.CONCATENATION: "two strings with '+' between them were joined",
    RepairCode.ESCAPED_QUOTE: "an escaped quote was read as a quote",
    RepairCode.ESCAPED_SPACE: "escaped white space between tokens was skipped",
    RepairCode.UNQUOTED_KEY: "a key without quotes",
    RepairCode.UNQUOTED_VALUE: "a string without quotes",
    RepairCode.WORD: "a literal of another language was read as true, false or null",
    RepairCode.NUMBER: "a number that is not written as in JSON",
    RepairCode.CALL: "a call was read as its argument",
    RepairCode.TUPLE: "a tuple was read as an array",
    RepairCode.COMMENT: "a comment was skipped",
    RepairCode.TRAILING_COMMA: "a trailing comma was skipped",
    RepairCode.EXTRA_COMMA: "an extra comma was skipped",
    RepairCode.MISSING_COMMA: "a comma was missing",
    RepairCode.MISSING_COLON: "a colon was missing",
    RepairCode.EQUALS: "an equals sign was read as a colon",
    RepairCode.SEMICOLON: "a semicolon was read as a comma",
    RepairCode.MISSING_VALUE: "a missing value was read as null",
    RepairCode.ELLIPSIS: "an ellipsis was skipped",
    RepairCode.WRONG_CLOSER: "a bracket of the wrong kind closed a container",
    RepairCode.EXTRA_CLOSER: "an extra closing bracket was skipped",
    RepairCode.EXTRA_BRACE: "an extra opening brace was skipped",
    RepairCode.UNCLOSED: "a code fence ended before the document did",
    RepairCode.ODD_SPACE: "white space that JSON does not have was skipped",
    RepairCode.JUNK: "text that is not JSON was skipped",
}


class Repair(NamedTuple):
    """A repair of the lenient dialect: its code, and where strict parsing would have reported an error.

    >>> Repair.at(RepairCode.TRAILING_COMMA, 4, 1, 5, "root")[:4]
    (<RepairCode.TRAILING_COMMA: 'trailing_comma'>, 'a trailing comma was skipped (line 1, column 5)', 4, 1)
    """

    code: RepairCode
    message: str
    index: int  # type: ignore[assignment]  # hides tuple.index, as in ParserError
    line: int
    column: int
    path: str

    @classmethod
    def at(cls, code: RepairCode, index: int, line: int, column: int, path: str) -> Repair:
        """Return the repair with this code at a position; its message never quotes the text."""
        return cls(code, f"{_REPAIRS[code]} (line {line}, column {column})", index, line, column, path)


class JsonStreamError(ValueError):
    """The one exception that bad input raises.

    It has the error's ``code``, ``index``, ``line`` and ``column`` (together as data: ``error``) and the
    ``path`` where it was found. The results that came before the error in the same fragment are in
    ``updates`` (for a typed stream and an extractor in ``events``, for a selection in ``matches``).

    >>> raise JsonStreamError(ParserError.at(ErrorCode.TRUNCATED, 3, 1, 4))
    Traceback (most recent call last):
        ...
    midstream.errors.JsonStreamError: the text ends before the document does (line 1, column 4)
    """

    def __init__(
        self,
        error: ParserError,
        path: str = "",
        updates: Sequence[JsonFragmentUpdate] = (),
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.code = error.code
        self.index = error.index
        self.line = error.line
        self.column = error.column
        self.path = path
        self.updates = list(updates)
        self.events: list[Any] = []
        self.matches: list[Match[Any]] = []

    def __reduce__(self) -> tuple[object, ...]:
        return (
            type(self),
            (self.error, self.path, self.updates),
            {"events": self.events, "matches": self.matches},
        )


def invalid(
    code: ErrorCode, why: str = "", path: str = "", position: tuple[int, int, int] | None = None
) -> JsonStreamError:
    """Return the exception for invalid input, with a reason or a position in the text.

    >>> invalid(ErrorCode.INVALID_UPDATE, "textValue is missing")
    JsonStreamError('not an update: textValue is missing')
    """
    return JsonStreamError(
        ParserError.of(code, 0, why) if position is None else ParserError.at(code, *position), path
    )


class NoMatch(JsonStreamError, LookupError):  # noqa: N818  # it is what `first` did not find
    """Nothing in a complete document matches.

    >>> raise NoMatch(ParserError.of(ErrorCode.NO_MATCH, 2, "city"))
    Traceback (most recent call last):
        ...
    midstream.errors.NoMatch: the document ends without a match: city
    """


class TypedError(NamedTuple):
    """A value that does not fit its type: its place, and what is wrong with it.

    ``segments`` and ``path`` lead from the root of the document to the value. ``code``, ``message`` and
    ``native`` come from the library. With pydantic, ``native`` is one of the dicts of
    ``ValidationError.errors()``; with msgspec, it is the ``ValidationError``.

    >>> error = TypedError(("days",), "root.days", "int_type", "Input should be a valid integer")
    >>> error.path, error.code
    ('root.days', 'int_type')
    """

    segments: Segments
    path: str
    code: str
    message: str
    native: Any = None


class TypedStreamError(JsonStreamError):
    """A value in the stream does not fit its type.

    ``errors`` has a `TypedError` for each finding.

    >>> raise TypedStreamError([TypedError(("days",), "root.days", "int_type", "Input should be an integer")])
    Traceback (most recent call last):
        ...
    midstream.errors.TypedStreamError: the value does not fit its type: root.days: Input should be an integer
    """

    def __init__(self, errors: Sequence[TypedError], native: Callable[[], Any] | Any = None) -> None:
        self.errors = list(errors)
        first = self.errors[0] if self.errors else None
        why = "" if first is None else f"{first.path}: {first.message}" if first.path else first.message
        more = len(self.errors) - 1
        if more > 0:
            why += f" (and {more} more)"
        super().__init__(ParserError.of(ErrorCode.INVALID_VALUE, 0, why), "" if first is None else first.path)
        self._native = native

    def native(self) -> Any:
        """Return the exception of the library, for example for a retry prompt; None if there is none."""
        return self._native() if callable(self._native) else self._native

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.errors, self.native()), {"events": self.events, "matches": self.matches}
