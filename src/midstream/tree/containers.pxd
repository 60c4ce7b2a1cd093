cimport cython

from .nodes cimport JsonAstNode, set_place
from .vector cimport Vector

cdef extern from *:
    Py_ssize_t Py_REFCNT(object node) noexcept

cdef inline bint has_one_owner(JsonAstNode node) noexcept:
    return Py_REFCNT(node) == 1

cdef class Container(JsonAstNode):
    cdef Vector _items
    cdef JsonAstNode _last
    cdef object _value
    cdef tuple _base
    @cython.locals(last=JsonAstNode)
    cpdef JsonAstNode _child(self, Py_ssize_t index)
    cpdef Py_ssize_t _child_count(self) except -1
    cpdef JsonAstNode _open_child(self)
    @cython.locals(low=Py_ssize_t, high=Py_ssize_t, middle=Py_ssize_t, child=JsonAstNode)
    cpdef JsonAstNode _subtree_with(self, Py_ssize_t wanted)
    cdef tuple _reusable_value(self)
    cdef object _make_value(self, tuple base)
    cdef int _set_value(self, object value) except -1

cdef class JsonArrayAstNode(Container):
    @cython.locals(value=list, common=Py_ssize_t, i=Py_ssize_t, child=JsonAstNode, items=Vector)
    cdef object _make_value(self, tuple base)

cdef class JsonObjectAstNode(Container):
    @cython.locals(value=dict, common=Py_ssize_t, i=Py_ssize_t, child=JsonAstNode, items=Vector)
    cdef object _make_value(self, tuple base)

@cython.locals(node=Container)
cdef Container new_container(
    bint is_array, Py_ssize_t id, Py_ssize_t parent_id, str key, bint closed,
    Vector items, JsonAstNode last, tuple base,
)
cdef Container renewed(Container old, JsonAstNode last)
@cython.locals(
    node=Container, child=JsonAstNode, inner=Container, base=tuple, i=Py_ssize_t, common=Py_ssize_t,
    count=Py_ssize_t, is_resolved=bint,
)
cdef int resolve(Container top) except -1
@cython.locals(node=JsonAstNode, below=JsonAstNode, container=Container)
cdef int free_chain(Container top) except -1
