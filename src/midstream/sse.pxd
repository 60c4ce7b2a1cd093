cimport cython

cdef class SseDecoder:
    cdef object __weakref__
    cdef public object last_event_id, retry
    cdef object _max_event, _failure, _id, _event_retry
    cdef bytes _head, _type
    cdef bytearray _line
    cdef Py_ssize_t _start, _ended, _size
    cdef bint _after_cr
    cdef list _data
    cdef _begin(self)
    @cython.locals(text=bytes, lines=list, begin=Py_ssize_t, events=list)
    cdef list _add(self, bytes new)
    cdef _raise_failure(self)
    cdef bytes _without_bom(self, bytes data)
    @cython.locals(size=Py_ssize_t, within=Py_ssize_t, start=Py_ssize_t)
    cdef list _bounded(self, list lines, bytes data, Py_ssize_t begin, Py_ssize_t bound)
    @cython.locals(line=bytes, name=bytes, value=bytes, digits=bytes, events=list)
    cdef list _interpret(self, list lines)
    @cython.locals(data=bytes)
    cdef object _dispatch(self)

cdef bytes _checked(object data)
