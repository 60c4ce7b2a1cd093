from ..core.machine cimport Machine, new_machine
from .reentrancy cimport ReentrancyGuard, release
from ..core.visitor cimport Visitor

cdef class Accumulator(ReentrancyGuard):
    cdef Machine _machine
    cdef Visitor _visitor
    cdef object _limits, _parse_int, _parse_float
    cdef object _on_error, _after_root, _dialect
    cdef bint _raises
    cdef int _check_options(self, object on_error, object after_root, object limits, object parse_int, object parse_float, object dialect=*) except -1
    cdef int _set_up(self, object on_error, object after_root, object limits, object parse_int, object parse_float, object dialect=*) except -1
    cpdef reset(self)
    cdef int _start(self) except -1
    cdef Visitor _new_visitor(self)
    cdef int _raise(self, list updates) except -1
