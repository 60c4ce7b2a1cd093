cimport cython
from cpython.unicode cimport PyUnicode_GET_LENGTH

from ._chars cimport Chars, chars_of, content_end, is_at, slice_of

cdef enum:
    _NOWHERE = 0
    _BACKSLASH = 1
    _FIRST_DIGIT = 2
    _COMPLETE = 6
    _SLOTS = 64
    _LONG = 64

cdef str _simple(Py_UCS4 c)
cdef int _hex_digit(Py_UCS4 c) noexcept
cdef Py_ssize_t _slot_of(Chars chars, Py_ssize_t i, Py_ssize_t j) noexcept

cdef class StringReader:
    cdef Py_ssize_t room
    cdef int place, code, high
    cdef str piece, only
    cdef bint closed
    cdef list memo
    cdef Py_ssize_t slot
    cdef unsigned char follows[_SLOTS]
    cdef object failure
    cdef int begin(self) except -1
    @cython.locals(only=str, slot=Py_ssize_t, key=str)
    cdef str recall(self, str text, Chars chars, Py_ssize_t i, Py_ssize_t j)
    @cython.locals(c=Py_UCS4, parts=list)
    cdef Py_ssize_t read(self, str text, Chars chars, Py_ssize_t i, Py_ssize_t j, Py_ssize_t n) except -1
    @cython.locals(digit=cython.int, code=cython.int)
    cdef bint _read_escape(self, Py_UCS4 c, list parts) except -1
    cdef int _release(self, list parts) except -1
    cdef bint _make_room(self) except -1
    cdef str finish(self)
    cpdef int load(self, int place, int code, int high) except -1
    @cython.locals(other=StringReader)
    cdef StringReader clone(self)

# Objects of one kind follow each other. To compare the key that came after the last one before is less than to find
# where a key ends and to look it up: give it if it and a quote stand at chars[i].
@cython.boundscheck(False)
cdef inline str foreseen(StringReader strings, Chars chars, Py_ssize_t i, Py_ssize_t n):
    cdef Py_ssize_t slot, j
    cdef object key
    if strings.memo is not None:
        slot = strings.follows[strings.slot]
        key = strings.memo[slot]
        if key is not None:
            j = i + PyUnicode_GET_LENGTH(key)
            if j < n and chars[j] == c'"' and is_at(<str>key, chars, i, j):
                strings.slot = slot
                return <str>key
    return None

@cython.locals(reader=StringReader)
cdef StringReader new_string_reader()
