cimport cython

from ..core.surrogates cimport joined_length
from ..sse cimport SseDecoder
from .items cimport ItemReader

cdef class MessageReader:
    cdef public object form, version, message_id, format, name
    cdef public bint is_complete
    cdef ItemReader _items
    cdef dict _lengths
    cpdef list read(self, str name, object data)
    cdef _start(self, dict data)
    cdef list _read_message(self, str name, dict data)
    cdef _count(self, str type, object message_id, object choice, object text)
    cdef _restore(self, dict snapshot)
    cdef list _read_lengths(self, object lengths, object message_id)
    cpdef list finish(self)

cdef class EventReader:
    cdef object __weakref__
    cdef SseDecoder _decoder
    cdef MessageReader _reader
    cdef object _stream, _failure
    cdef long long _number, _part
    @cython.locals(messages=list, found=list)
    cpdef list add_bytes(self, object data)
    cdef list _read(self, object event)
    @cython.locals(stream=str, digits=str)
    cdef bint _is_new(self, str name, str id) except -1
    cdef bint _move_to(self, long long number, long long part) except -1

cdef object _text(object data, str name)
cdef object _update_of(dict data)
cdef bint _are_items(list data) except -1
cdef object _decoded(str text, str name)
