"""A naive parser, as the oracle: one character at a time, nothing clever, nothing shared.

It is written from the contract and RFC 8259, not from the library, so that both can only agree by
being right. It keeps every decision visible: one method per state, the state named in plain words.

The second half turns what a build of the library reports into the same plain items.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Segments = tuple[str | int, ...]
Text = str | bytes
Fragments = list[str | bytes]


class Item(NamedTuple):
    """An update as plain data.

    An error is ``Item("Error", segments, code, (index, line, column))``; after it the parser is dead.
    """

    kind: str
    segments: Segments
    text_value: str | None = None
    value: Any = None


class NaiveLimits(NamedTuple):
    """The bounds of the contract, again, so that the model needs nothing of the library."""

    max_depth: int | None = 1000
    max_string: int | None = None
    max_number: int | None = 4300
    max_document: int | None = None


class _DeadError(Exception):
    """Leaves the character loop after an error."""


WHITE_SPACE = " \t\n\r"
NUMBER_CHARACTERS = "0123456789+-.eE"
SIMPLE_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
LITERALS: dict[str, tuple[str, str, Any]] = {
    "t": ("true", "CompleteBoolean", True),
    "f": ("false", "CompleteBoolean", False),
    "n": ("null", "CompleteNull", None),
}
DIGITS = "0123456789"


def number_can_continue(text: str, char: str) -> bool:
    """Say whether a character can follow the beginning of a number (RFC 8259 section 6)."""
    digits = text.removeprefix("-")
    if not digits:
        return char in DIGITS
    mantissa, e, exponent = digits.replace("E", "e").partition("e")
    if e:
        return char in DIGITS or (char in "+-" and not exponent)
    integer, dot, fraction = mantissa.partition(".")
    if dot:
        return char in DIGITS or (char in "eE" and fraction != "")
    return (char in DIGITS and integer != "0") or char in ".eE"


def number_is_complete(text: str) -> bool:
    """Report whether a number may end here, which it may after a digit."""
    return text[-1] in DIGITS


def utf8_length(first: int) -> int:
    """Return the length of the sequence a byte begins, 0 if it begins none (RFC 3629 section 4)."""
    if first < 0x80:
        return 1
    if 0xC2 <= first <= 0xDF:
        return 2
    if 0xE0 <= first <= 0xEF:
        return 3
    if 0xF0 <= first <= 0xF4:
        return 4
    return 0


def utf8_is_possible(sequence: bytes) -> bool:
    """Say whether some character's encoding begins with these bytes (RFC 3629 section 4)."""
    first = sequence[0]
    if not utf8_length(first):
        return False
    low, high = {0xE0: (0xA0, 0xBF), 0xED: (0x80, 0x9F), 0xF0: (0x90, 0xBF), 0xF4: (0x80, 0x8F)}.get(
        first, (0x80, 0xBF)
    )
    if len(sequence) > 1 and not low <= sequence[1] <= high:
        return False
    return all(0x80 <= byte <= 0xBF for byte in sequence[2:])


def is_high(char: str) -> bool:
    return "\ud800" <= char <= "\udbff"


def is_low(char: str) -> bool:
    return "\udc00" <= char <= "\udfff"


