"""Analyse pydantic's core schemas: layers, definitions, classes, fields, and functions of the user.

A *layer* is a schema that wraps another one: a default, ``None`` as an alternative, a function of the user.
Functions directly around the schema of a class that belong to the class (its model validators) are the
class's own; others belong to the field of the model around it.
"""

from __future__ import annotations

from types import FunctionType, MethodType, NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from .places import ANY_KIND, ARRAY, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "CLASSES",
    "FUNCTIONS",
    "NO_OBJECTS",
    "WITHOUT_LIMITS",
    "Layers",
    "Schemas",
    "config_of",
    "exact_type",
    "fields_of",
    "keys_of",
    "kinds_of",
]

Schema = dict[str, Any]

CLASSES = frozenset(["model", "dataclass", "typed-dict"])
FUNCTIONS = frozenset(["function-before", "function-after", "function-wrap", "function-plain"])
# only JSON is validated, so only that part of a schema with variants is used
_TRANSPARENT = {"json-or-python": "json_schema"}
# schemas that no JSON object fits
NO_OBJECTS = frozenset(
    [
        "bool", "bytes", "complex", "date", "datetime", "decimal", "enum", "float", "frozenset", "int",
        "json", "list", "literal", "multi-host-url", "none", "set", "str", "time", "timedelta", "tuple",
        "url", "uuid",
    ]
)  # fmt: skip
# the kinds of values that those schemas accept which are not split
_ACCEPTS = {
    **dict.fromkeys(
        [
            "bool", "bytes", "date", "datetime", "float", "int", "json", "str", "time", "timedelta", "url",
            "uuid",
        ],
        TEXT,
    ),
    **dict.fromkeys(["frozenset", "set", "tuple"], ARRAY),
    "none": 0,
}  # fmt: skip
_SCALARS = (str, int, float, NoneType)
# the keys of a schema that do not restrict its values
WITHOUT_LIMITS = frozenset(["type", "ref", "metadata", "serialization", "strict"])
# schemas that call no function of the user
_PURE = frozenset(
    [
        "any", "bool", "bytes", "complex", "custom-error", "date", "datetime", "decimal", "default", "dict",
        "enum", "float", "frozenset", "int", "json", "json-or-python", "lax-or-strict", "list", "literal",
        "multi-host-url", "none", "nullable", "set", "str", "tagged-union", "time", "timedelta", "tuple",
        "typed-dict", "typed-dict-field", "union", "url", "uuid", "chain", "never", "missing-sentinel",
        "definitions", "definition-ref", *FUNCTIONS,
    ]
)  # fmt: skip
_CHILDREN = (
    "choices", "extras_schema", "fields", "items_schema", "json_schema", "keys_schema", "lax_schema",
    "schema", "steps", "strict_schema", "values_schema",
)  # fmt: skip
# fields of a schema that may hold a function of the user
_HOOKS = ("custom_error_type", "default_factory", "missing")


class Layers(NamedTuple):
    """The parts of a schema."""

    # the outermost first: defaults, None, and functions of the model around the value
    outer: list[Schema]
    # the schema of the class with its own functions; these functions; the schema of the class alone
    top: Schema
    own: list[Schema]
    core: Schema

    @property
    def is_nullable(self) -> bool:
        """Whether null is an alternative."""
        return any(layer["type"] == "nullable" for layer in self.outer)

    @property
    def functions(self) -> list[Schema]:
        """The functions of the model around the value."""
        return [layer for layer in self.outer if layer["type"] in FUNCTIONS]

    @property
    def is_opaque(self) -> bool:
        """Whether only the model around the value can validate it.

        A function may change the input first, or a default may take the place of an invalid value.
        """
        functions = any(layer["type"] != "function-after" for layer in self.functions)
        return functions or any(layer.get("on_error", "raise") != "raise" for layer in self.outer)

    @property
    def can_vanish(self) -> bool:
        """Whether an invalid value is left out."""
        return any(layer.get("on_error") == "omit" for layer in self.outer)

    def validates_default(self, config: Any) -> bool:
        """Whether a default, which is no JSON, is validated as a value is."""
        return any(
            layer["type"] == "default"
            and layer.get("validate_default", (config or {}).get("validate_default", False))
            for layer in self.outer
        )

    @property
    def keeps_text(self) -> bool:
        """Whether the functions leave text what it is: validators of a field, not those of a type."""
        return all(_is_of_field(layer["function"]["function"]) for layer in self.functions)


