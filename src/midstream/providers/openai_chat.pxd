from ._reading cimport (
    arguments_text, as_index, as_items, as_word, decoded, fields, get, items, member, text, word,
)

cdef class Adapter:
    cdef object _usage
    cdef dict _parts
    cpdef list _read(self, object event)
    cdef _read_choice(self, object choice, list messages, bint has_failed)
    cdef _read_field(self, str name, object value, object delta, object choice, list messages)
    cdef list _read_content(self, object content, object choice)
    cpdef list _read_calls(self, list calls, object choice)
    cpdef object _read_call(self, object call, object choice)

cdef object _members(object delta)
cdef list _details(object details, object delta, object choice)
cdef object _chunk_in(object event)
