"""Updates and values as plain lines, for an output that is not a terminal; standard library only."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..accumulators.update import JsonFragmentUpdate
from ..accumulators.value_text import value_parts
from .safe import encodable, escape, shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

__all__ = ["print_updates", "print_value", "update_line"]

# The number of parts in one write.
_BATCH = 4096
# Characters that JSON allows in a string and that are unsafe to print.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def update_line(update: JsonFragmentUpdate, encoding: str = "utf-8") -> str:
    r"""Return an update as a readable line that is safe to print.

    >>> print(update_line(JsonFragmentUpdate("root.city", "PartialString", "Z\x1b[2J")))
    root.city  + 'Z\x1b[2J'
    """
    match update:
        case JsonFragmentUpdate(path, "PartialString", text):
            line = f"{path}  + {text!r}"
        case JsonFragmentUpdate(path, "Key", text):
            line = f"{path}  has {text!r}"
        case JsonFragmentUpdate(path, "Error" | "Repair" as kind, text):
            line = f"{path}  {kind}: {text}"
        case JsonFragmentUpdate(path, kind, None):
            line = f"{path}  {kind}"
        case _:
            line = f"{update.path}  {update.kind} {update.value!r}"
    return shown(line, encoding)


def print_updates(updates: Iterable[JsonFragmentUpdate], file: TextIO | None = None) -> None:
    """Print each update on one line, as soon as it arrives.

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
    r"""Print a value as JSON, with every character that the output can represent unescaped.

    With ``indent=None`` the value is printed on one line. `UNDEFINED` is not printed.

    >>> print_value({"city": "Zürich", "days": [1, 2], "lone": "\ud83e", "none": {}})
    {
      "city": "Zürich",
      "days": [
        1,
        2
      ],
      "lone": "\ud83e",
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
    comma = ", " if indent is None else ","
    for part in value_parts(value, comma, ": ", indent):
        batch.append(part)
        if len(batch) >= _BATCH:
            file.write(_writable("".join(batch), encoding))
            batch.clear()
    file.write(_writable("".join(batch), encoding) + "\n")
    file.flush()


def _writable(text: str, encoding: str) -> str:
    """Escape unsafe characters, which occur in strings only; everything else in JSON is ASCII."""
    return encodable(_UNSAFE.sub(lambda found: escape(found[0]), text), encoding)
