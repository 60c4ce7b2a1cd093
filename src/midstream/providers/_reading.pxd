cimport cython

cdef dict _SNAKE_CASE

@cython.locals(members=dict)
cpdef object get(object event, str name)
cdef object _snake_case(str name)
cpdef object fields(object event)
cpdef list items(object event, str name)
cpdef object text(object event, str name)
cpdef object word(object event, str name)
cpdef object index(object event, str name)
cpdef object arguments_text(object arguments)
cpdef object decoded(object event)
