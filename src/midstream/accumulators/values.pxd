cimport cython

from ..core.grammar cimport feed, finish
from ..core.machine cimport Machine, new_machine
from .base cimport Accumulator
from .reentrancy cimport release
from .value_visitor cimport NO_DOCUMENTS, ValueVisitor

cdef class JsonValueAccumulator(Accumulator):
    @cython.locals(visitor=ValueVisitor)
    cpdef bint add_fragment(self, object fragment) except -1
    @cython.locals(visitor=ValueVisitor)
    cpdef bint finish(self) except -1
    @cython.locals(visitor=ValueVisitor, begun=bint)
    cdef object _publish(self)
    @cython.locals(visitor=ValueVisitor, begun=bint)
    cdef object _open_path(self)
    @cython.locals(visitor=ValueVisitor, begun=bint)
    cpdef list _changed_values(self)
