cimport cython

from ..core.chars cimport Chars, ascii_slice, chars_of
from ..core.modes cimport IN_CONTAINER
from ..core.visitor cimport Visitor
from .containers cimport Container, JsonArrayAstNode, new_container, renewed
from .nodes cimport JsonAstNode, JsonNumberAstNode, TextNode, new_literal, new_number, new_string
from .rope cimport grow
from .vector cimport Vector

cdef enum:
    NOTHING
    STRING
    NUMBER
    LITERAL

cdef class OpenContainer:
    cdef Py_ssize_t id, parent_id
    cdef bint is_array
    cdef str key
    cdef Container before
    cdef list items
    cdef Py_ssize_t count(self) except -1
    @cython.locals(before=Container, items=Vector, base=tuple)
    cdef Container freeze(self, bint closed, JsonAstNode last)

@cython.locals(container=OpenContainer)
cdef OpenContainer reopened(Container node)

cdef class TreeVisitor(Visitor):
    cdef readonly JsonAstNode root
    cdef readonly str pending_key
    cdef readonly Py_ssize_t next_id
    cdef readonly bint thawed
    cdef list spine, opened
    cdef OpenContainer top
    cdef Py_ssize_t leaf_id, root_parent_id
    cdef int leaf
    cdef str leaf_key, root_key
    cdef object rope
    @cython.locals(node=JsonAstNode, container=Container, text_node=TextNode)
    cdef int _thaw(self) except -1
    @cython.locals(node=JsonAstNode, container=OpenContainer, old=Container, depth=Py_ssize_t)
    cdef JsonAstNode freeze(self)
    @cython.locals(depth=Py_ssize_t, node=Container)
    cdef Py_ssize_t _parent_id(self) except -2
    cdef str _next_key(self)
    @cython.locals(depth=Py_ssize_t)
    cdef bint _is_in_object(self) except -1
    cdef int _touch(self) except -1
    cdef int _open_leaf(self, int leaf) except -1
    cdef int _add(self, JsonAstNode node) except -1
    @cython.locals(container=OpenContainer)
    cdef int _enter(self, bint is_array) except -1
    @cython.locals(container=OpenContainer, depth=Py_ssize_t)
    cdef int _leave(self) except -1
    @cython.locals(node=Container, container=OpenContainer, count=Py_ssize_t, is_array=bint)
    cdef list _path_at(self, int where)
    @cython.locals(still_open=list, container=OpenContainer)
    cdef int replay(self, list rows, object parse_int, object parse_float) except -1
    cdef int _replay_leaf(self, str kind, bint closed, list content, object parse_int, object parse_float) except -1
    cdef int _close_until(self, Py_ssize_t id) except -1
    @cython.locals(container=OpenContainer)
    cdef str brackets(self)

@cython.locals(visitor=TreeVisitor)
cdef TreeVisitor new_visitor(JsonAstNode root, Py_ssize_t next_id, str pending_key)
@cython.locals(node=JsonAstNode, container=Container)
cdef list spine_of(JsonAstNode root)
@cython.locals(visitor=TreeVisitor)
cpdef JsonAstNode load_node(list rows, Py_ssize_t id, Py_ssize_t parent_id, str key)
