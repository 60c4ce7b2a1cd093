cimport cython

cdef Py_ssize_t _BATCH

cdef class TextBuffer:
    cdef list pieces
    cdef list batches
    cpdef int append(self, str piece) except -1
    cpdef str read(self)
    cpdef str take(self)
    cpdef int clear(self) except -1
