cimport cython

from ..calls.handler cimport ToolsAggregateMessageHandler

cdef class ProviderStream:
    cdef object _format, _on_error, _text, _reader
    cdef object _adapter
    cdef list _early
    cdef bint _has_spoken, _has_usage
    cdef object _held
    cpdef list add_event(self, object event)
    cpdef raise_held(self)
    cdef list _add_text(self, object text)
    cdef list _add(self, object event)
    cdef list _read(self, object event)
    cdef list _find_format(self, object event)

cdef class CallStream:
    cdef ProviderStream _stream
    cdef ToolsAggregateMessageHandler _handler
    cdef public object error
    cdef bint _is_ended
    cpdef list add_event(self, object event)
    @cython.locals(handler=ToolsAggregateMessageHandler)
    cdef _add(self, list messages)
    cpdef raise_held(self)
    cpdef list states(self)
    cpdef end(self)
    cpdef list finish(self)
