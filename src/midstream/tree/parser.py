"""The pure parser: immutable states, and functions that map a state to the next one."""

from __future__ import annotations

import reprlib
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from .._options import check_dialect
from .._signature import SourceSignature
from .._undefined import UNDEFINED
from ..accumulators.base import DEFAULT_LIMITS
from ..core import cython_shim as cython
from ..core import modes as _modes
from ..core.text import load_text, save_text
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..limits import Limits
from .containers import Container
from .index import Nodes, rows_of
from .nodes import JsonNumberAstNode

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that Cython recognizes

if not cython.compiled:
    from ..core.grammar import feed, finish
    from ..core.machine import new_machine
    from .visitor import new_visitor, spine_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._options import Dialect
    from ..core.machine import Machine
    from ..errors import Repair
    from .nodes import JsonAstNode
    from .visitor import TreeVisitor

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
    _modes.LENIENT_STRING: ParserMode.STRING,
    _modes.BARE_STRING: ParserMode.STRING,
    _modes.LENIENT_KEY: ParserMode.KEY,
    _modes.BARE_KEY: ParserMode.KEY,
    _modes.FAILED: ParserMode.ERROR,
}


@cython.final
@cython.freelist(8)
@cython.cclass
class ParserState:
    """An immutable state of the parser between two chunks.

    >>> state = parse_chunk(create_parser_state(), '{"a": [1, 2')
    >>> state
    ParserState(mode=Number, index=11, stack=(0, 1), next_id=4)
    >>> state.root.resolved_value
    {'a': [1]}
    """

    __signature__ = SourceSignature()
    __slots__ = ("_grammar", "_next_id", "_options", "_pending_key", "_root")

    _grammar: Machine
    _options: dict[str, Any]
    _root: JsonAstNode | None
    _next_id: int
    # the last key, which is the key of the next value if one opens now
    _pending_key: str | None

    def __init__(self) -> None:
        raise TypeError("ParserState can't be instantiated: call create_parser_state")

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
        return tuple([node.id for node in spine_of(self._root)])

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
    def repairs(self) -> tuple[Repair, ...]:
        """What the lenient dialect repaired, in text order; at most ``max_repairs`` of the limits.

        >>> parse_chunk(create_parser_state(dialect="lenient"), "[1,]").repairs[0].message
        'a trailing comma was skipped (line 1, column 4)'
        """
        return tuple(self._grammar.repairs or ())

    @property
    def repair_count(self) -> int:
        """How many repairs there were, including those that exceed the limit."""
        return self._grammar.repair_count

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
            self._pending_key,
            self._grammar.state(),
            self.nodes,
        )

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, ParserState) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.index, self._next_id))

    def __repr__(self) -> str:
        stack = reprlib.repr(self.stack)
        parts = f"mode={self.mode}, index={self.index}, stack={stack}, next_id={self._next_id}"
        return f"ParserState({parts}{'' if self.error is None else f', error={self.error.code}'})"

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickle, (dump_state(self), self._options["parse_int"], self._options["parse_float"])


def create_parser_state(
    *,
    after_root: Literal["error", "ignore"] = "error",
    limits: Limits = DEFAULT_LIMITS,
    parse_int: Callable[[str], Any] = int,
    parse_float: Callable[[str], Any] = float,
    dialect: Dialect = "strict",
) -> ParserState:
    """Return the state before any text.

    The options are those of `JsonFragmentAccumulator`.

    >>> create_parser_state()
    ParserState(mode=Value, index=0, stack=(), next_id=0)
    """
    if after_root not in ("error", "ignore"):
        raise ValueError("after_root must be 'error' or 'ignore': a state contains one document")
    check_dialect(dialect)
    limits.check()
    options = {
        "after_root": after_root,
        "limits": limits,
        "parse_int": parse_int,
        "parse_float": parse_float,
        "dialect": dialect,
    }
    grammar = new_machine(limits, after_root, False, parse_int, parse_float, dialect == "lenient")
    return _new_state(grammar, options, None, 0, None)


def parse_chunk(state: ParserState, chunk: str | bytes) -> ParserState:
    """Return the state after a chunk of text (bytes: UTF-8, cut anywhere). Invalid text never raises.

    >>> before = parse_chunk(create_parser_state(), '{"city": "Par')
    >>> after = parse_chunk(before, 'is"}')
    >>> before.root.resolved_value, after.root.resolved_value
    ({'city': 'Par'}, {'city': 'Paris'})
    """
    if not isinstance(chunk, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"chunk must be str or bytes, not {type(chunk).__name__}")
    before = _checked(state)
    if not chunk or before._grammar.current_error() is not None:
        return before
    grammar = before._grammar.clone()
    visitor = new_visitor(before._root, before._next_id, before._pending_key)
    feed(grammar, chunk, visitor)
    return _next_state(before, grammar, visitor)


