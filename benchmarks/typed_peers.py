"""The document of the typed benchmark, and the peers that parse and validate all of the text again.

Run as a script in an environment that has instructor, this module measures instructor, which cannot be
installed together with the newest SDK of OpenAI.

    python benchmarks/typed_peers.py size samples
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable


class Item(BaseModel):
    """An element."""

    title: str
    kind: Literal["alpha", "beta"]
    count: int
    price: float
    tags: list[str]


class Document(BaseModel):
    """A list of elements."""

    name: str
    items: list[Item]


class ItemSoFar(TypedDict, total=False):
    """An element in which nothing is required."""

    title: str
    kind: Literal["alpha", "beta"]
    count: int
    price: float
    tags: list[str]


class DocumentSoFar(TypedDict, total=False):
    """A list of such elements."""

    name: str
    items: list[ItemSoFar]


def typed_document(size: int) -> str:
    """Return a document with as many elements as fit."""
    items: list[dict[str, Any]] = []
    length = 0
    while length < size - 100 or not items:
        number = len(items)
        item = {
            "title": f"Item number {number} with a title",
            "kind": "alpha",
            "count": number,
            "price": number * 1.5,
            "tags": ["red", "green blue"],
        }
        items.append(item)
        length += len(json.dumps(item)) + 2
    return json.dumps({"name": "a document", "items": items})


def typed_fragments(text: str) -> list[str]:
    """Cut a text into fragments of 1 to 8 characters."""
    rng = random.Random(len(text))
    found = []
    at = 0
    while at < len(text):
        step = rng.randint(1, 8)
        found.append(text[at : at + step])
        at += step
    return found


def partial_typed_dict() -> Callable[[str], object]:
    """Validate as pydantic does with `experimental_allow_partial`."""
    adapter: TypeAdapter[Any] = TypeAdapter(DocumentSoFar)
    return lambda text: adapter.validate_json(text, experimental_allow_partial="trailing-strings")


def langchain() -> Callable[[str], object]:
    """Parse as the output parsers of LangChain do."""
    parser = import_module("langchain_core.output_parsers").JsonOutputParser()
    generation = import_module("langchain_core.outputs").Generation
    return lambda text: parser.parse_result([generation(text=text)], partial=True)


def instructor() -> Callable[[str], object]:
    """Validate as `Partial` of instructor does."""
    partial = import_module("instructor.dsl.partial").Partial[Document]
    return lambda text: list(partial.model_from_chunks([text]))


def sampled(parse: Callable[[str], object], size: int, samples: int) -> float:
    """Return the mean seconds per fragment, of sampled fragments, each the fastest of three runs."""
    text = typed_document(size)
    parse(text[:100])
    found = []
    for number in range(samples):
        prefix = text[: int(len(text) * (number + 0.5) / samples)]
        times = []
        for _ in range(3):
            start = time.process_time()
            parse(prefix)
            times.append(time.process_time() - start)
        found.append(min(times))
    return statistics.mean(found)


if __name__ == "__main__":
    print(sampled(instructor(), int(sys.argv[1]), int(sys.argv[2])), version("instructor"))
