"""What a type says about each place of a document, independent of the validation library.

A `Place` is where a value may be: a field, an item, a member, the root. Its `Body` says how a container at
that place is split into further places. ``pydantic_plan`` and ``msgspec_plan`` create them from a type, once;
the visitor follows them down the document.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    # accepts a complete JSON value, the text of a number, and the caller's context; returns the validated
    # value
    Check = Callable[[Any, str | None, Any], Any]
    # accepts the inputs of a container's children, and the caller's context; returns the validated value
    Close = Callable[[Any, Any], Any]

__all__ = [
    "ANY",
    "ANY_KIND",
    "ARRAY",
    "FORBIDDEN",
    "IGNORED",
    "OBJECT",
    "PENDING",
    "TEXT",
    "Body",
    "Carrier",
    "Finding",
    "InvalidValueError",
    "Kind",
    "Place",
]


# the kinds of values that have a beginning and, later, an end; a place has the sum of those that it accepts
TEXT, OBJECT, ARRAY = 1, 2, 4
ANY_KIND = TEXT | OBJECT | ARRAY


class Kind(Enum):
    """How a container is split into places."""

    LIST = "list"
    DICT = "dict"
    MODEL = "model"
    # an object with a tag, which selects the type of the object
    TAGGED = "tagged"
    # any JSON value
    ANY = "any"


class Finding(NamedTuple):
    """A library's error about a value: the place below the value, a code, a message, and the native error."""

    segments: tuple[str | int, ...]
    code: str
    message: str
    native: Any


class InvalidValueError(Exception):
    """A value does not fit its type; the library's own exception is the cause."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__()
        self.findings = findings


class Carrier:
    """A validated value inside the input of another validation, which uses it as it is."""

    __slots__ = ("raw", "value")

    def __init__(self, value: Any, raw: Any) -> None:
        self.value = value
        # the JSON value, for errors
        self.raw = raw


class Body:
    """How a container at a place is split, and how it is validated when it closes."""

    __slots__ = (
        "by_item", "choices", "close", "extra", "extra_place", "fields", "forbids", "has_rivals", "is_late",
        "item", "keys", "kind", "name", "names", "tag", "unfold",
    )  # fmt: skip

    def __init__(self, kind: Kind, name: str = "") -> None:
        self.kind = kind
        # the name of the class, for views
        self.name = name
        # LIST, DICT, ANY: the place of every child
        self.item: Place = IGNORED
        # MODEL: place and Python name by JSON key; JSON keys by Python name
        self.fields: dict[str, Place] = {}
        self.names: dict[str | int, str] = {}
        self.keys: dict[str, tuple[str, ...]] = {}
        self.extra_place: Place = IGNORED
        # the library's code for a key that is forbidden
        self.forbids = ""
        # whether a field has several JSON keys
        self.has_rivals = False
        # whether keys without a field are members too
        self.extra = False
        # whether the members of the instance are items (of a TypedDict) and not attributes
        self.by_item = False
        # TAGGED: the key of the tag, and a body for each type and value of the tag (1 and True differ)
        self.tag = ""
        self.choices: dict[tuple[type, Any], Body] = {}
        # validates a closed container with its validated children; None if nothing else has to be validated
        self.close: Close | None = None
        # whether the children become final only with the model around this container
        self.is_late = False
        # returns the value that contains the children: for a root model its root
        self.unfold: Callable[[Any], Any] | None = None

    def is_tag(self, key: object) -> bool:
        """Report whether a key is that of the tag."""
        return self.kind is Kind.TAGGED and key == self.tag

    def place_of(self, key: Any) -> Place | None:
        """Return the place of a child, None if it depends on a tag."""
        if self.kind is Kind.TAGGED:
            return None
        return self.fields.get(key, self.extra_place) if self.kind is Kind.MODEL else self.item


class Place:
    """Where a value may be."""

    __slots__ = (
        "accepts", "body", "carries", "check", "exact", "is_late", "is_nullable", "refusal", "rivals",
        "shows_text", "then",
    )  # fmt: skip

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
        accepts: int = ANY_KIND,
        refusal: Check | None = None,
    ) -> None:
        # how a container is split, None if it is not
        self.body = body
        # validates a complete value that is not split; None if only the model around it can
        self.check = check
        # scalars of exactly this type are valid as they are
        self.exact = exact
        # whether the model around it receives the validated value, not the JSON value
        self.carries = carries
        # whether the value becomes final only with the model around it
        self.is_late = is_late
        # whether null is valid
        self.is_nullable = is_nullable
        # whether an open string is shown as it grows
        self.shows_text = shows_text
        # the kinds of values that may be valid, and what reports the others by their first character
        self.accepts = accepts
        self.refusal = check if refusal is None else refusal
        # for a key of lower priority: the keys of higher priority, and the place of the value if none of them
        # is there when the model closes
        self.rivals: tuple[str, ...] = ()
        self.then: Place | None = None

    @property
    def takes_any(self) -> bool:
        """Whether a string is not validated by itself: lone surrogates have to be searched for."""
        is_any = self.body is not None and self.body.kind is Kind.ANY
        return (self.check is None or is_any) and self is not PENDING and self is not FORBIDDEN

    @property
    def is_opaque(self) -> bool:
        """Whether only the model around the value can validate it."""
        return self.body is None and self.check is None

    def unless(self, rivals: tuple[str, ...]) -> Place:
        """Return this place for a key that counts only if none of its rivals is there."""
        place = Place(is_late=True, shows_text=self.shows_text)
        place.rivals, place.then = rivals, self
        return place


# not part of the type: neither shown nor reported
IGNORED = Place()
# a key that the type forbids, or the rest of a value that was refused when it began
FORBIDDEN = Place(accepts=0)
# a member of a tagged union whose tag is not known yet
PENDING = Place()
# any JSON value
ANY = Place(is_nullable=True, check=lambda value, *_: value)
ANY.body = Body(Kind.ANY)
ANY.body.item = ANY