class Schemas:
    """The definitions that the schemas of a type refer to."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}

    def resolve(self, schema: Any) -> Schema:
        """Follow references, collecting definitions, to a schema that is not a reference."""
        while True:
            kind = schema["type"]
            if kind == "definitions":
                for definition in schema["definitions"]:
                    self.definitions.setdefault(definition["ref"], definition)
                schema = schema["schema"]
            elif kind == "definition-ref":
                schema = self.definitions[schema["schema_ref"]]
            elif kind in _TRANSPARENT:
                schema = schema[_TRANSPARENT[kind]]
            else:
                return schema  # type: ignore[no-any-return]

    def layers(self, schema: Any) -> Layers:
        """Separate a schema into its layers."""
        outer: list[Schema] = []
        current = self.resolve(schema)
        while current["type"] in FUNCTIONS or current["type"] in ("default", "nullable"):
            outer.append(current)
            if "schema" not in current:
                # a plain function has no inner schema
                return Layers(outer, current, [], current)
            current = self.resolve(current["schema"])
        own: list[Schema] = []
        if current["type"] in CLASSES:
            for _ in range(self._own_count(current.get("cls"))):
                if outer and outer[-1]["type"] in FUNCTIONS:
                    own.insert(0, outer.pop())
        return Layers(outer, own[0] if own else current, own, current)

    def _own_count(self, cls: Any) -> int:
        """Count the functions that belong to a class."""
        schema = getattr(cls, "__pydantic_core_schema__", None)
        count = 0
        definitions: dict[str, Any] = {}
        while schema is not None:
            kind = schema["type"]
            if kind == "definitions":
                definitions |= {definition["ref"]: definition for definition in schema["definitions"]}
                schema = schema["schema"]
            elif kind == "definition-ref":
                schema = definitions.get(schema["schema_ref"]) or self.definitions.get(schema["schema_ref"])
            elif kind in FUNCTIONS and "schema" in schema:
                count += 1
                schema = schema["schema"]
            else:
                break
        return count

    def is_pure(self, schema: Any) -> bool:
        """Report whether validation calls no function of the user, so that it can be repeated unnoticed."""
        waiting = [schema]
        seen: set[int] = set()
        while waiting:
            current = waiting.pop()
            if isinstance(current, tuple):
                # a choice with its label
                current = current[0]
            if isinstance(current, str) or id(current) in seen:
                continue
            seen.add(id(current))
            kind = current.get("type")
            if kind == "definition-ref":
                waiting.append(self.resolve(current))
                continue
            if kind not in _PURE or any(current.get(hook) is not None for hook in _HOOKS):
                return False
            if kind in FUNCTIONS and not _is_of_pydantic(current["function"]["function"]):
                return False
            if kind == "tagged-union" and callable(current["discriminator"]):
                return False
            for name in _CHILDREN:
                below = current.get(name)
                if isinstance(below, dict) and name in ("choices", "fields"):
                    waiting += below.values()
                elif isinstance(below, dict):
                    waiting.append(below)
                elif isinstance(below, (list, tuple)):
                    waiting += below
        return True

    def reachable(self, schema: Any) -> list[Schema]:
        """Return the definitions that a schema refers to, directly or through others."""
        found: dict[str, Schema] = {}
        waiting: list[Any] = [schema]
        while waiting:
            current = waiting.pop()
            if isinstance(current, dict):
                if current.get("type") == "definition-ref":
                    ref = current["schema_ref"]
                    if ref not in found:
                        found[ref] = self.definitions[ref]
                        waiting.append(found[ref])
                else:
                    # in a dict of fields, these names are fields
                    skipped = ("metadata", "serialization") if isinstance(current.get("type"), str) else ()
                    waiting += [value for key, value in current.items() if key not in skipped]
            elif isinstance(current, (list, tuple)):
                waiting += current
        return list(found.values())


def config_of(core: Schema, config: Any) -> Any:
    """Return the configuration inside a class: its own, or else the inherited one."""
    return config if core.get("config") is None else core["config"]


def fields_of(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the names and schemas of a class's fields, without those that no input sets."""
    fields = schema["fields"]
    if isinstance(fields, dict):
        yield from fields.items()
    else:
        yield from ((field["name"], field) for field in fields if field.get("init", True))


def keys_of(name: str, field: Schema, config: Any) -> list[str] | None:
    """Return the JSON keys of a field, None if it is found by a path."""
    alias = field.get("validation_alias")
    if alias is None or config.get("validate_by_alias") is False:
        return [name]
    paths = [[alias]] if isinstance(alias, str) else alias
    if paths and not isinstance(paths[0], list):
        paths = [paths]
    if any(len(path) != 1 for path in paths):
        return None
    keys = [path[0] for path in paths]
    if (config.get("validate_by_name") or config.get("populate_by_name")) and name not in keys:
        keys.append(name)
    return keys


def kinds_of(core: Schema) -> int:
    """Return the kinds of values that a schema without parts may accept."""
    kind = core["type"]
    if kind in ("enum", "literal"):
        values = core["expected"] if kind == "literal" else [member.value for member in core["members"]]
        return TEXT if all(isinstance(value, _SCALARS) for value in values) else ANY_KIND
    return _ACCEPTS.get(kind, ANY_KIND)


def exact_type(core: Schema, config: Any) -> type | None:
    """Return the type whose instances are valid as they are, None if there is none."""
    if not core.keys() <= WITHOUT_LIMITS:
        return None
    kind = core["type"]
    if kind == "str":
        return None if any(key.startswith("str_") for key in config) else str
    if kind == "float":
        return None if config.get("allow_inf_nan") is False else float
    return {"int": int, "bool": bool}.get(kind)


def _is_of_field(function: Any) -> bool:
    """Report whether a function is for a field: a type has its constructor or a method of its own."""
    owner = getattr(function, "__self__", None)
    if isinstance(function, MethodType) and isinstance(owner, type):
        return hasattr(owner, "__pydantic_decorators__")
    return not isinstance(function, type)


def _is_of_pydantic(function: Any) -> bool:
    """Report whether a function is pydantic's own, and calls no other one that it holds."""
    if isinstance(function, MethodType):
        function = function.__func__
    module = getattr(function, "__module__", None) or ""
    is_plain = isinstance(function, FunctionType) and not function.__closure__
    return is_plain and module.partition(".")[0] in ("pydantic", "pydantic_core")
