cimport cython

from ._text cimport TextBuffer

cdef int _START, _MINUS, _POINT, _E, _SIGN, _ZERO, _INT, _FRACTION, _EXPONENT, _STUCK
cdef list _POWERS

cdef int _step(int state, Py_UCS4 c) noexcept
cdef bint is_part(Py_UCS4 c) noexcept
@cython.locals(
    i=Py_ssize_t, mantissa=cython.longlong, digits=cython.int, fraction=cython.int, exponent=cython.int,
    negative=bint, shrinks=bint, integral=bint, c=Py_UCS4, real=cython.double,
)
cdef object _exact(str text, Py_ssize_t start, Py_ssize_t end)

cdef class NumberReader:
    cdef Py_ssize_t limit, room
    cdef int state
    cdef bint convert_exactly, done
    cdef object parse_int, parse_float, value, failure, cause
    cdef TextBuffer pieces
    cdef str whole
    cdef int begin(self) except -1
    @cython.locals(state=cython.int, step=cython.int, j=Py_ssize_t)
    cdef Py_ssize_t read(self, str text, Py_ssize_t i, Py_ssize_t n) except -1
    cdef int finish(self) except -1
    cdef int _convert_pieces(self) except -1
    cdef int _convert(self, str text, Py_ssize_t start, Py_ssize_t end, bint integral) except -1
    cdef Py_ssize_t _fail(self, object failure, Py_ssize_t at) except -1
    cpdef int load(self, int state, str text) except -1
    @cython.locals(other=NumberReader)
    cdef NumberReader clone(self, TextBuffer pieces)
