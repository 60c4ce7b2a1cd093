"""Convert the values inside messages, which may be objects of an SDK, to data that JSON can represent."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from ..errors import ErrorCode, Repair, RepairCode, invalid

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["plain", "plain_data", "read_repairs", "write_repairs"]

_SCALARS = (str, int, float, bool, type(None))
_SEQUENCES = (list, tuple, set, frozenset)
_REPAIR_CODES: dict[str, RepairCode] = {code.value: code for code in RepairCode}


def plain(value: Any) -> Any:
    """Return a value as plain data: the fields that the provider sent, without defaults of the SDK.

    Plain data is returned as it is. Models of pydantic and dataclasses become dicts, bytes become base64.
    Anything else, such as a client or a function, becomes None.

    >>> plain({"part": b"abc", "made_by": len})
    {'part': 'YWJj', 'made_by': None}
    """
    return value if _is_plain(value) else _converted(value, with_dataclasses=True)


def plain_data(value: Any) -> Any:
    """Return a value as `plain` does, but None for dataclasses.

    Frameworks whose events are dataclasses put the agent with its instructions into them, and these must
    not leave the server by themselves.
    """
    return value if _is_plain(value) else _converted(value, with_dataclasses=False)


def _is_plain(value: Any) -> bool:
    """Report whether a value is plain already; without recursion, because it may be deep."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if type(item) is dict:
            if not all(type(key) is str for key in item):
                return False
            waiting += item.values()
        elif type(item) is list:
            waiting += item
        elif type(item) not in _SCALARS:
            return False
    return True


def _converted(value: Any, with_dataclasses: bool) -> Any:
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, (bytes, bytearray)):
        return b64encode(value).decode()
    if isinstance(value, Mapping):
        return {_key(key): _converted(item, with_dataclasses) for key, item in value.items()}
    if isinstance(value, _SEQUENCES):
        return [_converted(item, with_dataclasses) for item in value]
    if callable(dump := getattr(value, "model_dump", None)):
        return _dumped(dump)
    if with_dataclasses and is_dataclass(value) and not isinstance(value, type):
        members = {field.name: getattr(value, field.name, None) for field in fields(value)}
        return {name: _converted(item, True) for name, item in members.items() if item is not None}
    return None


def _key(key: Any) -> str:
    key = key.value if isinstance(key, Enum) else key
    return key if isinstance(key, str) else str(key)


def _dumped(dump: Any) -> Any:
    """Return a model's fields; None if it holds something that JSON cannot represent."""
    try:
        # an SDK makes its objects without validation, so that their types may differ from the declared ones
        return dump(mode="json", exclude_unset=True, warnings=False)
    except Exception:
        return None


def write_repairs(repairs: Sequence[Repair]) -> list[dict[str, Any]]:
    """Convert repairs to plain data."""
    return [{**repair._asdict(), "code": str(repair.code)} for repair in repairs]


def read_repairs(data: Sequence[Any]) -> tuple[Repair, ...]:
    """Convert the plain form of repairs back; a code may be one that only newer versions know."""
    try:
        repairs = [Repair(**{name: item[name] for name in Repair._fields}) for item in data]
        return tuple(repair._replace(code=_REPAIR_CODES.get(repair.code, repair.code)) for repair in repairs)
    except (LookupError, TypeError):
        raise invalid(ErrorCode.INVALID_EVENT, "repairs is not a list of repairs") from None
