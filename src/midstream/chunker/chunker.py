"""Snapshots in, text out: write complete values as one JSON text that grows.

**The source.** A model writes one JSON text from left to right. The chunker does not see that text. It
receives snapshots: the complete value after each step, with keys in any order. Steps may be merged or
repeated. From these snapshots the chunker writes the text again, as early as possible. Nothing that it
has written can be taken back, so after every snapshot it must decide what is certain.

**The spine.** A text that is written from left to right has one end. The spine is the list of values that
contain this end, from the root down to one string, number or empty container. Only values on the spine
can still grow. Every other value is final. All rules follow from one question: given the step from the
last different snapshot to this one, where can the end be? A snapshot that equals the last one is no
evidence, because the source may only have paused.

- *An array* is written in order. Its items are final except the last one, which is on the spine.
- *A key that joins an object* was written after all keys that were there before. Those are final, even
  one that changed in the same step, because it was finished first. If one growable key (string, array,
  object) joined, the spine continues there. Numbers, booleans and null appear when they are complete, so
  they are never on the spine. If several growable keys joined, the spine is in one of them, but this step
  does not show in which. They are *held* until a later step shows it. The chunker could write one of them
  at once and leave it open, but then all others, which are final except one, would have to wait.
- *No key joined*: the member that changed is on the spine, and all others are final.
- *Something new at a higher level* (a key beside an object, an item after it) comes after everything
  inside that object, so all of its content is final.

Any change shows where the spine of the previous snapshot was, so held values are written one informative
step later. Some sources do not follow this model. Some show unset fields as empty values first; an empty
member that has not been written therefore waits until its object closes, which costs nothing. Some change
several held values in one step; those stay held. Only what has been written can be contradicted.

**The text.** Final members are written completely, scalars first. Then comes the spine, as far as it is
known, without closing tokens. A closing token is written when something must be written after it. A
string's closing quote is written as soon as the string stays the same while something else changes, or
when a key joins its object.

**Conflicts.** A snapshot may contradict the text: a closed value changes, a string is not continued, a
key or an item is missing. The text can then only be corrected by writing a member again, for readers that
use the last of equal keys, so an object around it must still be open. With "override" the member of the
nearest such object counts as held and as changed in this step, and the rules above decide when it is
written. If no open object can hold it, and always with "raise", the chunker refuses the snapshot. All
comparing is done before anything changes, so a refused snapshot has no effect.

Nothing here recurses on the depth of a value.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Literal

from .._closing import Source
from ..core.surrogates import settled_length
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..paths import format_path
from .compare import path_to_difference
from .snapshot import decode_snapshot, read_snapshot
from .spine import Diff, OpenArray, OpenObject, Options, Step
from .text import joined, quoted

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from ..paths import Segments

    OnConflict = Literal["raise", "override"]

__all__ = ["JsonStreamChunker", "PlainTextStreamChunker", "chunks"]


class JsonStreamChunker:
    """Turn snapshots of a growing JSON value into chunks of one JSON text.

    >>> chunker = JsonStreamChunker()
    >>> chunker.process('{"name": "Mat"}')
    '{"name":"Mat'
    >>> chunker.process({"age": 32, "name": "Matthew"})
    'thew","age":32'
    >>> chunker.flush()
    '}'
    """

    def __init__(
        self,
        *,
        on_conflict: OnConflict = "raise",
        tentative_nulls: bool = False,
        tentative_numbers: bool = False,
    ) -> None:
        """Choose how to handle contradictions, and which values the source shows before they are complete.

        >>> JsonStreamChunker(tentative_numbers=True).process('{"a": 1}')
        '{'
        """
        self._override = _overrides(on_conflict)
        self._options = Options(tentative_nulls, tentative_numbers)
        self.reset()

    def reset(self) -> None:
        """Discard all state and begin a new text.

        >>> chunker = JsonStreamChunker()
        >>> chunker.process("[1]"), chunker.reset(), chunker.process("[2]")
        ('[1', None, '[2')
        """
        # The root is the only item of an array without brackets, so roots need no rules of their own:
        # the first snapshot is a new item, and no correction is possible above it.
        self._spine: list[OpenObject | OpenArray] = [OpenArray([])]
        # the number of characters written of the open string at the end of the spine, if there is one
        self._string: int | None = None
        self._flushed = False
        self.overrides = 0

    def process(self, snapshot: object) -> str:
        """Process the next snapshot and return the text that it makes certain, which may be empty.

        Text and bytes are parsed as JSON. Anything else is the value itself, a pydantic model or a
        dataclass.

        >>> chunker = JsonStreamChunker()
        >>> [chunker.process(s) for s in ('{"a": "x", "b": "y"}', '{"b": "yes", "a": "x"}')]
        ['{', '"a":"x","b":"yes']
        """
        if self._flushed:
            raise JsonStreamError(ParserError.at(ErrorCode.AFTER_FINISH, 0, 1, 1))
        return self._advance(self._compare([read_snapshot(snapshot)]))

    def flush(self) -> str:
        """End the text: return all held values and all closing tokens.

        >>> chunker = JsonStreamChunker()
        >>> chunker.process(["a"]), chunker.flush(), chunker.flush()
        ('["a', '"]', '')
        """
        if self._flushed:
            return ""
        self._flushed = True
        parts: list[str] = []
        self._close_below(0, parts)
        if rest := self._spine[0].rest():
            self._spine[0].write(rest, parts)
        return joined(parts)

    def __copy__(self) -> JsonStreamChunker:
        return copy.deepcopy(self)

    # The first part of a step: compare along the spine. Nothing changes.

    def _compare(self, now: Any) -> Step:
        """Compare every open container, and the open string, with the next snapshot."""
        step, options = Step(), self._options
        values = step.values
        for level, container in enumerate(self._spine):
            values.append(now)
            diff = container.compare(now, options)
            if diff is not None:
                if diff.conflict_at is not None:
                    # this container can only be replaced as a member of an object above it
                    self._correct(step, level - 1, self._conflict(step, level, diff.conflict_at))
                    return step
                if diff.contradicted and not self._override:
                    raise self._conflict(step, level, container.place(diff.contradicted[0], now))
                step.diffs[level] = diff
            child = container.child
            if child is not None:
                now = now[child]
        if self._string is not None:
            before = container.value[child]
            if type(now) is not str or not now.startswith(before[: self._string]):
                self._correct(step, level, self._conflict(step, level, (child,)))
            else:
                step.string_grew = now != before
        return step

    def _correct(self, step: Step, level: int, conflict: JsonStreamError) -> None:
        """Assign a contradiction to the nearest object at or above a level, or raise it."""
        while level >= 0 and not isinstance(self._spine[level], OpenObject):
            level -= 1
        if level < 0 or not self._override:
            raise conflict
        # differences further down belong to the member that is written again
        del step.values[level + 1 :]
        step.diffs = {above: diff for above, diff in step.diffs.items() if above <= level}
        diff = step.diffs.setdefault(level, Diff())
        diff.contradicted = [*diff.contradicted, self._spine[level].child]

    def _conflict(self, step: Step, level: int, place: Segments) -> JsonStreamError:
        """Return the error for a contradiction at a place below a container of the spine."""
        why = self._options.explain_conflict(self._spine[level].value, step.values[level], place)
        above = [container.child for container in self._spine[:level]]
        # skip the first segment, which leads from the array without brackets to the root
        path = format_path("root", (*above, *place)[1:])
        return JsonStreamError(ParserError.of(ErrorCode.CONFLICT, 0, why), path)

    # The second part of a step: nothing in it can fail. It works from the deepest container upwards,
    # because closing tokens come first.

    def _advance(self, step: Step) -> str:
        """Adopt the snapshot that was compared, and write what has become certain."""
        spine, diffs, options = self._spine, step.diffs, self._options
        highest_level = step.highest_level() if diffs else None
        before = None if highest_level is None else spine[highest_level].value
        for level, value in enumerate(step.values):
            spine[level].value = value
        if not diffs and not step.string_grew:
            return ""
        parts: list[str] = []
        if self._override:
            self._unwrite_contradicted(step, parts)
        if self._string is not None:
            self._grow_string(step, parts)
        if highest_level is not None:
            for level in range(len(spine) - 1, highest_level, -1):
                if members := spine[level].final(diffs.get(level), options):
                    self._close_below(level, parts)
                    spine[level].write(members, parts)
            members, follow = spine[highest_level].certain(diffs[highest_level], options)
            if members or follow is not None:
                self._close_below(highest_level, parts)
            if members:
                spine[highest_level].write(members, parts)
            if follow is not None:
                self._open(follow, before, parts)
        return joined(parts)

    def _unwrite_contradicted(self, step: Step, parts: list[str]) -> None:
        """Turn contradicted members into held ones, and end the text of an open one where it is."""
        for level, diff in step.diffs.items():
            if not diff.contradicted:
                continue
            container = self._spine[level]
            assert isinstance(container, OpenObject)
            if container.child in diff.contradicted:
                if self._string is not None:
                    parts.append('"')
                parts += (inner.closing for inner in reversed(self._spine[level + 1 :]))
                del self._spine[level + 1 :]
                self._string = None
            container.unwrite(diff)
            self.overrides += len(diff.contradicted)

    def _grow_string(self, step: Step, parts: list[str]) -> None:
        """Continue the open string, or close it if it stayed the same or a key joined its object."""
        container = self._spine[-1]
        diff = step.diffs.get(len(self._spine) - 1)
        if not step.string_grew or (diff and diff.new and isinstance(container, OpenObject)):
            self._close_string(parts)
            return
        text, start = container.value[container.child], self._string or 0
        self._string = max(start, settled_length(text))
        parts.append(quoted(text[start : self._string])[1:-1])

    def _close_string(self, parts: list[str]) -> None:
        container = self._spine[-1]
        parts.append(quoted(container.value[container.child][self._string :])[1:])
        self._string = None
        container.close_child([])

    def _close_below(self, level: int, parts: list[str]) -> None:
        """Close the open member of a container, and write everything held inside it."""
        if self._string is not None:
            self._close_string(parts)
        spine = self._spine
        for _ in range(len(spine) - level - 1):
            container = spine.pop()
            if rest := container.rest():
                container.write(rest, parts)
            parts.append(container.closing)
            spine[-1].close_child(container.marks)

    def _open(self, key: Any, before: Any, parts: list[str]) -> None:
        """Write the member on the spine as far as it is certain, and make it the end of the spine.

        If the member was held, the difference from its last state shows where the spine is inside it. One
        search finds the path to a difference for many levels, so no value is compared once per level.
        """
        container, options = self._spine[-1], self._options
        path: list[Any] | None = None
        while key is not None:
            value = container.value[key]
            parts.append(container.lead(key))
            container.child = key
            if type(value) is str:
                self._string = settled_length(value)
                parts.append(quoted(value[: self._string])[:-1])
                return
            if before is not None:
                before = _member(before, key)
            container = OpenObject(value) if type(value) is dict else OpenArray(value)
            diff = known = None
            if type(before) is type(value):
                path = path or path_to_difference(before, value, options.nulls)
                if path:
                    known = path.pop()
                    container.value = before
                    diff = container.compare(value, options, known)
                    container.value = value
            if diff is None:
                before = known = None
            self._spine.append(container)
            parts.append(container.opening)
            members, key = container.certain(diff, options)
            if members:
                container.write(members, parts)
            if key != known:
                path = None


def _member(before: Any, key: Any) -> Any:
    """Return a member of an earlier state, None if it was not there yet."""
    if type(before) is dict:
        return before.get(key)
    return before[key] if key < len(before) else None


def _overrides(on_conflict: str) -> bool:
    if on_conflict not in ("raise", "override"):
        raise ValueError(f"on_conflict must be 'raise' or 'override', not {on_conflict!r}")
    return on_conflict == "override"


class PlainTextStreamChunker:
    """Turn snapshots of a growing plain text into chunks of that text.

    >>> chunker = PlainTextStreamChunker()
    >>> chunker.process("Once"), chunker.process("Once upon"), chunker.flush()
    ('Once', ' upon', '')
    """

    def __init__(self, *, on_conflict: OnConflict = "raise") -> None:
        """Choose how to handle a text that does not continue the previous one.

        >>> chunker = PlainTextStreamChunker(on_conflict="override")
        >>> chunker.process("Once"), chunker.process("Twice"), chunker.overrides
        ('Once', 'Twice', 1)
        """
        self._override = _overrides(on_conflict)
        self.reset()

    def reset(self) -> None:
        """Discard all state and begin a new text.

        >>> chunker = PlainTextStreamChunker()
        >>> chunker.process("a"), chunker.reset(), chunker.process("b")
        ('a', None, 'b')
        """
        self._text = ""
        self._written = 0
        self._flushed = False
        self.overrides = 0

    def process(self, snapshot: str | bytes) -> str:
        r"""Process the text so far and return what is new in it, which may be empty.

        >>> PlainTextStreamChunker().process(b"caf\xc3\xa9")
        'café'
        """
        if self._flushed:
            raise JsonStreamError(ParserError.at(ErrorCode.AFTER_FINISH, 0, 1, 1))
        text = decode_snapshot(snapshot)
        if not text.startswith(self._text[: self._written]):
            if not self._override:
                raise JsonStreamError(
                    ParserError.of(ErrorCode.CONFLICT, 0, "it does not begin with that text")
                )
            self.overrides += 1
            self._written = 0
        self._text = text
        start = self._written
        self._written = max(start, settled_length(text))
        return text[start : self._written]

    def flush(self) -> str:
        r"""End the text: return what was held back, which is a high surrogate at most.

        >>> chunker = PlainTextStreamChunker()
        >>> chunker.process("a\ud83d"), chunker.flush(), chunker.flush()
        ('a', '\ud83d', '')
        """
        if self._flushed:
            return ""
        self._flushed = True
        return self._text[self._written :]


def chunks(
    snapshots: Iterable[object],
    *,
    on_conflict: OnConflict = "raise",
    tentative_nulls: bool = False,
    tentative_numbers: bool = False,
    close: bool = True,
) -> Generator[str, None, None]:
    """Yield the chunks of a stream of snapshots, none of them empty.

    Leaving the iterator early closes what it reads, unless that is a file or ``close`` is false.

    >>> list(chunks(['{"a": ""}', '{"a": "b"}', '{"a": "bc"}']))
    ['{"a":"', 'b', 'c', '"}']
    """
    chunker = JsonStreamChunker(
        on_conflict=on_conflict, tentative_nulls=tentative_nulls, tentative_numbers=tentative_numbers
    )
    return _nonempty(chunker, Source(snapshots, close))


def _nonempty(chunker: JsonStreamChunker, snapshots: Source) -> Generator[str, None, None]:
    with snapshots:
        for snapshot in snapshots:
            if chunk := chunker.process(snapshot):
                yield chunk
    if chunk := chunker.flush():
        yield chunk
