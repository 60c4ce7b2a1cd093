cimport cython

from ..calls.messages cimport fields_of
from ..calls.registry cimport CallRegistry, CallTable
from .numbers cimport NumberedCall, NumberedText, new_names
from .updates cimport SentStrings, encoded_json, members_of, scalar, text_event

cdef class EventWriter:
    cdef object __weakref__
    cdef object _form, _message_id, _part, _stream_id
    cdef bint _is_compact, _is_lenient
    cdef long long _next_event, _next_number
    cdef CallRegistry _registry
    cdef dict _texts
    cdef bytes _write(self, object message)
    cdef str _id(self)
    cdef bytes _event(self, str name, str data, str retry=*)
    cdef bytes _full(self, object message)
    cdef bytes _full_end(self, object end, list free)
    @cython.locals(updates=list)
    cdef str _full_updates(self, object message)
    @cython.locals(call=NumberedCall)
    cdef str _full_update(self, object update, object message_id, object stated_id)
    cdef bytes _compact(self, object message)
    @cython.locals(call=NumberedCall)
    cdef bytes _compact_end(self, object end, list free)
    cdef bytes _plain(self, object message, object more=*)
    cdef dict _numbers(self)
    cdef bytes _items_event(self, list items)
    cdef list _call_items(self, object update, object message_id)
    @cython.locals(items=list)
    cdef list _items_of(self, NumberedCall call, object update)
    @cython.locals(call=NumberedCall)
    cdef bytes _piece_event(self, object update)
    cdef str _introduction(self, NumberedCall call, object update)
    cdef dict _about_call(self, NumberedCall call)
    cdef dict _about_text(self, tuple key, NumberedText text)
    cdef _add_place(self, dict about, object message_id, object choice)
    @cython.locals(text=NumberedText, items=list, key=tuple)
    cdef list _text_items(self, object message)
    cdef list _ended(self, object end)
    cdef tuple _text_of(self, object message)
    cdef list _end_texts(self, object end)

cdef bint _needs_updates(NumberedCall call, object text, object fragments) except -1
cdef bytes _encoded(str text)
