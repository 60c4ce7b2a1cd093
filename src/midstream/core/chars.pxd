from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport (
    PyUnicode_1BYTE_KIND, PyUnicode_2BYTE_KIND, PyUnicode_DATA, PyUnicode_KIND,
    PyUnicode_FromOrdinal, PyUnicode_New, PyUnicode_READ, PyUnicode_Substring,
)
from libc.string cimport memcmp, memcpy

ctypedef const unsigned char *Chars

cdef extern from *:
    bint PyUnicode_IS_COMPACT(object text) noexcept

# SCANS_WORDS: whether eight bytes may be read as one word. That needs a little-endian machine, where the
# first character of the text is the lowest byte of the word, and the count-trailing-zeros builtin, which
# finds that byte. Elsewhere the loops below read one byte at a time.
cdef extern from *:
    """
    #if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    #define MIDSTREAM_SCANS_WORDS 1
    #define midstream_first_byte(word) (__builtin_ctzll(word) >> 3)
    #else
    #define MIDSTREAM_SCANS_WORDS 0
    #define midstream_first_byte(word) 0
    #endif

    #ifdef __SSE2__
    #include <emmintrin.h>
    #endif
    #ifdef _MSC_VER
    #define midstream_restrict __restrict
    #else
    #define midstream_restrict restrict
    #endif

    /* Narrowing is written in C because only `restrict` promises the compiler that the buffers do not overlap,
       which lets it vectorise the loops. */
    static CYTHON_INLINE void midstream_narrow_2(
        const Py_UCS2 *midstream_restrict from, unsigned char *midstream_restrict to, Py_ssize_t n
    ) {
        Py_ssize_t k;
        for (k = 0; k < n; k++) to[k] = from[k] > 0xFF ? 0xFF : (unsigned char)from[k];
    }
    static CYTHON_INLINE void midstream_narrow_4(
        const Py_UCS4 *midstream_restrict from, unsigned char *midstream_restrict to, Py_ssize_t n
    ) {
        Py_ssize_t k = 0;
    #ifdef __SSE2__
        /* SSE2 saturating packs, twice: a value that is too large becomes the largest one. */
        for (; k + 16 <= n; k += 16) {
            const __m128i *four = (const __m128i *)(from + k);
            __m128i low = _mm_packs_epi32(_mm_loadu_si128(four), _mm_loadu_si128(four + 1));
            __m128i high = _mm_packs_epi32(_mm_loadu_si128(four + 2), _mm_loadu_si128(four + 3));
            _mm_storeu_si128((__m128i *)(to + k), _mm_packus_epi16(low, high));
        }
    #endif
        for (; k < n; k++) to[k] = from[k] > 0xFF ? 0xFF : (unsigned char)from[k];
    }
    """
    const bint SCANS_WORDS "MIDSTREAM_SCANS_WORDS"
    int first_byte "midstream_first_byte" (unsigned long long word) noexcept
    void narrow_2 "midstream_narrow_2" (const void *from_, unsigned char *to, Py_ssize_t n) noexcept
    void narrow_4 "midstream_narrow_4" (const void *from_, unsigned char *to, Py_ssize_t n) noexcept

# Return the object that holds the bytes: the text itself if its characters are one byte wide, otherwise a
# copy. In both cases an object header stands right before the bytes, so that `last_bytes` may read up to 7
# bytes before them.
cdef inline object narrowed(str text):
    cdef unsigned char *copied
    cdef object copy
    if PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND and PyUnicode_IS_COMPACT(text):
        return text
    copy = PyBytes_FromStringAndSize(NULL, len(text))
    copied = <unsigned char *>PyBytes_AS_STRING(copy)
    if PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND:
        memcpy(copied, PyUnicode_DATA(text), len(text))
    elif PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND:
        narrow_2(PyUnicode_DATA(text), copied, len(text))
    else:
        narrow_4(PyUnicode_DATA(text), copied, len(text))
    return copy

cdef inline Chars chars_of(object narrow) noexcept:
    return <Chars>PyUnicode_DATA(narrow) if isinstance(narrow, str) else <Chars>PyBytes_AS_STRING(narrow)

# SWAR ("SIMD within a register") search for a quote, a backslash or a control character, after Mycroft's
# zero-byte test (https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord): the high bit of a byte is
# set in the result if the high bit of (byte ^ quote) - 1, (byte ^ backslash) - 1 or byte - 0x20 is set and
# that of the byte itself is not. Only the first hit is exact, because a subtraction may borrow from the bytes
# after a hit.
cdef inline unsigned long long hits(unsigned long long word) noexcept:
    return (
        (word - 0x2020202020202020ULL)
        | ((word ^ 0x2222222222222222ULL) - 0x0101010101010101ULL)
        | ((word ^ 0x5C5C5C5C5C5C5C5CULL) - 0x0101010101010101ULL)
    ) & ~word & 0x8080808080808080ULL

