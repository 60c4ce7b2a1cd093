"""The plan of a type for pydantic, from its core schema.

Everything is validated as JSON, as `TypeAdapter.validate_json` does, so that strictness, conversions and the
input that validators receive are the same. A model is validated when it closes, from the JSON of its members;
``pydantic_validator`` uses the members that are validated already as they are.
"""

from __future__ import annotations

from enum import Enum
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, get_args

from pydantic import VERSION, TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic_core import PydanticCustomError, PydanticKnownError, core_schema

from .places import (
    ANY,
    ANY_KIND,
    ARRAY,
    FORBIDDEN,
    IGNORED,
    OBJECT,
    PENDING,
    Body,
    Finding,
    InvalidValueError,
    Kind,
    Place,
)
from .pydantic_schema import (
    CLASSES,
    NO_OBJECTS,
    WITHOUT_LIMITS,
    Layers,
    Schemas,
    config_of,
    exact_type,
    fields_of,
    keys_of,
    kinds_of,
)
from .pydantic_validator import Validation, Validator, encoded

if TYPE_CHECKING:
    from ..errors import TypedError
    from .pydantic_schema import Schema

__all__ = ["make_plan"]

_OWN_ERRORS = frozenset(get_args(core_schema.ErrorType))
# that version does not count the name of a field, or its other aliases, as extra members of a model
_IGNORES_NAMES = VERSION.startswith("2.13.")


def make_plan(type: Any) -> PydanticPlan:
    """Return the plan of a type."""
    return PydanticPlan(type)


