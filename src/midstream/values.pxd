cimport cython

from ._accumulator cimport Accumulator
from ._grammar cimport Grammar
from ._modes cimport IN_CONTAINER, IN_STRING
from ._text cimport TextBuffer
from ._visitor cimport Visitor

cdef class ValueVisitor(Visitor):
    cdef object root, current
    cdef bint in_array, stale, published, changed
    cdef str key_of_value
    cdef list spine, keys
    cdef readonly list documents
    cdef TextBuffer text
    cdef object publish(self)
    @cython.locals(depth=Py_ssize_t)
    cdef int _copy_spine(self) except -1
    cdef int _place(self, object above, str key, object value) except -1
    @cython.locals(items=list, members=dict)
    cdef int _put(self, object value) except -1
    cdef int _settle(self) except -1
    cdef int _enter(self, object container, bint is_array) except -1
    cdef int _leave(self) except -1

cdef class JsonValueAccumulator(Accumulator):
    @cython.locals(visitor=ValueVisitor)
    cpdef bint add_fragment(self, object fragment) except -1
    @cython.locals(visitor=ValueVisitor)
    cpdef bint finish(self) except -1
    @cython.locals(visitor=ValueVisitor)
    cdef object _publish(self)
