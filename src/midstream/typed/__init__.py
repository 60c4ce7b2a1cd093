"""Typed values while they arrive: models of pydantic or msgspec over a stream of JSON.

A type is read once into a *plan*: a tree of places, each with what validates a value there (``places``,
``plans``, ``pydantic_plan`` and ``pydantic_schema``, ``msgspec_plan``). The *visitor* follows the updates of
a `JsonFragmentAccumulator` down these places: it checks each scalar when it is complete, and each model once,
when it closes, with its validated children passed in as they are. Open containers are *nodes* that are only
ever added to, so that a *snapshot* is a few references and lengths. A *view* of what is still open is created
when it is read.

Invariants: no instance of the user's class exists that was not validated; what was reported as complete does
not change; for valid text every validator of the user runs as often as in one validation of the complete
text; a fragment costs the same however long the document is.

Read in this order: places, nodes, visitor, views, snapshot, events, accumulator, streams, calls; then how a
type becomes a plan: plans, pydantic_schema, pydantic_plan, pydantic_validator, msgspec_plan.
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
