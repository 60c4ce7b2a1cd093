"""What a type says about each place of a document, in words that no validation library owns.

A `Place` is where a value may stand: a field, an item, a member, the root. Its `Body` says how a container
there is split. The readers of schemas (``pydantic_schema``, ``msgspec_schema``) make them, once per type; the
visitor follows them down the document.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    # a complete JSON value, the text of a number, and the context of the caller: the validated value
    Check = Callable[[Any, str | None, Any], Any]
    # what the children of a container gave, and the context of the caller: the validated value
    Close = Callable[[Any, Any], Any]

__all__ = [
    "ANY",
    "FORBIDDEN",
    "IGNORED",
    "PENDING",
    "Body",
    "Carrier",
    "Finding",
    "InvalidValueError",
    "Kind",
    "Place",
]


class Kind(Enum):
    """How a container is split into places."""

    LIST = "list"
    DICT = "dict"
    MODEL = "model"
    # an object with a tag, which decides about its other members
    TAGGED = "tagged"
    # any JSON at all
    ANY = "any"


class Finding(NamedTuple):
    """What a library says about a value: the place below it, a code, a message, and its own error."""

    segments: tuple[str | int, ...]
    code: str
    message: str
    native: Any


class InvalidValueError(Exception):
    """A value does not fit; the library's own exception is the cause."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__()
        self.findings = findings


class Carrier:
    """A validated value on its way into the validation of the value around it, which leaves it as it is."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Body:
    """How the containers at a place are split, and what makes values of them when they close."""

    __slots__ = (
        "by_item", "choices", "close", "extra", "extra_place", "fields", "is_late", "item", "keys", "kind",
        "name", "names", "tag", "unfold",
    )  # fmt: skip

    def __init__(self, kind: Kind, name: str = "") -> None:
        self.kind = kind
        # of the class, for views
        self.name = name
        # LIST, DICT, ANY: the place of every child
        self.item: Place = IGNORED
        # MODEL: by JSON key, the place and the name in Python; by that name, the JSON keys
        self.fields: dict[str, Place] = {}
        self.names: dict[str | int, str] = {}
        self.keys: dict[str, tuple[str, ...]] = {}
        self.extra_place: Place = IGNORED
        # whether keys without a field are members too
        self.extra = False
        # whether members of the instance are items (a TypedDict), not attributes
        self.by_item = False
        # TAGGED: the key, and a body for each of its values (together with its type: 1 and True differ)
        self.tag = ""
        self.choices: dict[tuple[type, Any], Body] = {}
        # validates a closed container with its validated children; None: they are all there is to it
        self.close: Close | None = None
        # whether children are final only when the model around this container is
        self.is_late = False
        # from a validated value to that of which the children are part: of a root model its root
        self.unfold: Callable[[Any], Any] | None = None


class Place:
    """Where a value may stand."""

    __slots__ = ("body", "carries", "check", "exact", "is_late", "is_nullable", "shows_text")

    def __init__(
        self,
        body: Body | None = None,
        check: Check | None = None,
        *,
        exact: type | None = None,
        carries: bool = False,
        is_late: bool = False,
        is_nullable: bool = False,
        shows_text: bool = False,
    ) -> None:
        # how a container is split; None: it is not
        self.body = body
        # validates a complete value that is not split; None: only the model around it can
        self.check = check
        # the type of scalars that are valid as they are
        self.exact = exact
        # whether the validated value is what the model around it gets; else it gets the JSON value
        self.carries = carries
        # whether the value is final only when the model around it is
        self.is_late = is_late
        # whether null is valid as it is
        self.is_nullable = is_nullable
        # whether an open string is shown as it grows
        self.shows_text = shows_text


# no part of the type: neither shown nor reported
IGNORED = Place()
# a key that must not be
FORBIDDEN = Place()
# a member of a tagged union whose tag is not known yet
PENDING = Place()
# any JSON
ANY = Place(is_nullable=True, check=lambda value, *_: value)
ANY.body = Body(Kind.ANY)
ANY.body.item = ANY
