"""The plan of a type for msgspec, from `msgspec.inspect.type_info`.

Scalars are decoded from their JSON text. A Struct, a dataclass or a TypedDict is converted from its decoded
members when it closes; `msgspec.convert` leaves members that are already instances as they are. msgspec has
no validators for fields, so every value is final as soon as it is complete.
"""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import inspect

from ..accumulators.validation import split_message
from ..accumulators.value_text import value_text
from .places import (
    ANY_KIND,
    ARRAY,
    FORBIDDEN,
    IGNORED,
    OBJECT,
    PENDING,
    TEXT,
    Body,
    Carrier,
    Finding,
    InvalidValueError,
    Kind,
    Place,
)

if TYPE_CHECKING:
    from ..errors import TypedError

__all__ = ["make_plan"]

_ENCODER = json.JSONEncoder()
CODE = "validation_error"
_OBJECTS = (inspect.StructType, inspect.DataclassType, inspect.TypedDictType)


def make_plan(type: Any) -> MsgspecPlan:
    """Return the plan of a type."""
    return MsgspecPlan(type)


class MsgspecPlan:
    """The places of a type, and the decoders for them."""

    def __init__(self, type: Any) -> None:
        self._type = type
        self._decoder = msgspec.json.Decoder(type)
        self._bodies: dict[Any, Body] = {}
        self.root = self.place(inspect.type_info(type))

    def finish(self, given: Any, context: Any) -> Any:
        """Validate the root, parts of which become final only now; with msgspec there are no such parts."""
        raise NotImplementedError

    def forbidden(self, key: str, code: str) -> Finding:
        """Return the finding for a key that the type forbids."""
        message = f"Object contains unknown field `{key}`"
        return Finding((), code, message, msgspec.ValidationError(message))

    def unreadable(self, text: str) -> InvalidValueError:
        """Return the error for a string with a lone surrogate."""
        try:
            _decode_with(Any)(text, None, None)
        except InvalidValueError as error:
            return error
        raise AssertionError("msgspec reads it")

    def native(self, raw: Any, context: Any) -> Exception | None:
        """Decode a complete JSON value as msgspec does, and return its exception; None if it is valid."""
        try:
            self._decoder.decode(_encoded(raw))
        except (msgspec.DecodeError, RecursionError) as error:
            return error
        return None

    def native_of(self, errors: list[TypedError]) -> Any:
        """Return the first exception, because msgspec reports one at a time."""
        return errors[0].native if errors else None

    def json_schema(self) -> dict[str, Any] | None:
        """Return the JSON Schema of the type, None if it has none."""
        try:
            return msgspec.json.schema(self._type)
        except TypeError:
            return None

    def place(self, info: inspect.Type) -> Place:
        """Return the place of a type."""
        if isinstance(info, inspect.Metadata):
            return self.place(info.type)
        if isinstance(info, inspect.AnyType):
            return _ANY
        check = _decode_with(annotation(info))
        accepts = _accepted(info)
        if isinstance(info, inspect.UnionType):
            return self._union(info, check, accepts)
        if isinstance(info, _OBJECTS) and not getattr(info, "array_like", False):
            return Place(self._class_body(info), check, carries=True, accepts=accepts)
        if isinstance(info, (inspect.ListType, inspect.DictType)):
            return Place(self._container_body(info), check, carries=True, accepts=accepts)
        is_text = isinstance(info, inspect.StrType)
        return Place(None, check, exact=_exact(info), carries=True, shows_text=is_text, accepts=accepts)

    def _union(self, info: inspect.UnionType, check: Any, accepts: int) -> Place:
        """Return the place of a union: split by the tag, or if only one member can be an object."""
        members = [member for member in info.types if not isinstance(member, inspect.NoneType)]
        is_nullable = len(members) < len(info.types)
        if len(members) == 1:
            found = self.place(members[0])
            place = Place(
                found.body,
                check,
                exact=found.exact,
                carries=found.carries,
                shows_text=found.shows_text,
                accepts=accepts,
            )
        else:
            place = Place(None, check, carries=True, accepts=accepts)
            objects = [
                member
                for member in members
                if isinstance(member, (*_OBJECTS, inspect.DictType, inspect.AnyType))
            ]
            structs = [
                member
                for member in objects
                if isinstance(member, inspect.StructType) and not member.array_like
            ]
            if len(structs) == len(objects) > 1:
                place.body = self._tagged_body(structs)
            elif len(objects) == 1:
                place.body = self.place(objects[0]).body
        place.is_nullable = is_nullable
        return place

    def _tagged_body(self, structs: list[inspect.StructType]) -> Body | None:
        body = Body(Kind.TAGGED, " | ".join(_name(info) for info in structs))
        tags = {info.tag_field for info in structs}
        tag = tags.pop()
        if tags or tag is None:
            return None
        body.tag = tag
        body.item = PENDING
        for info in structs:
            choice = self._class_body(info)
            body.choices[type(info.tag), info.tag] = choice
            body.keys |= dict.fromkeys(choice.keys, ())
        return body

    def _class_body(self, info: Any) -> Body:
        """Return the body of a Struct, a dataclass or a TypedDict, created on first use."""
        body = self._bodies.get(info.cls)
        if body is not None:
            return body
        body = self._bodies[info.cls] = Body(Kind.MODEL, _name(info))
        body.by_item = isinstance(info, inspect.TypedDictType)
        if getattr(info, "forbid_unknown_fields", False):
            body.extra_place = FORBIDDEN
            body.forbids = CODE
        tag = getattr(info, "tag_field", None)
        if tag is not None:
            body.fields[tag] = Place(None, _decode_with(Literal[info.tag]))
        for field in info.fields:
            body.fields[field.encode_name] = self.place(field.type)
            body.names[field.encode_name] = field.name
            body.keys[field.name] = (field.encode_name,)
        body.item = IGNORED
        body.close = _convert_to(info.cls)
        return body

    def _container_body(self, info: inspect.ListType | inspect.DictType) -> Body:
        """Return the body of a list or a dict."""
        has_limits = info.min_length is not None or info.max_length is not None
        if isinstance(info, inspect.ListType):
            body = Body(Kind.LIST)
            item = info.item_type
        else:
            body = Body(Kind.DICT)
            item = info.value_type
            has_limits = has_limits or _exact(info.key_type) is not str
        body.item = self.place(item)
        if has_limits:
            body.close = _convert_to(annotation(info))
        return body


