"""The pure parser: immutable states, and functions that map a state to the next one."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..accumulators.base import DEFAULT_LIMITS
from ..core import modes as _modes
from ..core.grammar import Grammar, new_grammar
from ..core.text import load_text, save_text
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..limits import Limits
from .nodes import (
    JsonAstNode,
    JsonBooleanAstNode,
    JsonNumberAstNode,
    JsonObjectAstNode,
    JsonStringAstNode,
    Nodes,
)
from .visitor import TreeVisitor

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ParserMode",
    "ParserState",
    "create_parser_state",
    "dump_state",
    "finalize",
    "get_resolved_value",
    "load_state",
    "parse_chunk",
]

_VERSION = 1


class ParserMode(StrEnum):
    """What the parser expects next.

    >>> parse_chunk(create_parser_state(), '{"a"').mode
    <ParserMode.COLON: 'Colon'>
    """

    VALUE = "Value"
    ARRAY = "Array"
    OBJECT = "Object"
    KEY = "Key"
    COLON = "Colon"
    COMMA = "Comma"
    STRING = "String"
    NUMBER = "Number"
    LITERAL = "Literal"
    DONE = "Done"
    ERROR = "Error"


_MODES = {
    _modes.START: ParserMode.VALUE,
    _modes.VALUE: ParserMode.VALUE,
    _modes.FIRST_ITEM: ParserMode.ARRAY,
    _modes.NEXT_ITEM: ParserMode.VALUE,
    _modes.FIRST_KEY: ParserMode.OBJECT,
    _modes.NEXT_KEY: ParserMode.KEY,
    _modes.COLON: ParserMode.COLON,
    _modes.AFTER_ITEM: ParserMode.COMMA,
    _modes.AFTER_MEMBER: ParserMode.COMMA,
    _modes.AFTER_ROOT: ParserMode.DONE,
    _modes.TRAILING: ParserMode.DONE,
    _modes.STRING: ParserMode.STRING,
    _modes.KEY: ParserMode.KEY,
    _modes.NUMBER: ParserMode.NUMBER,
    _modes.LITERAL: ParserMode.LITERAL,
    _modes.FAILED: ParserMode.ERROR,
}


class ParserState:
    """An immutable state of the parser between two chunks.

    >>> state = parse_chunk(create_parser_state(), '{"a": [1, 2')
    >>> state
    ParserState(mode=Number, index=11, stack=(0, 1), next_id=3)
    >>> state.root.resolved_value
    {'a': [1]}
    """

    __slots__ = ("_grammar", "_next_id", "_options", "_pending_key", "_root", "_stack")

    def __init__(
        self,
        grammar: Grammar,
        options: dict[str, Any],
        root: JsonAstNode | None,
        next_id: int,
        stack: tuple[int, ...],
        pending_key: str | None,
    ) -> None:
        self._grammar = grammar
        self._options = options
        self._root = root
        self._next_id = next_id
        self._stack = stack
        self._pending_key = pending_key

    @property
    def next_id(self) -> int:
        """The id of the next node, which is the number of nodes so far."""
        return self._next_id

    @property
    def mode(self) -> ParserMode:
        """What the parser expects next."""
        return _MODES[self._grammar.current_mode()]

    @property
    def stack(self) -> tuple[int, ...]:
        """The ids of the open containers, from the root to the innermost."""
        return self._stack

    @property
    def nodes(self) -> Nodes:
        """All nodes by id."""
        return Nodes(self._root, self._next_id)

    @property
    def root_id(self) -> int | None:
        """The id of the root node, or None while there is none."""
        return None if self._root is None else self._root.id

    @property
    def root(self) -> JsonAstNode | None:
        """The root node, or None while there is none."""
        return self._root

    @property
    def error(self) -> ParserError | None:
        """The error in the text, or None."""
        return self._grammar.current_error()

    @property
    def is_complete(self) -> bool:
        """Whether a complete document has been read."""
        return self._grammar.is_complete()

    @property
    def index(self) -> int:
        """The number of characters read; in an error state, the index of the error."""
        return self._grammar.position().index

    @property
    def line(self) -> int:
        """The line of `index`, from 1."""
        return self._grammar.position().line

    @property
    def column(self) -> int:
        """The column of `index`, from 1."""
        return self._grammar.position().column

    def _parts(self) -> tuple[object, ...]:
        return (
            self.mode,
            self._grammar.position(),
            self.error,
            self._stack,
            self._pending_key,
            self._grammar.state(),
            self.nodes,
        )

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, ParserState) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.index, self._next_id))

    def __repr__(self) -> str:
        parts = f"mode={self.mode}, index={self.index}, stack={self._stack}, next_id={self._next_id}"
        return f"ParserState({parts}{'' if self.error is None else f', error={self.error.code}'})"

    def __reduce__(self) -> tuple[object, ...]:
        return load_state, (dump_state(self), self._options["parse_int"], self._options["parse_float"])


def create_parser_state(
    after_root: str = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
) -> ParserState:
    """Return the state before any text.

    >>> create_parser_state()
    ParserState(mode=Value, index=0, stack=(), next_id=0)
    """
    if after_root not in ("error", "ignore"):
        raise ValueError("after_root must be 'error' or 'ignore': a state contains one document")
    limits.check()
    options = {"after_root": after_root, "limits": limits, "parse_int": parse_int, "parse_float": parse_float}
    return ParserState(
        new_grammar(limits, after_root, False, parse_int, parse_float), options, None, 0, (), None
    )


def parse_chunk(state: ParserState, chunk: str | bytes) -> ParserState:
    """Return the state after a chunk of text (bytes: UTF-8, cut anywhere). Invalid text never raises.

    >>> before = parse_chunk(create_parser_state(), '{"city": "Par')
    >>> after = parse_chunk(before, 'is"}')
    >>> before.root.resolved_value, after.root.resolved_value
    ({'city': 'Par'}, {'city': 'Paris'})
    """
    if not isinstance(chunk, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"chunk must be str or bytes, not {type(chunk).__name__}")
    _check(state)
    grammar = state._grammar
    if not chunk or grammar.current_error() is not None:
        return state
    grammar = grammar.clone()
    visitor = TreeVisitor(state._root, state._next_id, state._pending_key)
    grammar.feed(chunk, visitor)
    return _next_state(state, grammar, visitor)


def finalize(state: ParserState) -> ParserState:
    """Return the state at the end of the input: a root number is complete, a truncated text is an error.

    >>> finalize(parse_chunk(create_parser_state(), "12")).root.resolved_value
    12
    >>> finalize(parse_chunk(create_parser_state(), "[12")).error.message
    'the text ends before the document does (line 1, column 4)'
    """
    _check(state)
    if state.error is not None or state.is_complete:
        return state
    grammar = state._grammar.clone()
    visitor = TreeVisitor(state._root, state._next_id, state._pending_key)
    grammar.finish(visitor)
    return _next_state(state, grammar, visitor)


def _check(state: object) -> None:
    if not isinstance(state, ParserState):
        raise TypeError(f"state must be a ParserState, not {type(state).__name__}")


def _next_state(state: ParserState, grammar: Grammar, visitor: TreeVisitor) -> ParserState:
    root = visitor.freeze()
    stack = visitor.stack() if visitor.thawed else state._stack
    return ParserState(grammar, state._options, root, visitor.next_id, stack, visitor.pending_key)


def get_resolved_value(state: ParserState) -> Any:
    """Return the value of a complete document without errors, or `UNDEFINED`.

    >>> state = parse_chunk(create_parser_state(), "[1, 2")
    >>> get_resolved_value(state), get_resolved_value(parse_chunk(state, "]"))
    (UNDEFINED, [1, 2])
    """
    root = state.root
    return (
        UNDEFINED if root is None or state.error is not None or not state.is_complete else root.resolved_value
    )


def dump_state(state: ParserState) -> dict[str, Any]:
    """Return a state as plain data for json.dumps.

    >>> state = parse_chunk(create_parser_state(), '["mid')
    >>> load_state(dump_state(state)) == state
    True
    """
    options = state._options
    keys: dict[int, str] = {}
    rows: list[list[Any]] = []
    for node in state.nodes:
        key = keys.pop(node.id, None)
        row: list[Any] = [node.type, node.parent_id, None if key is None else save_text(key)]
        if isinstance(node, JsonObjectAstNode):
            keys.update(zip(node.children, node.keys, strict=True))
        elif isinstance(node, JsonStringAstNode):
            row += [save_text(node.buffer), node.closed]
        elif isinstance(node, JsonNumberAstNode):
            row.append(node.buffer)
        elif isinstance(node, JsonBooleanAstNode):
            row.append(node.resolved_value)
        rows.append(row)
    return {
        "midstream": _VERSION,
        "type": "ParserState",
        "after_root": options["after_root"],
        "limits": list(options["limits"]),
        "hooks": options["parse_int"] is not int or options["parse_float"] is not float,
        "grammar": state._grammar.state(),
        "key": None if state._pending_key is None else save_text(state._pending_key),
        "stack": list(state._stack),
        "nodes": rows,
    }


def load_state(
    data: dict[str, Any],
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
) -> ParserState:
    """Return the state that dump_state saved, to continue in this process or in another one.

    >>> state = load_state(dump_state(parse_chunk(create_parser_state(), '["mid')))
    >>> get_resolved_value(parse_chunk(state, 'stream"]'))
    ['midstream']
    """
    try:
        if data["hooks"] and parse_int is int and parse_float is float:
            raise ValueError("it was saved with parse_int or parse_float: pass them again")
        if data["midstream"] != _VERSION or data["type"] != "ParserState":
            raise ValueError("it is of another version or type")
        state = create_parser_state(data["after_root"], Limits(*data["limits"]), parse_int, parse_float)
        state._grammar.load(data["grammar"])
        visitor = TreeVisitor(None, 0, None)
        visitor.replay(data["nodes"], parse_int, parse_float)
        visitor.close_to(data["stack"])
        if visitor.brackets() != data["grammar"]["open"]:
            raise ValueError("the brackets contradict the open containers")
        if state.mode != ParserMode.ERROR and (state.mode == ParserMode.STRING) != visitor.has_open_string():
            raise ValueError("the mode contradicts the nodes: only one of them has an open string")
        return ParserState(
            state._grammar,
            state._options,
            visitor.freeze(),
            visitor.next_id,
            visitor.stack(),
            None if data["key"] is None else load_text(data["key"]),
        )
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        message = f"not a saved parser state: {error}"
        raise JsonStreamError(ParserError(ErrorCode.INVALID_CHECKPOINT, message, 0, 1, 1)) from None
