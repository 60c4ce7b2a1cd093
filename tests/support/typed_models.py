"""Random types for pydantic, with random JSON values for them: most fit, some do not.

Everything of a user that is called on the way (validators, hooks, constructors) writes down its calls.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections import Counter
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union
from uuid import UUID

import pydantic
from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Discriminator,
    Field,
    Json,
    OnErrorOmit,
    RootModel,
    Tag,
    WrapValidator,
    create_model,
    model_validator,
)
from typing_extensions import TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS: Counter[str] = Counter()


class Spec(NamedTuple):
    """A type, what makes a JSON value for it, and whether something of a user is called for it."""

    type: Any
    value: Callable[[random.Random], Any]
    is_called: bool = False


class Color(Enum):
    RED = "red"
    REDDISH = "reddish"
    ONE = 1


def made_of(make: Any, *arguments: Any, **options: Any) -> Any:
    """Call what a type checker knows with literal names only."""
    return make(*arguments, **options)


def union_of(*members: Any) -> Any:
    return Union[members]  # noqa: UP007  # the members are not known before


def noise(rng: random.Random) -> Any:
    """Make a JSON value that fits by chance only."""
    return rng.choice(
        [None, 5, -1, 2.5, "5", "", "text", True, [], {}, [1], {"a": 1}, {"kind": "m0"}, 10**20, "red"]
    )


def _word(rng: random.Random) -> str:
    return rng.choice(["", "a", "Paris", "müde", "😀 ok", 'quo"te', "back\\slash", "line\nbreak", "x" * 30])


def called(name: str) -> Callable[[Any], Any]:
    """Make a validator that writes down its calls, and refuses some values."""

    def validator(value: Any) -> Any:
        CALLS[name] += 1
        if value in (-1, "text", 10**20):
            raise ValueError("not this one")
        return value

    return validator


def wrapping(name: str) -> Callable[[Any, Any], Any]:
    def validator(value: Any, handler: Any) -> Any:
        CALLS[name] += 1
        return handler(value)

    return validator


_LEAVES: list[tuple[Any, Callable[[random.Random], Any]]] = [
    (str, _word),
    (str, _word),
    (Annotated[str, Field(min_length=1, max_length=20)], _word),
    (Annotated[str, Field(pattern="^[a-zA-Z]+$")], _word),
    (int, lambda rng: rng.choice([0, 7, -12, 2**70, "12", 3.0])),
    (Annotated[int, Field(ge=0, lt=100)], lambda rng: rng.choice([0, 7, 99, 100])),
    (float, lambda rng: rng.choice([0, 1.5, -2e10, 1e-7, 3])),
    (bool, lambda rng: rng.choice([True, False, "true", 1])),
    (date, lambda rng: rng.choice(["2026-05-08", "1999-12-31", "2026-5"])),
    (Decimal, lambda rng: rng.choice([1, 1.5, "1.50", "12.000"])),
    (UUID, lambda rng: "12345678-1234-5678-1234-567812345678"),
    (bytes, _word),
    (Color, lambda rng: rng.choice(["red", "reddish", 1])),
    (Literal["hill", "hillside", 1, True], lambda rng: rng.choice(["hill", "hillside", 1, True])),
    (type(None), lambda rng: None),
    (int | str, lambda rng: rng.choice([1, "1", "one"])),
    (date | int | str, lambda rng: rng.choice([1, "5", "2026-05-08", "one"])),
    (Any, noise),
    (set[int], lambda rng: [rng.randrange(5) for _ in range(rng.randrange(4))]),
    (tuple[int, str], lambda rng: [1, "a"]),
    (Json[list[int]], lambda rng: rng.choice(["[1, 2]", "[]", "[1"])),
    (pydantic.SecretStr, _word),
    (pydantic.HttpUrl, lambda rng: rng.choice(["https://example.org/", "nope"])),
]


class Maker:
    """Make types."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.count = 0

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def spec(self, depth: int) -> Spec:
        """Make any type."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.3:
            made = Spec(*rng.choice(_LEAVES))
        else:
            makers: list[Callable[[int], Spec]] = [
                self.a_list, self.a_list, self.a_dict, self.a_model, self.a_model, self.a_model,
                self.a_optional, self.a_tagged, self.a_either, self.a_root_model, self.a_dataclass,
                self.a_typed_dict, self.a_untagged, self.a_callable_tag,
                self.a_recursive,
            ]  # fmt: skip
            made = rng.choice(makers)(depth - 1)
        if rng.random() < 0.12:
            made = self.with_function(made)
        return made

    def with_function(self, spec: Spec) -> Spec:
        name = self.name("function")
        marker = self.rng.choice(
            [
                AfterValidator(called(name)),
                AfterValidator(called(name)),
                BeforeValidator(called(name)),
                WrapValidator(wrapping(name)),
            ]
        )
        return Spec(Annotated[spec.type, marker], spec.value, True)

    def a_list(self, depth: int) -> Spec:
        item = self.spec(depth)
        if self.rng.random() < 0.1:
            item = item._replace(type=OnErrorOmit[item.type])  # type: ignore[name-defined, misc]
        type: Any = list[item.type]  # type: ignore[name-defined]
        if self.rng.random() < 0.2:
            type = Annotated[type, Field(max_length=3)]
        return Spec(type, lambda rng: [item.value(rng) for _ in range(rng.randrange(5))], item.is_called)

    def a_dict(self, depth: int) -> Spec:
        item = self.spec(depth)
        key = self.rng.choice([str, str, int])
        keys = ["a", "b", "k.e.y", "ü", ""] if key is str else ["1", "2", "3"]
        return Spec(
            dict[key, item.type],  # type: ignore[name-defined, valid-type]
            lambda rng: {name: item.value(rng) for name in rng.sample(keys, rng.randrange(4))},
            item.is_called,
        )

    def a_optional(self, depth: int) -> Spec:
        inner = self.spec(depth)
        return Spec(
            union_of(inner.type, None),
            lambda rng: None if rng.random() < 0.3 else inner.value(rng),
            inner.is_called,
        )

    def fields(self, depth: int) -> tuple[dict[str, Spec], dict[str, str]]:
        names = self.rng.sample(
            ["name", "items", "kind_of", "values", "copy_", "data", "type"], self.rng.randint(1, 4)
        )
        fields = {name: self.spec(depth) for name in names}
        aliases = {name: name.upper() if self.rng.random() < 0.2 else name for name in names}
        return fields, aliases

    def members(
        self, fields: dict[str, Spec], keys: dict[str, str], optional: set[str], extra: dict[str, Any]
    ) -> Any:
        def value(rng: random.Random) -> Any:
            found = {
                keys[name]: spec.value(rng)
                for name, spec in fields.items()
                if name not in optional or rng.random() < 0.6
            }
            if rng.random() < 0.1:
                found["foreign"] = noise(rng)
            found |= extra
            for field, key in keys.items():
                # other names of the field, which count only without the first
                if field != key and rng.random() < 0.3:
                    other = rng.choice([field, f"{field}_other"])
                    found.setdefault(other, found.get(key) if rng.random() < 0.5 else noise(rng))
                    if rng.random() < 0.4:
                        found.pop(key, None)
            names = list(found)
            rng.shuffle(names)
            return {name: found[name] for name in names}

        return value

    def a_model(self, depth: int, **tag: Any) -> Spec:
        rng = self.rng
        fields, aliases = self.fields(depth)
        name = self.name("Model")
        is_called = any(spec.is_called for spec in fields.values())
        optional: set[str] = set()
        definitions: dict[str, Any] = {}
        for field, spec in fields.items():
            options: dict[str, Any] = {}
            if aliases[field] != field:
                if rng.random() < 0.3:
                    options["validation_alias"] = AliasChoices(aliases[field], f"{field}_other")
                else:
                    options["alias"] = aliases[field]
            if rng.random() < 0.3:
                optional.add(field)
                options["default"] = None
                if rng.random() < 0.3:
                    options |= {"default": spec.value(rng), "validate_default": True}
            definitions[field] = (spec.type, Field(**options))
        for key, value in tag.items():
            definitions[key] = (Literal[value], ...)
        config: Any = {}
        if rng.random() < 0.3:
            config["extra"] = rng.choice(["allow", "forbid", "ignore"])
        if rng.random() < 0.15:
            config["strict"] = True
        if rng.random() < 0.15:
            config["frozen"] = True
        if rng.random() < 0.1:
            config["str_strip_whitespace"] = True
        if rng.random() < 0.15:
            config["populate_by_name"] = True
        if rng.random() < 0.15:
            config["revalidate_instances"] = "always"
        validators: dict[str, Any] = {}
        kind = rng.random()
        if kind < 0.25:
            is_called = True

            def after(self: Any) -> Any:
                CALLS[name] += 1
                return self

            validators["after"] = model_validator(mode="after")(after)
        elif kind < 0.32:
            is_called = True

            def before(cls: Any, value: Any) -> Any:
                CALLS[name] += 1
                return value

            validators["before"] = model_validator(mode="before")(classmethod(before))  # type: ignore[arg-type]
        elif kind < 0.38:
            is_called = True

            def wrap(cls: Any, value: Any, handler: Any) -> Any:
                CALLS[name] += 1
                return handler(value)

            validators["wrap"] = model_validator(mode="wrap")(classmethod(wrap))  # type: ignore[arg-type]
        model = create_model(name, __config__=config, __validators__=validators, **definitions)
        return Spec(model, self.members(fields, aliases, optional, tag), is_called)

    def a_recursive(self, depth: int) -> Spec:
        """Make a model that holds others of its kind."""
        inner = self.spec(depth)
        name = self.name("Recursive")

        def after(self: Any) -> Any:
            CALLS[name] += 1
            return self

        definitions: dict[str, Any] = {
            "__validators__": {"after": model_validator(mode="after")(after)},
            "data": (inner.type, ...),
            "parts": (f"list[{name}]", []),
            "other": (f"{name} | None", None),
        }
        model = create_model(
            name,
            **definitions,
        )
        model.model_rebuild(_types_namespace={name: model})

        def value(rng: random.Random, levels: int = 3) -> Any:
            found: dict[str, Any] = {"data": inner.value(rng)}
            if levels and rng.random() < 0.6:
                found["parts"] = [value(rng, levels - 1) for _ in range(rng.randrange(3))]
            if levels and rng.random() < 0.3:
                found["other"] = value(rng, levels - 1)
            return found

        return Spec(model, value, True)

    def a_tagged(self, depth: int) -> Spec:
        choices = [self.a_model(depth, kind=f"m{number}") for number in range(self.rng.randint(2, 3))]
        union: Any = union_of(*(choice.type for choice in choices))
        return Spec(
            Annotated[union, Field(discriminator="kind")],
            lambda rng: rng.choice(choices).value(rng),
            any(choice.is_called for choice in choices),
        )

    def a_callable_tag(self, depth: int) -> Spec:
        choices = [self.a_model(depth), self.a_model(depth)]
        union: Any = union_of(
            *(Annotated[choice.type, Tag(tag)] for choice, tag in zip(choices, "ab", strict=True))
        )
        return Spec(
            Annotated[
                union, Discriminator(lambda value: "a" if isinstance(value, dict) and len(value) % 2 else "b")
            ],
            lambda rng: rng.choice(choices).value(rng),
            True,
        )

    def a_either(self, depth: int) -> Spec:
        model = self.a_model(depth)
        scalar = Spec(*self.rng.choice(_LEAVES[:9]))
        union: Any = union_of(*self.rng.choice([(model.type, scalar.type), (scalar.type, model.type)]))
        return Spec(union, lambda rng: rng.choice([model, scalar]).value(rng), model.is_called)

    def a_untagged(self, depth: int) -> Spec:
        choices = [self.a_model(depth), self.a_model(depth), self.a_list(depth)]
        union: Any = union_of(*(choice.type for choice in choices))
        return Spec(
            union, lambda rng: rng.choice(choices).value(rng), any(choice.is_called for choice in choices)
        )

    def a_root_model(self, depth: int) -> Spec:
        inner = self.spec(depth)
        name = self.name("Root")
        base: Any = RootModel[inner.type]  # type: ignore[name-defined]

        def post(self: Any, context: Any) -> None:
            CALLS[name] += 1

        body = {"model_post_init": post} if self.rng.random() < 0.5 else {}
        return Spec(type(name, (base,), {"__module__": __name__, **body}), inner.value, True)

    def a_dataclass(self, depth: int) -> Spec:
        fields, _ = self.fields(depth)
        name = self.name("Data")

        def post(self: Any) -> None:
            CALLS[name] += 1

        made = dataclasses.make_dataclass(
            name, [(field, spec.type) for field, spec in fields.items()], namespace={"__post_init__": post}
        )
        decorate: Any = self.rng.choice([lambda made: made, pydantic.dataclasses.dataclass])
        keys = {field: field for field in fields}
        return Spec(decorate(made), self.members(fields, keys, set(), {}), True)

    def a_typed_dict(self, depth: int) -> Spec:
        fields, _ = self.fields(depth)
        members = {field: spec.type for field, spec in fields.items()}
        made = made_of(TypedDict, self.name("Dict"), members, total=False)
        keys = {field: field for field in fields}
        is_called = any(spec.is_called for spec in fields.values())
        return Spec(made, self.members(fields, keys, set(fields), {}), is_called)


def text_of(value: Any, rng: random.Random) -> str:
    """Write a JSON value, sometimes with something in it that hardly fits."""
    if rng.random() < 0.25:
        value = damaged(value, rng)
    return json.dumps(value, ensure_ascii=rng.random() < 0.3, separators=rng.choice([None, (",", ":")]))


def text_with_duplicates(value: Any, rng: random.Random) -> str:
    """Write a JSON value in which some keys of objects come again; the last value of a key is its own."""
    if isinstance(value, list):
        return f"[{', '.join(text_with_duplicates(item, rng) for item in value)}]"
    if not isinstance(value, dict):
        return json.dumps(value)
    members: list[tuple[str, Any]] = []
    for key, member in value.items():
        while rng.random() < 0.2:
            members.insert(
                rng.randint(0, len(members)), (key, damaged(member, rng) if rng.random() < 0.6 else member)
            )
        members.append((key, member))
    texts = [f"{json.dumps(key)}: {text_with_duplicates(member, rng)}" for key, member in members]
    return f"{{{', '.join(texts)}}}"


def damaged(value: Any, rng: random.Random) -> Any:
    """Replace a value somewhere."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        return {name: damaged(member, rng) if name == key else member for name, member in value.items()}
    if isinstance(value, list) and value and rng.random() < 0.85:
        index = rng.randrange(len(value))
        return [damaged(item, rng) if at == index else item for at, item in enumerate(value)]
    return noise(rng)


def pieces_of(text: str, rng: random.Random) -> list[str]:
    """Cut a text anywhere."""
    pieces = []
    at = 0
    longest = rng.choice([1, 3, 8, 40, 10_000])
    while at < len(text):
        step = rng.randint(1, longest)
        pieces.append(text[at : at + step])
        at += step
    return pieces