def _encoded(value: Any) -> str | bytes:
    """Write a JSON value for msgspec."""
    text = _ENCODER.encode(value)
    # a number beyond the range of floats was read as an infinity
    return value_text(value).encode(errors="surrogatepass") if "Infinity" in text else text


def _decode_with(type: Any) -> Any:
    """Return a function that decodes a JSON value."""
    decoder: Any = None

    def check(value: Any, text: str | None, context: Any) -> Any:
        nonlocal decoder
        if decoder is None:
            decoder = msgspec.json.Decoder(type)
        try:
            return decoder.decode(_encoded(value) if text is None else text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InvalidValueError([_finding(error)]) from error

    return check


def _check_any(value: Any, text: str | None, context: Any) -> Any:
    """Decode a number, of which only some fit; return any other value as it is."""
    return _decode_with(Any)(value, text, context) if type(value) in (int, float) else value


_ANY = Place(Body(Kind.ANY), _check_any, is_nullable=True)
_ANY.body.item = _ANY  # type: ignore[union-attr]


def _convert_to(type: Any) -> Any:
    """Return a function that validates a container whose children are validated."""

    def close(given: Any, context: Any) -> Any:
        try:
            return msgspec.convert(_uncarried(given), type, str_keys=True)
        except (msgspec.ValidationError, RecursionError) as error:
            raise InvalidValueError([_finding(error)]) from error

    return close


def _uncarried(given: Any) -> Any:
    if isinstance(given, dict):
        return {key: value.value if type(value) is Carrier else value for key, value in given.items()}
    return [value.value if type(value) is Carrier else value for value in given]


def _finding(error: Exception) -> Finding:
    message, place = split_message(str(error))
    return Finding(place, CODE, message, error)


def _name(info: Any) -> str:
    return getattr(info.cls, "__name__", None) or str(info.cls)


def _accepted(info: inspect.Type) -> int:
    """Return the kinds of values that a type may accept."""
    if isinstance(info, inspect.Metadata):
        return _accepted(info.type)
    if isinstance(info, inspect.UnionType):
        return reduce(or_, [_accepted(member) for member in info.types])
    if isinstance(info, inspect.LiteralType):
        return TEXT if any(isinstance(value, str) for value in info.values) else 0
    if isinstance(info, _OBJECTS):
        return ARRAY if getattr(info, "array_like", False) else OBJECT
    return _ACCEPTS.get(type(info), ANY_KIND)


def _exact(info: inspect.Type) -> type | None:
    """Return the type whose instances are valid as they are, None if there is none."""
    for kind, exact in ((inspect.StrType, str), (inspect.IntType, int), (inspect.BoolType, bool)):
        if isinstance(info, kind):
            limits = [getattr(info, name) for name in info.__struct_fields__]
            return exact if all(limit is None for limit in limits) else None
    return None


_ACCEPTS: dict[type, int] = {
    **dict.fromkeys([inspect.NoneType, inspect.BoolType, inspect.IntType, inspect.FloatType], 0),
    **dict.fromkeys(
        [
            inspect.StrType, inspect.BytesType, inspect.ByteArrayType, inspect.MemoryViewType,
            inspect.DateTimeType, inspect.TimeType, inspect.DateType, inspect.TimeDeltaType,
            inspect.UUIDType, inspect.DecimalType, inspect.EnumType,
        ],
        TEXT,
    ),
    **dict.fromkeys(
        [
            inspect.ListType, inspect.SetType, inspect.FrozenSetType, inspect.VarTupleType,
            inspect.TupleType, inspect.NamedTupleType,
        ],
        ARRAY,
    ),
    inspect.DictType: OBJECT,
}  # fmt: skip
_SIMPLE: dict[type, Any] = {
    inspect.AnyType: Any,
    inspect.NoneType: None,
    inspect.BoolType: bool,
    inspect.ByteArrayType: bytearray,
    inspect.MemoryViewType: memoryview,
    inspect.DateType: datetime.date,
    inspect.TimeDeltaType: datetime.timedelta,
    inspect.UUIDType: uuid.UUID,
    inspect.DecimalType: decimal.Decimal,
    inspect.RawType: msgspec.Raw,
}
_LIMITED: dict[type, Any] = {
    inspect.IntType: int,
    inspect.FloatType: float,
    inspect.StrType: str,
    inspect.BytesType: bytes,
    inspect.DateTimeType: datetime.datetime,
    inspect.TimeType: datetime.time,
}


def annotation(info: inspect.Type) -> Any:
    """Return a type as an annotation."""
    kind = type(info)
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if isinstance(info, inspect.Metadata):
        return annotation(info.type)
    if isinstance(info, inspect.UnionType):
        return reduce(or_, [annotation(member) for member in info.types])
    if isinstance(info, inspect.LiteralType):
        return Literal[tuple(info.values)]
    found: Any
    if kind in _LIMITED:
        found = _LIMITED[kind]
    elif isinstance(info, inspect.ListType):
        found = list[annotation(info.item_type)]  # type: ignore[misc]
    elif isinstance(info, inspect.SetType):
        found = set[annotation(info.item_type)]  # type: ignore[misc]
    elif isinstance(info, inspect.FrozenSetType):
        found = frozenset[annotation(info.item_type)]  # type: ignore[misc]
    elif isinstance(info, inspect.VarTupleType):
        found = tuple[annotation(info.item_type), ...]  # type: ignore[misc]
    elif isinstance(info, inspect.TupleType):
        found = tuple[tuple(annotation(item) for item in info.item_types)]  # type: ignore[misc]
    elif isinstance(info, inspect.DictType):
        found = dict[annotation(info.key_type), annotation(info.value_type)]  # type: ignore[misc]
    else:
        # a class: a Struct, a dataclass, an enum, or a class that msgspec does not know
        return info.cls  # type: ignore[attr-defined]
    limits = {
        name: value
        for name in ("gt", "ge", "lt", "le", "multiple_of", "pattern", "min_length", "max_length", "tz")
        if (value := getattr(info, name, None)) is not None
    }
    return Annotated[found, msgspec.Meta(**limits)] if limits else found
