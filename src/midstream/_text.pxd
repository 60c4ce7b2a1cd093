cimport cython

cdef Py_ssize_t _BATCH

cdef class TextBuffer:
    cdef list pieces
    cdef list batches
    cpdef int append(self, str piece) except -1
    @cython.locals(pieces=list, text=str, piece=str)
    cpdef str read(self)
    cpdef str take(self)
    cpdef int clear(self) except -1
    @cython.locals(other=TextBuffer)
    cpdef TextBuffer clone(self)
