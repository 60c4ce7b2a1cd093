from .chars cimport Chars

cdef class Visitor:
    cdef object last_error
    cdef tuple error_place
    cdef str error_path
    cdef int begin_object(self) except -1
    cdef int end_object(self) except -1
    cdef int begin_array(self) except -1
    cdef int end_array(self) except -1
    cdef int key(self, str text) except -1
    cdef int string(self, str piece, bint starts, bint ends) except -1
    cdef int more(self, str piece) except -1
    cdef int number(self, object value, Chars chars, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int literal(self, object value) except -1
    cdef int open_number(self, Chars chars, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int open_literal(self, object value) except -1
    cdef int document(self) except -1
    cdef int error(self, object error, int where) except -1
    cdef object repair(self, object repair, int where)
    cdef str written_error_path(self)
