"""The visitor that finds the values at selected paths, and builds nothing else.

Every open container is in one of three conditions. In a *tracked* container, patterns lead further down: it
has a state of the automaton, and each of its values is looked up there. A container below the last tracked
one is either *built*, because it is part of a match, or *skipped*, which costs a counter. Building is left to
a `ValueVisitor`, which sees the outermost open match as its root, so that a match grows exactly as
``values`` would show it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..core import cython_shim as cython
from ..core.visitor import Visitor
from ..paths import format_path
from .match import Match
from .value_visitor import ValueVisitor

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from ..core.modes import IN_CONTAINER, IN_STRING

if TYPE_CHECKING:
    from ..errors import ParserError, Repair
    from ..paths import Segments
    from .automaton import Automaton, State

__all__ = ["SelectionVisitor", "Stop"]

_new = tuple.__new__


class Stop(Exception):  # noqa: N818  # no error
    """Nothing more can match: leave the grammar in the middle of a fragment."""


@cython.final
@cython.cclass
class SelectionVisitor(Visitor):
    """Collect the matches of one call in ``matches``.

    ``segments`` has the key or index of every open container in the container around it, None for the root;
    ``states`` the state of every tracked one, from the root down. ``key``, ``in_array`` and ``index`` (of the
    next item) belong to the innermost container.
    """

    __slots__ = (
        "alive",
        "automaton",
        "base",
        "builder",
        "building",
        "in_array",
        "index",
        "is_done",
        "key_of_value",
        "leaf",
        "live",
        "matches",
        "paths",
        "remaining",
        "segments",
        "states",
        "stops",
        "string_state",
        "tracked",
        "untracked",
    )

    def __init__(
        self, automaton: Automaton, paths: list[Any], limit: int, stops: bool, has_many_documents: bool
    ) -> None:
        self.last_error = None
        self.error_place = None
        self.error_path = ""
        self.automaton = automaton
        # the patterns as the caller wrote them
        self.paths = paths
        self.builder = ValueVisitor()
        # whether a match is being built, and how many tracked containers there are around the outermost one
        self.building = False
        self.base = 0
        self.states: list[State] = []
        self.segments: list[Any] = []
        # the state of the innermost tracked container, and how many containers are open in it
        self.tracked: State | None = None
        self.untracked = 0
        # the states of what is open in it: of the outermost untracked container, and of a string
        self.leaf: State | None = None
        self.string_state: State | None = None
        self.key_of_value: str | None = None
        self.in_array = False
        self.index = 0
        self.matches: list[Any] = []
        # which patterns may still match, and how many; with many documents one more, so that it never becomes
        # 0: in the next document each pattern may match again
        self.alive = [True] * len(paths)
        self.live = len(paths) + has_many_documents
        # how many matches are still wanted, -1 for all
        self.remaining = limit
        self.is_done = False
        self.stops = stops

    def next_state(self) -> State | None:
        """Look up the state of the value that begins."""
        state = self.tracked
        if state is None:
            return self.automaton.root
        if self.in_array:
            child = state.children.get(self.index) if state.has_indices else None
        else:
            child = state.children.get(self.key_of_value)
        return state.wild if child is None else child

    def segment_of_value(self) -> Any:
        """Return the key or index of the value that began last, None for the root."""
        return self.index - 1 if self.in_array else self.key_of_value

    def place_of(self, depth: int, segment: Any) -> Segments:
        """Return the path of a value in the container at a depth."""
        return (*self.segments[1:depth], segment) if depth else ()

    # Matches

    def complete(self, state: State, value: Any) -> None:
        """Report a complete value in that state, the one that began last in a tracked container."""
        depth = len(self.states)
        if self.building and depth == self.base:
            self.building = False
            self.builder.root = UNDEFINED
        if state.ends is not None and self.remaining:
            place = self.place_of(depth, self.segment_of_value())
            for number in state.ends:
                self.add_match(place, value, number, True)
                if self.remaining > 0:
                    self.remaining -= 1
                    if self.remaining == 0:
                        self.finish_search()
                        break
        if state.done is not None:
            self.retire(state.done)

    def add_match(self, place: Segments, value: Any, number: int, is_final: bool) -> None:
        """Add a match of the pattern of that number."""
        self.matches.append(_new(Match, (place, value, self.paths[number], is_final, ())))

    def retire(self, numbers: tuple[int, ...]) -> None:
        """Note that those patterns can match nothing more."""
        for number in numbers:
            if self.alive[number]:
                self.alive[number] = False
                self.live -= 1
        if self.live == 0:
            self.finish_search()

    def finish_search(self) -> None:
        """Note that nothing more can match, and stop unless the text is to be read to its end."""
        self.is_done = True
        if self.stops:
            raise Stop

    def add_partial_matches(self) -> None:
        """Add the open matches, if this call changed them; the innermost first."""
        if self.building and self.builder.changed and self.remaining:
            self._add_partial_matches()

    def _add_partial_matches(self) -> None:
        builder = self.builder
        builder.publish()
        depth = len(self.states)
        state = self.string_state
        if state is not None and state.ends is not None:
            place = self.place_of(depth, self.segment_of_value())
            self.add_partial(state, place, self.last_value())
        state = self.leaf
        if state is not None:
            place = self.place_of(depth, self.segments[depth])
            self.add_partial(state, place, builder.spine[depth - self.base])
        while depth > self.base:
            depth -= 1
            state = self.states[depth]
            if state.ends is not None:
                place = self.place_of(depth, self.segments[depth])
                self.add_partial(state, place, builder.spine[depth - self.base])

    def add_partial(self, state: State, place: Segments, value: Any) -> None:
        """Add the open matches at a place."""
        if state.ends is not None:
            for number in state.ends:
                self.add_match(place, value, number, False)

    def last_value(self) -> Any:
        """Return the value that was built last in a tracked container."""
        builder = self.builder
        if len(self.states) == self.base:
            return builder.root
        current = builder.current
        return current[len(current) - 1] if self.in_array else current[self.key_of_value]

    # What the grammar reports

    def enter(self, is_array: bool) -> None:
        """Open a container."""
        ruled_out = None
        if self.untracked:
            self.untracked += 1
        else:
            state = self.next_state()
            if state is None:
                self.untracked = 1
            else:
                ruled_out = state.not_array if is_array else state.not_object
                if state.ends is not None and not self.building:
                    self.building = True
                    self.base = len(self.states)
                if state.is_leaf:
                    self.leaf = state
                    self.untracked = 1
                else:
                    if not state.is_expanded:
                        state.expand()
                    self.states.append(state)
                    self.tracked = state
        if self.building:
            if is_array:
                self.builder.begin_array()
            else:
                self.builder.begin_object()
        self.segments.append(self.index if self.in_array else self.key_of_value)
        self.in_array = is_array
        self.index = 0
        if ruled_out is not None:
            self.retire(ruled_out)

    def leave(self) -> None:
        """Close the innermost container."""
        segment = self.segments.pop()
        self.in_array = isinstance(segment, int)
        if self.in_array:
            self.index = segment + 1
        else:
            self.key_of_value = segment
        state: State | None = None
        if self.untracked:
            self.untracked -= 1
            if not self.untracked:
                state = self.leaf
                self.leaf = None
        else:
            state = self.states.pop()
            self.tracked = self.states[len(self.states) - 1] if self.states else None
        value: Any = None
        if self.building:
            value = self.builder.current
            self.builder.end_object()
        if state is not None:
            self.complete(state, value)

    def begin_object(self) -> None:
        self.enter(False)

    def end_object(self) -> None:
        self.leave()

    def begin_array(self) -> None:
        self.enter(True)

    def end_array(self) -> None:
        self.leave()

    def key(self, text: str) -> None:
        self.key_of_value = text
        if self.building:
            self.builder.key(text)

    def scalar(self, value: Any) -> None:
        """Receive a complete number or literal."""
        state: State | None = None
        if not self.untracked:
            state = self.next_state()
        if self.in_array:
            self.index += 1
        if self.building:
            self.builder.literal(value)
        if state is not None:
            self.complete(state, value)

    def number(self, value: Any, chars: str, start: int, end: int) -> None:
        self.scalar(value)

    def literal(self, value: bool | None) -> None:
        self.scalar(value)

    def open_scalar(self) -> None:
        """Note that a number or literal begins."""
        state = None if self.untracked else self.next_state()
        if state is not None and state.not_scalar is not None:
            self.retire(state.not_scalar)

    def open_number(self, chars: str, start: int, end: int) -> None:
        self.open_scalar()

    def open_literal(self, value: bool | None) -> None:
        self.open_scalar()

    def string(self, piece: str, starts: bool, ends: bool) -> None:
        state = self.string_state
        if starts:
            if not self.untracked:
                state = self.next_state()
            if self.in_array:
                self.index += 1
            if state is not None and state.ends is not None and not ends and not self.building:
                self.building = True
                self.base = len(self.states)
        if self.building:
            self.builder.string(piece, starts, ends)
        if state is not None:
            if starts and ends:
                self.complete(state, piece)
            elif ends:
                self.string_state = None
                self.complete(state, self.last_value() if self.building else None)
            elif starts:
                self.string_state = state
                if state.not_scalar is not None:
                    self.retire(state.not_scalar)

    def more(self, piece: str) -> None:
        if self.building:
            self.builder.more(piece)

    def document(self) -> None:
        """Do nothing: each match was added when its value was complete."""

    def error(self, error: ParserError, where: int) -> None:
        self.last_error = error
        self.error_path = self._path_at(where)

    def repair(self, repair: Repair, where: int) -> Repair:
        return repair._replace(path=self._path_at(where))

    def _path_at(self, where: int) -> str:
        """Return the path of an error or a repair."""
        segments = self.segments[1:]
        if where != IN_CONTAINER and self.segments:
            segments.append(self.index - (where == IN_STRING) if self.in_array else self.key_of_value)
        return format_path("root", segments)
