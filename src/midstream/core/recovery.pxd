cimport cython

from .machine cimport Machine
from .modes cimport *
from .text cimport TextBuffer
from .visitor cimport Visitor

cdef class Recovery(Machine):
    cdef int _fail_finally(self, object code, Py_ssize_t i, Visitor visitor) except -1
    @cython.locals(index=Py_ssize_t, mode=cython.int, where=cython.int)
    cdef Py_ssize_t _fail(self, object code, Py_ssize_t i, Visitor visitor) except -1
    @cython.locals(c=Py_UCS4)
    cdef Py_ssize_t _skip(self, str text, Py_ssize_t i, Py_ssize_t n, Visitor visitor) except -1
    cdef int _mode_for_missing_separator(self, Py_UCS4 c) except -1
    cdef bint _is_open(self, Py_UCS4 c) except -1
    @cython.locals(fits=cython.int, count=Py_ssize_t, root=cython.int)
    cdef int _close_to(self, Py_UCS4 c, Py_ssize_t i, Visitor visitor) except -1
    cdef Py_ssize_t _read_after_root(self, str text, Py_ssize_t i, Py_ssize_t n) except -1
    @cython.locals(lines=Py_ssize_t)
    cdef int _count_lines(self, str text, Py_ssize_t i, Py_ssize_t n) except -1
