"""The wire form: updates as plain data, to be sent as JSON and read in another process.

The form is ``{"path", "kind", "textValue"?, "value"?}``; fields without content are absent. An Error
also has ``"error"`` with its code and position, and a Repair ``"repair"``. A CompleteString without text
stands for its PartialStrings, joined. Serialize it with an encoder that escapes lone surrogates, as
`json.dumps` does by default: UTF-8 cannot encode them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from ..accumulators.update import (
    COMPLETE_BOOLEAN,
    COMPLETE_NULL,
    COMPLETE_NUMBER,
    COMPLETE_STRING,
    ERROR,
    KEY,
    PARTIAL_STRING,
    REPAIR,
    JsonFragmentKind,
    JsonFragmentUpdate,
)
from ..accumulators.value_text import is_number
from ..core.surrogates import join_surrogates
from ..errors import ErrorCode, ParserError, Repair, RepairCode, invalid

__all__ = ["from_wire", "to_wire"]


def to_wire(update: JsonFragmentUpdate) -> dict[str, Any]:
    """Convert an update to its wire form, a dict of plain JSON values.

    >>> to_wire(JsonFragmentUpdate("root.days", "CompleteNumber", "12", 12))
    {'path': 'root.days', 'kind': 'CompleteNumber', 'textValue': '12', 'value': 12}
    >>> to_wire(JsonFragmentUpdate("root", "EndObject"))
    {'path': 'root', 'kind': 'EndObject'}
    """
    kind, text, value = update.kind, update.text_value, update.value
    # ``_value_`` is the enum member's string, and faster to read than ``value``
    wire: dict[str, Any] = {"path": update.path, "kind": kind._value_}
    if text is not None:
        wire["textValue"] = text
    if kind is COMPLETE_NUMBER:
        # JSON cannot represent infinity or the result of a parse hook: readers convert the text again
        if _is_json_number(value):
            wire["value"] = value
    elif isinstance(value, (str, bool)):
        wire["value"] = value
    elif (error := update.error) is not None:
        wire["error"] = _place_of(error)
    elif (repair := update.repair) is not None:
        wire["repair"] = _place_of(repair)
    return wire


def _place_of(report: ParserError | Repair) -> dict[str, Any]:
    # the code of a newer sender's repair is a plain str
    return {"code": str(report.code), "index": report.index, "line": report.line, "column": report.column}


def from_wire(data: Mapping[str, Any]) -> JsonFragmentUpdate:
    """Convert a wire form to an update; raise `JsonStreamError` if it is not valid.

    >>> from_wire({"path": "root.city", "kind": "partialString", "textValue": "Par"})
    JsonFragmentUpdate('root.city', 'PartialString', 'Par')
    """
    path, kind, text, value = read_wire(data)
    if kind is None:
        raise invalid(ErrorCode.INVALID_UPDATE, "the kind is unknown", path)
    return JsonFragmentUpdate(path, kind, text, value)


def read_wire(data: Any) -> tuple[str, Any, str | None, Any]:
    """Check a wire form; return its path, its kind, and the text and value that the kind has.

    The kind is None if it has a name that this version does not know, or if it is a Repair without a
    position: readers ignore such an update.
    """
    # the test for dict is fast, the test for Mapping searches the base classes
    if not isinstance(data, (dict, Mapping)):
        raise invalid(ErrorCode.INVALID_UPDATE, "expected an update or a dict")
    path, name = data.get("path"), data.get("kind")
    if not isinstance(path, str):
        raise invalid(ErrorCode.INVALID_UPDATE, "path is missing or not a string")
    if not isinstance(name, str):
        raise invalid(ErrorCode.INVALID_UPDATE, "the kind is missing or not a string", path)
    known = _KINDS.get(name)
    if known is None:
        return path, None, None, None
    kind, has_text, value_of = known
    text = data.get("textValue")
    if text is None and has_text:
        text = data.get("value")
    if text is not None:
        if not isinstance(text, str):
            raise invalid(ErrorCode.INVALID_UPDATE, "textValue is not a string", path)
        text = _plain(text)
    elif has_text and kind is not COMPLETE_STRING:
        raise invalid(ErrorCode.INVALID_UPDATE, "textValue is missing", path)
    path = _plain(path)
    if value_of is None:
        return path, kind, text, None
    try:
        return path, kind, text, value_of(text, data)
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
        if kind is REPAIR:
            return path, None, None, None
        raise invalid(
            ErrorCode.INVALID_UPDATE, f"the value does not fit the kind {kind.value}", path
        ) from None


def _plain(text: str) -> str:
    """Return a text as an exact str in which split surrogate pairs are joined."""
    if type(text) is str and text.isascii():
        return text
    return join_surrogates("".join(text))


def _is_json_number(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _string_of(text: str | None, data: Mapping[str, Any]) -> str | None:
    value = data.get("value")
    if value is not None and (not isinstance(value, str) or _plain(value) != text):
        raise ValueError("the value differs from the text")
    return text


def _number_of(text: str | None, data: Mapping[str, Any]) -> Any:
    value = data.get("value")
    if not (value is None or _is_json_number(value)) or not is_number(text or "0"):
        raise ValueError("not a number")
    # the text is exact; the number may have lost digits in transport
    if text is not None:
        return int(text) if text.removeprefix("-").isdigit() else float(text)
    if value is None:
        raise ValueError("text and value are missing")
    return value


def _boolean_of(text: str | None, data: Mapping[str, Any]) -> bool:
    value = data.get("value")
    if value is None:
        return {"true": True, "false": False}[text or ""]
    if not isinstance(value, bool):
        raise TypeError("not a boolean")
    return value


def _null_of(_text: str | None, data: Mapping[str, Any]) -> None:
    if data.get("value") is not None:
        raise ValueError("null has a value")


def _error_of(text: str | None, data: Mapping[str, Any]) -> ParserError | None:
    error = data.get("error")
    if error is None:
        return None
    place = int(error["index"]), int(error["line"]), int(error["column"])
    return ParserError(_CODES.get(error["code"], ErrorCode.UNKNOWN), text or "", *place)


def _repair_of(text: str | None, data: Mapping[str, Any]) -> Repair:
    repair = data["repair"]
    # the code may be one that only newer versions know
    code: Any = "".join(repair["code"])
    place = int(repair["index"]), int(repair["line"]), int(repair["column"])
    return Repair(_REPAIR_CODES.get(code, code), text or "", *place, _plain(data["path"]))


_WITH_TEXT = (KEY, PARTIAL_STRING, COMPLETE_STRING)
_VALUES: dict[JsonFragmentKind, Callable[[str | None, Mapping[str, Any]], Any]] = {
    KEY: _string_of,
    COMPLETE_STRING: _string_of,
    COMPLETE_NUMBER: _number_of,
    COMPLETE_BOOLEAN: _boolean_of,
    COMPLETE_NULL: _null_of,
    ERROR: _error_of,
    REPAIR: _repair_of,
}
# by name: the kind, whether it always has a text, and the function that reads its value
_KINDS = {kind.value: (kind, kind in _WITH_TEXT, _VALUES.get(kind)) for kind in JsonFragmentKind}
# midstream writes PascalCase; other senders may write camelCase
_KINDS |= {name[0].lower() + name[1:]: known for name, known in _KINDS.items()}
_CODES = {code.value: code for code in ErrorCode}
_REPAIR_CODES = {code.value: code for code in RepairCode}
