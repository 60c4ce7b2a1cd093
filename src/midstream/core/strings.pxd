cimport cython

from .chars cimport (
    Chars, chars_of, content_end, is_at, slice_of,
)

cdef enum:
    _NOWHERE = 0
    _BACKSLASH = 1
    _FIRST_DIGIT = 2
    _COMPLETE = 6
    # the key cache: its size (a power of two), and the longest key in it
    _KEYS = 64
    _LONG = 64

cdef str _simple(Py_UCS4 c)
cdef int _hex_digit(Py_UCS4 c) noexcept

cdef class StringReader:
    cdef Py_ssize_t room
    cdef int place, code, high
    cdef str piece
    cdef bint closed
    cdef object failure
    # the first key, and from the second key on a table of them
    cdef str only_key
    cdef list keys
    cdef int begin(self) except -1
    @cython.locals(c=Py_UCS4, parts=list)
    cdef Py_ssize_t read(self, str text, Chars chars, Py_ssize_t i, Py_ssize_t j, Py_ssize_t n) except -1
    @cython.locals(digit=cython.int, code=cython.int)
    cdef bint _read_escape(self, Py_UCS4 c, list parts) except -1
    cdef int _release(self, list parts) except -1
    cdef bint _make_room(self) except -1
    cdef str finish(self)
    cpdef int load(self, int place, int code, int high) except -1
    @cython.locals(other=StringReader)
    cdef StringReader clone(self)

# A direct-mapped cache of keys: each key has one slot, chosen by its length and its outer characters. Keys
# repeat; reusing the object costs no memory, and its hash is already computed. Without the cache, large
# fragments take 8 % more instructions for updates and 22 % more for values. The clones of a reader share it,
# even among threads. Therefore an item is never used as a borrowed reference, and is always compared with the
# text.

cdef extern from *:
    """
    #if defined(Py_GIL_DISABLED)
    #define midstream_item(list, at) PyList_GetItemRef(list, at)
    #else
    #define midstream_item(list, at) Py_NewRef(PyList_GET_ITEM(list, at))
    #endif
    """
    object item_of "midstream_item" (list items, Py_ssize_t at)

cdef inline Py_ssize_t _slot_of(Chars chars, Py_ssize_t i, Py_ssize_t j) noexcept:
    return (j - i + 7 * chars[i] + 31 * chars[j - 1]) & (_KEYS - 1)

# Return the key text[i:j], as the same object as the last time if it is in the cache.
@cython.boundscheck(False)
cdef inline str cached_key(StringReader strings, str text, Chars chars, Py_ssize_t i, Py_ssize_t j):
    cdef Py_ssize_t slot
    cdef str key
    if i == j or j - i > _LONG:
        return slice_of(text, chars, i, j)
    if strings.keys is None:
        key = strings.only_key
        if key is None:
            # many texts have only one key, and need no table
            strings.only_key = slice_of(text, chars, i, j)
            return strings.only_key
        strings.keys = [None] * _KEYS
        if key.isascii():
            strings.keys[_slot_of(chars_of(key), 0, len(key))] = key
    slot = _slot_of(chars, i, j)
    key = <str>item_of(strings.keys, slot)
    if key is None or not is_at(key, chars, i, j):
        key = slice_of(text, chars, i, j)
        if key.isascii():
            strings.keys[slot] = key
    return key

cdef inline int share_cache(StringReader strings, StringReader other) except -1:
    other.only_key = strings.only_key
    other.keys = strings.keys
    return 0

@cython.locals(reader=StringReader)
cdef StringReader new_string_reader()
