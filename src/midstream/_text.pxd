cimport cython

cdef Py_ssize_t _BATCH, _LONG

cdef class TextBuffer:
    cdef str whole, tail
    cdef list batches, pieces
    @cython.locals(pieces=list)
    cdef int append(self, str piece) except -1
    @cython.locals(batches=list, first=Py_ssize_t, length=Py_ssize_t)
    cdef int _add_batch(self, str batch) except -1
    @cython.locals(pieces=list, text=str)
    cdef str read(self)
    cdef str peek(self)
    cdef str take(self)
    cdef int clear(self) except -1
    @cython.locals(other=TextBuffer)
    cdef TextBuffer clone(self)
    cdef bint is_long(self) noexcept
    cdef bint is_empty(self) noexcept
