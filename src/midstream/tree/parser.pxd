cimport cython

from ..core.grammar cimport feed, finish
from ..core.machine cimport Machine, new_machine
from .nodes cimport JsonAstNode
from .visitor cimport TreeVisitor, new_visitor, spine_of

cdef class ParserState:
    cdef Machine _grammar
    cdef dict _options
    cdef JsonAstNode _root
    cdef Py_ssize_t _next_id
    cdef str _pending_key

@cython.locals(before=ParserState, grammar=Machine, visitor=TreeVisitor)
cpdef ParserState parse_chunk(object state, object chunk)
@cython.locals(before=ParserState, grammar=Machine, visitor=TreeVisitor)
cpdef ParserState finalize(object state)
@cython.locals(saved=ParserState)
cpdef dict dump_state(object state)
cdef ParserState _checked(object state)
@cython.locals(state=ParserState)
cdef ParserState _new_state(Machine grammar, dict options, JsonAstNode root, Py_ssize_t next_id, str pending_key)
cdef ParserState _next_state(ParserState before, Machine grammar, TreeVisitor visitor)
@cython.locals(state=ParserState, visitor=TreeVisitor)
cpdef ParserState load_state(object data, object parse_int=*, object parse_float=*)
cpdef ParserState create_parser_state(
    object after_root=*, object limits=*, object parse_int=*, object parse_float=*, object dialect=*
)
