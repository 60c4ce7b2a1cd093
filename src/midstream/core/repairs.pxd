cimport cython

from .machine cimport Machine
from .modes cimport *
from .text cimport TextBuffer
from .visitor cimport Visitor

cdef Py_ssize_t _LONG

cdef int report(Machine machine, object code, str text, Py_ssize_t at, Py_ssize_t i, Visitor visitor) except -1
@cython.locals(index=Py_ssize_t, line=Py_ssize_t, line_start=Py_ssize_t, lines=Py_ssize_t, column=Py_ssize_t, mode=cython.int, where=cython.int)
cdef int _record(Machine machine, object code, str text, Py_ssize_t at, Py_ssize_t i, Visitor visitor) except -1
cdef Py_ssize_t hold(Machine machine, str text, Py_ssize_t i, Py_ssize_t n) except -1
@cython.locals(length=Py_ssize_t)
cdef bint take_back(Machine machine, str text, bint is_final) except -1
cdef str resumed(Machine machine, str text)
cdef int wrap(Machine machine, bint is_call) except -1
@cython.locals(wrappers=list, depth=Py_ssize_t)
cdef int forget_closed(Machine machine) except -1
@cython.locals(wrappers=list)
cdef bint is_wrapped(Machine machine) except -1
@cython.locals(begin=Py_ssize_t, end=Py_ssize_t)
cdef int note_line(Machine machine, str text) except -1
cdef Py_ssize_t begin_comment(Machine machine, str text, Py_ssize_t i, bint is_block, Visitor visitor) except -1
@cython.locals(end=Py_ssize_t, j=Py_ssize_t, lines=Py_ssize_t)
cdef Py_ssize_t read_comment(Machine machine, str text, Py_ssize_t i, Py_ssize_t n, int final) except -1
