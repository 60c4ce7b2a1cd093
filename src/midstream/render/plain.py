"""Updates and values as plain lines, for an output that is no terminal. Needs nothing but Python."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..accumulators.update import JsonFragmentUpdate
from ..accumulators.value_text import value_text
from .safe import encodable, escape, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

__all__ = ["print_updates", "print_value", "update_line"]

# How many parts are written in one go.
_BATCH = 4096
# What JSON lets stand in a string and an output had better not contain.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def update_line(update: JsonFragmentUpdate, encoding: str = "utf-8") -> str:
    r"""Write an update as a line that is read at a glance, and safe to print.

    >>> print(update_line(JsonFragmentUpdate("root.city", "PartialString", "Z\x1b[2J")))
    root.city  + 'Z\x1b[2J'
    """
    match update:
        case JsonFragmentUpdate(path, "PartialString", text):
            line = f"{path}  + {text!r}"
        case JsonFragmentUpdate(path, "Key", text):
            line = f"{path}  has {text!r}"
        case JsonFragmentUpdate(path, "Error", text):
            line = f"{path}  Error: {text}"
        case JsonFragmentUpdate(path, kind, None):
            line = f"{path}  {kind}"
        case _:
            line = f"{update.path}  {update.kind} {update.value!r}"
    return shown(line, encoding)


def print_updates(updates: Iterable[JsonFragmentUpdate], file: TextIO | None = None) -> None:
    """Print each update on a line, as soon as it is there.

    >>> started = JsonFragmentUpdate("root.city", "StartString")
    >>> print_updates([started, JsonFragmentUpdate("root.city", "PartialString", "Zür")])
    root.city  StartString
    root.city  + 'Zür'
    """
    file = file or sys.stdout
    encoding = getattr(file, "encoding", None) or "utf-8"
    for update in updates:
        file.write(update_line(update, encoding) + "\n")
        file.flush()


def print_value(value: Any, file: TextIO | None = None, indent: int | None = 2) -> None:
    r"""Print a value as JSON, with all characters that the output can take; without one, print nothing.

    With ``indent=None`` it is one line.

    >>> print_value({"city": "Zürich", "days": [1, 2], "half": "\ud83e", "none": {}})
    {
      "city": "Zürich",
      "days": [
        1,
        2
      ],
      "half": "\ud83e",
      "none": {}
    }
    >>> print_value([1, {"a": None}], indent=None)
    [1, {"a": null}]
    """
    if value is UNDEFINED:
        return
    file = file or sys.stdout
    encoding = getattr(file, "encoding", None) or "utf-8"
    batch: list[str] = []
    for part in _parts(value, indent):
        batch.append(part)
        if len(batch) >= _BATCH:
            file.write(_writable("".join(batch), encoding))
            batch.clear()
    file.write(_writable("".join(batch), encoding) + "\n")
    file.flush()


def _writable(text: str, encoding: str) -> str:
    """Escape what stands in strings and must not; everything else in JSON is ASCII."""
    return encodable(_UNSAFE.sub(lambda found: escape(found[0]), text), encoding)


def _parts(value: Any, indent: int | None) -> Iterator[str]:
    """Write a value, however deep, piece by piece."""
    unwritten: list[tuple[Iterator[tuple[str, Any]], str]] = [(iter([("", value)]), "")]
    while unwritten:
        members, end = unwritten[-1]
        for lead, member in members:
            yield lead
            if isinstance(member, (dict, list)) and member:
                depth = len(unwritten)
                unwritten.append(_opened(member, depth, indent))
                yield "{" if isinstance(member, dict) else "["
                break
            yield value_text(member)
        else:
            unwritten.pop()
            yield end


def _opened(
    container: dict[str, Any] | list[Any], depth: int, indent: int | None
) -> tuple[Iterator[tuple[str, Any]], str]:
    """Give the members of a container, each with what comes before it, and what comes after all."""
    first, last, between = "", "", ", "
    if indent is not None:
        first, last = "\n" + " " * (indent * depth), "\n" + " " * (indent * (depth - 1))
        between = f",{first}"
    if isinstance(container, dict):
        pairs = container.items()
        members = (
            (f"{between if number else first}{value_text(key)}: ", value)
            for number, (key, value) in enumerate(pairs)
        )
        return members, last + "}"
    return ((between if number else first, item) for number, item in enumerate(container)), last + "]"
