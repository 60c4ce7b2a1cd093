cimport cython

from ..core.chars cimport chars_of
from .cursor cimport DO_ARRAY, DO_END, DO_KEY, DO_LITERAL, DO_NUMBER, DO_OBJECT, DO_STRING
from .reader cimport UpdateReader
from ..accumulators.reentrancy cimport ReentrancyGuard, release
from ..accumulators.value_visitor cimport ValueVisitor

cdef class JsonFragmentRebuilder(ReentrancyGuard):
    cdef ValueVisitor _visitor
    cdef UpdateReader _reader
    cdef object _root, _limits
    cpdef reset(self)
    cdef int _start(self) except -1
    @cython.locals(visitor=ValueVisitor, call=int, starts=bint, ends=bint)
    cdef bint _make_calls(self, list calls) except -1
