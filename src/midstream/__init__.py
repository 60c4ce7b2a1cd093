"""JSON while it is still arriving."""

from . import aio
from ._grammar import COMPILED
from ._undefined import UNDEFINED
from ._update import JsonFragmentKind, JsonFragmentUpdate
from ._version import __version__
from .chunker import JsonStreamChunker, PlainTextStreamChunker, chunks
from .errors import ErrorCode, JsonStreamError, ParserError, Position
from .fragments import JsonFragmentAccumulator, updates
from .limits import Limits
from .nodes import (
    JsonArrayAstNode,
    JsonAstNode,
    JsonBooleanAstNode,
    JsonNullAstNode,
    JsonNumberAstNode,
    JsonObjectAstNode,
    JsonStringAstNode,
)
from .parser import (
    ParserMode,
    ParserState,
    create_parser_state,
    dump_state,
    finalize,
    get_resolved_value,
    load_state,
    parse_chunk,
)
from .paths import parse_path
from .values import JsonValueAccumulator, parse_partial, values

__all__ = [
    "COMPILED",
    "UNDEFINED",
    "ErrorCode",
    "JsonArrayAstNode",
    "JsonAstNode",
    "JsonBooleanAstNode",
    "JsonFragmentAccumulator",
    "JsonFragmentKind",
    "JsonFragmentUpdate",
    "JsonNullAstNode",
    "JsonNumberAstNode",
    "JsonObjectAstNode",
    "JsonStreamChunker",
    "JsonStreamError",
    "JsonStringAstNode",
    "JsonValueAccumulator",
    "Limits",
    "ParserError",
    "ParserMode",
    "ParserState",
    "PlainTextStreamChunker",
    "Position",
    "__version__",
    "aio",
    "chunks",
    "create_parser_state",
    "dump_state",
    "finalize",
    "get_resolved_value",
    "load_state",
    "parse_chunk",
    "parse_partial",
    "parse_path",
    "updates",
    "values",
]
