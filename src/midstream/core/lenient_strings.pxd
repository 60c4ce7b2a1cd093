cimport cython

from .chars cimport Chars, comma_before, content_end, slice_of
from .lenient_escapes cimport read_escape
from .look_ahead cimport CLOSERS, names_quoted_member, quote_verdict, skip_space
from .machine cimport Machine, disable_fast_path, enable_fast_path
from .modes cimport *
from .recovery cimport count_lines, fail
from .repairs cimport hold, report
from .strings cimport _hex_digit, _simple, cached_key
from .structure cimport end_root
from .visitor cimport Visitor

@cython.locals(is_key=bint, is_complete=bint, may_end=bint)
cdef Py_ssize_t begin_string(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t j, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4, is_key=bint, flags=cython.int, end=Py_ssize_t)
cdef Py_ssize_t begin_odd_string(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
cdef int _open(Machine machine, bint is_key, str quotes, int flags) except -1
@cython.locals(
    c=Py_UCS4, quotes=str, is_final=bint, may_end=bint, start=Py_ssize_t, j=Py_ssize_t, k=Py_ssize_t,
    comma=Py_ssize_t, end=Py_ssize_t, verdict=cython.int, simple=str, flags=cython.int, is_usual=bint,
)
cdef Py_ssize_t read_lenient_string(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(k=Py_ssize_t, code=cython.int, digit=cython.int)
cdef str _code_unit(Chars chars, Py_ssize_t i)
@cython.locals(c=Py_UCS4)
cdef bint _is_usual_end(Machine machine, Chars chars, Py_ssize_t j, Py_ssize_t n, bint is_key) except -1
@cython.locals(room=Py_ssize_t, piece=str, has_escapes=bint)
cdef int _add(Machine machine, str text, Chars chars, Py_ssize_t start, Py_ssize_t end, Visitor visitor) except -1
cdef Py_ssize_t _too_long(Machine machine, Py_ssize_t i, Visitor visitor) except -1
@cython.locals(key=str, piece=str)
cdef Py_ssize_t _end(
    Machine machine, str text, Chars chars, Py_ssize_t start, Py_ssize_t j, Py_ssize_t end, Visitor visitor
) except -1
@cython.locals(stop=Py_ssize_t)
cdef Py_ssize_t _end_without_quote(
    Machine machine, str text, Chars chars, Py_ssize_t start, Py_ssize_t comma, Py_ssize_t quote, Visitor visitor
) except -1
