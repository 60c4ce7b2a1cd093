from ._reading cimport arguments_text, fields, get, index, items, text, word

cdef object _members(object delta)
cdef object _details(object details, object delta, object choice)
cdef object _chunk_in(object event)
