cimport cython

from ..core.chars cimport ascii_slice, chars_of
from ..core.visitor cimport Visitor

cdef class OpenContainer:
    cdef object id, parent_id, before
    cdef bint is_array
    cdef list items, keys
    cdef str last_key
    cdef int add(self, object node) except -1
    cdef object freeze(self, bint closed, object last)

cdef class TreeVisitor(Visitor):
    cdef readonly object root, pending_key
    cdef readonly Py_ssize_t next_id
    cdef readonly bint thawed
    cdef list spine
    cdef OpenContainer top
    cdef Py_ssize_t string_id
    cdef object rope
    @cython.locals(container=OpenContainer)
    cdef int _thaw(self) except -1
    @cython.locals(container=OpenContainer, depth=Py_ssize_t)
    cpdef object freeze(self)
    @cython.locals(container=OpenContainer)
    cpdef tuple stack(self)
    cdef object _parent_id(self)
    cdef object _new_id(self)
    cdef int _add(self, object node) except -1
    cdef int _enter(self, bint is_array) except -1
    @cython.locals(container=OpenContainer)
    cdef int _leave(self) except -1
    cdef int _close_until(self, object id_) except -1
    @cython.locals(container=OpenContainer)
    cpdef str brackets(self)
