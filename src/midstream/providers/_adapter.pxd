from ._reading cimport decoded

cdef class Adapter:
    cpdef list _read(self, object event)
