cimport cython

from ..core.chars cimport chars_of
from .cursor cimport (
    DO_ARRAY, DO_END, DO_KEY, DO_LITERAL, DO_NUMBER, DO_OBJECT, DO_STRING, Cursor
)
from ..accumulators.reentrancy cimport ReentrancyGuard, release
from ..accumulators.update cimport JsonFragmentUpdate
from ..accumulators.values cimport ValueVisitor

cdef object COMPLETE_BOOLEAN, COMPLETE_NUMBER, COMPLETE_STRING, ERROR, KEY, PARTIAL_STRING

cdef bint _is_well_formed(object kind, object text, object value)

cdef class JsonFragmentRebuilder(ReentrancyGuard):
    cdef ValueVisitor _visitor
    cdef Cursor _cursor
    cdef object _root, _limits
    cpdef reset(self)
    cdef int _start(self) except -1
    @cython.locals(given=JsonFragmentUpdate, pair=tuple)
    cdef int _accept(self, object update) except -1
    @cython.locals(visitor=ValueVisitor, call=int, starts=bint, ends=bint)
    cdef bint _make_calls(self) except -1
