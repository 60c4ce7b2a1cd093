cimport cython
from libc.string cimport memcpy

from .modes cimport *
from .numbers cimport NumberReader, new_number_reader
from .options cimport Options, limit_of
from .strings cimport StringReader, new_string_reader
from .text cimport TextBuffer

cdef Py_ssize_t MAX_INDEX

cdef class Machine:
    # `copy_counters` copies these fields at once, from `base`, which must stay the first of them, to
    # `decoded`, which must stay the last.
    cdef Py_ssize_t base, line, line_start, document_start, document_end, string_end, clear_until
    cdef Py_ssize_t objects, depth_limit, literal_at, skip_depth
    cdef int mode, after, skip_from, skip_quote, fence
    cdef bint skip_starts, finished
    cdef Py_ssize_t held_length, held_tried, room, odd_end, last_index, last_line, last_column, repair_count
    cdef Py_ssize_t seen, seen_quote
    cdef int flags, resume
    cdef bint line_is_blank
    cdef Py_ssize_t decoded

    cdef Options options
    cdef StringReader strings
    cdef NumberReader numbers
    cdef TextBuffer token, trailing, held
    cdef list stack, wrappers, repairs
    cdef str literal_word, quotes
    cdef bytes carry
    cdef object error
    cpdef object position(self)
    cpdef int current_mode(self) except -1
    cpdef object current_error(self)
    cpdef bint is_complete(self) except -1
    @cython.locals(mode=cython.int)
    cdef bint is_after_root(self) except -1
    cpdef begin_at(self, Py_ssize_t index, Py_ssize_t line, Py_ssize_t line_start, int fence)
    @cython.locals(other=Machine)
    cpdef Machine clone(self)

cdef inline Machine blank_machine():
    return Machine.__new__(Machine)

# Copy a range of fields of a C struct at once.
cdef inline void copy_counters(Machine machine, Machine other) noexcept:
    memcpy(&other.base, &machine.base, <char *>(&machine.decoded + 1) - <char *>&machine.base)

@cython.locals(machine=Machine)
cpdef Machine new_machine(object limits, object after_root, bint recover, object parse_int, object parse_float, bint lenient=*)
@cython.locals(room=Py_ssize_t)
cdef int begin_document(Machine machine, Py_ssize_t start) except -1
@cython.locals(end=Py_ssize_t)
cdef int enable_fast_path(Machine machine, Py_ssize_t room, Py_ssize_t i) except -1
cdef int disable_fast_path(Machine machine) except -1
