cimport cython

from .machine cimport Machine
from .modes cimport *
from .numbers cimport _step, is_part
from .repairs cimport is_wrapped

cdef enum:
    NAME = 64

cdef dict CLOSERS, WORDS

cdef bint is_quote(Py_UCS4 c) except -1
cdef bint is_odd_space(Py_UCS4 c) except -1
cdef bint is_name_start(Py_UCS4 c) except -1
cdef bint is_name_char(Py_UCS4 c) except -1
cdef bint begins_word(str word) except -1
@cython.locals(c=Py_UCS4)
cdef Py_ssize_t skip_space(str text, Py_ssize_t i, Py_ssize_t n) except -1
cdef Py_ssize_t skip_json_space(str text, Py_ssize_t i, Py_ssize_t n) except -1
@cython.locals(c=Py_UCS4)
cdef int comment_at(str text, Py_ssize_t i, Py_ssize_t n, bint is_spaced, bint is_final) except -2
@cython.locals(c=Py_UCS4, j=Py_ssize_t)
cdef int ellipsis_at(str text, Py_ssize_t i, Py_ssize_t n, bint is_final) except -2
@cython.locals(j=Py_ssize_t, k=Py_ssize_t)
cdef int names_member(str text, Py_ssize_t i, Py_ssize_t n, bint is_final) except -2
@cython.locals(c=Py_UCS4, j=Py_ssize_t, k=Py_ssize_t)
cdef int names_quoted_member(str text, Py_ssize_t i, Py_ssize_t n, str quotes, bint is_final) except -2
@cython.locals(c=Py_UCS4, k=Py_ssize_t)
cdef int separates_members(str text, Py_ssize_t i, Py_ssize_t n, bint is_final) except -2
@cython.locals(verdict=cython.int, found=cython.int)
cdef int _separates_items(str text, Py_ssize_t i, Py_ssize_t n, bint is_final) except -2
@cython.locals(c=Py_UCS4, j=Py_ssize_t, k=Py_ssize_t)
cdef int _begins_value(str text, Py_ssize_t i, Py_ssize_t n, bint is_final) except -2
@cython.locals(c=Py_UCS4, k=Py_ssize_t, verdict=cython.int, is_next_line=bint)
cdef int quote_verdict(Machine machine, str text, Py_ssize_t i, Py_ssize_t n, bint is_final) except -2
@cython.locals(c=Py_UCS4, j=Py_ssize_t)
cdef int _key_verdict(Machine machine, str text, Py_ssize_t i, Py_ssize_t k, Py_ssize_t n, bint is_final) except -2
cdef bint _may_close_fence(Machine machine, Py_UCS4 c) except -1
@cython.locals(c=Py_UCS4, j=Py_ssize_t)
cdef int _joins(Machine machine, str text, Py_ssize_t k, Py_ssize_t n, bint is_final) except -2
@cython.locals(c=Py_UCS4, j=Py_ssize_t, state=cython.int, step=cython.int, word=str)
cdef Py_ssize_t strict_stop(str text, Py_ssize_t i, Py_ssize_t n) except -1
