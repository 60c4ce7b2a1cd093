cimport cython
from cpython.unicode cimport PyUnicode_GET_LENGTH, PyUnicode_Substring

from .chars cimport (
    LOOKS_AT_WORDS, Chars, ascii_slice, chars_of, content_end, is_ascii, is_at, last_bytes, slice_of,
)

cdef enum:
    _NOWHERE = 0
    _BACKSLASH = 1
    _FIRST_DIGIT = 2
    _COMPLETE = 6
    # keys: how many are remembered (a power of two), and up to what length
    _KEYS = 64
    _LONG = 64
    # values: how many (a power of two), up to what length, and from what size of a fragment on
    _VALUES = 256
    _SHORT = 16
    _LARGE = 1000

cdef str _simple(Py_UCS4 c)
cdef int _hex_digit(Py_UCS4 c) noexcept

cdef class StringReader:
    cdef Py_ssize_t room
    cdef int place, code, high
    cdef str piece
    cdef bint closed
    cdef object failure
    # the first key, and all of them in the slots of a table if there are more; the last one's slot, and for each slot
    # that of the key which came next the last time
    cdef str only_key
    cdef list keys
    cdef Py_ssize_t slot
    cdef unsigned char follows[_KEYS]
    cdef list values
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

# What came before comes again. The same object costs no memory, and its hash is known already. The clones of a reader
# share what they remember, even among threads: so an item is never borrowed, and is compared with the text.

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

# The key text[i:j], as the object that it was the last time if it is remembered.
@cython.boundscheck(False)
cdef inline str recall_key(StringReader strings, str text, Chars chars, Py_ssize_t i, Py_ssize_t j):
    cdef Py_ssize_t slot
    cdef str key
    if i == j or j - i > _LONG:
        return slice_of(text, chars, i, j)
    if strings.keys is None:
        key = strings.only_key
        if key is None:
            # many texts have one key alone
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
    strings.follows[strings.slot] = slot
    strings.slot = slot
    return key

cdef inline int share_memory(StringReader strings, StringReader other) except -1:
    other.only_key = strings.only_key
    other.keys = strings.keys
    other.values = strings.values
    return 0

# Objects of one kind follow each other. To compare the key that came after the last one before is less than to find
# where a key ends and to look it up: give it if it and a quote stand at chars[i].
@cython.boundscheck(False)
cdef inline str foreseen_key(StringReader strings, Chars chars, Py_ssize_t i, Py_ssize_t n):
    cdef Py_ssize_t slot, j
    cdef object key
    if strings.keys is not None:
        slot = strings.follows[strings.slot]
        key = item_of(strings.keys, slot)
        if key is not None:
            j = i + PyUnicode_GET_LENGTH(key)
            if j < n and chars[j] == c'"' and is_at(<str>key, chars, i, j):
                strings.slot = slot
                return <str>key
    return None

# The value text[i:j] in a fragment of n characters, as the object that it was before if it is short and came lately:
# a state, a label, a unit. In small fragments few strings are all there, and there are many streams to hold a table.
@cython.boundscheck(False)
cdef inline str recall_value(StringReader strings, str text, Chars chars, Py_ssize_t i, Py_ssize_t j, Py_ssize_t n):
    cdef unsigned long long word
    cdef Py_ssize_t slot
    cdef object value
    if not LOOKS_AT_WORDS or i == j or j - i > _SHORT or (strings.values is None and n < _LARGE):
        return slice_of(text, chars, i, j)
    if strings.values is None:
        strings.values = [None] * _VALUES
    word = last_bytes(chars + j, j - i if j - i < 8 else 8)
    slot = (word * 0x9E3779B97F4A7C15ULL >> 32) & (_VALUES - 1)
    value = item_of(strings.values, slot)
    if value is not None and is_at(<str>value, chars, i, j):
        return <str>value
    if not is_ascii(chars, i, j):
        return PyUnicode_Substring(text, i, j)
    value = ascii_slice(chars, i, j)
    strings.values[slot] = value
    return <str>value

@cython.locals(reader=StringReader)
cdef StringReader new_string_reader()
