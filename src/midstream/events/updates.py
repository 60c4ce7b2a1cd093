"""The updates of a call for the form ``full``: a text that a client has already received is not repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..accumulators.update import JsonFragmentUpdate
from ..wire.form import to_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["SentStrings"]


class SentStrings:
    """The open string of one call: what has been sent of it.

    >>> sent = SentStrings()
    >>> part = {"path": "root.city", "kind": "PartialString", "textValue": "Paris"}
    >>> end = {"path": "root.city", "kind": "CompleteString", "textValue": "Paris", "value": "Paris"}
    >>> sent.cleaned([part, end])[1]
    {'path': 'root.city', 'kind': 'CompleteString'}
    """

    __slots__ = ("_length", "_path")

    def __init__(self) -> None:
        self._path: str | None = None
        self._length = 0

    def cleaned(self, updates: Iterable[JsonFragmentUpdate | Mapping[str, Any]]) -> list[Any]:
        """Return the wire forms of the next updates, without the texts that the client has."""
        return [
            self._cleaned(to_wire(update) if isinstance(update, JsonFragmentUpdate) else update)
            for update in updates
        ]

    def _cleaned(self, wire: Mapping[str, Any]) -> Mapping[str, Any]:
        text = wire.get("textValue")
        if not isinstance(text, str):
            return wire
        kind, path = wire.get("kind"), wire.get("path")
        omitted: tuple[str, ...] = ("value",) if wire.get("value") == text else ()
        if kind in ("PartialString", "partialString"):
            if path != self._path:
                self._path, self._length = path, 0
            self._length += len(text)
        elif kind in ("CompleteString", "completeString"):
            # the lengths are compared in case another sender's parts are not all of the string
            if text and path == self._path and self._length == len(text):
                omitted = ("textValue", *omitted)
            self._path = None
        if not omitted:
            return wire
        return {name: value for name, value in wire.items() if name not in omitted}
