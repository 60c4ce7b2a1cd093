cimport cython

from ..accumulators.update cimport JsonFragmentUpdate
from .cursor cimport (
    DO_ARRAY, DO_DOCUMENT, DO_END, DO_KEY, DO_LITERAL, DO_NUMBER, DO_OBJECT, DO_STRING, Cursor
)

cdef object COMPLETE_BOOLEAN, COMPLETE_NUMBER, COMPLETE_STRING, ERROR, KEY, PARTIAL_STRING, REPAIR

cdef bint _is_well_formed(object kind, object text, object value)

cdef class UpdateReader:
    cdef Cursor _cursor
    cdef object _max_repairs
    cdef list _repairs
    @cython.locals(cursor=Cursor, place=tuple, repair_count=Py_ssize_t, calls=list)
    cpdef list read(self, object updates)
    @cython.locals(given=JsonFragmentUpdate, pair=tuple)
    cdef int _accept(self, object update) except -1
