cimport cython

from .call cimport CallState
from .registry cimport Call, CallRegistry, CallTable

cdef class ToolsAggregateMessageHandler:
    cdef object __weakref__
    cdef object _dialect, _limits
    cdef readonly CallRegistry _registry
    cdef CallState _begun
    @cython.locals(state=CallState)
    cdef list _views(self, object message_id)
    @cython.locals(state=CallState)
    cpdef list _all_calls(self)
    @cython.locals(call=CallState)
    cpdef object _dispatch(self, object message)
    @cython.locals(call=CallState, begun=CallState)
    cdef object _add_update(self, object update, object message_id)
    @cython.locals(call=CallState)
    cdef _restore(self, object snapshot)
    @cython.locals(table=CallTable, call=CallState)
    cdef _end_message(self, object end)

@cython.locals(last=Call)
cdef _note_content(CallTable table, Call call)
