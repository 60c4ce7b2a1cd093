cimport cython

from ..core.visitor cimport Visitor

cdef class JsonFragmentUpdate:
    cdef object _kind, _text, _value, _segment
    cdef tuple _pair

@cython.locals(update=JsonFragmentUpdate)
cpdef JsonFragmentUpdate _load_update(object root, object segments, object kind, object text, object value)

cdef class Emitter(Visitor):
    cdef list updates
    cdef tuple pair
    cdef object segment
    @cython.locals(update=JsonFragmentUpdate)
    cdef int emit(self, object kind, object text, object value) except -1

# A new update holds None in every slot. Releasing them one by one, as Cython would, decrements the same word
# of memory several times, and each decrement waits for the previous one; subtracted at once they cancel out
# against the increments of the new update. (From 3.12 on None is immortal and not counted.) The macros read
# the place from the emitter itself: passed as arguments, its parts would be counted up and down once more.
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
    #define midstream_fill(update, kind, text, value, emitter) \\
        do { \\
            midstream_release_nones(5); \\
            midstream_set((update)->_kind, kind); \\
            midstream_set((update)->_text, text); \\
            midstream_set((update)->_value, value); \\
            midstream_set((update)->_pair, (emitter)->pair); \\
            midstream_set((update)->_segment, (emitter)->segment); \\
        } while (0)

    /* Append to a list that has room without a call; Cython's own append calls CPython for lists that are
       less than half full. */
    static CYTHON_INLINE int midstream_append(PyObject *list, PyObject *thing) {
    #if !defined(Py_GIL_DISABLED)
        Py_ssize_t length = PyList_GET_SIZE(list);
        if (length < ((PyListObject *)list)->allocated) {
            Py_INCREF(thing);
            PyList_SET_ITEM(list, length, thing);
            Py_SET_SIZE(list, length + 1);
            return 0;
        }
    #endif
        return PyList_Append(list, thing);
    }
    #define midstream_add(emitter, update) midstream_append((emitter)->updates, (PyObject *)(update))

    /* Return an empty list with room for a number of items, so that it is not copied again and again as it
       grows. */
    static CYTHON_INLINE PyObject *midstream_list(Py_ssize_t room) {
    #if defined(Py_GIL_DISABLED)
        return PyList_New(0);
    #else
        PyObject *list = PyList_New(room);
        if (list != NULL) Py_SET_SIZE(list, 0);
        return list;
    #endif
    }
    """
    int add "midstream_add" (Emitter emitter, JsonFragmentUpdate update) except -1
    list list_with_room "midstream_list" (Py_ssize_t room)
    void fill "midstream_fill" (
        JsonFragmentUpdate update, object kind, object text, object value, Emitter emitter
    ) noexcept
