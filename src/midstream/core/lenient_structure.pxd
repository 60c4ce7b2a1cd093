cimport cython

from .bare_tokens cimport begin_bare, begin_bare_string, read_bare_key, read_bare_string
from .chars cimport Chars
from .lenient_strings cimport begin_odd_string
from .look_ahead cimport comment_at, ellipsis_at, is_name_start, is_odd_space, is_quote, names_member
from .machine cimport Machine
from .modes cimport *
from .recovery cimport close_to, fail, is_open
from .repairs cimport begin_comment, forget_closed, hold, is_wrapped, read_comment, report, wrap
from .structure cimport close_container, end_value, open_container
from .visitor cimport Visitor

@cython.locals(mode=cython.int)
cdef Py_ssize_t continue_lenient(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4, mode=cython.int, is_final=bint, verdict=cython.int)
cdef Py_ssize_t repair(
    Machine machine, object code, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4)
cdef Py_ssize_t _repair_root(
    Machine machine, object code, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
cdef Py_ssize_t _open_tuple(
    Machine machine, str text, Py_ssize_t i, Visitor visitor
) except -1
@cython.locals(wrappers=list, depth=Py_ssize_t, innermost=Py_ssize_t)
cdef bint _close_parenthesis(
    Machine machine, str text, Py_ssize_t i, Visitor visitor
) except -1
cdef int _add_null(
    Machine machine, str text, Py_ssize_t i, Visitor visitor
) except -1
cdef int _complete_member(
    Machine machine, str text, Py_ssize_t i, Visitor visitor
) except -1
cdef Py_ssize_t _skip(
    Machine machine, str text, Py_ssize_t i, Visitor visitor
) except -1
cdef Py_ssize_t _drop(
    Machine machine, object code, str text, Py_ssize_t i, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4)
cdef Py_ssize_t _close_other(
    Machine machine, str text, Py_ssize_t i, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4)
cdef Py_ssize_t _repair_value(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4)
cdef Py_ssize_t _repair_item(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4)
cdef Py_ssize_t _begin_value(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4)
cdef Py_ssize_t _repair_key(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4)
cdef Py_ssize_t _repair_colon(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4, is_item=bint, is_missing=bint, next_mode=cython.int, verdict=cython.int)
cdef Py_ssize_t _repair_separator(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(j=Py_ssize_t)
cdef bint _is_line_start(
    Machine machine, str text, Py_ssize_t i
) except -1
@cython.locals(j=Py_ssize_t, length=Py_ssize_t)
cdef int _closing_fence(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, bint is_final
) except -2