class NaiveParser:
    """Parse as the contract says: ``add`` and ``finish`` give the items of that call."""

    def __init__(
        self,
        after_root: str = "error",
        limits: Sequence[int | None] = NaiveLimits(),
        parse_int: Callable[[str], Any] = int,
        parse_float: Callable[[str], Any] = float,
    ) -> None:
        self.after_root = after_root
        self.limits = NaiveLimits(*limits)
        self.parse_int = parse_int
        self.parse_float = parse_float
        self.items: list[Item] = []
        self.dead = False
        self.finished = False
        self.index = 0
        self.line = 1
        self.line_start = 0
        self.document_start = 0
        self.documents = 0
        self.undecoded = b""
        self.trailing = ""
        # what is open: each container's kind, and beside it the key or index of its current member
        self.containers: list[str] = []
        self.members: list[str | int] = []
        self.state = "value"
        # the token in flight
        self.token = ""
        self.token_is_key = False
        self.undelivered = ""
        self.escape = ""
        self.pending_high = ""

    # --- what a caller sees

    @property
    def position(self) -> tuple[int, int, int]:
        return (self.index, self.line, self.index - self.line_start + 1)

    @property
    def is_complete(self) -> bool:
        if self.dead or self.undecoded or not self.documents:
            return False
        return self.is_between_documents()

    def add(self, fragment: str | bytes) -> list[Item]:
        self.items = []
        if self.dead or not fragment:
            return []
        try:
            if self.finished:
                self.fail("after_finish")
            if isinstance(fragment, str):
                if self.undecoded:
                    self.fail("invalid_utf8")
                for char in fragment:
                    self.take(char)
            else:
                for byte in fragment:
                    self.take_byte(byte)
            self.deliver_text()
        except _DeadError:
            pass
        return self.items

    def finish(self) -> list[Item]:
        self.items = []
        if self.dead or self.finished:
            return []
        try:
            if self.undecoded:
                # where the text may end without them, the bytes are what is wrong
                self.fail("invalid_utf8" if self.is_between_documents() else "truncated")
            if self.state == "number" and not self.members and number_is_complete(self.token):
                self.end_number()
            if not self.is_between_documents():
                self.fail("truncated")
        except _DeadError:
            pass
        self.finished = True
        return self.items

    # --- places and errors

    def is_between_documents(self) -> bool:
        return self.state == "done" or (
            self.after_root == "next" and self.state == "value" and not self.members
        )

    def emit(self, kind: str, segments: Segments, text: str | None = None, value: Any = None) -> None:
        self.items.append(Item(kind, segments, text, value))

    def value_path(self) -> Segments:
        return tuple(self.members)

    def container_path(self) -> Segments:
        return tuple(self.members[:-1])

    def error_path(self) -> Segments:
        """The path of the value that is expected or in progress, else of the innermost open container."""
        if self.state in ("value", "first value", "number", "literal"):
            return self.value_path()
        if self.state == "string" and not self.token_is_key:
            return self.value_path()
        return self.container_path()

    def fail(self, code: str) -> None:
        if self.state == "string":
            self.release_high()
            self.deliver_text()
        self.emit("Error", self.error_path(), code, self.position)
        self.dead = True
        raise _DeadError

    # --- characters (RFC 8259 section 8.1)

    def take_byte(self, byte: int) -> None:
        self.undecoded += bytes([byte])
        if not utf8_is_possible(self.undecoded):
            self.fail("invalid_utf8")
        if len(self.undecoded) == utf8_length(self.undecoded[0]):
            char = self.undecoded.decode("utf-8")
            self.undecoded = b""
            self.take(char)

    def take(self, char: str) -> None:
        if self.after_root == "next" and self.ends_root_number(char):
            # the character after a root number is no part of its document, nor of its length
            self.end_number()
        limit = self.limits.max_document
        if limit is not None and self.index - self.document_start >= limit:
            self.fail("document_limit")
        if not (char == "\ufeff" and self.index == 0):
            self.take_in_state(char)
        self.index += 1
        if char == "\n":
            self.line += 1
            self.line_start = self.index

    def ends_root_number(self, char: str) -> bool:
        if self.state != "number" or self.members:
            return False
        return char not in NUMBER_CHARACTERS and number_is_complete(self.token)

    def take_in_state(self, char: str) -> None:
        if self.state == "number" and self.in_number(char):
            return
        if self.state == "string":
            self.in_string(char)
        elif self.state == "literal":
            self.in_literal(char)
        elif self.state == "done" and self.after_root == "ignore":
            self.trailing += char
        elif char in WHITE_SPACE:
            pass
        elif self.state == "done":
            self.fail("trailing_text")
        elif self.state in ("value", "first value"):
            self.begin_value(char)
        elif self.state in ("key", "first key"):
            self.begin_key(char)
        elif self.state == "colon":
            if char != ":":
                self.fail("expected_colon")
            self.state = "value"
        else:
            self.after_value(char)

    # --- structure (RFC 8259 sections 2 to 5)

    def begin_value(self, char: str) -> None:
        if char == "{" or char == "[":
            limit = self.limits.max_depth
            if limit is not None and len(self.containers) >= limit:
                self.fail("depth_limit")
            self.emit("StartObject" if char == "{" else "StartArray", self.value_path())
            self.containers.append(char)
            # the key of an object's member comes later; an empty one stands for it until then
            self.members.append("" if char == "{" else 0)
            self.state = "first key" if char == "{" else "first value"
        elif char == "]" and self.state == "first value":
            self.close("EndArray")
        elif char == "]" and self.containers and self.containers[-1] == "[":
            self.fail("trailing_comma")
        elif char == '"':
            self.emit("StartString", self.value_path())
            self.begin_string(is_key=False)
        elif char in DIGITS or char == "-":
            self.check_number_limit(1)
            self.token = char
            self.state = "number"
        elif char in LITERALS:
            self.token = char
            self.state = "literal"
        else:
            self.fail("expected_value")

    def begin_key(self, char: str) -> None:
        if char == '"':
            self.begin_string(is_key=True)
        elif char == "}" and self.state == "first key":
            self.close("EndObject")
        elif char == "}":
            self.fail("trailing_comma")
        else:
            self.fail("expected_key")

    def after_value(self, char: str) -> None:
        in_object = self.containers[-1] == "{"
        if char == ",":
            self.state = "key" if in_object else "value"
            if not in_object:
                self.members[-1] += 1  # type: ignore[operator]
        elif char == ("}" if in_object else "]"):
            self.close("EndObject" if in_object else "EndArray")
        else:
            self.fail("expected_comma")

    def close(self, kind: str) -> None:
        self.containers.pop()
        self.members.pop()
        self.emit(kind, self.value_path())
        self.value_is_complete()

    def value_is_complete(self, end: int | None = None) -> None:
        if self.members:
            self.state = "after value"
            return
        self.emit("JsonComplete", ())
        self.documents += 1
        if self.after_root == "next":
            self.state = "value"
            self.document_start = self.index + 1 if end is None else end
        else:
            self.state = "done"

    # --- literals (section 3)

    def in_literal(self, char: str) -> None:
        word, kind, value = LITERALS[self.token[0]]
        if char != word[len(self.token)]:
            self.fail("invalid_literal")
        self.token += char
        if self.token == word:
            self.emit(kind, self.value_path(), word, value)
            self.value_is_complete()

    # --- numbers (section 6)

    def check_number_limit(self, length: int) -> None:
        if self.limits.max_number is not None and length > self.limits.max_number:
            self.fail("number_limit")

    def in_number(self, char: str) -> bool:
        """Add a character of a number; return False if it comes after the number."""
        if number_can_continue(self.token, char):
            self.check_number_limit(len(self.token) + 1)
            self.token += char
            return True
        if char in NUMBER_CHARACTERS or not number_is_complete(self.token):
            self.fail("invalid_number")
        self.end_number()
        return False

    def end_number(self) -> None:
        convert = self.parse_float if any(char in ".eE" for char in self.token) else self.parse_int
        try:
            value = convert(self.token)
        except (ValueError, ArithmeticError):
            self.fail("number_refused")
        self.emit("CompleteNumber", self.value_path(), self.token, value)
        self.value_is_complete(end=self.index)

    # --- strings (section 7)

    def begin_string(self, is_key: bool) -> None:
        self.state = "string"
        self.token_is_key = is_key
        self.token = ""
        self.undelivered = ""
        self.escape = ""
        self.pending_high = ""

    def in_string(self, char: str) -> None:
        if self.escape:
            self.in_escape(char)
        elif char == "\\":
            self.escape = char
        elif char == '"':
            self.end_string()
        elif char < " ":
            self.fail("control_character")
        else:
            self.check_string_limit()
            self.release_high()
            self.add_text(char)

    def in_escape(self, char: str) -> None:
        if self.escape == "\\":
            if char == "u":
                self.escape += char
            elif char in SIMPLE_ESCAPES:
                self.end_escape(SIMPLE_ESCAPES[char])
            else:
                self.fail("invalid_escape")
            return
        if char not in "0123456789abcdefABCDEF":
            self.fail("invalid_escape")
        self.escape += char
        if len(self.escape) == len("\\u0000"):
            self.end_escape(chr(int(self.escape.removeprefix("\\u"), 16)))

    def end_escape(self, char: str) -> None:
        self.escape = ""
        if self.pending_high and is_low(char):
            joined = 0x10000 + (ord(self.pending_high) - 0xD800) * 0x400 + (ord(char) - 0xDC00)
            self.pending_high = ""
            self.add_text(chr(joined))
            return
        self.check_string_limit()
        self.release_high()
        if is_high(char):
            self.pending_high = char
        else:
            self.add_text(char)

    def check_string_limit(self) -> None:
        """Fail if one decoded character more would be too many; one that waits has been counted."""
        limit = self.limits.max_string
        if limit is not None and len(self.token) + len(self.pending_high) + 1 > limit:
            self.fail("string_limit")

    def add_text(self, char: str) -> None:
        self.token += char
        self.undelivered += char

    def release_high(self) -> None:
        self.add_text(self.pending_high)
        self.pending_high = ""

    def deliver_text(self) -> None:
        """Report what has been decoded since the last report; of a key nothing before its end."""
        if self.state == "string" and not self.token_is_key and self.undelivered:
            self.emit("PartialString", self.value_path(), self.undelivered)
            self.undelivered = ""

    def end_string(self) -> None:
        self.release_high()
        if self.token_is_key:
            self.emit("Key", self.container_path(), self.token, self.token)
            self.members[-1] = self.token
            self.state = "colon"
        else:
            self.deliver_text()
            self.emit("CompleteString", self.value_path(), self.token, self.token)
            self.value_is_complete()


