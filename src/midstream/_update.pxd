cimport cython

cdef class JsonFragmentUpdate:
    cdef object _kind, _text, _value, _segment
    cdef tuple _pair

@cython.locals(update=JsonFragmentUpdate)
cdef JsonFragmentUpdate make_update(object kind, object text, object value, tuple pair, object segment)
