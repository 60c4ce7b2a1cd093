cimport cython

from .chars cimport Chars, chars_of
from .look_ahead cimport (
    NAME, WORDS, begins_word, comment_at, is_name_char, is_name_start, is_odd_space, is_quote, names_member,
    names_quoted_member, separates_members, skip_space, strict_stop,
)
from .machine cimport Machine
from .modes cimport *
from .numbers cimport _INT, NumberReader, _step
from .recovery cimport fail
from .repairs cimport hold, is_wrapped, report, wrap
from .structure cimport end_root, end_value
from .visitor cimport Visitor

cdef object _match_number, _is_number, _is_json_number, _match_thousands, _may_be_thousands

@cython.locals(
    c=Py_UCS4, after=cython.int, state=cython.int, step=cython.int, j=Py_ssize_t, length=Py_ssize_t, word=str
)
cdef Py_ssize_t begin_bare(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(numbers=NumberReader, j=Py_ssize_t)
cdef Py_ssize_t _read_number(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, Visitor visitor
) except -1
@cython.locals(
    token=str, j=Py_ssize_t, stop=Py_ssize_t, limit=Py_ssize_t, odd=Py_ssize_t, is_long=bint, is_number=bint,
    verdict=cython.int,
)
cdef Py_ssize_t _begin_number(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(j=Py_ssize_t)
cdef Py_ssize_t _odd_place(str token) except -2
cdef str _plain_number(str token)
@cython.locals(numbers=NumberReader, written=str)
cdef Py_ssize_t _emit_number(Machine machine, str token, Py_ssize_t j, Visitor visitor) except -1
@cython.locals(word=str, first=Py_ssize_t, j=Py_ssize_t, is_short=bint, is_word=bint, verdict=cython.int)
cdef Py_ssize_t _begin_name(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4, k=Py_ssize_t, e=Py_ssize_t)
cdef int _follows(Machine machine, str text, Py_ssize_t j, Py_ssize_t n, bint is_final) except -2
cdef Py_ssize_t begin_bare_string(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t stop, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(c=Py_UCS4, is_final=bint, last=Py_ssize_t, j=Py_ssize_t, after=cython.int, verdict=cython.int)
cdef Py_ssize_t read_bare_string(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
@cython.locals(
    c=Py_UCS4, begins=bint, is_final=bint, is_half_quoted=bint, is_short=bint, code=object, last=Py_ssize_t, j=Py_ssize_t, k=Py_ssize_t,
    verdict=cython.int,
)
cdef Py_ssize_t read_bare_key(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, int final, Visitor visitor
) except -1
