cimport cython

from .look_ahead cimport is_quote
from .machine cimport Machine
from .modes cimport *
from .recovery cimport fail
from .repairs cimport report
from .strings cimport _hex_digit, _simple
from .visitor cimport Visitor

@cython.locals(c=Py_UCS4, j=Py_ssize_t, simple=str)
cdef Py_ssize_t read_escape(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, bint is_final, Visitor visitor
) except -2
cdef Py_ssize_t _accept(Machine machine, str c, Py_ssize_t end, Visitor visitor) except -2
@cython.locals(
    kind=Py_UCS4, j=Py_ssize_t, first=Py_ssize_t, most=Py_ssize_t, code=cython.ulonglong, digit=cython.int,
    is_braced=bint, is_valid=bint,
)
cdef Py_ssize_t _read_code(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, bint is_final, Visitor visitor
) except -2
@cython.locals(c=Py_UCS4, k=Py_ssize_t, low=cython.int, digit=cython.int)
cdef Py_ssize_t _read_unit(
    Machine machine, str text, Py_ssize_t j, Py_ssize_t n, Py_ssize_t code, bint is_final, Visitor visitor
) except -2
@cython.locals(c=Py_UCS4, j=Py_ssize_t, simple=str)
cdef Py_ssize_t _read_twice_escaped(
    Machine machine, str text, Py_ssize_t i, Py_ssize_t n, Visitor visitor
) except -2
cdef int _add_character(Machine machine, str c, Visitor visitor) except -1
