cpdef bint has_surrogates(object text) except -1
cpdef object join_surrogates(object text)
cpdef Py_ssize_t joined_length(object text) except -1
cpdef Py_ssize_t settled_length(object text) except -1

cdef class SurrogateJoiner:
    cdef public object pending
    cpdef object add_fragment(self, object piece)
    cpdef object finish(self)
