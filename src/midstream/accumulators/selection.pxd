cimport cython

from ..core.modes cimport IN_CONTAINER, IN_STRING
from ..core.visitor cimport Visitor
from .automaton cimport Automaton, State
from .value_visitor cimport ValueVisitor

cdef class SelectionVisitor(Visitor):
    cdef Automaton automaton
    cdef ValueVisitor builder
    cdef State tracked, leaf, string_state
    cdef list paths, states, segments, matches, alive
    cdef object key_of_value
    cdef bint building, in_array, is_done, stops
    cdef Py_ssize_t base, untracked, index, live, remaining
    @cython.locals(state=State, child=State)
    cdef State next_state(self)
    cdef object segment_of_value(self)
    cdef tuple place_of(self, Py_ssize_t depth, object segment)
    @cython.locals(depth=Py_ssize_t)
    cdef int complete(self, State state, object value) except -1
    cdef int add_match(self, tuple place, object value, Py_ssize_t number, bint is_final) except -1
    cdef int retire(self, tuple numbers) except -1
    cdef int finish_search(self) except -1
    cdef int add_partial_matches(self) except -1
    @cython.locals(builder=ValueVisitor, state=State, depth=Py_ssize_t)
    cdef int _add_partial_matches(self) except -1
    cdef int add_partial(self, State state, tuple place, object value) except -1
    @cython.locals(builder=ValueVisitor)
    cdef object last_value(self)
    @cython.locals(state=State, ruled_out=tuple)
    cdef int enter(self, bint is_array) except -1
    @cython.locals(state=State)
    cdef int leave(self) except -1
    @cython.locals(state=State)
    cdef int open_scalar(self) except -1
    @cython.locals(state=State)
    cdef int scalar(self, object value) except -1
    cdef str _path_at(self, int where)
