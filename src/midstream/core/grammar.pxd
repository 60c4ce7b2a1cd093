cimport cython
from cpython.unicode cimport PyUnicode_DecodeUTF8Stateful

from .chars cimport Chars, chars_of, content_end, is_at, is_content, narrowed, slice_of
from .machine cimport MAX_INDEX
from .modes cimport *
from .numbers cimport NumberReader, is_part
from .recovery cimport Recovery
from .strings cimport StringReader, cached_key
from .visitor cimport Visitor

cdef object _utf_8_decode, _INVALID_BYTES

cdef class Grammar(Recovery):
    @cython.locals(other=Grammar)
    cpdef Grammar clone(self)
    @cython.locals(text=str, base=Py_ssize_t)
    cpdef int feed(self, object fragment, Visitor visitor) except -1
    cdef int _refuse(self, Py_ssize_t length, Visitor visitor) except -1
    @cython.locals(text=str, used=Py_ssize_t, is_invalid=bint)
    cdef int _feed_bytes(self, bytes data, Visitor visitor) except -1
    cdef int _feed_invalid(self, str text, Visitor visitor) except -1
    cdef int _fail_encoding(self, str replacement, Visitor visitor) except -1
    @cython.locals(
        length=Py_ssize_t, n=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, piece=str, key=str, chars=Chars, mode=cython.int, c=Py_UCS4, cut=bint
    )
    cdef int _feed_text(self, str text, bint error_follows, Visitor visitor) except -1
    cdef bint _ends_root_number(self, str text, Chars chars, Py_ssize_t i, Visitor visitor) except -1
    cdef Py_ssize_t _bound(self, Py_ssize_t length) except -1
    @cython.locals(end=Py_ssize_t)
    cdef int _allow(self, Py_ssize_t room, Py_ssize_t i) except -1
    @cython.locals(strings=StringReader, piece=str, closed=bint, failure=object)
    cdef Py_ssize_t _string(
        self, str text, Chars chars, Py_ssize_t i, Py_ssize_t j, Py_ssize_t n, bint cut, Visitor visitor
    ) except -1
    @cython.locals(numbers=NumberReader, j=Py_ssize_t)
    cdef Py_ssize_t _number(self, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, Visitor visitor) except -1
    @cython.locals(word=str, at=Py_ssize_t, end=Py_ssize_t, c=Py_UCS4, begins=bint)
    cdef Py_ssize_t _literal(self, Chars chars, Py_ssize_t i, Py_ssize_t n, Visitor visitor) except -1
    @cython.locals(text=str)
    cpdef int finish(self, Visitor visitor) except -1

cdef object _literal_value(str word)

# The compiled twin of `_decode`, which needs no tuple for the two results.
cdef inline str _decode(Grammar grammar, bytes data):
    return PyUnicode_DecodeUTF8Stateful(data, len(data), NULL, &grammar.decoded)

@cython.locals(grammar=Grammar)
cpdef Grammar new_grammar(object limits, object after_root, bint recover, object parse_int, object parse_float)
