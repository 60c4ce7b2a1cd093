"""The types of parameters, from the JSON Schema of their tool, and raw values as JSON of these types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...accumulators.values import JsonValueAccumulator
from ...limits import Limits

__all__ = ["ToolSchema", "json_of"]

_MOST_REFERENCES = 20
_TYPES = ("string", "integer", "number", "boolean", "object", "array", "null")
_STRING = frozenset({"string"})
# any depth: a value that is nested too deeply is an error of the call, not a string
_LIMITS = Limits(max_depth=None)
# Python's words and other spellings
_WORDS = {"true": "true", "false": "false", "null": "null", "none": "null"}


class ToolSchema:
    """The JSON Schema of the arguments of one tool; anything that it does not say is a string.

    >>> schema = ToolSchema({"properties": {"days": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}})
    >>> sorted(schema.types_of("days")), sorted(schema.types_of("city"))
    (['integer', 'null'], ['string'])
    """

    def __init__(self, schema: Any) -> None:
        self._schema = schema if isinstance(schema, Mapping) else {}

    def types_of(self, key: str) -> frozenset[str]:
        """Return the types that a parameter may have."""
        properties = self._resolved(self._schema).get("properties")
        part = properties.get(key) if isinstance(properties, Mapping) else None
        if part is None:
            part = self._schema.get("additionalProperties")
        return frozenset(self._types(part, 0)) or _STRING

    def _types(self, part: Any, depth: int) -> set[str]:
        part = self._resolved(part)
        if not part or depth > _MOST_REFERENCES:
            return set()
        stated = part.get("type")
        names = [stated] if isinstance(stated, str) else stated if isinstance(stated, list) else []
        found = {name for name in names if name in _TYPES}
        if found:
            return found
        if "const" in part:
            return {_type_of(part["const"])}
        if isinstance(part.get("enum"), list):
            return {_type_of(value) for value in part["enum"]}
        for name in ("anyOf", "oneOf", "allOf"):
            for option in part.get(name) or ():
                found |= self._types(option, depth + 1)
        return found

    def _resolved(self, part: Any) -> Mapping[str, Any]:
        """Follow the references of a schema within itself."""
        for _ in range(_MOST_REFERENCES):
            if not isinstance(part, Mapping):
                return {}
            reference = part.get("$ref")
            if not isinstance(reference, str) or not reference.startswith("#"):
                return part
            part = self._schema
            for step in reference[1:].strip("/").split("/"):
                if step:
                    name = step.replace("~1", "/").replace("~0", "~")
                    part = part.get(name) if isinstance(part, Mapping) else None
        return {}


def _type_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def json_of(text: str, types: frozenset[str]) -> str:
    """Return a raw value as JSON text of one of the types; if it is of none of them, as a string.

    >>> json_of(" 12 ", frozenset({"integer"})), json_of("True", frozenset({"boolean"}))
    ('12', 'true')
    >>> json_of("twelve", frozenset({"integer"}))
    '"twelve"'
    """
    written = text.strip()
    # Python's words for literals, too, unless they may be strings
    word = written if "string" in types else _WORDS.get(written.lower(), written)
    kind = _type_in(word)
    if kind in types - _STRING or (kind == "integer" and "number" in types):
        return word
    return json.dumps(text, ensure_ascii=False)


def _type_in(text: str) -> str | None:
    """Return the type of a JSON text; None if it is not valid."""
    accumulator = JsonValueAccumulator(on_error="event", limits=_LIMITS)
    accumulator.add_fragment(text)
    accumulator.finish()
    value = accumulator.value
    if accumulator.error is not None or not accumulator.is_complete:
        return None
    # 2.0 is an integer, as JSON Schema defines it
    return "integer" if isinstance(value, float) and value.is_integer() else _type_of(value)
