cimport cython
from cpython.unicode cimport PyUnicode_DecodeUTF8Stateful

from .bare_tokens cimport begin_bare, read_bare_string
from .chars cimport Chars, chars_of, comma_before, content_end, is_content, narrowed, slice_of
from .lenient_strings cimport begin_string, read_lenient_string
from .lenient_structure cimport continue_lenient, repair
from .machine cimport Machine, disable_fast_path, enable_fast_path
from .modes cimport *
from .numbers cimport is_part
from .recovery cimport fail, fail_finally, read_after_root, skip
from .repairs cimport forget_closed, note_line, resumed, take_back
from .strings cimport cached_key
from .structure cimport close_container, end_root, open_container
from .tokens cimport finish_number, read_literal, read_number, read_string
from .visitor cimport Visitor

cdef object _utf_8_decode, _INVALID_BYTES

@cython.locals(text=str, base=Py_ssize_t)
cpdef int feed(Machine machine, object fragment, Visitor visitor) except -1
cpdef int finish(Machine machine, Visitor visitor) except -1
cdef int _reject(Machine machine, Py_ssize_t length, Visitor visitor) except -1
@cython.locals(text=str, used=Py_ssize_t, is_invalid=bint)
cdef int _feed_bytes(Machine machine, bytes data, Visitor visitor) except -1
cdef int _feed_invalid(Machine machine, str text, Visitor visitor) except -1
cdef int _fail_encoding(Machine machine, str replacement, Visitor visitor) except -1
@cython.locals(
    length=Py_ssize_t, n=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, chars=Chars, mode=cython.int, c=Py_UCS4, cut=cython.int
)
cdef int _feed_text(Machine machine, str text, int final, Visitor visitor) except -1
@cython.locals(mode=cython.int)
cdef Py_ssize_t _continue(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int cut, Visitor visitor
) except -1
@cython.locals(mode=cython.int, j=Py_ssize_t, c=Py_UCS4)
cdef Py_ssize_t _begin_value(
    Machine machine, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int cut, Visitor visitor
) except -1
cdef Py_ssize_t _unexpected(
    Machine machine, object code, str text, Chars chars, Py_ssize_t i, Py_ssize_t n, int cut, Visitor visitor
) except -1
cdef inline Py_ssize_t _readable(Machine machine, Py_ssize_t length) except -1
cdef bint _ends_root_number(Machine machine, str text, Chars chars, Py_ssize_t i, Visitor visitor) except -1

# The compiled twin of `_decode`, which needs no tuple for the two results.
cdef inline str _decode(Machine machine, bytes data):
    return PyUnicode_DecodeUTF8Stateful(data, len(data), NULL, &machine.decoded)
