"""Updates as plain data, to be sent as JSON and read again somewhere else.

``{"path", "kind", "textValue"?, "value"?}``: what there is nothing to say about is absent. An Error
also has ``"error"`` with its code and place. Write the text with what escapes lone surrogates, as
`json.dumps` does unless told otherwise: UTF-8 has no place for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from ._halves import join_halves
from ._update import JsonFragmentKind, JsonFragmentUpdate
from ._value_text import is_number
from .errors import ErrorCode, JsonStreamError, ParserError

__all__ = ["from_wire", "to_wire"]

# PascalCase is ours; other senders lower the first letter
_KINDS = {kind.value: kind for kind in JsonFragmentKind}
_KINDS |= {name[0].lower() + name[1:]: kind for name, kind in _KINDS.items()}
_WITH_TEXT = {JsonFragmentKind.PartialString, JsonFragmentKind.CompleteString, JsonFragmentKind.Key}
_CODES = {code.value: code for code in ErrorCode}


def to_wire(update: JsonFragmentUpdate) -> dict[str, Any]:
    """Write an update as a dict of plain JSON.

    >>> to_wire(JsonFragmentUpdate("root.days", "CompleteNumber", "12", 12))
    {'path': 'root.days', 'kind': 'CompleteNumber', 'textValue': '12', 'value': 12}
    >>> to_wire(JsonFragmentUpdate("root", "EndObject"))
    {'path': 'root', 'kind': 'EndObject'}
    """
    wire: dict[str, Any] = {"path": update.path, "kind": update.kind.value}
    if update.text_value is not None:
        wire["textValue"] = update.text_value
    value = update.value
    if update.kind is JsonFragmentKind.CompleteNumber:
        # what only a hook understands, and infinity, which JSON has not, can be made of the text again
        if _is_json_number(value):
            wire["value"] = value
    elif isinstance(value, (str, bool)):
        wire["value"] = value
    error = update.error
    if error is not None:
        wire["error"] = {
            "code": error.code.value, "index": error.index, "line": error.line, "column": error.column
        }  # fmt: skip
    return wire


def from_wire(data: Mapping[str, Any]) -> JsonFragmentUpdate:
    """Read an update from its wire form; what is not one raises `JsonStreamError`.

    >>> from_wire({"path": "root.city", "kind": "partialString", "textValue": "Par"})
    JsonFragmentUpdate('root.city', 'PartialString', 'Par')
    """
    path, kind, text, value = read_wire(data)
    return JsonFragmentUpdate(path, kind, text, value)


def read_wire(data: Any) -> tuple[str, JsonFragmentKind, str | None, Any]:
    """Check a wire form; give its path, its kind, and text and value as the kind has them."""
    if not isinstance(data, Mapping):
        raise _invalid("neither an update nor a dict")
    path, name = data.get("path"), data.get("kind")
    if not isinstance(path, str):
        raise _invalid("no path")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise _invalid("no kind, or one that does not exist", path)
    text = data.get("textValue")
    if text is None and kind in _WITH_TEXT:
        text = data.get("value")
    if text is not None:
        if not isinstance(text, str):
            raise _invalid("a text that is no string", path)
        text = _plain(text)
    elif kind in _WITH_TEXT:
        raise _invalid("no text", path)
    path = _plain(path)
    try:
        return path, kind, text, _value_of(kind, text, data)
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
        raise _invalid(f"no value of its kind, {kind.value}", path) from None


def _plain(text: str) -> str:
    """Make a text a str of its own kind, with no pair of halves in it."""
    return join_halves(text if type(text) is str else "".join(text))


def _is_json_number(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _value_of(kind: JsonFragmentKind, text: str | None, data: Mapping[str, Any]) -> Any:
    """Give the value that an update of this kind has."""
    value = data.get("value")
    match kind:
        case JsonFragmentKind.Key | JsonFragmentKind.CompleteString:
            if value is not None and (not isinstance(value, str) or _plain(value) != text):
                raise ValueError("another value than the text")
            return text
        case JsonFragmentKind.CompleteNumber:
            if not (value is None or _is_json_number(value)) or not is_number(text or "0"):
                raise ValueError("no number")
            # the text is exact, whatever the number went through on its way
            if text is None and value is not None:
                return value
            if text is None:
                raise ValueError("neither text nor value")
            return int(text) if text.removeprefix("-").isdigit() else float(text)
        case JsonFragmentKind.CompleteNull if value is not None:
            raise ValueError("a value")
        case JsonFragmentKind.CompleteBoolean if value is None:
            return {"true": True, "false": False}[text or ""]
        case JsonFragmentKind.CompleteBoolean:
            if not isinstance(value, bool):
                raise TypeError("no boolean")
            return value
        case JsonFragmentKind.Error if (error := data.get("error")) is not None:
            place = int(error["index"]), int(error["line"]), int(error["column"])
            return ParserError(_CODES.get(error["code"], ErrorCode.UNKNOWN), text or "", *place)
    return None


def _invalid(why: str, path: str = "") -> JsonStreamError:
    return JsonStreamError(ParserError.of(ErrorCode.INVALID_UPDATE, 0, why), path)
