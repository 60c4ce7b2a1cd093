cimport cython

from ..core.modes cimport IN_CONTAINER, IN_STRING
from ..core.text cimport TextBuffer
from ..core.visitor cimport Visitor

# The number of references to a container: more than the visitor's own mean that a reader kept a snapshot of
# it. Without the GIL, reference counts are not reliable, and every container counts as kept.
cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED
    #define MIDSTREAM_REFERENCES(o) PY_SSIZE_T_MAX
    #else
    #define MIDSTREAM_REFERENCES(o) Py_REFCNT(o)
    #endif
    """
    Py_ssize_t references "MIDSTREAM_REFERENCES" (object container)

cdef Py_ssize_t _OWN_REFERENCES
cdef list NO_DOCUMENTS

cdef class ValueVisitor(Visitor):
    cdef object root, current
    cdef bint in_array, in_string, stale, published, changed, touched
    cdef str key_of_value
    cdef list spine, keys, changed_values, pairs
    cdef int begin_call(self) except -1
    cdef readonly list documents
    cdef TextBuffer text
    cdef object publish(self)
    cdef object open_path(self)
    @cython.locals(depth=Py_ssize_t)
    cdef tuple _path(self)
    @cython.locals(depth=Py_ssize_t)
    cdef tuple _pair(self)
    @cython.locals(place=tuple)
    cdef tuple _place_at(self, int where)
    @cython.locals(depth=Py_ssize_t)
    cdef int _copy_spine(self) except -1
    @cython.locals(items=list, members=dict)
    cdef inline int _replace_last(self, object parent, str key, object value) except -1
    @cython.locals(items=list, members=dict)
    cdef int _put(self, object value) except -1
    cdef inline int _flush_text(self) except -1
    cdef int _end_string(self) except -1
    cdef int _enter(self, object container, bint is_array) except -1
    cdef int _leave(self) except -1
