cimport cython

from ..core.grammar cimport feed, finish
from ..core.visitor cimport Visitor
from .automaton cimport Automaton
from .base cimport Accumulator
from .reentrancy cimport release
from .selection cimport SelectionVisitor

cdef class JsonSelectAccumulator(Accumulator):
    cdef list _paths, _errors
    cdef dict _validators
    cdef Automaton _automaton
    cdef bint _partial, _to_end, _many
    cdef object _on_invalid, _native
    cdef Py_ssize_t _limit
    @cython.locals(visitor=SelectionVisitor)
    cdef bint _is_done(self) except -1
    cpdef list add_fragment(self, object fragment)
    cpdef list finish(self)
    @cython.locals(visitor=SelectionVisitor, matches=list)
    cdef list _run(self, object fragment)
    @cython.locals(i=Py_ssize_t)
    cdef int _validate(self, list matches) except -1
