"""The updates of the documents in a model's answer, for `updates` and its asynchronous twin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import JsonStreamError
from ..prose.documents import ERROR, READ
from .update import update_of_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..prose.documents import DocumentStream, Part
    from .update import JsonFragmentUpdate

__all__ = ["ExtractedUpdates"]


class ExtractedUpdates:
    """Process a model's answer: yield what is new, then raise."""

    def __init__(self, documents: DocumentStream, root: str) -> None:
        self._documents = documents
        self._root = root

    @property
    def is_done(self) -> bool:
        """Whether the document that is searched for is complete."""
        return self._documents.is_done

    def add_fragment(self, fragment: str | bytes) -> Iterator[JsonFragmentUpdate]:
        """Yield the updates of a fragment."""
        return self._run(self._documents.add_fragment(fragment))

    def finish(self) -> Iterator[JsonFragmentUpdate]:
        """Yield the updates of the end."""
        return self._run(self._documents.finish())

    def _run(self, parts: Iterable[Part]) -> Iterator[JsonFragmentUpdate]:
        try:
            for kind, data in parts:
                if kind == READ:
                    yield from data
                elif kind == ERROR:
                    yield update_of_error(self._root, data)
        except JsonStreamError as error:
            yield from error.updates
            raise
