cimport cython

from .chars cimport Chars, chars_of
from .text cimport TextBuffer

cdef enum:
    _START
    _MINUS
    _POINT
    _E
    _SIGN
    _ZERO
    _INT
    _FRACTION
    _EXPONENT
    _NO_STEP = -1

cdef extern from *:
    """
    #include <float.h>
    #include <math.h>
    #include <stdint.h>

    /* Return digits * 10**scale, rounded once, or -1 if that takes more than machine words. Together with the
       digits that `_scan` accumulates, this makes large fragments full of numbers 1.3 to 1.8 times as fast as
       float() would.

       Clinger's fast path (William D. Clinger, "How to Read Floating Point Numbers Accurately", 1990): digits
       up to 2**53 and powers of ten up to 10**22 are exact doubles, so that one product or quotient is the
       exact result, rounded once, unless the machine computes in wider registers (FLT_EVAL_METHOD).
       Otherwise, for powers up to 10**19, the product or quotient is computed in 128-bit integers and reduced
       to 64 bits and a sticky bit, which is set if anything was cut off: the rounded number is then on the
       same side of every tie as the exact one. */
    static CYTHON_INLINE double midstream_scaled(uint64_t digits, Py_ssize_t scale) {
        static const double powers[] = {
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
        };
    #if FLT_EVAL_METHOD == 0
        if (digits <= ((uint64_t)1 << 53) && -22 <= scale && scale <= 22) {
            double real = (double)digits;
            return scale < 0 ? real / powers[-scale] : real * powers[scale];
        }
    #endif
    #ifdef __SIZEOF_INT128__
        if (digits && -19 <= scale && scale <= 19) {
            uint64_t power = (uint64_t)powers[scale < 0 ? -scale : scale];  /* exact, as 5**19 < 2**53 */
            unsigned __int128 wide;
            int exponent = 0, follows = 0;
            if (scale < 0) {
                exponent = -64 - __builtin_clzll(digits);
                wide = (unsigned __int128)digits << -exponent;
                follows = wide % power != 0;
                wide /= power;
            } else {
                wide = (unsigned __int128)digits * power;
            }
            if (wide >> 64) {
                int extra = 64 - __builtin_clzll((uint64_t)(wide >> 64));
                follows |= (wide & (((unsigned __int128)1 << extra) - 1)) != 0;
                wide >>= extra;
                exponent += extra;
            }
            return ldexp((double)((uint64_t)wide | (uint64_t)follows), exponent);
        }
    #endif
        return -1.0;
    }
    """
    double _scaled "midstream_scaled" (unsigned long long digits, Py_ssize_t scale) noexcept

cdef int _step(int state, Py_UCS4 c) noexcept
cdef bint is_part(Py_UCS4 c) noexcept

cdef class NumberReader:
    cdef Py_ssize_t limit, room
    cdef int state
    cdef Py_ssize_t count, scale
    cdef unsigned long long digits
    cdef bint convert_exactly, done
    cdef object parse_int, parse_float, value, failure, cause
    cdef TextBuffer pieces
    cdef str text
    cdef int begin(self) except -1
    @cython.locals(begins=bint, j=Py_ssize_t)
    cdef Py_ssize_t read(self, str text, Chars chars, Py_ssize_t i, Py_ssize_t n) except -1
    @cython.locals(
        state=cython.int, step=cython.int, c=Py_UCS4, is_shrinking=bint,
        digits=cython.ulonglong, start=Py_ssize_t, count=Py_ssize_t, before_point=Py_ssize_t, exponent=Py_ssize_t,
    )
    cdef inline Py_ssize_t _scan(self, Chars chars, Py_ssize_t i, Py_ssize_t n) noexcept
    @cython.locals(c=Py_UCS4, digits=cython.longlong, real=cython.double)
    cdef inline object _exact(self, Chars chars, Py_ssize_t start, bint integral)
    cdef bint may_end(self) noexcept
    cdef int finish(self) except -1
    @cython.locals(text=str, chars=Chars)
    cdef int _convert_pieces(self, str last) except -1
    cdef inline int _convert(self, str text, Chars chars, Py_ssize_t start, Py_ssize_t end, bint integral) except -1
    cdef Py_ssize_t _fail(self, object failure, Py_ssize_t at) except -1
    @cython.locals(end=Py_ssize_t)
    cpdef int load(self, int state, str text) except -1
    @cython.locals(other=NumberReader)
    cdef NumberReader clone(self, TextBuffer pieces)

@cython.locals(reader=NumberReader)
cdef NumberReader new_number_reader(Py_ssize_t limit, object parse_int, object parse_float, TextBuffer pieces)
