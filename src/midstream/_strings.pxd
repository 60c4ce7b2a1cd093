cimport cython
from cpython.unicode cimport PyUnicode_GET_LENGTH, PyUnicode_Substring

from ._chars cimport (
    LOOKS_AT_WORDS, Chars, ascii_slice, chars_of, content_end, is_at, last_bytes, slice_of,
)

cdef enum:
    _NOWHERE = 0
    _BACKSLASH = 1
    _FIRST_DIGIT = 2
    _COMPLETE = 6
    # keys: how many are remembered (a power of two), and up to what length
    _KEYS = 64
    _LONG = 64
    # short values: how many (a power of two), and from what size of a fragment on
    _SHORTS = 256
    _LARGE = 1000

cdef str _simple(Py_UCS4 c)
cdef int _hex_digit(Py_UCS4 c) noexcept

# Short values that came before, each in the slot that its characters make: up to sixteen of them are two words.
cdef class ShortStrings:
    cdef unsigned long long heads[_SHORTS]
    cdef unsigned long long tails[_SHORTS]
    cdef list texts

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
    cdef ShortStrings shorts
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

# What came before comes again. The same object costs no memory, and its hash is known already.

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
    key = strings.keys[slot]
    if key is None or not is_at(key, chars, i, j):
        key = slice_of(text, chars, i, j)
        if key.isascii():
            strings.keys[slot] = key
    strings.follows[strings.slot] = slot
    strings.slot = slot
    return key

cdef inline int share_keys(StringReader strings, StringReader other) except -1:
    other.only_key = strings.only_key
    other.keys = strings.keys
    return 0

# Objects of one kind follow each other. To compare the key that came after the last one before is less than to find
# where a key ends and to look it up: give it if it and a quote stand at chars[i].
@cython.boundscheck(False)
cdef inline str foreseen_key(StringReader strings, Chars chars, Py_ssize_t i, Py_ssize_t n):
    cdef Py_ssize_t slot, j
    cdef object key
    if strings.keys is not None:
        slot = strings.follows[strings.slot]
        key = strings.keys[slot]
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
    cdef unsigned long long head = 0, tail
    cdef Py_ssize_t slot
    cdef ShortStrings shorts = strings.shorts
    cdef str value
    if not LOOKS_AT_WORDS or i == j or j - i > 16 or (shorts is None and n < _LARGE):
        return slice_of(text, chars, i, j)
    if shorts is None:
        shorts = strings.shorts = ShortStrings.__new__(ShortStrings)
        shorts.texts = [None] * _SHORTS
    if j - i <= 8:
        tail = last_bytes(chars + j, j - i)
    else:
        tail = last_bytes(chars + j, 8)
        head = last_bytes(chars + j - 8, j - i - 8)
    slot = ((tail + 31 * head) * 0x9E3779B97F4A7C15ULL >> 32) & (_SHORTS - 1)
    # no word is zero, as an empty slot is: no string has such a character as it stands
    if shorts.tails[slot] == tail and shorts.heads[slot] == head:
        return <str>shorts.texts[slot]
    if (tail | head) & 0x8080808080808080ULL:
        # not all of them ASCII
        return PyUnicode_Substring(text, i, j)
    value = ascii_slice(chars, i, j)
    shorts.tails[slot] = tail
    shorts.heads[slot] = head
    shorts.texts[slot] = value
    return value

@cython.locals(reader=StringReader)
cdef StringReader new_string_reader()