class PydanticPlan:
    """The places of a type, and the validators for them."""

    def __init__(self, type: Any) -> None:
        self._adapter: TypeAdapter[Any] = TypeAdapter(type)
        self._name = getattr(type, "__name__", str(type))
        self._schemas = Schemas()
        self._validation = Validation(self._schemas)
        # by the ids of the schema, which may be recursive, and of the inherited configuration
        self._places: dict[tuple[int, int], Place] = {}
        self._bodies: dict[tuple[int, int], Body | None] = {}
        schema: Any = self._adapter.core_schema
        config = config_of(self._schemas.layers(schema).core, None) or {}
        self._hides_input = config.get("hide_input_in_errors", False)
        self.root = self.place(schema, None)
        self._any = Validator(self._validation, lambda: dict(core_schema.any_schema()), None)
        self._finish = Validator(self._validation, lambda: self._around(schema, None), None)

    def finish(self, given: Any, context: Any) -> Any:
        """Validate the root, parts of which become final only now."""
        return self._finish.close(given, context)

    def forbidden(self, key: str, code: Any) -> Finding:
        """Return the finding for a key that the type forbids."""
        message = PydanticKnownError(code).message()
        return Finding((), code, message, {"type": code, "loc": (key,), "msg": message, "input": None})

    def unreadable(self, text: str) -> InvalidValueError:
        """Return the error for a string with a lone surrogate."""
        try:
            self._any.check(text, None, None)
        except InvalidValueError as error:
            return error
        raise AssertionError("pydantic reads it")

    def native(self, raw: Any, context: Any) -> ValidationError | None:
        """Return pydantic's exception for a complete JSON value, None if it is valid."""
        try:
            self._adapter.validate_json(encoded(raw), context=context)
        except ValidationError as error:
            return error
        return None

    def native_of(self, errors: list[TypedError]) -> ValidationError:
        """Return pydantic's exception for the errors so far."""
        details: list[Any] = []
        for error in errors:
            native = error.native
            context = native.get("ctx") or {}
            kind: Any = native["type"]
            if kind not in _OWN_ERRORS:
                # the error of a validator of the user
                kind = PydanticCustomError(kind, "{message}", {**context, "message": error.message})
            details.append(
                {"type": kind, "loc": error.segments, "input": native.get("input"), "ctx": context}
            )
        return ValidationError.from_exception_data(self._name, details, "json", self._hides_input)

    def json_schema(self) -> dict[str, Any] | None:
        """Return the JSON Schema of the type, None if it has none."""
        try:
            return self._adapter.json_schema()
        except PydanticInvalidForJsonSchema:
            return None

    # places

    def place(self, schema: Any, config: Any) -> Place:
        """Return the place of a schema."""
        key = (id(schema), id(config))
        place = self._places.get(key)
        if place is None:
            layers = self._schemas.layers(schema)
            place = Place(is_late=True) if layers.is_opaque else self._core(layers, config)
            if place.is_late and place.body is not None and layers.validates_default(config):
                # a default has no validated items in it
                place = Place(is_late=True)
            if not place.is_opaque:
                if layers.functions:
                    place.is_late = True
                    place.exact = None
                    place.shows_text = place.shows_text and layers.keeps_text
                place.is_nullable = layers.is_nullable
            self._places[key] = place
        return place

    def _core(self, layers: Layers, config: Any) -> Place:
        """Return the place of a schema without its layers."""
        core = layers.core
        kind = core["type"]
        if kind == "any":
            return Place(ANY.body, ANY.check)
        if kind in CLASSES:
            check = Validator(self._validation, lambda: layers.top, config_of(core, config)).check
            body = self._body(layers, config)
            return Place(body, check, carries=True, accepts=_kind_of(body))
        check = Validator(self._validation, lambda: core, config).check
        if kind in ("list", "dict"):
            body = self._body(layers, config)
            if body is None:
                # it contains itself without a model in between
                return Place(is_late=True)
            return Place(
                body,
                None if body.is_late else check,
                carries=not body.is_late,
                is_late=body.is_late,
                accepts=_kind_of(body),
                refusal=check,
            )
        if kind == "tagged-union":
            return self._tagged(core, config, check)
        if kind == "union":
            return self._union(core, config, check)
        if not self._schemas.is_pure(core):
            return Place(is_late=True)
        exact = exact_type(core, config or {})
        return Place(None, check, exact=exact, shows_text=kind == "str", accepts=kinds_of(core))

    def _tagged(self, core: Schema, config: Any, check: Any) -> Place:
        """Return the place of a union whose members have tags."""
        tag = core["discriminator"]
        places = {
            key: self.place(choice, config)
            for key, choice in core["choices"].items()
            if not isinstance(choice, str)
        }
        if callable(tag) or any(place.is_late for place in places.values()):
            return Place(is_late=True)
        if not isinstance(tag, str) or len(places) < len(core["choices"]):
            return Place(None, check, carries=True)
        body = Body(Kind.TAGGED, "")
        body.tag = tag
        body.item = PENDING
        for key, place in places.items():
            if place.body is None or place.body.kind is not Kind.MODEL or place.is_nullable:
                return Place(None, check, carries=True)
            value = key.value if isinstance(key, Enum) else key
            body.choices[type(value), value] = place.body
            body.keys |= dict.fromkeys(place.body.keys, ())
            body.by_item = place.body.by_item
        body.name = " | ".join(dict.fromkeys(choice.name for choice in body.choices.values()))
        return Place(body, check, carries=True, accepts=OBJECT)

    def _union(self, core: Schema, config: Any, check: Any) -> Place:
        """Return the place of a union, which is split if only one member can be an object."""
        choices = [choice[0] if isinstance(choice, tuple) else choice for choice in core["choices"]]
        places = [self.place(choice, config) for choice in choices]
        if any(place.is_late for place in places):
            return Place(is_late=True)
        place = Place(None, check, carries=True, accepts=_any_of(places))
        objects = [
            member for member in places if member.body is not None and member.body.kind is not Kind.LIST
        ]
        unsplit = [choice for choice, member in zip(choices, places, strict=True) if member.body is None]
        are_scalars = all(self._schemas.layers(choice).core["type"] in NO_OBJECTS for choice in unsplit)
        if len(objects) == 1 and are_scalars and objects[0].body is not ANY.body:
            place.body = objects[0].body
        return place

    def _body(self, layers: Layers, config: Any) -> Body | None:
        """Return the body of a class, a list or a dict, created on first use; None if it is not split."""
        # a class with its own configuration inherits none
        key = (id(layers.top), id(config) if layers.core.get("config") is None else 0)
        if key in self._bodies:
            body = self._bodies[key]
            # None for a list or dict whose body is still being created
            return body if body is None or body.name or layers.core["type"] in CLASSES else None
        self._bodies[key] = None
        core = layers.core
        if core["type"] in CLASSES:
            return self._class_body(key, layers, config)
        body = Body(Kind.LIST if core["type"] == "list" else Kind.DICT)
        self._bodies[key] = body
        item = core.get("items_schema" if body.kind is Kind.LIST else "values_schema")
        if item is not None and body.kind is Kind.LIST and self._schemas.layers(item).can_vanish:
            # an item is not found at its index
            self._bodies[key] = None
            return None
        body.item = ANY if item is None else self.place(item, config)
        keys = core.get("keys_schema")
        is_pure = keys is None or self._schemas.is_pure(keys)
        body.is_late = body.item.is_late or not is_pure
        has_limits = not core.keys() <= {*WITHOUT_LIMITS, "items_schema", "values_schema", "keys_schema"}
        if has_limits or (
            keys is not None and exact_type(self._schemas.resolve(keys), config or {}) is not str
        ):
            body.close = Validator(self._validation, lambda: self._inside(core, config), config).close
        body.name = core["type"]
        return body

    def _class_body(self, key: tuple[int, int], layers: Layers, config: Any) -> Body | None:
        """Return the body of a model, a dataclass or a TypedDict."""
        core = layers.core
        if any(layer["type"] != "function-after" for layer in layers.own) or core.get("custom_init"):
            return None
        inner = config_of(core, config)
        if core.get("root_model"):
            return self._root_model_body(key, layers, inner)
        fields = core if core["type"] == "typed-dict" else self._schemas.resolve(core["schema"])
        if fields["type"] not in ("typed-dict", "model-fields", "dataclass-args"):
            # a validator before the fields
            return None
        named = list(fields_of(fields))
        by_key = {name: keys_of(name, field, inner or {}) for name, field in named}
        extra = (inner or {}).get("extra_fields_behavior") or fields.get("extra_behavior") or "ignore"
        if any(keys is None or (len(keys) > 1 and extra == "allow") for keys in by_key.values()):
            # a field that is found by a path, or one whose second name would be an extra member
            return None
        cls = core.get("cls")
        body = Body(Kind.MODEL, getattr(cls, "__name__", "") or fields.get("model_name", "") or "object")
        self._bodies[key] = body
        body.by_item = core["type"] == "typed-dict"
        body.extra = extra == "allow"
        if extra == "forbid":
            body.extra_place = FORBIDDEN
            is_call = fields["type"] == "dataclass-args"
            body.forbids = "unexpected_keyword_argument" if is_call else "extra_forbidden"
        elif extra == "allow":
            body.extra_place = ANY if fields.get("extras_schema") is None else Place(is_late=True)
        for name, field in named:
            keys = by_key[name] or ()
            place = self.place(field["schema"], inner)
            body.keys[name] = tuple(keys)
            for position, alias in enumerate(keys):
                # of several names that are there, pydantic reads the first
                body.fields[alias] = place.unless(tuple(keys[:position])) if position else place
                body.names[alias] = name
            body.has_rivals = body.has_rivals or len(keys) > 1
        if _IGNORES_NAMES and fields["type"] == "model-fields":
            for name, field in named:
                for other in (name, *(keys_of(name, field, {}) or ())):
                    body.fields.setdefault(other, IGNORED)
        body.item = IGNORED
        body.close = Validator(self._validation, lambda: self._inside(layers.top, config), inner).close
        return body

    def _root_model_body(self, key: tuple[int, int], layers: Layers, config: Any) -> Body | None:
        """Return the body of a root model, which is split as its root is."""
        below = self._schemas.layers(layers.core["schema"])
        if below.core["type"] not in ("list", "dict"):
            return None
        if any(layer["type"] != "function-after" for layer in below.functions):
            return None
        inner = self._body(below, config)
        if inner is None:
            return None
        body = Body(inner.kind, getattr(layers.core.get("cls"), "__name__", ""))
        body.item = inner.item
        body.unfold = lambda value: value.root
        body.close = Validator(self._validation, lambda: self._inside(layers.top, config), config).close
        self._bodies[key] = body
        return body

    # schemas in which validated values are used as they are

    def _around(self, schema: Any, config: Any) -> Schema:
        """Copy the schema of a place so that it accepts a validated value, or validated parts."""
        layers = self._schemas.layers(schema)
        place = self.place(schema, config)
        inner: Schema
        if place.is_opaque:
            inner = {**self._schemas.resolve(schema)}
            inner.pop("ref", None)
            return inner
        if place.carries:
            inner = self._validation.carry_or(layers.top if layers.validates_default(config) else None)
        elif layers.core["type"] in ("list", "dict"):
            inner = self._inside(layers.core, config)
        else:
            inner = layers.core
        for layer in reversed(layers.outer):
            inner = {**layer, "schema": inner}
            inner.pop("ref", None)
        return inner

    def _inside(self, schema: Any, config: Any) -> Schema:
        """Copy the schema of a container so that it accepts its validated children."""
        schema = self._schemas.resolve(schema)
        copy = {**schema}
        copy.pop("ref", None)
        kind = schema["type"]
        if kind in CLASSES:
            config = config_of(schema, config)
            # paths are those of the text
            copy["config"] = {**(config or {}), "loc_by_alias": True}
        if kind == "list" and "items_schema" in schema:
            copy["items_schema"] = self._around(schema["items_schema"], config)
        elif kind == "dict" and "values_schema" in schema:
            copy["values_schema"] = self._around(schema["values_schema"], config)
        elif kind in ("model-fields", "typed-dict", "dataclass-args"):
            fields = schema["fields"]
            if isinstance(fields, dict):
                copy["fields"] = {
                    name: {**field, "schema": self._around(field["schema"], config)}
                    for name, field in fields.items()
                }
            else:
                copy["fields"] = [
                    {**field, "schema": self._around(field["schema"], config)} for field in fields
                ]
        elif "schema" in schema:
            # a class, a function of that class, or a layer around the root of a root model
            copy["schema"] = self._inside(schema["schema"], config)
        return copy


def _kind_of(body: Body | None) -> int:
    """Return the kind of values that a body splits; without a body it may be any."""
    if body is None:
        return ANY_KIND
    return ARRAY if body.kind is Kind.LIST else OBJECT


def _any_of(places: list[Place]) -> int:
    """Return the kinds of values that at least one of the places accepts."""
    return reduce(or_, [place.accepts for place in places])