# --- items, and what can be said about them


def naive(fragments: Iterable[Text], **options: Any) -> list[Item]:
    """Parse fragments to their end with the model."""
    parser = NaiveParser(**options)
    items = [item for fragment in fragments for item in parser.add(fragment)]
    return items + parser.finish()


def join_partials(items: Iterable[Item]) -> list[Item]:
    """Join the adjacent partial strings of one string: what must not depend on the cut."""
    joined: list[Item] = []
    for item in items:
        last = joined[-1] if joined else None
        if last and item.kind == last.kind == "PartialString" and item.segments == last.segments:
            joined[-1] = item._replace(text_value=str(last.text_value) + str(item.text_value))
        else:
            joined.append(item)
    return joined


def split_documents(items: Iterable[Item]) -> list[list[Item]]:
    """Cut a list of items after every JsonComplete; the last part holds what is left, if anything is."""
    documents: list[list[Item]] = [[]]
    for item in items:
        documents[-1].append(item)
        if item.kind == "JsonComplete":
            documents.append([])
    return documents if documents[-1] else documents[:-1]


NOTHING = object()


def fold(items: Iterable[Item]) -> Any:
    """Rebuild one document's value by the segments of its items; NOTHING if there is none yet."""
    root: Any = NOTHING
    containers: dict[Segments, Any] = {}

    def put(segments: Segments, value: Any) -> None:
        nonlocal root
        if not segments:
            root = value
            return
        container, member = containers[segments[:-1]], segments[-1]
        if isinstance(container, list) and member == len(container):
            container.append(value)
        else:
            container[member] = value

    texts: dict[Segments, str] = {}
    for kind, segments, text_value, value in items:
        if kind in ("StartObject", "StartArray"):
            containers[segments] = {} if kind == "StartObject" else []
            put(segments, containers[segments])
        elif kind == "StartString":
            texts[segments] = ""
            put(segments, "")
        elif kind == "PartialString":
            texts[segments] += str(text_value)
            put(segments, texts[segments])
        elif kind.startswith("Complete"):
            put(segments, value)
    return root


