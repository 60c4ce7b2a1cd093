cimport cython

@cython.locals(length=Py_ssize_t, pieces=list)
cpdef object grow(object rope, str piece)
cpdef str rope_text(object rope)
