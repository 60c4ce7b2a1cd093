cimport cython

cdef enum:
    _BITS = 5
    _WIDTH = 32
    _MASK = 31

cdef class Vector:
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t shift
    cdef readonly tuple root, tail
    @cython.locals(tail=tuple, root=tuple, shift=Py_ssize_t, full=Py_ssize_t, count=Py_ssize_t, cut=Py_ssize_t)
    cpdef Vector extend(self, list items)
    @cython.locals(in_tail=Py_ssize_t, shift=Py_ssize_t, level=tuple)
    cdef object item(self, Py_ssize_t index)

@cython.locals(vector=Vector)
cdef Vector _new_vector(Py_ssize_t count, Py_ssize_t shift, tuple root, tuple tail)
@cython.locals(index=Py_ssize_t, below=tuple)
cdef tuple _with_leaf(tuple root, Py_ssize_t shift, Py_ssize_t at, tuple leaf)
