cimport cython

from ._chars cimport Chars, content_end, is_at, slice_of

cdef enum:
    _NOWHERE = 0
    _BACKSLASH = 1
    _FIRST_DIGIT = 2
    _COMPLETE = 6
    _SLOTS = 64
    _LONG = 64

cdef str _simple(Py_UCS4 c)
cdef int _hex_digit(Py_UCS4 c) noexcept

cdef class StringReader:
    cdef Py_ssize_t limit, room
    cdef int place, code, high
    cdef str piece
    cdef bint closed, is_key
    cdef list memo
    cdef object failure
    cdef int begin(self, bint is_key) except -1
    @cython.locals(first=Py_UCS4, last=Py_UCS4, slot=Py_ssize_t, key=str)
    cdef str recall(self, str text, Chars chars, Py_ssize_t i, Py_ssize_t j)
    @cython.locals(c=Py_UCS4)
    cdef Py_ssize_t read(self, str text, Chars chars, Py_ssize_t i, Py_ssize_t j, Py_ssize_t n) except -1
    @cython.locals(c=Py_UCS4, parts=list)
    cdef Py_ssize_t _read_escapes(self, str text, Chars chars, Py_ssize_t i, Py_ssize_t j, Py_ssize_t n) except -1
    @cython.locals(digit=cython.int, code=cython.int)
    cdef bint _read_escape(self, Py_UCS4 c, list parts) except -1
    cdef int _release(self, list parts) except -1
    cdef bint _make_room(self) except -1
    cdef str finish(self)
    cpdef int load(self, Py_ssize_t used, int place, int code, int high) except -1
    @cython.locals(other=StringReader)
    cdef StringReader clone(self)
