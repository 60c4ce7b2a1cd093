cimport cython

from ..core.grammar cimport Grammar, new_grammar
from .nodes cimport JsonAstNode
from .visitor cimport TreeVisitor, new_visitor, open_containers

cdef class ParserState:
    cdef Grammar _grammar
    cdef dict _options
    cdef JsonAstNode _root
    cdef Py_ssize_t _next_id
    cdef str _pending_key

@cython.locals(before=ParserState, grammar=Grammar, visitor=TreeVisitor)
cpdef ParserState parse_chunk(object state, object chunk)
@cython.locals(before=ParserState, grammar=Grammar, visitor=TreeVisitor)
cpdef ParserState finalize(object state)
@cython.locals(saved=ParserState)
cpdef dict dump_state(object state)
cdef ParserState _checked(object state)
@cython.locals(state=ParserState)
cdef ParserState _new_state(Grammar grammar, dict options, JsonAstNode root, Py_ssize_t next_id, str pending_key)
cdef ParserState _next_state(ParserState before, Grammar grammar, TreeVisitor visitor)
@cython.locals(state=ParserState, visitor=TreeVisitor)
cpdef ParserState load_state(object data, object parse_int=*, object parse_float=*)
cpdef ParserState create_parser_state(object after_root=*, object limits=*, object parse_int=*, object parse_float=*)
