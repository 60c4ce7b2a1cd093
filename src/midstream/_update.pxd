cimport cython

cdef class JsonFragmentUpdate:
    cdef object _kind, _text, _value, _segment
    cdef tuple _pair

# A new update holds None in every slot. To release them one by one, as Cython would, is to count down the same word
# of memory again and again, and the processor waits for each; together they cancel out against those that the new
# update has just taken. (From 3.12 on None is not counted.)
cdef extern from *:
    """
    #if PY_VERSION_HEX >= 0x030C0000
    #define midstream_release_nones(count) ((void)0)
    #elif defined(Py_REF_DEBUG)
    #define midstream_release_nones(count) do { int k; for (k = 0; k < (count); k++) Py_DECREF(Py_None); } while (0)
    #else
    #define midstream_release_nones(count) (Py_None->ob_refcnt -= (count))
    #endif
    #define midstream_set(slot, thing) (Py_INCREF(thing), (slot) = (thing))
    #define midstream_fill(update, kind, text, value, pair, segment) \\
        do { \\
            midstream_release_nones(5); \\
            midstream_set((update)->_kind, kind); \\
            midstream_set((update)->_text, text); \\
            midstream_set((update)->_value, value); \\
            midstream_set((update)->_pair, pair); \\
            midstream_set((update)->_segment, segment); \\
        } while (0)
    """
    void fill "midstream_fill" (
        JsonFragmentUpdate update, object kind, object text, object value, tuple pair, object segment
    ) noexcept

@cython.locals(update=JsonFragmentUpdate)
cdef JsonFragmentUpdate make_update(object kind, object text, object value, tuple pair, object segment)
