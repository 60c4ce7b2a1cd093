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
from .messages import ToolCallUpdate
from .middleware import JsonFragmentUpdateMiddleware
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
from .rebuild import JsonFragmentRebuilder
from .streams import text_deltas, tool_calls
from .toolcalls import ToolCall, ToolsAggregateMessageHandler
from .values import JsonValueAccumulator, parse_partial, values
from .wire import from_wire, to_wire

__all__ = [
    "COMPILED",
    "UNDEFINED",
    "ErrorCode",
    "JsonArrayAstNode",
    "JsonAstNode",
    "JsonBooleanAstNode",
    "JsonFragmentAccumulator",
    "JsonFragmentKind",
    "JsonFragmentRebuilder",
    "JsonFragmentUpdate",
    "JsonFragmentUpdateMiddleware",
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
    "ToolCall",
    "ToolCallUpdate",
    "ToolsAggregateMessageHandler",
    "__version__",
    "aio",
    "chunks",
    "create_parser_state",
    "dump_state",
    "finalize",
    "from_wire",
    "get_resolved_value",
    "load_state",
    "parse_chunk",
    "parse_partial",
    "parse_path",
    "text_deltas",
    "to_wire",
    "tool_calls",
    "updates",
    "values",
]
