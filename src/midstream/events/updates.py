"""The form ``full`` of pieces of calls and texts, as JSON from templates.

The result is that of `to_event` and the encoder, but a text that a client has received is not repeated.
"""

from __future__ import annotations

import json
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from ..accumulators.update import (
    COMPLETE_NUMBER,
    COMPLETE_STRING,
    PARTIAL_STRING,
    JsonFragmentUpdate,
)
from ..calls.plain import write_repairs
from ..core import cython_shim as cython
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..paths import format_path, root_of, segments_of
from ..wire.form import to_wire

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..calls.messages import TextDelta, ToolCallUpdate
    from ..paths import PathPair, Segment

__all__ = ["UPDATE", "SentStrings", "encoded_json", "members_of", "scalar", "text_event"]

# the name of events with the updates of calls
UPDATE = "tools_call_update"

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
# integers that are written without the encoder are smaller, or have no more digits
_LARGE = 1 << 53
_SHORT = 15


def encoded_json(data: Any) -> str:
    """Write JSON in one line, with non-ASCII characters unescaped."""
    try:
        return _ENCODER.encode(data)
    except (TypeError, ValueError, RecursionError):
        why = "a value that JSON cannot represent"
        raise JsonStreamError(ParserError.of(ErrorCode.INVALID_EVENT, 0, why)) from None


def scalar(value: Any) -> str:
    """Write a field that is a string or a number as JSON."""
    if type(value) is str:
        return encode_basestring(value)
    if type(value) is int and -_LARGE < value < _LARGE:
        return str(value)
    return encoded_json(value)


def text_event(message: TextDelta) -> str:
    """Return the plain form of a piece of text as JSON."""
    text, id, choice = message
    members = "" if id is None else f',"message_id":{scalar(id)}'
    if choice != 0:
        members += f',"choice":{scalar(choice)}'
    return f'{{"type":"text_delta","text":{scalar(text)}{members}}}'


def members_of(update: ToolCallUpdate, offset: int | None, message_id: str | None, sent: SentStrings) -> str:
    """Return the members of an update's plain form as JSON, each after a comma."""
    id, index, name, args, fragments, _, choice, is_free_text, _, repairs = update
    members = "" if id is None else f',"tool_call_id":{scalar(id)}'
    if index is not None:
        members += f',"index":{scalar(index)}'
    if name is not None:
        members += f',"function_name":{scalar(name)}'
    if args is not None:
        members += f',"function_args":{scalar(args)}'
    if fragments is not None:
        members += f',"json_update_fragments":{sent.written(fragments)}'
    if message_id is not None:
        members += f',"message_id":{scalar(message_id)}'
    if choice != 0:
        members += f',"choice":{scalar(choice)}'
    if is_free_text:
        members += ',"is_free_text":true'
    if offset is not None:
        members += f',"args_offset":{scalar(offset)}'
    if repairs:
        members += f',"repairs":{encoded_json(write_repairs(repairs))}'
    return members


@cython.cclass
class SentStrings:
    """Write the updates of one call; it knows what has been sent of the open string.

    >>> sent = SentStrings()
    >>> part = {"path": "root.city", "kind": "PartialString", "textValue": "Paris"}
    >>> end = {"path": "root.city", "kind": "CompleteString", "textValue": "Paris", "value": "Paris"}
    >>> print(sent.written([part, end]))
    [{"path":"root.city","kind":"PartialString","textValue":"Paris"},{"path":"root.city","kind":"CompleteString"}]
    """

    __slots__ = ("_container", "_container_path", "_length", "_path", "_place", "_place_path", "_segment")

    def __init__(self) -> None:
        # the open string: its path, and how many characters of it have been sent
        self._path: str | None = None
        self._length = 0
        # the container of the last update, with its path; and the last place in it, with its path and as JSON
        self._container: PathPair | None = None
        self._container_path = ""
        self._segment: Segment | None = None
        self._place_path = ""
        self._place = ""

    def written(self, updates: Iterable[JsonFragmentUpdate | Mapping[str, Any]]) -> str:
        """Return the wire forms of the next updates as JSON, without the texts that the client has."""
        parts: list[str] = []
        for update in updates:
            if type(update) is JsonFragmentUpdate:
                parts.append(self._written(update))
            else:
                wire = to_wire(update) if isinstance(update, JsonFragmentUpdate) else update
                parts.append(encoded_json(self._cleaned(wire)))
        return f"[{','.join(parts)}]"

    def _written(self, update: JsonFragmentUpdate) -> str:
        """Write an update from a template; the result is that of `_cleaned` and the encoder."""
        kind, text, value = update._kind, update._text, update._value
        if kind is COMPLETE_NUMBER:
            if type(text) is str and type(value) is int and len(text) <= _SHORT:
                place = self._place_of(update)
                return f'{place}{kind._value_}","textValue":{encode_basestring(text)},"value":{value}}}'
            return encoded_json(to_wire(update))
        if (text is not None and type(text) is not str) or (value is not None and value != text):
            # not a string: a literal, an error or a repair
            return encoded_json(self._cleaned(to_wire(update)))
        place = self._place_of(update)
        if kind is PARTIAL_STRING:
            if self._place_path != self._path:
                self._path, self._length = self._place_path, 0
            self._length += len(text or "")
        elif kind is COMPLETE_STRING:
            # the lengths are compared in case another sender's parts are not all of the string
            if text and self._place_path == self._path and self._length == len(text):
                text = None
            self._path = None
        if text is None:
            return f'{place}{kind._value_}"}}'
        return f'{place}{kind._value_}","textValue":{encode_basestring(text)}}}'

    def _place_of(self, update: JsonFragmentUpdate) -> str:
        """Return the first part of an update; paths are formatted only if they change."""
        pair, segment = update._pair, update._segment
        if pair is self._container and segment is self._segment:
            return self._place
        if pair is not self._container:
            if self._container is not None and pair[0] is self._container:
                self._container_path = format_path(self._container_path, (pair[1],))
            else:
                self._container_path = format_path(root_of(pair), segments_of(pair))
            self._container = pair
        self._segment = segment
        path = self._container_path if segment is None else format_path(self._container_path, (segment,))
        self._place_path = path
        self._place = f'{{"path":{encode_basestring(path)},"kind":"'
        return self._place

    def _cleaned(self, wire: Mapping[str, Any]) -> Mapping[str, Any]:
        text = wire.get("textValue")
        if not isinstance(text, str):
            return wire
        kind, path = wire.get("kind"), wire.get("path")
        omitted: tuple[str, ...] = ("value",) if wire.get("value") == text else ()
        if kind in ("PartialString", "partialString"):
            if path != self._path:
                self._path, self._length = path, 0
            self._length += len(text)
        elif kind in ("CompleteString", "completeString"):
            if text and path == self._path and self._length == len(text):
                omitted = ("textValue", *omitted)
            self._path = None
        if not omitted:
            return wire
        return {name: value for name, value in wire.items() if name not in omitted}
