from .machine cimport Machine, begin_document
from .modes cimport *
from .visitor cimport Visitor

cdef int open_container(Machine machine, Py_UCS4 c, Visitor visitor) except -1
cdef int close_container(Machine machine, Py_ssize_t i, Visitor visitor) except -1
cdef int end_value(Machine machine, Py_ssize_t i, Visitor visitor) except -1
cdef int end_root(Machine machine, Py_ssize_t i, Visitor visitor) except -1
