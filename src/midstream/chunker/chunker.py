"""Snapshots in, text out: the way back from complete values to a JSON text that is still arriving.

**The source.** Somewhere a model writes one JSON text from left to right. What reaches us are
snapshots: after every step the whole value so far, its keys in any order. Steps may be merged or
repeated. From that the text is to be written again, as early as possible, and nothing that is written
can be taken back. So the question after every snapshot is what is certain.

**The spine.** A text that is written from left to right has one end. The values that this end is
inside of, from the root down to one string, number or empty container, are the spine. Only they can
still grow; a value off the spine was finished before, so it is final. All rules follow from asking where
the end can be, given the step from the last different snapshot to this one. A snapshot equal to the
last says nothing: the source paused.

- *An array* is written in order, so its items are final but for the last, and the spine goes there.
- *A key that joins an object* was written after all keys that were there before. Those are final, also
  one that changed in the same step: it was finished first. If one growable key (string, array, object)
  joined, the spine goes there. Numbers, booleans and null appear when they are complete, so they are
  never the spine. If several joined, the spine is in one of them, and nothing tells in which: they are
  *held* until a later step does. To write one at once and leave it open would be sound, too, but then
  the others, final all but one, would have to wait behind it.
- *No key joined*: the member that changed is the spine, and all others are final.
- *Something new further up* (a key beside an object, an item behind it) is behind everything in there,
  so all of that is final.

Any change shows where the spine of the snapshot before was, so what is held is out one informative
step later. Sources outside this model exist. Some show unset fields as empty values first, so an empty
member that nobody has written waits until its object closes, which costs nothing. Some change several
held values in one step: those stay held. Only what is written can be contradicted.

**The text.** Final members are written whole, scalars first; then the spine as far as it goes, without
closing tokens: these follow when something is written behind them. A string's quote is written as soon
as the string stands still while something else moves, or a key joins its object.

**Conflicts.** A snapshot may contradict the text: a value that was closed has changed, a string is not
continued, a key or an item is gone. Then the text can only be corrected by writing a member again, for
readers to whom the last of equal keys counts; so some object around it must be open. With "override"
the member of the nearest such object counts as held, and changed in this step; after that the rules
above decide when it is written. Where no open object can hold it, and always with "raise", the snapshot
is refused. All comparing is done before anything changes, so a refused snapshot leaves no trace.

Nothing here recurses on the depth of a value. `_chunk_snapshot` reads snapshots, `_chunk_compare`
compares values, `_chunk_spine` has the rules for one object and one array, `_chunk_text` writes.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Literal

from ..errors import ErrorCode, JsonStreamError, ParserError
from ..paths import format_path
from .compare import way_to_difference
from .snapshot import decode_snapshot, read_snapshot
from .spine import Look, OpenArray, OpenObject, Reading, Step
from .text import joined, quoted, settled_length

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
        on_conflict: OnConflict = "raise",
        tentative_nulls: bool = False,
        tentative_numbers: bool = False,
    ) -> None:
        """Choose what a contradiction does, and which values the source may show before they are complete.

        >>> JsonStreamChunker(tentative_numbers=True).process('{"a": 1}')
        '{'
        """
        self._override = _overrides(on_conflict)
        self._reading = Reading(tentative_nulls, tentative_numbers)
        self.reset()

    def reset(self) -> None:
        """Forget everything and begin a new text.

        >>> chunker = JsonStreamChunker()
        >>> chunker.process("[1]"), chunker.reset(), chunker.process("[2]")
        ('[1', None, '[2')
        """
        # The root is the only item of an array without brackets. That spares every rule for roots:
        # the first snapshot is a new item, and no correction is possible above it.
        self._spine: list[OpenObject | OpenArray] = [OpenArray([])]
        # how much of the open string at the end of the spine is written, if there is one
        self._string: int | None = None
        self._flushed = False
        self.overrides = 0

    def process(self, snapshot: object) -> str:
        """Take the next snapshot and return the text that it makes certain, perhaps none.

        Text and bytes are read as JSON; anything else is the value itself, or a pydantic model or
        dataclass.

        >>> chunker = JsonStreamChunker()
        >>> [chunker.process(s) for s in ('{"a": "x", "b": "y"}', '{"b": "yes", "a": "x"}')]
        ['{', '"a":"x","b":"yes']
        """
        if self._flushed:
            raise JsonStreamError(ParserError.at(ErrorCode.AFTER_FINISH, 0, 1, 1))
        return self._advance(self._look([read_snapshot(snapshot)]))

    def flush(self) -> str:
        """End the text: return what was held and all closing tokens.

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

    # The first half of a step: compare along the spine. Nothing changes.

    def _look(self, now: Any) -> Step:
        """See what the step shows in every open container, and in the open string."""
        step, reading = Step(), self._reading
        values = step.values
        for level, container in enumerate(self._spine):
            values.append(now)
            seen = container.look(now, reading)
            if seen is not None:
                if seen.broken is not None:
                    # only as a whole can this container be written again, from above
                    self._correct(step, level - 1, self._conflict(level, seen.broken))
                    return step
                if seen.contradicted and not self._override:
                    raise self._conflict(level, container.place(seen.contradicted[0], now))
                step.looks[level] = seen
            child = container.child
            if child is not None:
                now = now[child]
        if self._string is not None:
            before = container.value[child]
            if type(now) is not str or not now.startswith(before[: self._string]):
                self._correct(step, level, self._conflict(level, (child,)))
            else:
                step.string_grew = now != before
        return step

    def _correct(self, step: Step, level: int, conflict: JsonStreamError) -> None:
        """Leave a contradiction to the nearest object from a level upwards, if it may write again."""
        while level >= 0 and not isinstance(self._spine[level], OpenObject):
            level -= 1
        if level < 0 or not self._override:
            raise conflict
        # what was seen further down belongs to the member that is written again
        del step.values[level + 1 :]
        step.looks = {above: seen for above, seen in step.looks.items() if above <= level}
        seen = step.looks.setdefault(level, Look())
        seen.contradicted = [*seen.contradicted, self._spine[level].child]

    def _conflict(self, level: int, place: Segments) -> JsonStreamError:
        above = [container.child for container in self._spine[:level]]
        # the first segment leads from the array without brackets to the root
        path = format_path("root", (*above, *place)[1:])
        return JsonStreamError(ParserError.of(ErrorCode.CONFLICT), path)

    # The second half: nothing in it can fail. Deepest first, because closing tokens come first.

    def _advance(self, step: Step) -> str:
        """Move on to the snapshot that was looked at, and write what has become certain."""
        spine, looks, reading = self._spine, step.looks, self._reading
        turn = step.turn() if looks else None
        before = None if turn is None else spine[turn].value
        for level, value in enumerate(step.values):
            spine[level].value = value
        if not looks and not step.string_grew:
            return ""
        parts: list[str] = []
        if self._override:
            self._take_back(step, parts)
        if self._string is not None:
            self._grow_string(step, parts)
        if turn is not None:
            for level in range(len(spine) - 1, turn, -1):
                if members := spine[level].final(looks.get(level), reading):
                    self._close_below(level, parts)
                    spine[level].write(members, parts)
            members, follow = spine[turn].certain(looks[turn], reading)
            if members or follow is not None:
                self._close_below(turn, parts)
            if members:
                spine[turn].write(members, parts)
            if follow is not None:
                self._open(follow, before, parts)
        return joined(parts)

    def _take_back(self, step: Step, parts: list[str]) -> None:
        """Make contradicted members held ones; end the text of one that is open, as it stands."""
        for level, seen in step.looks.items():
            if not seen.contradicted:
                continue
            container = self._spine[level]
            assert isinstance(container, OpenObject)
            if container.child in seen.contradicted:
                if self._string is not None:
                    parts.append('"')
                parts += (inner.closing for inner in reversed(self._spine[level + 1 :]))
                del self._spine[level + 1 :]
                self._string = None
            container.unwrite(seen)
            self.overrides += len(seen.contradicted)

    def _grow_string(self, step: Step, parts: list[str]) -> None:
        """Continue the open string; close it if it stood still or a key joined its object."""
        container = self._spine[-1]
        seen = step.looks.get(len(self._spine) - 1)
        if not step.string_grew or (seen and seen.new and isinstance(container, OpenObject)):
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
        """Close the member that is open in a container, with all that was held inside it."""
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
        """Write the member that is the spine as far as it is certain, and follow it.

        It may have been held: then the step from its last state tells where the spine is inside it. One
        way to a difference is found for many levels, so that nothing is compared again on each of them.
        """
        container, reading = self._spine[-1], self._reading
        way: list[Any] | None = None
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
            seen = known = None
            if type(before) is type(value):
                way = way or way_to_difference(before, value, reading.nulls)
                if way:
                    known = way.pop()
                    container.value = before
                    seen = container.look(value, reading, known)
                    container.value = value
            if seen is None:
                before = known = None
            self._spine.append(container)
            parts.append(container.opening)
            members, key = container.certain(seen, reading)
            if members:
                container.write(members, parts)
            if key != known:
                way = None


