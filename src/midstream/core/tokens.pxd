cimport cython

from .chars cimport Chars, chars_of, is_at, slice_of
from .machine cimport Machine, disable_fast_path, enable_fast_path
from .modes cimport *
from .numbers cimport NumberReader
from .recovery cimport fail, fail_finally
from .strings cimport StringReader, cached_key
from .structure cimport end_root, end_value
from .visitor cimport Visitor

@cython.locals(strings=StringReader, piece=str, closed=bint, failure=object)
cdef Py_ssize_t read_string(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t j, Py_ssize_t n,
    bint starts, bint cut, Visitor visitor
) except -1
@cython.locals(numbers=NumberReader, j=Py_ssize_t)
cdef Py_ssize_t read_number(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, Visitor visitor
) except -1
@cython.locals(numbers=NumberReader, text=str)
cdef int finish_number(Machine machine, Visitor visitor) except -1
@cython.locals(word=str, at=Py_ssize_t, end=Py_ssize_t, c=Py_UCS4, begins=bint)
cdef Py_ssize_t read_literal(Machine machine, Chars chars, Py_ssize_t i, Py_ssize_t n, Visitor visitor) except -1
cdef object _literal_value(str word)
