cimport cython

from .frames cimport Frame, open_frame, segments_to

cdef object START_OBJECT, END_OBJECT, START_ARRAY, END_ARRAY, KEY
cdef object START_STRING, PARTIAL_STRING, COMPLETE_STRING
cdef object COMPLETE_NUMBER, JSON_COMPLETE
cdef int DO_OBJECT, DO_ARRAY, DO_END, DO_KEY, DO_STRING, DO_NUMBER, DO_LITERAL, DO_DOCUMENT

cdef class Cursor:
    cdef object error, _limits, _segment, _checksum
    cdef list calls
    cdef str _name, _key, _high_surrogate
    cdef Frame _frame
    cdef tuple _last_pair
    cdef bint is_done, _ended, _in_string, _found_by_segments
    cdef Py_ssize_t _seen, _length
    cdef tuple save(self)
    cdef int restore(self, tuple place) except -1
    cdef int accept(
        self, object kind, str text, object value, tuple pair, object segment, str path
    ) except -1
    cdef int accept_error(self, str path, object error) except -1
    @cython.locals(frame=Frame, own=list, common=Py_ssize_t)
    cdef tuple _steps_to(self, object kind, tuple pair, object segment, str path)
    cdef tuple _segments_to(self, object kind, tuple pair, object segment, str path)
    cdef int _leave_implied(self, Py_ssize_t count) except -1
    @cython.locals(frame=Frame)
    cdef int _store_pairs(self, object kind, tuple pair, object segment) except -1
    cdef int _store_path(self, str path) except -1
    cdef bint _is_last(self, tuple steps) except -1
    @cython.locals(frame=Frame, depth=Py_ssize_t)
    cdef int _begin(self, tuple steps, bint is_piece) except -1
    @cython.locals(frame=Frame)
    cdef int _begin_member(self, object segment, bint is_piece) except -1
    @cython.locals(frame=Frame)
    cdef int _push(self, bint is_array, bint is_explicit, tuple pair, str path) except -1
    @cython.locals(frame=Frame)
    cdef int _pop(self) except -1
    cdef int _end_value(self) except -1
    cdef int _accept_key(self, tuple steps, tuple pair, str text) except -1
    @cython.locals(frame=Frame)
    cdef int _accept_end(self, tuple steps, bint is_array) except -1
    cdef int _check_nothing_open(self) except -1
    @cython.locals(frame=Frame)
    cdef int _accept_document_end(self, tuple steps) except -1
    cdef int _open_string(self, tuple pair) except -1
    @cython.locals(length=Py_ssize_t, is_same_sender=bint, start=str)
    cdef int _accept_text(self, str text, bint ends, tuple pair) except -1
    cdef int _end_text(self) except -1
    @cython.locals(length=Py_ssize_t)
    cdef bint _starts_with_parts(self, str text) except -1
