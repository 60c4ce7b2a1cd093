"""Convert one snapshot of any kind into a value that the chunker owns.

Text is parsed. A value is copied, because the chunker compares it with later snapshots and the caller may
change it in the meantime. Either way the result consists of plain dict, list, str, int, float, bool and
None that RFC 8259 can represent: no cycle, no infinity, no key that is not a string, and no surrogate pair
that is split into two characters.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..accumulators.values import JsonValueAccumulator
from ..core.surrogates import has_surrogates, join_surrogates
from ..errors import ErrorCode, JsonStreamError, invalid
from ..limits import Limits
from ..paths import format_path

if TYPE_CHECKING:
    from typing import NoReturn

# Far below the 4,300 digits from which int() and str() refuse to convert, and cheap to compare with
_LARGE = 10**18


def read_snapshot(snapshot: object) -> Any:
    """Return the snapshot as a new plain value.

    >>> read_snapshot('{"a": [true]}')
    {'a': [True]}
    >>> read_snapshot({"a": (1, 2)})
    {'a': [1, 2]}
    """
    if isinstance(snapshot, str):
        text = snapshot
    elif isinstance(snapshot, (bytes, bytearray, memoryview)):
        text = decode_snapshot(snapshot)
    else:
        return _copy(snapshot)
    stripped = text.removeprefix("\ufeff").strip(" \t\n\r")
    try:
        value, end = _scan(stripped, 0)
        if end == len(stripped):
            return value if text.isascii() else _with_joined_surrogates(value, text)
    except (StopIteration, ValueError, RecursionError):
        pass
    # the package's own parser reads any depth, and reports the exact place of an error
    return _read_slowly(text)


def decode_snapshot(snapshot: object) -> str:
    """Return the text of a snapshot that is text or UTF-8 bytes.

    >>> decode_snapshot(b"{}")
    '{}'
    """
    if isinstance(snapshot, str):
        return snapshot
    if not isinstance(snapshot, (bytes, bytearray, memoryview)):
        raise invalid(ErrorCode.INVALID_SNAPSHOT, position=(0, 1, 1))
    data = bytes(snapshot)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        column = len(before) - before.rfind("\n")
        raise invalid(
            ErrorCode.INVALID_SNAPSHOT, position=(len(before), before.count("\n") + 1, column)
        ) from None


def _finite(text: str) -> float:
    number = float(text)
    if number - number != 0:
        raise ValueError("the number is beyond the range of float")
    return number


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")


_decoder: Any = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse_constant)
# the scanner itself: `decode` searches for white space on both sides, slower than `strip`
_scan = _decoder.scan_once


def _read_slowly(text: str) -> Any:
    reader = JsonValueAccumulator(limits=Limits(max_depth=None), parse_float=_finite)
    try:
        reader.add_fragment(text)
        reader.finish()
    except JsonStreamError as error:
        raise invalid(
            ErrorCode.INVALID_SNAPSHOT, path=error.path, position=(error.index, error.line, error.column)
        ) from None
    return _with_joined_surrogates(reader.value, text)


def _with_joined_surrogates(value: Any, text: str) -> Any:
    """Join the surrogate pairs that parsers keep split because the text itself contains them split."""
    return value if not has_surrogates(text) else _copy(value)


# A container that is still to be copied: the entry of its parent (a chain that names the place of an
# error), its key, the container itself, the copy of its parent, and its depth.
_Entry = tuple[Any, Any, Any, Any, int]
# A value that contains itself has no end, so it is enough to search for cycles rarely: at this depth, and
# whenever the depth has doubled.
_DEEP = 1024


def _copy(snapshot: object) -> Any:
    """Copy a value without recursion; refuse anything that is not JSON."""
    holder: list[Any] = [None]
    pending: list[_Entry] = [(None, 0, snapshot, holder, 1)]
    while pending:
        entry = pending.pop()
        _, key, value, into, depth = entry
        kind = type(value)
        if depth >= _DEEP and depth & (depth - 1) == 0 and (repetition := _repetition(entry)):
            raise _invalid_at(repetition)
        if kind is dict or kind is list:
            if kind is dict:
                try:
                    # join fails if any key is not a string
                    keys = "".join(value)
                except TypeError:
                    raise _invalid_at(entry) from None
                if not keys.isascii() and join_surrogates(keys) != keys:
                    value = {join_surrogates(key): member for key, member in value.items()}
            # this shallow copy is correct except for the members found below
            into[key] = own = value.copy()
            for key, member in value.items() if kind is dict else enumerate(value):
                kind = type(member)
                if kind is str:
                    if not member.isascii():
                        own[key] = join_surrogates(member)
                elif kind is int:
                    if not -_LARGE < member < _LARGE:
                        pending.append((entry, key, member, own, depth + 1))
                elif kind is bool or member is None:
                    continue
                elif (kind is dict or kind is list) and not member:
                    own[key] = kind()
                elif kind is not float or member - member != 0:
                    pending.append((entry, key, member, own, depth + 1))
        elif isinstance(value, (str, int, float)) or value is None:
            into[key] = _scalar(value, entry)
        else:
            pending.append((entry, key, _plain(value, entry), into, depth + 1))
    return holder[0]


def _repetition(entry: _Entry) -> _Entry | None:
    """Return the outermost place at which a value contains itself."""
    chain = [entry]
    while chain[-1][0] is not None:
        chain.append(chain[-1][0])
    ids = set()
    for entry in reversed(chain):
        if id(entry[2]) in ids:
            return entry
        ids.add(id(entry[2]))
    return None


def _scalar(value: Any, entry: _Entry) -> Any:
    """Convert a scalar of any class to its plain form, if JSON can represent it."""
    try:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return join_surrogates(str.__str__(value))
        if isinstance(value, int):
            number = int.__add__(value, 0)
            # str refuses more than 4,300 digits: fail here, before anything depends on the number
            str(number)
            return number
        return _finite(float.__repr__(value))
    except ValueError:
        raise _invalid_at(entry) from None


def _plain(value: Any, entry: _Entry) -> Any:
    """Convert any other value that JSON can represent to its plain form, one level deep."""
    try:
        if isinstance(value, dict):
            return dict(value)
        if isinstance(value, (list, tuple)):
            return [*value]
        if not isinstance(value, type):
            if callable(getattr(value, "model_dump", None)):
                dumped = _dump_model(value)
                # accept plain values only: a model that dumps to a model might never end
                if dumped is None or isinstance(dumped, (str, int, float, dict, list, tuple)):
                    return dumped
            elif hasattr(value, "__dataclass_fields__"):
                from dataclasses import fields

                return {field.name: getattr(value, field.name) for field in fields(value)}
    except Exception as error:
        # a model's own code, or a dataclass without all of its values
        raise _invalid_at(entry) from error
    raise _invalid_at(entry)


def _dump_model(model: Any) -> Any:
    """Return a model's JSON form (with dates as text, for example), or the only form that it has."""
    try:
        return model.model_dump(mode="json")
    except TypeError:
        return model.model_dump()


def _invalid_at(entry: Any) -> JsonStreamError:
    segments = []
    while entry is not None:
        above, segment, _, into, _ = entry
        # a model and its plain form share one place
        if above is None or above[3] is not into:
            segments.append(segment)
        entry = above
    # the outermost segment is the place in the holder
    return invalid(
        ErrorCode.INVALID_SNAPSHOT, path=format_path("root", reversed(segments[:-1])), position=(0, 1, 1)
    )
