"""Path patterns as an automaton: which of them a place in the document matches, or may match further down.

The states are sets of positions in the patterns, as in the subset construction for finite automata: if one
pattern names a key and another has a wildcard in its place, the key leads to a state with the next position
of both. The transitions of a state are computed when the first container in that state is entered. So only
the parts of the patterns that the document reaches cost anything, and a step costs one lookup in a dict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import cython_shim as cython
from ..patterns import ANY

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from ..patterns import Pattern, Step

__all__ = ["Automaton", "State"]


@cython.final
@cython.cclass
class Automaton:
    """Hold the states of a list of patterns."""

    __slots__ = ("patterns", "root", "states", "surely")

    def __init__(self, patterns: list[Pattern]) -> None:
        self.patterns = patterns
        # for each pattern, the number of steps before its first wildcard: they lead to one place only
        self.surely = [_concrete_length(pattern) for pattern in patterns]
        self.states: dict[Any, State] = {}
        self.root: State = self.state_of([(number, 0) for number in range(len(patterns))])

    def state_of(self, positions: list[tuple[int, int]]) -> State:
        """Return the state for a set of positions, the same one for the same set."""
        key = tuple(sorted(positions))
        state: State | None = self.states.get(key)
        if state is None:
            state = State(self, key)
            self.states[key] = state
        return state


@cython.final
@cython.cclass
class State:
    """A set of positions: pairs of a pattern's number and how many of its steps lead here.

    ``ends`` are the patterns that match here. The others list patterns that can match nothing more: ``done``
    when a value in this state is complete, ``not_scalar``, ``not_object`` and ``not_array`` when a value of
    that kind begins. A pattern with a wildcard among the steps that led here may still match elsewhere, so it
    is in none of them.
    """

    __slots__ = (
        "automaton",
        "children",
        "done",
        "ends",
        "has_indices",
        "is_expanded",
        "is_leaf",
        "not_array",
        "not_object",
        "not_scalar",
        "positions",
        "wild",
    )

    def __init__(self, automaton: Automaton, positions: tuple[tuple[int, int], ...]) -> None:
        self.automaton = automaton
        self.positions = positions
        self.children: dict[Any, State] = {}
        # the state after a step that no pattern names
        self.wild: State | None = None
        # whether `children` has indices as well as keys
        self.has_indices = False
        self.is_expanded = False
        ends: list[int] = []
        done: list[int] = []
        not_scalar: list[int] = []
        not_object: list[int] = []
        not_array: list[int] = []
        self.is_leaf = True
        for number, at in positions:
            pattern = self.automaton.patterns[number]
            is_sure = at <= self.automaton.surely[number]
            if is_sure:
                done.append(number)
            if at == len(pattern):
                ends.append(number)
                continue
            self.is_leaf = False
            if is_sure:
                not_scalar.append(number)
                if isinstance(pattern[at], int):
                    not_object.append(number)
                elif pattern[at] is not ANY:
                    not_array.append(number)
        self.ends = tuple(ends) or None
        self.done = tuple(done) or None
        self.not_scalar = tuple(not_scalar) or None
        self.not_object = tuple(not_object) or None
        self.not_array = tuple(not_array) or None

    def expand(self) -> None:
        """Compute the states to which the steps lead."""
        self.is_expanded = True
        named: dict[Step, list[tuple[int, int]]] = {}
        anywhere: list[tuple[int, int]] = []
        for number, at in self.positions:
            pattern = self.automaton.patterns[number]
            if at == len(pattern):
                continue
            step = pattern[at]
            if step is ANY:
                anywhere.append((number, at + 1))
            else:
                named.setdefault(step, []).append((number, at + 1))
        if anywhere:
            self.wild = self.automaton.state_of(anywhere)
        for step, positions in named.items():
            self.children[step] = self.automaton.state_of(positions + anywhere)
            if isinstance(step, int):
                self.has_indices = True


def _concrete_length(pattern: Pattern) -> int:
    return pattern.index(ANY) if ANY in pattern else len(pattern)