def finalize(state: ParserState) -> ParserState:
    """Return the state at the end of the input: a root number is complete, a truncated text is an error.

    >>> finalize(parse_chunk(create_parser_state(), "12")).root.resolved_value
    12
    >>> finalize(parse_chunk(create_parser_state(), "[12")).error.message
    'the text ends before the document does (line 1, column 4)'
    """
    before = _checked(state)
    if before._grammar.current_error() is not None or before._grammar.is_complete():
        return before
    grammar = before._grammar.clone()
    visitor = new_visitor(before._root, before._next_id, before._pending_key)
    finish(grammar, visitor)
    return _next_state(before, grammar, visitor)


def _checked(state: object) -> ParserState:
    if not isinstance(state, ParserState):
        raise TypeError(f"state must be a ParserState, not {type(state).__name__}")
    return state


def _new_state(
    grammar: Machine,
    options: dict[str, Any],
    root: JsonAstNode | None,
    next_id: int,
    pending_key: str | None,
) -> ParserState:
    state: ParserState = ParserState.__new__(ParserState)
    state._grammar = grammar
    state._options = options
    state._root = root
    state._next_id = next_id
    state._pending_key = pending_key
    return state


def _next_state(before: ParserState, grammar: Machine, visitor: TreeVisitor) -> ParserState:
    return _new_state(grammar, before._options, visitor.freeze(), visitor.next_id, visitor.pending_key)


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
    saved = _checked(state)
    options = saved._options
    return {
        "midstream": _VERSION,
        "type": "ParserState",
        "after_root": options["after_root"],
        "limits": list(options["limits"]),
        "dialect": options["dialect"],
        "hooks": options["parse_int"] is not int or options["parse_float"] is not float,
        "grammar": saved._grammar.state(),
        "key": None if saved._pending_key is None else save_text(saved._pending_key),
        "nodes": [] if saved._root is None else rows_of(saved._root, False),
    }


def _unpickle(
    data: dict[str, Any], parse_int: Callable[[str], Any], parse_float: Callable[[str], Any]
) -> ParserState:
    return load_state(data, parse_int=parse_int, parse_float=parse_float)


def load_state(
    data: dict[str, Any],
    *,
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
        state = create_parser_state(
            after_root=data["after_root"],
            limits=Limits(*data["limits"]),
            parse_int=parse_int,
            parse_float=parse_float,
            # absent from a state that an earlier version saved
            dialect=data.get("dialect", "strict"),
        )
        state._grammar.load(data["grammar"])
        visitor = new_visitor(None, 0, None)
        visitor.replay(data["nodes"], parse_int, parse_float)
        if visitor.brackets() != data["grammar"]["open"]:
            raise ValueError("the brackets contradict the open containers")
        root = visitor.freeze()
        _check_leaf(state._grammar.mode, data["grammar"]["token"], root)
        key = None if data["key"] is None else load_text(data["key"])
        return _new_state(state._grammar, state._options, root, visitor.next_id, key)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        message = f"not a saved parser state: {error}"
        raise JsonStreamError(ParserError(ErrorCode.INVALID_CHECKPOINT, message, 0, 1, 1)) from None


def _check_leaf(mode: int, token: list[Any], root: JsonAstNode | None) -> None:
    """Raise ValueError unless the open leaf of a loaded tree is the token that the grammar is reading."""
    if mode == _modes.FAILED:
        return
    kind = text = None
    if mode == _modes.LENIENT_STRING:
        # the visitor does not know of it before it is certain that it is one
        kind = "string" if token[1] & _modes.BEGUN else None
    elif mode in (_modes.STRING, _modes.BARE_STRING):
        kind = "string"
    elif mode == _modes.NUMBER:
        kind, text = "number", token[1]
    elif mode == _modes.LITERAL:
        kind = "null" if token[0] == "null" else "boolean"
    leaf = root
    while isinstance(leaf, Container) and not leaf.closed:
        leaf = leaf._open_child()
    open_leaf = None if leaf is None or leaf.closed else leaf
    if kind != (None if open_leaf is None else open_leaf.type):
        raise ValueError("the mode contradicts the open string, number or literal")
    if isinstance(open_leaf, JsonNumberAstNode) and open_leaf.buffer != text:
        raise ValueError("the text of the open number is not that of its node")