def _member(before: Any, key: Any) -> Any:
    """Return a member of a state that may not have had it."""
    if type(before) is dict:
        return before.get(key)
    return before[key] if key < len(before) else None


def _overrides(on_conflict: str) -> bool:
    if on_conflict not in ("raise", "override"):
        raise ValueError("on_conflict is 'raise' or 'override'")
    return on_conflict == "override"


class PlainTextStreamChunker:
    """Turn snapshots of a growing plain text into chunks of that text.

    >>> chunker = PlainTextStreamChunker()
    >>> chunker.process("Once"), chunker.process("Once upon"), chunker.flush()
    ('Once', ' upon', '')
    """

    def __init__(self, on_conflict: OnConflict = "raise") -> None:
        """Choose what a text does that does not continue the one before.

        >>> chunker = PlainTextStreamChunker(on_conflict="override")
        >>> chunker.process("Once"), chunker.process("Twice"), chunker.overrides
        ('Once', 'Twice', 1)
        """
        self._override = _overrides(on_conflict)
        self.reset()

    def reset(self) -> None:
        """Forget everything and begin a new text.

        >>> chunker = PlainTextStreamChunker()
        >>> chunker.process("a"), chunker.reset(), chunker.process("b")
        ('a', None, 'b')
        """
        self._text = ""
        self._written = 0
        self._flushed = False
        self.overrides = 0

    def process(self, snapshot: str | bytes) -> str:
        r"""Take the text so far and return what is new in it, perhaps nothing.

        >>> PlainTextStreamChunker().process(b"caf\xc3\xa9")
        'café'
        """
        if self._flushed:
            raise JsonStreamError(ParserError.at(ErrorCode.AFTER_FINISH, 0, 1, 1))
        text = decode_snapshot(snapshot)
        if not text.startswith(self._text[: self._written]):
            if not self._override:
                raise JsonStreamError(ParserError.of(ErrorCode.CONFLICT))
            self.overrides += 1
            self._written = 0
        self._text = text
        start = self._written
        self._written = max(start, settled_length(text))
        return text[start : self._written]

    def flush(self) -> str:
        r"""End the text: return what waited, half a surrogate pair at most.

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
) -> Iterator[str]:
    """Yield the chunks of a stream of snapshots, none of them empty.

    >>> list(chunks(['{"a": ""}', '{"a": "b"}', '{"a": "bc"}']))
    ['{"a":"', 'b', 'c', '"}']
    """
    chunker = JsonStreamChunker(on_conflict, tentative_nulls, tentative_numbers)
    return _nonempty(chunker, snapshots)


def _nonempty(chunker: JsonStreamChunker, snapshots: Iterable[object]) -> Iterator[str]:
    for snapshot in snapshots:
        if chunk := chunker.process(snapshot):
            yield chunk
    if chunk := chunker.flush():
        yield chunk
