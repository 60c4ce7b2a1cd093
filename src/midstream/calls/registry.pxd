cimport cython

from ..core.surrogates cimport SurrogateJoiner
from .messages cimport fields_of
from .state cimport Lifecycle

cdef class Call(Lifecycle):
    cdef public object message_id, choice, id, index, name
    cdef public bint is_named_again
    cdef public list ids, indices
    cdef public SurrogateJoiner joiner
    cpdef bint is_complete_text(self) except -1

cdef class CallTable:
    cdef object _new
    cdef tuple _place
    cdef dict _places, _calls, _by_id, _first, _at_index
    cdef Call _latest
    cdef public Call last_content
    @cython.locals(call=Call, is_blank=bint)
    cpdef Call find(self, object update)
    @cython.locals(call=Call, latest=Call)
    cdef Call _existing(self, object id, object index, object name, bint is_blank)
    cdef bint _begins_another(self, Call call, object id, object name, bint is_blank) except -1
    cpdef Call named(self, object id, object index)
    cpdef bint knows(self, object id) except -1
    cpdef drop(self, Call call)

cdef class _Message:
    cdef public dict calls, choices

cdef class CallRegistry:
    cdef readonly dict _messages, _places
    cdef dict _ended
    cdef object _new, _latest
    cdef public CallTable latest_table
    @cython.locals(message=_Message, table=CallTable, call=Call)
    cpdef Call find(self, object update, object message_id)
    cdef bint _is_late(self, object update, object message_id, object choice) except -1
    cdef object _choice_of(self, object id, object message_id)
    cpdef object message_of(self, object message_id)
    @cython.locals(message=_Message)
    cpdef CallTable table(self, Call call)
    @cython.locals(message=_Message)
    cpdef list tables(self, object message_id, object choice=*)
    @cython.locals(message=_Message)
    cpdef list all_calls(self)
    @cython.locals(message=_Message)
    cpdef object calls(self, object message_id)
    @cython.locals(message=_Message, table=CallTable)
    cpdef drop(self, Call call)
    @cython.locals(message=_Message)
    cpdef drop_message(self, object message_id)
    cdef _discard(self, object id, tuple place)

cpdef object alias_of(object number)
cpdef object kind_of(object fragment)
cpdef bint is_end(object fragment) except -1
cdef bint _ends_document(object update) except -1
