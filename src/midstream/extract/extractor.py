"""Fragments of a model's answer in; its documents, its prose and its reasoning out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._repr import describe
from ..accumulators.base import DEFAULT_LIMITS
from ..accumulators.fragments import JsonFragmentAccumulator
from ..accumulators.update import JsonFragmentUpdate, update_of_error
from ..calls.messages import ReasoningDelta, TextDelta
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..limits import Limits
from .documents import BEGIN, END, READ, REASONING, TEXT, DocumentStream
from .events import DocumentEnd, DocumentStart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .._options import Dialect, OnError, Pick, Thinking
    from ..errors import Position, Repair
    from .documents import Part

__all__ = ["JsonExtractor"]

Event = TextDelta | ReasoningDelta | DocumentStart | JsonFragmentUpdate | DocumentEnd

_VERSION = 1


class JsonExtractor:
    r"""Find the JSON documents in a model's answer, and report everything around them.

    Options, with their defaults:

    - ``dialect="strict"``: how documents are read. ``"lenient"``: repaired, as models write them.
    - ``pick="first"``: the text after the first document is text. ``"last"`` and ``"all"``: every document
      is reported; a new one is announced by its `DocumentStart`, and never merged with the one before it.
    - ``thinking="auto"``: ``<think>``, ``<thinking>`` and ``<reasoning>`` begin reasoning. ``"open"``: the
      text begins with reasoning, as after a prompt that ends with such a tag. ``None``: tags are text.
    - ``root``, ``on_error``, ``limits``, ``parse_int``, ``parse_float``: as for `JsonFragmentAccumulator`.
      The limits apply to each document.

    >>> extractor = JsonExtractor()
    >>> for event in extractor.add_fragment('Here it is:\n```json\n{"days": 3}\n```\nEnjoy!'): print(event)
    TextDelta(text='Here it is:\n', message_id=None, choice=0)
    DocumentStart(index=0, where='fence')
    JsonFragmentUpdate('root', 'StartObject')
    JsonFragmentUpdate('root', 'Key', 'days', 'days')
    JsonFragmentUpdate('root.days', 'CompleteNumber', '3', 3)
    JsonFragmentUpdate('root', 'EndObject')
    JsonFragmentUpdate('root', 'JsonComplete')
    DocumentEnd(index=0)
    TextDelta(text='\nEnjoy!', message_id=None, choice=0)
    """

    def __init__(
        self,
        *,
        dialect: Dialect = "strict",
        pick: Pick = "first",
        thinking: Thinking = "auto",
        root: str = "root",
        on_error: OnError = "raise",
        limits: Limits = DEFAULT_LIMITS,
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
    ) -> None:
        self._options: dict[str, Any] = {
            "root": root, "on_error": on_error, "limits": limits, "dialect": dialect,
        }  # fmt: skip
        self._hooks: dict[str, Any] = {"parse_int": parse_int, "parse_float": parse_float}
        self._dialect: Dialect = dialect
        self._pick: Pick = pick
        self._thinking: Thinking = thinking
        self._is_busy = False
        self._start()

    def _start(self) -> None:
        self._reader = JsonFragmentAccumulator(**self._options, **self._hooks)
        self._documents = DocumentStream(self._reader, self._pick, self._thinking, self._options["on_error"])
        # an error in the text around the documents
        self._error: ParserError | None = None
        self._is_finished = False

    def add_fragment(self, fragment: str | bytes) -> list[Event]:
        """Read a fragment (bytes: UTF-8, cut anywhere) and return the events that it determines.

        Events that precede an error in the same fragment are in the error's ``events``.
        """
        if self._is_finished and len(fragment):
            raise self._refused()
        return self._collect(self._documents.add_fragment(fragment))

    def finish(self) -> list[Event]:
        """End the text where the input ends; a text without a document, or a truncated one, is an error."""
        if self._is_finished:
            return []
        self._is_finished = True
        return self._collect(self._documents.finish())

    def reset(self) -> None:
        """Return to the state before the first fragment, with the same options."""
        self._start()

    def _refused(self) -> JsonStreamError:
        return JsonStreamError(ParserError.at(ErrorCode.AFTER_FINISH, *self.position))

    def _collect(self, parts: Iterable[Part]) -> list[Event]:
        if self._is_busy:
            raise RuntimeError("the extractor is busy with another call: use it in one thread at a time")
        self._is_busy = True
        events: list[Event] = []
        try:
            for kind, data in parts:
                if kind == READ:
                    events += data
                elif kind == TEXT:
                    events.append(TextDelta(data))
                elif kind == REASONING:
                    events.append(ReasoningDelta(data))
                elif kind == BEGIN:
                    events.append(DocumentStart(*data))
                elif kind == END:
                    events.append(DocumentEnd(data))
                else:
                    self._error = data
                    events.append(update_of_error(self._options["root"], data))
            return events
        except JsonStreamError as error:
            self._error = error.error
            error.events = [*events, *error.updates]
            raise
        finally:
            self._is_busy = False

    def __repr__(self) -> str:
        return describe(self)

    @property
    def is_complete(self) -> bool:
        """Whether a document has been read, and none is open."""
        return self._documents.is_complete

    @property
    def is_done(self) -> bool:
        """Whether the first document is complete, with ``pick="first"``: no other one will be reported."""
        return self._documents.is_done

    @property
    def position(self) -> Position:
        """How far the text has been reported; after an error that ended it, the place of that error."""
        return self._documents.position

    @property
    def error(self) -> ParserError | None:
        """The error that ended the text, or the last one that the extractor recovered from."""
        return self._error or self._reader.error

    @property
    def repairs(self) -> tuple[Repair, ...]:
        r"""What the lenient dialect repaired in all documents, in text order.

        >>> extractor = JsonExtractor(dialect="lenient")
        >>> _ = extractor.add_fragment("Sure:\n```json\n{'days': 3,}\n```")
        >>> [(str(repair.code), repair.line) for repair in extractor.repairs]
        [('single_quotes', 3), ('trailing_comma', 3)]
        """
        return self._reader.repairs

    @property
    def repair_count(self) -> int:
        """How many repairs there were, including those that exceed the limit."""
        return self._reader.repair_count

    def checkpoint(self) -> dict[str, Any]:
        """Return the state as plain data for json.dumps, from which ``restore`` continues."""
        return {
            "midstream": _VERSION,
            "type": "JsonExtractor",
            "options": [self._dialect, self._pick, self._thinking],
            "documents": self._documents.state(),
            "reader": self._reader.checkpoint(),
            "error": None if self._error is None else list(self._error),
            "finished": self._is_finished,
        }

    @classmethod
    def restore(
        cls,
        data: dict[str, Any],
        *,
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
    ) -> JsonExtractor:
        """Continue from a checkpoint, in this process or another one.

        >>> extractor = JsonExtractor()
        >>> _ = extractor.add_fragment('Here: {"city": "Par')
        >>> other = JsonExtractor.restore(extractor.checkpoint())
        >>> other.add_fragment('is"}')[1].value
        'Paris'
        """
        try:
            if data["midstream"] != _VERSION or data["type"] != "JsonExtractor":
                raise ValueError("it is of another version or of another type")
            reader = JsonFragmentAccumulator.restore(
                data["reader"], parse_int=parse_int, parse_float=parse_float
            )
            options = data["reader"]["options"]
            dialect, pick, thinking = data["options"]
            extractor = cls(
                dialect=dialect,
                pick=pick,
                thinking=thinking,
                root=options["root"],
                on_error=options["on_error"],
                limits=Limits(*options["limits"]),
                parse_int=parse_int,
                parse_float=parse_float,
            )
            extractor._reader = extractor._documents.reader = reader
            extractor._documents.load(data["documents"])
            if data["error"] is not None:
                code, *rest = data["error"]
                extractor._error = ParserError(ErrorCode(code), *rest)
            extractor._is_finished = bool(data["finished"])
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, JsonStreamError):
                raise
            message = f"not a checkpoint from which to continue: {error}"
            raise JsonStreamError(ParserError(ErrorCode.INVALID_CHECKPOINT, message, 0, 1, 1)) from None
        return extractor
