cdef object UNREAD

cdef class Version:
    cdef public object source, dialect

cdef class ToolCall:
    cdef object _around, _id, _index, _name, _error, _finish_reason, _args, _open_path, _raw, _repairs, _rope, _limits
    cdef bint _is_complete
    cdef Version _version
    cdef Py_ssize_t _length
    cdef int _read(self) except -1
    cpdef tuple _parts(self)
