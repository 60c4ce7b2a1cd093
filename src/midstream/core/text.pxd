cimport cython
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_New
from libc.string cimport memcpy

from .chars cimport LOOKS_AT_WORDS, Chars, last_bytes

cdef Py_ssize_t BATCH, _LONG

cdef enum:
    _PAD = 128

cdef class TextBuffer:
    cdef str whole, tail
    cdef list batches, pieces
    cdef Py_ssize_t jotted
    # a whole word may be written behind the last of them
    cdef unsigned char pad[_PAD + 8]
    @cython.locals(pieces=list, whole=str, tail=str)
    cdef int append(self, str piece) except -1
    cdef bint _jot_down(self, str piece) except -1
    cdef int _clear_pad(self) except -1
    @cython.locals(batches=list, first=Py_ssize_t, length=Py_ssize_t)
    cdef int _add_batch(self, str batch) except -1
    @cython.locals(pieces=list, text=str)
    cdef str read(self)
    cdef str peek(self)
    @cython.locals(text=str)
    cdef str take(self, str last)
    cdef int clear(self) except -1
    @cython.locals(other=TextBuffer)
    cdef TextBuffer clone(self)
    cdef bint is_long(self) noexcept
    cdef bint is_empty(self) noexcept

cdef extern from *:
    bint PyUnicode_IS_COMPACT_ASCII(object text) noexcept

# Small pieces of ASCII are copied together at once: kept one by one they would have to be counted, listed and joined.
cdef inline bint is_on_pad(TextBuffer buffer, str piece) noexcept:
    cdef Py_ssize_t length = len(piece)
    cdef unsigned long long word
    if length > _PAD - buffer.jotted or not PyUnicode_IS_COMPACT_ASCII(piece):
        return False
    if LOOKS_AT_WORDS and 0 < length <= 8:
        word = last_bytes(<Chars>PyUnicode_DATA(piece) + length, length)
        memcpy(buffer.pad + buffer.jotted, &word, 8)
    else:
        memcpy(buffer.pad + buffer.jotted, PyUnicode_DATA(piece), length)
    buffer.jotted += length
    return True

cdef inline str on_pad(TextBuffer buffer):
    cdef str text = PyUnicode_New(buffer.jotted, 127)
    memcpy(PyUnicode_DATA(text), buffer.pad, buffer.jotted)
    return text

# What Python does for any two texts, for two of ASCII.
cdef inline str joined(str text, str tail):
    cdef Py_ssize_t length = len(text)
    cdef str whole
    if not PyUnicode_IS_COMPACT_ASCII(text) or not PyUnicode_IS_COMPACT_ASCII(tail):
        return text + tail
    whole = PyUnicode_New(length + len(tail), 127)
    memcpy(PyUnicode_DATA(whole), PyUnicode_DATA(text), length)
    memcpy(<unsigned char *>PyUnicode_DATA(whole) + length, PyUnicode_DATA(tail), len(tail))
    return whole

cdef inline void copy_pad(TextBuffer of, TextBuffer to) noexcept:
    memcpy(to.pad, of.pad, of.jotted)
    to.jotted = of.jotted
