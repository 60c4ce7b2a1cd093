cimport cython

from ..accumulators.values cimport JsonValueAccumulator
from ..core.surrogates cimport joined_length
from ..tree.rope cimport grow, rope_text
from ..wire.rebuilder cimport JsonFragmentRebuilder
from .registry cimport Call, is_end, kind_of
from .snapshot cimport UNREAD, ToolCall, Version

cdef class CallState(Call):
    # `received` is a Python integer, because senders state offsets of any size
    cdef public object around, dialect, limits, rope, source, gap, error, finish_reason, received
    cdef public Py_ssize_t length
    cdef public Version version
    cdef public ToolCall snapshot
    cdef public bint has_value, is_free_text
    cpdef bint is_complete_text(self) except -1
    cpdef object judge(self, object question)
    cpdef fail(self)
    cpdef text(self)
    @cython.locals(arrived=Py_ssize_t, had_text=bint)
    cpdef bint add_update(self, object update) except -1
    @cython.locals(source=JsonValueAccumulator)
    cdef _read(self, object piece, object fragments, bint had_text)
    cdef _switch_to_text(self, bint has_all)
    cdef JsonValueAccumulator _new_reader(self)
    cdef _read_as_sent(self)
    @cython.locals(last=ToolCall)
    cdef _changed(self, bint has_changed)
    cdef _note_gap(self, object error=*, object why=*)
    cpdef restore(self, object status, object finish_reason)
    cdef _end_text(self)
    cdef bint _is_complete(self, bint was_signalled) except -1
    cdef _compare(self, object text)
    cdef tuple _end_position(self)
    @cython.locals(last=ToolCall)
    cpdef ToolCall view(self)
    cdef bint _is_equal(self, ToolCall last) except -1

cdef bint _carries_value(object fragments) except -1
cdef bint _carries_repair(object fragments) except -1
@cython.locals(call=ToolCall)
cdef ToolCall _new_snapshot(CallState state)
