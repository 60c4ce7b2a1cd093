cimport cython

from .modes cimport *
from .numbers cimport NumberReader, new_number_reader
from .strings cimport StringReader, new_string_reader
from .text cimport TextBuffer
from .visitor cimport Visitor

cdef Py_ssize_t UNLIMITED, MAX_INDEX

cdef Py_ssize_t _limit(object limit) except -1

cdef class Machine:
    cdef Py_ssize_t max_depth, max_document, max_string, base, line, line_start, document_start, document_end, string_end, clear_until, objects, literal_at, skip_depth
    cdef int after_root, mode, after, skip_from, skip_quote
    cdef bint recover, starts, skip_begins, finished
    cdef list stack
    cdef str literal_word
    cdef bytes carry
    cdef Py_ssize_t decoded
    cdef object error
    cdef StringReader strings
    cdef NumberReader numbers
    cdef TextBuffer token, trailing
    cdef int _set_up(self, object limits, object after_root, bint recover, object parse_int, object parse_float) except -1
    cpdef object position(self)
    cpdef int current_mode(self) except -1
    cpdef object current_error(self)
    cpdef bint is_complete(self) except -1
    @cython.locals(mode=cython.int)
    cdef bint _is_after_root(self) except -1
    cdef int _open(self, Py_UCS4 c, Visitor visitor) except -1
    cdef int _close(self, Py_ssize_t i, Visitor visitor) except -1
    cdef int _begin_document(self, Py_ssize_t start) except -1
    cdef int _end_root(self, Py_ssize_t i, Visitor visitor) except -1
    cdef int _copy_from(self, Machine other) except -1
