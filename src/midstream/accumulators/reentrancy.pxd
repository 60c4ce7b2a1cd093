from libc.stdint cimport uintptr_t

cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED
    static CYTHON_INLINE int midstream_acquire(uintptr_t *phase, uintptr_t before) {
        return _Py_atomic_compare_exchange_uintptr(phase, &before, (uintptr_t)PyThread_get_thread_ident());
    }
    #define midstream_phase(phase) _Py_atomic_load_uintptr_relaxed(phase)
    #define midstream_release(phase, after) _Py_atomic_store_uintptr_release(phase, after)
    #else
    static CYTHON_INLINE int midstream_acquire(uintptr_t *phase, uintptr_t before) {
        if (*phase != before) return 0;
        *phase = (uintptr_t)PyThread_get_thread_ident();
        return 1;
    }
    #define midstream_phase(phase) (*(phase))
    #define midstream_release(phase, after) (*(phase) = (after))
    #endif
    """
    bint _exchange "midstream_acquire" (uintptr_t *phase, uintptr_t before) noexcept
    uintptr_t _read "midstream_phase" (uintptr_t *phase) noexcept
    void _assign "midstream_release" (uintptr_t *phase, uintptr_t after) noexcept
    uintptr_t _this_thread "(uintptr_t)PyThread_get_thread_ident" () noexcept

cdef enum:
    NEW = 0
    IDLE = 1

cdef class ReentrancyGuard:
    cdef uintptr_t _phase
    cdef int _begin_set_up(self) except -1
    cdef int _begin_call(self) except -1
    cdef bint _begin_read(self) except -1
    cdef int _refuse_call(self) except -1
    cdef str _word(self)

# The compiled twins of the plain functions in `reentrancy.py`: with the GIL a comparison and an assignment,
# without it the processor's compare-and-exchange.
cdef inline bint acquire(ReentrancyGuard thing, uintptr_t phase) noexcept:
    return _exchange(&thing._phase, phase)

cdef inline bint is_owner(ReentrancyGuard thing) noexcept:
    return _read(&thing._phase) == _this_thread()

cdef inline void release(ReentrancyGuard thing) noexcept:
    _assign(&thing._phase, IDLE)
