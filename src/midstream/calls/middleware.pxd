cimport cython

from ..accumulators.fragments cimport JsonFragmentAccumulator
from ..core.surrogates cimport joined_length
from .registry cimport Call, CallRegistry, CallTable

cdef class _ParsedCall(Call):
    cdef JsonFragmentAccumulator accumulator
    cdef bint has_begun, is_free_text
    cdef Py_ssize_t received
    cpdef bint is_complete_text(self) except -1
    cdef list add_piece(self, object piece, bint is_free_text)
    cdef list end(self, bint was_signalled)

cdef class JsonFragmentUpdateMiddleware:
    cdef object __weakref__
    cdef object _dialect, _limits, _root
    cdef readonly CallRegistry _registry
    cdef object _enrich(self, object message, object known, object message_id)
    cdef list _enrich_all(self, object updates, object message_id)
    @cython.locals(call=_ParsedCall, offset=Py_ssize_t)
    cdef object _enrich_update(self, object message, object known, object message_id)
    @cython.locals(call=_ParsedCall)
    cdef list _end_call(self, object end)
    cdef list _end_message(self, object end)
    @cython.locals(call=_ParsedCall, table=CallTable)
    cdef list _end_calls(self, object message_id, object choice, bint was_signalled)
    @cython.locals(table=CallTable)
    cdef list _finished(self, _ParsedCall call, bint was_signalled)

cdef object _known(object message)
