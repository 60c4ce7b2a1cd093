"""The rules for structure, RFC 8259 sections 2, 4 and 5: a container opens or closes, a value ends.

    JSON-text = ws value ws
    object    = begin-object [ member *( value-separator member ) ] end-object
    array     = begin-array [ value *( value-separator value ) ] end-array

``after`` is the mode after the next complete value: AFTER_MEMBER in an object, AFTER_ITEM in an array,
AFTER_ROOT outside. The stack keeps the ``after`` of the containers around the innermost one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .machine import begin_document
    from .modes import AFTER_ITEM, AFTER_MEMBER, AFTER_ROOT, BETWEEN, FIRST_ITEM, FIRST_KEY

if TYPE_CHECKING:
    from .machine import Machine
    from .visitor import Visitor

__all__ = ["close_container", "end_root", "end_value", "open_container"]


def open_container(machine: Machine, c: str, visitor: Visitor) -> None:
    """Open the container of the bracket c."""
    machine.stack.append(machine.after)
    if c == "{":
        machine.mode = FIRST_KEY
        machine.after = AFTER_MEMBER
        machine.objects += 1
        visitor.begin_object()
    else:
        machine.mode = FIRST_ITEM
        machine.after = AFTER_ITEM
        visitor.begin_array()


def close_container(machine: Machine, i: int, visitor: Visitor) -> None:
    """Close the innermost container, whose last character stands before i."""
    if machine.after == AFTER_MEMBER:
        machine.objects -= 1
        visitor.end_object()
    else:
        visitor.end_array()
    machine.mode = machine.after = machine.stack.pop()
    if machine.mode == AFTER_ROOT:
        end_root(machine, i, visitor)


def end_value(machine: Machine, i: int, visitor: Visitor) -> None:
    """Continue after a string, number or literal, whose last character stands before i."""
    machine.mode = machine.after
    if machine.mode == AFTER_ROOT:
        end_root(machine, i, visitor)


def end_root(machine: Machine, i: int, visitor: Visitor) -> None:
    """Continue after a complete document, whose last character stands before i."""
    machine.mode = machine.options.after_root
    if machine.mode == BETWEEN:
        begin_document(machine, machine.base + i)
    visitor.document()
