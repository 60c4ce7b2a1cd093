cdef class Automaton:
    cdef list patterns, surely
    cdef dict states
    cdef readonly State root
    cdef State state_of(self, list positions)

cdef class State:
    cdef Automaton automaton
    cdef dict children
    cdef State wild
    cdef tuple positions, ends, done, not_scalar, not_object, not_array
    cdef bint has_indices, is_expanded, is_leaf
    cdef int expand(self) except -1
