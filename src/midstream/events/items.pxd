cimport cython

from ..core.surrogates cimport joined_length

cdef class _Stream:
    cdef object number, type, message_id, choice, id, index, name, kind
    cdef bint is_free_text
    # a Python integer, because senders state offsets of any size
    cdef object length

cdef class ItemReader:
    cdef object _message_id, _next
    cdef dict _streams
    @cython.locals(stream=_Stream, begun=_Stream, several=bint)
    cpdef list read(self, list data)
    cdef _Stream _read_about(self, object number, _Stream stream, dict about, list messages)
    @cython.locals(stream=_Stream)
    cdef _Stream _introduce(self, object number, object type)
    cdef _Stream _name(self, _Stream stream, dict about)
    cdef _read_piece(self, list item, _Stream stream, list messages)
    @cython.locals(stream=_Stream)
    cpdef restore(self, dict snapshot)
    @cython.locals(stream=_Stream)
    cpdef end_message(self, object end)

cdef object _piece(_Stream stream, object offset, object text, object updates=*)
cdef list _text_message(_Stream stream, object text)
cdef object _field(object about, str name, tuple types, object default)
