cimport cython

cdef dict _SNAKE_CASE

@cython.locals(members=dict)
cpdef object get(object event, str name)
@cython.locals(members=dict)
cpdef object member(object event, str name)
cdef object _snake_case(str name)
cpdef object fields(object event)
cpdef list items(object event, str name)
cpdef list as_items(object value)
cpdef object text(object event, str name)
cpdef object word(object event, str name)
cpdef object as_word(object value)
cpdef object index(object event, str name)
cpdef object as_index(object value)
cpdef object arguments_text(object arguments)
cpdef object decoded(object event)
