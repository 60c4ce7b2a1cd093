from ._reading cimport decoded

cdef class Adapter:
    # most adapters are not compiled: they would pay for methods that C can call
    pass
