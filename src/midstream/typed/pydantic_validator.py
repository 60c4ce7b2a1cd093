"""Validate JSON with pydantic where parts of it are validated already.

A validated value is not written as JSON again. A number replaces it in the text, and its schema is replaced
by a function that returns the value with that number (``Validation.carry``). So the value is used as it is,
and its validators do not run again.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from itertools import count
from json.encoder import encode_basestring_ascii
from threading import Lock
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pydantic_core import SchemaValidator, core_schema

from ..accumulators.validation import located
from .places import Carrier, Finding, InvalidValueError
from .pydantic_schema import CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .pydantic_schema import Schema, Schemas

__all__ = ["Validation", "Validator", "encoded"]

_ENCODER = json.JSONEncoder()
# the number of the first validated value: so high that no default is mistaken for one
_FIRST = 0x6D69_6473_7472
# in place of a text that is too deep to be written: pydantic refuses it for the same reason
_TOO_DEEP = "[" * 300


class Validation:
    """Build the validators of a type, and hold the validated values that they use as they are."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._numbers = count(_FIRST)
        # the values by number, while the model around them is validated
        self.carried: dict[int, Any] = {}
        # the schema of every validated value
        self._carry = core_schema.no_info_plain_validator_function(self.carried.__getitem__)

    def carry_or(self, schema: Schema | None) -> Any:
        """Return the schema of a validated value. ``schema`` validates anything else, which is a default."""
        if schema is None:
            return self._carry
        schema = {**schema}
        schema.pop("ref", None)

        def carry(value: Any, validate: Any) -> Any:
            return self.carried[value] if type(value) is int and value in self.carried else validate(value)

        return core_schema.no_info_wrap_validator_function(carry, schema)

    def build(self, schema: Schema, config: Any) -> Any:
        """Build the validator of a schema."""
        cls = _class_of(schema)
        needed = self._schemas.reachable(schema)
        if needed:
            schema = core_schema.definitions_schema(schema, needed)  # type: ignore[arg-type, assignment]
        validator: Any
        try:
            # pydantic must not replace the changed schema by the validator that the class already has
            validator = SchemaValidator(schema, config, _use_prebuilt=False)
        except TypeError:
            # before pydantic 2.13 that needs a class that is marked as incomplete
            with _incomplete(cls):
                validator = SchemaValidator(schema, config)
        return validator.validate_json

    def encode(self, given: Any, carried: list[int]) -> str:
        """Write JSON with numbers in place of validated values, and add the numbers to ``carried``."""
        kind = type(given)
        if kind is str:
            return encode_basestring_ascii(given)
        if kind is Carrier:
            number = next(self._numbers)
            self.carried[number] = given.value
            carried.append(number)
            return str(number)
        if kind is dict:
            members = [
                f"{encode_basestring_ascii(key)}:{self.encode(value, carried)}"
                for key, value in given.items()
            ]
            return f"{{{','.join(members)}}}"
        if kind is list:
            return f"[{','.join([self.encode(item, carried) for item in given])}]"
        return str(given) if kind is int else _ENCODER.encode(given)


def encoded(value: Any) -> str:
    """Write a JSON value for pydantic."""
    if type(value) is str:
        return encode_basestring_ascii(value)
    try:
        return _ENCODER.encode(value)
    except RecursionError:
        return _TOO_DEEP


class Validator:
    """A validator of JSON, built on first use."""

    __slots__ = ("_config", "_make", "_validate", "_validation")

    def __init__(self, validation: Validation, make: Callable[[], Schema], config: Any) -> None:
        self._validation = validation
        self._make = make
        self._config = config
        self._validate: Any = None

    def check(self, value: Any, text: str | None, context: Any) -> Any:
        """Validate a JSON value without validated parts."""
        return self._run(encoded(value), value, context)

    def close(self, given: Any, context: Any) -> Any:
        """Validate a JSON value with validated parts."""
        carried: list[int] = []
        try:
            text = self._validation.encode(given, carried)
        except RecursionError:
            text = _TOO_DEEP
        try:
            return self._run(text, given, context)
        finally:
            for number in carried:
                del self._validation.carried[number]

    def _run(self, text: str, value: Any, context: Any) -> Any:
        validate = self._validate
        if validate is None:
            validate = self._validate = self._validation.build(self._make(), self._config)
        try:
            return validate(text, context=context)
        except ValidationError as error:
            raise InvalidValueError(list(_findings(error, value))) from error


def _class_of(schema: Schema) -> Any:
    """Return the class of a schema, None if it has none."""
    while schema["type"] not in CLASSES and isinstance(schema.get("schema"), dict):
        schema = schema["schema"]
    return schema.get("cls")


_LOCK = Lock()


@contextmanager
def _incomplete(cls: Any) -> Iterator[None]:
    """Mark a class as incomplete, so that pydantic does not use the validator that it has."""
    if not getattr(cls, "__pydantic_complete__", False):
        yield
        return
    with _LOCK:
        cls.__pydantic_complete__ = False
        try:
            yield
        finally:
            cls.__pydantic_complete__ = True


def _findings(error: ValidationError, value: Any) -> Iterator[Finding]:
    """Yield pydantic's errors about a JSON value, with their places by JSON keys."""
    for detail in error.errors(include_url=False):
        place, found = located(detail, value)
        if type(found) in (dict, list, Carrier):
            # pydantic's input has numbers for the validated parts
            detail["input"] = _plain(found)
        yield Finding(place, detail["type"], detail["msg"], detail)


def _plain(value: Any) -> Any:
    """Return the JSON value without carriers; what is too deep for recursion is left out."""
    if type(value) is Carrier:
        return value.raw
    try:
        if type(value) is dict:
            return {key: _plain(member) for key, member in value.items()}
        return [_plain(item) for item in value] if type(value) is list else value
    except RecursionError:
        return None
