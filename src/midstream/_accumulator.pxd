from ._grammar cimport Grammar
from ._visitor cimport Visitor

cdef class Accumulator:
    cdef Grammar _grammar
    cdef Visitor _visitor
    cdef dict _options
    cdef object _parse_int, _parse_float
    cdef bint _raises
    cdef Visitor _new_visitor(self)
    cdef int _raise(self, list updates) except -1
