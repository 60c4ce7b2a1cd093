cimport cython

from ._update cimport JsonFragmentUpdate
from .values cimport ValueVisitor

cdef object _START_OBJECT, _END_OBJECT, _START_ARRAY, _END_ARRAY, _KEY
cdef object _START_STRING, _PARTIAL_STRING, _COMPLETE_STRING
cdef object _COMPLETE_NUMBER, _COMPLETE_BOOLEAN, _JSON_COMPLETE, _ERROR

cdef bint _is_as_made(object kind, object text, object value)

cdef class Frame:
    cdef Frame above
    cdef object segment
    cdef bint is_array, is_explicit
    cdef Py_ssize_t count, depth
    cdef str path
    cdef tuple pair
    @cython.locals(frame=Frame)
    cdef Frame grown(self)

@cython.locals(frame=Frame)
cdef Frame _open_frame(Frame above, object segment, bint is_array, bint is_explicit)

cdef list _segments_of(Frame frame)

cdef class JsonFragmentRebuilder:
    cdef ValueVisitor _visitor
    cdef object _root, _limits, _error, _segment
    cdef str _name, _key, _held
    cdef list _calls
    cdef Frame _frame
    cdef bint _ended, _done, _in_string, _has_moved, _is_busy
    cdef Py_ssize_t _seen, _length
    cdef object _checksum
    cpdef reset(self)
    @cython.locals(visitor=ValueVisitor, call=int, starts=bint, ends=bint)
    cdef bint _carry_out(self) except -1
    @cython.locals(given=JsonFragmentUpdate, pair=tuple)
    cdef int _take(self, object update) except -1
    cdef int _take_part(self, object kind, str text, object value, tuple pair, object segment, str path) except -1
    @cython.locals(frame=Frame, own=list, depth=Py_ssize_t)
    cdef tuple _steps_to(self, object kind, tuple pair, object segment, str path)
    cdef tuple _segments_to(self, object kind, tuple pair, object segment, str path)
    cdef int _leave_implied(self, Py_ssize_t count) except -1
    @cython.locals(frame=Frame)
    cdef int _learn(self, object kind, tuple pair, object segment) except -1
    cdef int _learn_path(self, str path) except -1
    cdef bint _is_last(self, tuple steps) except -1
    @cython.locals(frame=Frame, depth=Py_ssize_t)
    cdef int _begin(self, tuple steps, bint unannounced) except -1
    @cython.locals(frame=Frame)
    cdef int _place(self, object segment, bint unannounced) except -1
    @cython.locals(frame=Frame)
    cdef int _push(self, bint is_array, bint is_explicit, tuple pair, str path) except -1
    @cython.locals(frame=Frame)
    cdef int _pop(self) except -1
    cdef int _end_value(self) except -1
    cdef int _take_key(self, tuple steps, tuple pair, str text) except -1
    @cython.locals(frame=Frame)
    cdef int _take_end(self, tuple steps, bint is_array) except -1
    @cython.locals(frame=Frame)
    cdef int _take_end_of_document(self, tuple steps) except -1
    cdef int _open_string(self) except -1
    @cython.locals(length=Py_ssize_t)
    cdef int _take_text(self, str text, bint ends, bint from_wire) except -1
    cdef int _take_error(self, str path, object error) except -1
    cdef int _check_nothing_is_missing(self) except -1
