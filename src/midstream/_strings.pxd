cimport cython
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND, PyUnicode_READ
from libc.string cimport memcpy

cdef dict _SIMPLE
cdef int _NOWHERE, _BACKSLASH, _FIRST_DIGIT, _COMPLETE, _SLOTS, _LONG

# The compiled twin of `_content_end`: the one loop that sees every character of every string.
# In a text of one-byte characters eight are looked at together. A byte of the word is a quote, a
# backslash or below 0x20 exactly when the high bit of (byte ^ quote) - 1, (byte ^ backslash) - 1
# or byte - 0x20 is set while the byte's own is not; a borrow can only reach bytes behind a hit.
cdef inline Py_ssize_t _content_end(str text, Py_ssize_t i, Py_ssize_t n) noexcept:
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    cdef unsigned long long word, quote, backslash
    cdef Py_UCS4 c
    if kind == 1:
        while i + 8 <= n:
            memcpy(&word, <char *>data + i, 8)
            quote = word ^ 0x2222222222222222ULL
            backslash = word ^ 0x5C5C5C5C5C5C5C5CULL
            if (
                ((word - 0x2020202020202020ULL) & ~word)
                | ((quote - 0x0101010101010101ULL) & ~quote)
                | ((backslash - 0x0101010101010101ULL) & ~backslash)
            ) & 0x8080808080808080ULL:
                break
            i += 8
    while i < n:
        c = PyUnicode_READ(kind, data, i)
        if c <= 0x5C and (c == 0x22 or c == 0x5C or c < 0x20):
            break
        i += 1
    return i

# The compiled twin of `_is_at`: nothing is made to be compared.
cdef inline bint _is_at(str key, str text, Py_ssize_t i, Py_ssize_t n) noexcept:
    cdef int kind = PyUnicode_KIND(text)
    cdef int key_kind = PyUnicode_KIND(key)
    cdef void *data = PyUnicode_DATA(text)
    cdef void *key_data = PyUnicode_DATA(key)
    cdef Py_ssize_t k
    if len(key) != n - i:
        return False
    for k in range(n - i):
        if PyUnicode_READ(kind, data, i + k) != PyUnicode_READ(key_kind, key_data, k):
            return False
    return True

cdef int _hex_digit(Py_UCS4 c) noexcept

cdef class StringReader:
    cdef Py_ssize_t limit, room
    cdef int place, code, high
    cdef str piece
    cdef bint closed, is_key
    cdef list memo
    cdef object failure
    cdef int begin(self, bint is_key) except -1
    @cython.locals(slot=Py_ssize_t, key=str)
    cdef str _recall(self, str text, Py_ssize_t i, Py_ssize_t j)
    @cython.locals(j=Py_ssize_t)
    cdef Py_ssize_t read(self, str text, Py_ssize_t i, Py_ssize_t n) except -1
    @cython.locals(c=Py_UCS4, parts=list)
    cdef Py_ssize_t _read_escapes(self, str text, Py_ssize_t i, Py_ssize_t j, Py_ssize_t n) except -1
    @cython.locals(digit=cython.int, code=cython.int)
    cdef bint _read_escape(self, Py_UCS4 c, list parts) except -1
    cdef int _release(self, list parts) except -1
    cdef bint _make_room(self) except -1
    cdef str finish(self)
    cpdef int load(self, Py_ssize_t used, int place, int code, int high) except -1
    @cython.locals(other=StringReader)
    cdef StringReader clone(self)