def exactly(value: Any) -> str:
    """Write a value so that 1, 1.0 and True differ, -0.0 and 0.0 too, and the order of keys counts."""
    return repr(value)


# --- the library's reports as items


def item_of(update: Any) -> Item:
    """Make an item of an update of any build."""
    if update.kind == "Error":
        error = update.error
        place = (error.index, error.line, error.column)
        return Item("Error", update.segments, str(error.code), place)
    return Item(str(update.kind.value), update.segments, update.text_value, update.value)


def items_of(updates: Iterable[Any]) -> list[Item]:
    """Make items of updates of any build."""
    return [item_of(update) for update in updates]


def steps(midstream: Any, fragments: Iterable[str | bytes], **options: Any) -> Iterator[list[Item]]:
    """Yield the items of every fragment and of finish(), errors as items, whatever the policy."""
    acc = midstream.JsonFragmentAccumulator(**options)
    dead = False

    def call(take: Callable[[], list[Any]]) -> list[Item]:
        nonlocal dead
        try:
            return items_of(take())
        except midstream.JsonStreamError as error:
            items = items_of(error.updates)
            if not dead:
                segments = midstream.parse_path(error.path, options.get("root", "root"))
                place = (error.index, error.line, error.column)
                items.append(Item("Error", segments, str(error.code), place))
            dead = True
            return items

    for fragment in fragments:
        yield call(lambda fragment=fragment: acc.add_fragment(fragment))  # type: ignore[misc]
    yield call(acc.finish)


def run(midstream: Any, fragments: Iterable[str | bytes], **options: Any) -> list[Item]:
    """Parse fragments to their end with a build; the error, if there is one, is the last item."""
    return [item for step in steps(midstream, fragments, **options) for item in step]


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Turn a loop that never ends into a failure, where the system has a timer."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"no end after {seconds} s")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def two_way_cuts(text: Text) -> Iterator[Fragments]:
    """Cut a text in two at every place between its ends."""
    for at in range(1, len(text)):
        yield [text[:at], text[at:]]


def characters(text: Text) -> Fragments:
    """Cut a text into its characters, or its bytes."""
    return [text[at : at + 1] for at in range(len(text))]


def cuttings(text: Text) -> Iterator[Fragments]:
    """Cut a text in every way of the matrix: not at all, everywhere, and in two at every place."""
    yield [text]
    yield characters(text)
    yield from two_way_cuts(text)


def pieces(text: Text, cuts: Iterable[int]) -> Fragments:
    """Cut a text at some places; equal places give empty fragments."""
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    return [text[start:end] for start, end in pairwise(places)]