# Return the last one to eight bytes before `end` as one word, filled up with zeros. A loop over so few bytes
# would be dominated by the mispredicted branch at its end. The read may start before the text; see
# `narrowed`.
cdef inline unsigned long long last_bytes(Chars end, Py_ssize_t count) noexcept:
    cdef unsigned long long word
    memcpy(&word, end - 8, 8)
    return word >> (8 * (8 - count))

# The only loop that visits every character of every string tests eight at a time, which takes 4 to 11 % off
# the time for large fragments. (The zeros that `last_bytes` fills in count as control characters, so as
# hits.)
cdef inline Py_ssize_t content_end(Chars chars, Py_ssize_t i, Py_ssize_t n) noexcept:
    cdef unsigned long long word
    cdef unsigned char c
    if SCANS_WORDS:
        while i + 8 <= n:
            memcpy(&word, chars + i, 8)
            word = hits(word)
            if word:
                return i + first_byte(word)
            i += 8
        return i + first_byte(hits(last_bytes(chars + n, n - i))) if i < n else i
    while i < n:
        c = chars[i]
        if c <= 0x5C and (c == 0x22 or c == 0x5C or c < 0x20):
            break
        i += 1
    return i

cdef inline bint is_content(str text) noexcept:
    cdef Py_ssize_t n = len(text)
    cdef unsigned long long word, before
    cdef Chars chars = <Chars>PyUnicode_DATA(text)
    if PyUnicode_KIND(text) != PyUnicode_1BYTE_KIND or not PyUnicode_IS_COMPACT(text):
        return False
    if SCANS_WORDS and 0 < n <= 8:
        # one word and no branch: the bytes before the text are replaced by spaces
        memcpy(&word, chars + n - 8, 8)
        before = 0xFFFFFFFFFFFFFFFFULL >> (8 * (n - 1)) >> 8
        return not hits((word & ~before) | (before & 0x2020202020202020ULL))
    return content_end(chars, 0, n) == n

cdef inline bint is_ascii(Chars chars, Py_ssize_t i, Py_ssize_t n) noexcept:
    cdef unsigned long long word
    while i + 8 <= n:
        memcpy(&word, chars + i, 8)
        if word & 0x8080808080808080ULL:
            return False
        i += 8
    if SCANS_WORDS:
        return i == n or not last_bytes(chars + n, n - i) & 0x8080808080808080ULL
    while i < n:
        if chars[i] > 0x7F:
            return False
        i += 1
    return True

cdef inline str ascii_slice(Chars chars, Py_ssize_t i, Py_ssize_t n):
    cdef str piece
    if n - i == 1:
        return PyUnicode_FromOrdinal(chars[i])
    piece = PyUnicode_New(n - i, 127)
    memcpy(PyUnicode_DATA(piece), chars + i, n - i)
    return piece

# An ASCII slice is copied from the bytes, whatever the width of the text's characters.
cdef inline str slice_of(str text, Chars chars, Py_ssize_t i, Py_ssize_t n):
    if n > i and is_ascii(chars, i, n):
        return ascii_slice(chars, i, n)
    return PyUnicode_Substring(text, i, n)

cdef inline bint is_same_word(Chars one, Chars other) noexcept:
    cdef unsigned int a, b
    memcpy(&a, one, 4)
    memcpy(&b, other, 4)
    return a == b

# Most keys are 4 to 8 characters long and are compared as two overlapping words, which is cheaper than a call
# of memcmp.
cdef inline bint is_at(str key, Chars chars, Py_ssize_t i, Py_ssize_t n) noexcept:
    cdef Chars own = <Chars>PyUnicode_DATA(key)
    cdef Py_ssize_t length = n - i
    if len(key) != length:
        return False
    if 4 <= length <= 8:
        return is_same_word(own, chars + i) and is_same_word(own + length - 4, chars + n - 4)
    return memcmp(own, chars + i, length) == 0

cdef inline Py_ssize_t comma_before(str text, Py_ssize_t start, Py_ssize_t j) noexcept:
    cdef int kind = PyUnicode_KIND(text)
    cdef void *data = PyUnicode_DATA(text)
    j -= 1
    while j >= start and PyUnicode_READ(kind, data, j) == 0x20:
        j -= 1
    return j if j >= start and PyUnicode_READ(kind, data, j) == 0x2C else -1
