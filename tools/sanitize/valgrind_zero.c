/* Loaded before Python under valgrind: set the lowest digit of every integer that CPython allocates.

   A zero has the size 0, and before 3.13 CPython leaves its one allocated digit unset. Where it reads a small
   integer it multiplies that digit by the size, so the value does not matter; memcheck does not know that, and
   reports every branch on the result. This wrapper of `_PyLong_New` sets the digit, and CPython overwrites it
   in every number that is not zero. What memcheck reports then is a real error. */

#include <Python.h>
#include <valgrind/valgrind.h>

#if PY_VERSION_HEX >= 0x030C0000
#define DIGITS(number) ((number)->long_value.ob_digit)
#else
#define DIGITS(number) ((number)->ob_digit)
#endif

static PyLongObject *with_digit(OrigFn original, Py_ssize_t size)
{
    PyLongObject *number;

    CALL_FN_W_W(number, original, size);
    if (number != NULL) {
        DIGITS(number)[0] = 0;
    }
    return number;
}

/* Python as a shared library ("Za" is an asterisk), or linked into its executable ("NONE") */
PyLongObject *I_WRAP_SONAME_FNNAME_ZU(libpythonZa, _PyLong_New)(Py_ssize_t size)
{
    OrigFn original;

    VALGRIND_GET_ORIG_FN(original);
    return with_digit(original, size);
}

PyLongObject *I_WRAP_SONAME_FNNAME_ZU(NONE, _PyLong_New)(Py_ssize_t size)
{
    OrigFn original;

    VALGRIND_GET_ORIG_FN(original);
    return with_digit(original, size);
}
