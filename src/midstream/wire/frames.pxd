cimport cython

cdef class Frame:
    cdef Frame above
    cdef object segment
    cdef bint is_array, is_explicit
    cdef Py_ssize_t count, depth
    cdef str path
    cdef tuple pair
    @cython.locals(frame=Frame)
    cdef Frame with_item(self)

@cython.locals(frame=Frame)
cdef Frame open_frame(Frame above, object segment, bint is_array, bint is_explicit)

cdef list segments_to(Frame frame)
