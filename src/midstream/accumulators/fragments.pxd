cimport cython

from .base cimport Accumulator
from ..core.chars cimport ascii_slice
from ..core.grammar cimport feed, finish
from ..core.modes cimport IN_CONTAINER, IN_NEXT_VALUE
from ..core.text cimport TextBuffer
from .reentrancy cimport release
from .update cimport JsonFragmentUpdate, Emitter, list_with_room

cdef object START_OBJECT, END_OBJECT, START_ARRAY, END_ARRAY, KEY
cdef object START_STRING, PARTIAL_STRING, COMPLETE_STRING
cdef object COMPLETE_NUMBER, COMPLETE_BOOLEAN, COMPLETE_NULL, JSON_COMPLETE, ERROR, REPAIR
cdef list _NONE
cdef Py_ssize_t _FEW

cdef class FragmentVisitor(Emitter):
    cdef bint in_array
    cdef Py_ssize_t index
    cdef TextBuffer text
    cdef inline int _begin_item(self) except -1
    cdef object _segment_at(self, int where)
    cdef int _enter(self, object kind) except -1
    @cython.locals(pair=tuple)
    cdef int _leave(self, object kind) except -1

cdef class JsonFragmentAccumulator(Accumulator):
    cdef object _root
    cdef Py_ssize_t _room
    @cython.locals(visitor=FragmentVisitor, updates=list)
    cpdef list add_fragment(self, object fragment)
    @cython.locals(visitor=FragmentVisitor, updates=list)
    cpdef list finish(self)
