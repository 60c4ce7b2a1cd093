cimport cython

from .rope cimport rope_text

cdef class JsonAstNode:
    # -1: the root has no parent
    cdef Py_ssize_t _id, _parent_id
    cdef bint _closed
    # the key of a member of an object, else None
    cdef readonly str _key
    cdef bint _has_value(self) except -1
    cdef object _get_value(self)

cdef class JsonNullAstNode(JsonAstNode):
    pass

cdef class JsonBooleanAstNode(JsonAstNode):
    cdef object _value

cdef class TextNode(JsonAstNode):
    cdef object _rope
    @cython.locals(text=str)
    cdef str _read_text(self)
    cdef object _read_rope(self)

cdef class JsonNumberAstNode(TextNode):
    cdef object _value

cdef class JsonStringAstNode(TextNode):
    pass

cdef int set_place(JsonAstNode node, Py_ssize_t id, Py_ssize_t parent_id, str key, bint closed) except -1
@cython.locals(node=JsonStringAstNode)
cdef JsonStringAstNode new_string(Py_ssize_t id, Py_ssize_t parent_id, str key, bint closed, object rope)
@cython.locals(node=JsonNumberAstNode)
cdef JsonNumberAstNode new_number(
    Py_ssize_t id, Py_ssize_t parent_id, str key, bint closed, object rope, object value
)
@cython.locals(null=JsonNullAstNode, boolean=JsonBooleanAstNode)
cdef JsonAstNode new_literal(Py_ssize_t id, Py_ssize_t parent_id, str key, bint closed, object value)
