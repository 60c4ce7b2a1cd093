cimport cython

from ..accumulators.update cimport JsonFragmentUpdate

cdef class SentStrings:
    cdef object _path, _segment
    cdef tuple _container
    cdef str _container_path, _place_path, _place
    cdef Py_ssize_t _length
    @cython.locals(parts=list)
    cpdef str written(self, object updates)
    cdef str _written(self, JsonFragmentUpdate update)
    @cython.locals(pair=tuple)
    cdef str _place_of(self, JsonFragmentUpdate update)
    cdef object _cleaned(self, object wire)

cpdef str encoded_json(object data)
cpdef str scalar(object value)
@cython.locals(members=str)
cpdef str text_event(object message)
@cython.locals(members=str)
cpdef str members_of(object update, object offset, object message_id, SentStrings sent)
