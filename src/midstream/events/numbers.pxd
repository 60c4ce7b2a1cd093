cimport cython

from ..calls.registry cimport Call
from ..core.grammar cimport feed
from ..core.machine cimport Machine, new_machine
from ..core.surrogates cimport joined_length
from ..core.visitor cimport Visitor
from .updates cimport SentStrings

cdef Visitor _IGNORE

cdef class NumberedCall(Call):
    # `received` is a Python integer, because senders state offsets of any size
    cdef public object number, received
    cdef public SentStrings sent_strings
    cdef public tuple introduced
    cdef public bint is_free_text, has_updates
    cdef Machine _machine
    cpdef bint is_complete_text(self) except -1
    cpdef Py_ssize_t add_text(self, object text) except -1
    cdef object count(self, object stated, object text)
    @cython.locals(before=tuple)
    cdef dict news(self, object update)

cdef class NumberedText:
    cdef public object number, type, kind
    cdef public Py_ssize_t length
    cpdef add(self, object piece)

cdef dict new_names(tuple names, tuple before)
