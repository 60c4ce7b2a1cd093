from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport (
    PyUnicode_1BYTE_KIND, PyUnicode_2BYTE_KIND, PyUnicode_DATA, PyUnicode_KIND,
    PyUnicode_FromOrdinal, PyUnicode_New, PyUnicode_Substring,
)
from libc.string cimport memcmp, memcpy

ctypedef const unsigned char *Chars

cdef extern from *:
    bint PyUnicode_IS_COMPACT(object text) noexcept

# The place of the lowest byte whose high bit is set: with the bytes of a word in the order of the
# text. Where neither that order nor the instruction is certain, eight bytes are looked at one by one.
cdef extern from *:
    """
    #if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    #define MIDSTREAM_LOOKS_AT_WORDS 1
    #define midstream_first_byte(word) (__builtin_ctzll(word) >> 3)
    #else
    #define MIDSTREAM_LOOKS_AT_WORDS 0
    #define midstream_first_byte(word) 0
    #endif

    #ifdef __SSE2__
    #include <emmintrin.h>
    #endif
    #ifdef _MSC_VER
    #define midstream_apart __restrict
    #else
    #define midstream_apart restrict
    #endif

    /* In C, as only there the compiler can be told that nothing overlaps: then it vectorises. */
    static CYTHON_INLINE void midstream_narrow_2(
        const Py_UCS2 *midstream_apart from, unsigned char *midstream_apart to, Py_ssize_t n
    ) {
        Py_ssize_t k;
        for (k = 0; k < n; k++) to[k] = from[k] > 0xFF ? 0xFF : (unsigned char)from[k];
    }
    static CYTHON_INLINE void midstream_narrow_4(
        const Py_UCS4 *midstream_apart from, unsigned char *midstream_apart to, Py_ssize_t n
    ) {
        Py_ssize_t k = 0;
    #ifdef __SSE2__
        /* Packing does what is wanted, twice: what is too large becomes the largest. */
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
    const bint LOOKS_AT_WORDS "MIDSTREAM_LOOKS_AT_WORDS"
    int first_byte "midstream_first_byte" (unsigned long long word) noexcept
    void narrow_2 "midstream_narrow_2" (const void *from_, unsigned char *to, Py_ssize_t n) noexcept
    void narrow_4 "midstream_narrow_4" (const void *from_, unsigned char *to, Py_ssize_t n) noexcept

# What holds the bytes: the text itself if its characters are bytes, else a copy. Either is an object, and at least a
# word of its own stands right before the bytes.
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

# The high bit of each byte that is a quote, a backslash or below 0x20, up to the first of them: that of
# (byte ^ quote) - 1, (byte ^ backslash) - 1 or byte - 0x20 is set while the byte's own is not; a borrow can only
# reach bytes behind a hit.
cdef inline unsigned long long hits(unsigned long long word) noexcept:
    return (
        (word - 0x2020202020202020ULL)
        | ((word ^ 0x2222222222222222ULL) - 0x0101010101010101ULL)
        | ((word ^ 0x5C5C5C5C5C5C5C5CULL) - 0x0101010101010101ULL)
    ) & ~word & 0x8080808080808080ULL

# The last bytes before an end, one to eight, as one word that is filled up with zeros. To go through so few of them
# is to guess how many they are, and to be wrong most of the time. What is read along stands before them.
cdef inline unsigned long long last_bytes(Chars end, Py_ssize_t count) noexcept:
    cdef unsigned long long word
    memcpy(&word, end - 8, 8)
    return word >> (8 * (8 - count))

# The one loop that sees every character of every string looks at eight of them together. (A zero is a hit.)
cdef inline Py_ssize_t content_end(Chars chars, Py_ssize_t i, Py_ssize_t n) noexcept:
    cdef unsigned long long word
    cdef unsigned char c
    if LOOKS_AT_WORDS:
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
    if LOOKS_AT_WORDS and 0 < n <= 8:
        # one look, and no guess: what stands before the text is taken for spaces
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
    if LOOKS_AT_WORDS:
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

# A slice of ASCII is copied from the bytes, whatever the text is made of.
cdef inline str slice_of(str text, Chars chars, Py_ssize_t i, Py_ssize_t n):
    if n > i and is_ascii(chars, i, n):
        return ascii_slice(chars, i, n)
    return PyUnicode_Substring(text, i, n)

cdef inline bint is_same_word(Chars one, Chars other) noexcept:
    cdef unsigned int a, b
    memcpy(&a, one, 4)
    memcpy(&b, other, 4)
    return a == b

# Most keys are two words that overlap; a call would cost more than the comparison.
cdef inline bint is_at(str key, Chars chars, Py_ssize_t i, Py_ssize_t n) noexcept:
    cdef Chars own = <Chars>PyUnicode_DATA(key)
    cdef Py_ssize_t length = n - i
    if len(key) != length:
        return False
    if 4 <= length <= 8:
        return is_same_word(own, chars + i) and is_same_word(own + length - 4, chars + n - 4)
    return memcmp(own, chars + i, length) == 0
