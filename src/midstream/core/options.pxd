from .modes cimport *

cdef Py_ssize_t UNLIMITED

cdef class Options:
    cdef readonly Py_ssize_t max_depth, max_document, max_repairs, max_string, string_limit
    cdef readonly int after_root
    cdef readonly bint recover, lenient

cdef Py_ssize_t limit_of(object limit) except -1
