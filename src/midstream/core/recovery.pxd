cimport cython

from .machine cimport Machine, disable_fast_path
from .modes cimport *
from .structure cimport close_container
from .text cimport TextBuffer
from .visitor cimport Visitor

@cython.locals(mode=cython.int)
cdef Py_ssize_t fail(Machine machine, object code, Py_ssize_t i, Visitor visitor) except -1
cdef int fail_finally(Machine machine, object code, Py_ssize_t i, Visitor visitor) except -1
@cython.locals(index=Py_ssize_t, mode=cython.int, where=cython.int)
cdef object _report(Machine machine, object code, Py_ssize_t i, Visitor visitor)
@cython.locals(c=Py_UCS4)
cdef Py_ssize_t skip(Machine machine, str text, Py_ssize_t i, Py_ssize_t n, Visitor visitor) except -1
cdef int _mode_for_missing_separator(Machine machine, Py_UCS4 c) except -1
cdef bint is_open(Machine machine, Py_UCS4 c) except -1
@cython.locals(fits=cython.int, count=Py_ssize_t, root=cython.int)
cdef int close_to(Machine machine, Py_UCS4 c, Py_ssize_t i, Visitor visitor) except -1
cdef Py_ssize_t read_after_root(Machine machine, str text, Py_ssize_t i, Py_ssize_t n) except -1
@cython.locals(lines=Py_ssize_t)
cdef int count_lines(Machine machine, str text, Py_ssize_t i, Py_ssize_t n) except -1
