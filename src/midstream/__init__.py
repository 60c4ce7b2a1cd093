"""JSON while it is still arriving: the public names. CONTRIBUTING.md has a tour of the folders."""

from . import aio
from ._undefined import UNDEFINED
from ._version import __version__
from .accumulators.fragments import JsonFragmentAccumulator
from .accumulators.match import Match
from .accumulators.select import JsonSelectAccumulator
from .accumulators.update import JsonFragmentKind, JsonFragmentUpdate
from .accumulators.values import JsonValueAccumulator
from .calls.handler import ToolCall, ToolsAggregateMessageHandler
from .calls.messages import (
    MessageEnd,
    Other,
    ProviderError,
    ReasoningDelta,
    RefusalDelta,
    ServerToolResult,
    ServerToolUpdate,
    StreamSnapshot,
    TextDelta,
    ToolCallEnd,
    ToolCallsUpdate,
    ToolCallUpdate,
    ToolResult,
    Usage,
    from_event,
    to_event,
)
from .calls.middleware import JsonFragmentUpdateMiddleware
from .chunker.chunker import JsonStreamChunker, PlainTextStreamChunker, chunks
from .core.grammar import COMPILED
from .errors import (
    ErrorCode,
    JsonStreamError,
    NoMatch,
    ParserError,
    Position,
    Repair,
    RepairCode,
    TypedError,
    TypedStreamError,
)
from .events.reader import EventReader
from .events.writer import EventWriter
from .extract.events import DocumentEnd, DocumentStart
from .extract.extractor import JsonExtractor
from .limits import Limits
from .paths import parse_path
from .patterns import ANY
from .streams.arguments import argument_deltas
from .streams.provider import messages, text_deltas, tool_calls
from .streams.select import first, select
from .streams.text import parse_partial, updates, values
from .tree.containers import JsonArrayAstNode, JsonObjectAstNode
from .tree.nodes import (
    JsonAstNode,
    JsonBooleanAstNode,
    JsonNullAstNode,
    JsonNumberAstNode,
    JsonStringAstNode,
)
from .tree.parser import (
    ParserMode,
    ParserState,
    create_parser_state,
    dump_state,
    finalize,
    get_resolved_value,
    load_state,
    parse_chunk,
)
from .wire.form import from_wire, to_wire
from .wire.patches import JsonPatchWriter, patches
from .wire.patching import apply_patch
from .wire.rebuilder import JsonFragmentRebuilder

__all__ = [
    "ANY",
    "COMPILED",
    "UNDEFINED",
    "DocumentEnd",
    "DocumentStart",
    "ErrorCode",
    "EventReader",
    "EventWriter",
    "JsonArrayAstNode",
    "JsonAstNode",
    "JsonBooleanAstNode",
    "JsonExtractor",
    "JsonFragmentAccumulator",
    "JsonFragmentKind",
    "JsonFragmentRebuilder",
    "JsonFragmentUpdate",
    "JsonFragmentUpdateMiddleware",
    "JsonNullAstNode",
    "JsonNumberAstNode",
    "JsonObjectAstNode",
    "JsonPatchWriter",
    "JsonSelectAccumulator",
    "JsonStreamChunker",
    "JsonStreamError",
    "JsonStringAstNode",
    "JsonValueAccumulator",
    "Limits",
    "Match",
    "MessageEnd",
    "NoMatch",
    "Other",
    "ParserError",
    "ParserMode",
    "ParserState",
    "PlainTextStreamChunker",
    "Position",
    "ProviderError",
    "ReasoningDelta",
    "RefusalDelta",
    "Repair",
    "RepairCode",
    "ServerToolResult",
    "ServerToolUpdate",
    "StreamSnapshot",
    "TextDelta",
    "ToolCall",
    "ToolCallEnd",
    "ToolCallUpdate",
    "ToolCallsUpdate",
    "ToolResult",
    "ToolsAggregateMessageHandler",
    "TypedError",
    "TypedStreamError",
    "Usage",
    "__version__",
    "aio",
    "apply_patch",
    "argument_deltas",
    "chunks",
    "create_parser_state",
    "dump_state",
    "finalize",
    "first",
    "from_event",
    "from_wire",
    "get_resolved_value",
    "load_state",
    "messages",
    "parse_chunk",
    "parse_partial",
    "parse_path",
    "patches",
    "select",
    "text_deltas",
    "to_event",
    "to_wire",
    "tool_calls",
    "updates",
    "values",
]
