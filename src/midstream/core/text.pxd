cimport cython
from cpython.unicode cimport PyUnicode_DATA, PyUnicode_New
from libc.string cimport memcpy

from .chars cimport SCANS_WORDS, Chars, last_bytes

cdef Py_ssize_t BATCH, _LONG

cdef enum:
    _INLINE_SIZE = 128

cdef class TextBuffer:
    cdef str text, tail
    cdef list batches, pieces
    cdef Py_ssize_t inline_length
    # 8 spare bytes, because a copy may write a complete word after the last character
    cdef unsigned char inline_buffer[_INLINE_SIZE + 8]
    @cython.locals(pieces=list, text=str, tail=str)
    cdef int append(self, str piece) except -1
    cdef bint _append_inline(self, str piece) except -1
    cdef int _flush_inline(self) except -1
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

# Small ASCII pieces are copied into an inline buffer: kept one by one they would have to be
# reference-counted, listed and joined. This takes 2 to 10 % off the time for small fragments.
cdef inline bint append_inline(TextBuffer buffer, str piece) noexcept:
    cdef Py_ssize_t length = len(piece)
    cdef unsigned long long word
    if length > _INLINE_SIZE - buffer.inline_length or not PyUnicode_IS_COMPACT_ASCII(piece):
        return False
    if SCANS_WORDS and 0 < length <= 8:
        word = last_bytes(<Chars>PyUnicode_DATA(piece) + length, length)
        memcpy(buffer.inline_buffer + buffer.inline_length, &word, 8)
    else:
        memcpy(buffer.inline_buffer + buffer.inline_length, PyUnicode_DATA(piece), length)
    buffer.inline_length += length
    return True

cdef inline str inline_text(TextBuffer buffer):
    cdef str text = PyUnicode_New(buffer.inline_length, 127)
    memcpy(PyUnicode_DATA(text), buffer.inline_buffer, buffer.inline_length)
    return text

# Concatenate two texts, with a short cut for two ASCII texts that skips Python's generic checks.
cdef inline str concat(str text, str tail):
    cdef Py_ssize_t length = len(text)
    cdef str result
    if not PyUnicode_IS_COMPACT_ASCII(text) or not PyUnicode_IS_COMPACT_ASCII(tail):
        return text + tail
    result = PyUnicode_New(length + len(tail), 127)
    memcpy(PyUnicode_DATA(result), PyUnicode_DATA(text), length)
    memcpy(<unsigned char *>PyUnicode_DATA(result) + length, PyUnicode_DATA(tail), len(tail))
    return result

cdef inline void copy_inline(TextBuffer of, TextBuffer to) noexcept:
    memcpy(to.inline_buffer, of.inline_buffer, of.inline_length)
    to.inline_length = of.inline_length
