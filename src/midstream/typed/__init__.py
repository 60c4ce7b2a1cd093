"""Typed values while they arrive: models of pydantic or msgspec over a stream of JSON.

A type is converted once to a *plan*: a tree of places, each with the validator for its values. The *visitor*
follows the updates of a `JsonFragmentAccumulator` down these places. It validates each scalar when it is
complete, and each model once, when it closes, with its validated children as they are. Open containers are
*nodes* that only grow, so a *snapshot* is a few references and lengths. A *view* of an open container is
created when it is read.

Read the files in this order:

``places``              where a value may be, and how a container is split
``nodes``               the open containers, and the log of errors
``visitor``             follows the updates down the places
``undecided``           values that are collected first and read later
``views``               read-only views of open containers
``snapshot``            ``TypedSnapshot``: a document at one moment
``events``              ``TypedEvent``: a value is complete, or invalid
``accumulator``         ``JsonTypedAccumulator``: fragments in, events out
``streams``             ``typed_values``
``calls``               ``typed_calls``
``streams_async``       the asynchronous twins of both
``plans``               makes the plan of a type with its library, and caches it
``pydantic_schema``     pydantic's core schemas, analysed
``pydantic_plan``       the plan of a type for pydantic
``pydantic_validator``  validates JSON where parts of it are validated already
``msgspec_plan``        the plan of a type for msgspec

Invariants: every instance of the user's class has been validated; a value that was reported as complete does
not change; for valid text every validator of the user runs as often as in one validation of the complete
text; the cost of a fragment does not depend on the length of the document.
"""

from ..errors import TypedError, TypedStreamError
from .accumulator import JsonTypedAccumulator
from .calls import TypedCall, typed_calls
from .events import TypedEvent
from .snapshot import TypedSnapshot
from .streams import typed_values
from .views import to_plain

__all__ = [
    "JsonTypedAccumulator",
    "TypedCall",
    "TypedError",
    "TypedEvent",
    "TypedSnapshot",
    "TypedStreamError",
    "to_plain",
    "typed_calls",
    "typed_values",
]
