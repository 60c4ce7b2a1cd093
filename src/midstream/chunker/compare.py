"""Compare two JSON values, and find the first place where they differ.

The order of keys does not matter. Numbers are equal by value: 1 and 1.0 are the same number, but 1 and true
are different. With ``nulls_absent``, null members of objects and nulls at the end of arrays are ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..paths import Segments

_ABSENT = object()


def same(one: Any, other: Any, nulls_absent: bool = False) -> bool:
    """Report whether two values are the same JSON.

    >>> same({"a": 1, "b": []}, {"b": [], "a": 1.0})
    True
    >>> same([1], [True])
    False
    >>> same([1], [1, None], nulls_absent=True)
    True
    """
    try:
        if one == other:
            return type(one) is str or not mixes_bool_and_number(one, other)
        if not nulls_absent:
            return False
    except RecursionError:
        pass
    return path_to_difference(one, other, nulls_absent) is None


# Python's own comparison is many times faster than parsing, and differs from JSON in one point only: True
# equals 1 and False equals 0. A second check is needed only where a value holds one of these four. For a
# value that is compared repeatedly, marks record these places: pairs of a key and either the marks inside
# that container or whether the member is a boolean.
Marks = list[tuple[Any, Any]]


def marks_of(members: Iterable[tuple[Any, Any]]) -> Marks:
    """Return the marks of a container's members: every 0, 1, False and True in them.

    >>> marks_of({"a": [2, 1], "b": "x", "c": False}.items())
    [('c', True), ('a', [(1, False)])]
    """
    marks: Marks = []
    found = marks
    # the current container's key, the marks of its parent, and the parent's place
    place: Any = None
    pending: list[tuple[Any, Any]] = []
    while True:
        for key, value in members:
            kind = type(value)
            if kind is dict or kind is list:
                pending.append((value, (key, found, place)))
            elif kind is not str and value in (0, 1):
                found.append((key, kind is bool))
                _enter(found, place)
        if not pending:
            return marks
        value, place = pending.pop()
        members = value.items() if type(value) is dict else enumerate(value)
        found = []


def _enter(found: Marks, place: Any) -> None:
    """Add a container's marks to those of its parent when it gets its first mark, and so on upwards."""
    while place is not None and len(found) == 1:
        key, around, place = place
        around.append((key, found))
        found = around


def contradicts_marks(marks: Marks, now: Any) -> bool:
    """Report whether an equal value has a boolean in place of a marked number, or the reverse.

    >>> contradicts_marks([("a", [(1, False)])], {"a": [2, True]})
    True
    """
    pending: list[tuple[Marks, Any]] = []
    while True:
        for key, mark in marks:
            if type(mark) is list:
                pending.append((mark, now[key]))
            elif (type(now[key]) is bool) is not mark:
                return True
        if not pending:
            return False
        marks, now = pending.pop()


def mixes_bool_and_number(one: Any, other: Any) -> bool:
    """Report whether two values that Python calls equal have a boolean in place of a number.

    >>> mixes_bool_and_number([1], [True]), mixes_bool_and_number([1], [1.0])
    (True, False)
    """
    pending: list[tuple[Any, Any]] = [([one], [other])]
    pairs: Iterable[tuple[Any, Any]]
    while pending:
        one, other = pending.pop()
        if type(one) is dict:
            pairs = [(member, other[key]) for key, member in one.items() if type(member) is not str]
        else:
            pairs = zip(one, other, strict=True)
        for member, twin in pairs:
            if member is twin:
                continue
            kind = type(member)
            if kind is dict or kind is list:
                if member:
                    pending.append((member, twin))
            elif (kind is bool) is not (type(twin) is bool):
                return True
    return False


def first_difference(one: Any, other: Any) -> Segments | None:
    """Return the first place where two values differ, as segments; None if they are the same.

    >>> first_difference({"a": [1, "x"]}, {"a": [1, "y"]})
    ('a', 1)
    """
    path = path_to_difference(one, other)
    return None if path is None else tuple(reversed(path))


def path_to_difference(one: Any, other: Any, nulls_absent: bool = False) -> list[Any] | None:
    """Return the first place where two values differ, or None; the last segment is the first in the list.

    The caller can pop the next segment from the end.

    >>> path_to_difference({"a": [1, "x"]}, {"a": [1, "x", None, 2], "b": None}, nulls_absent=True)
    [2, 'a']
    """
    # a chain of pairs (parent pair, segment) names a place without copying the path to it
    alike: list[tuple[Any, Any, Any]] = [(one, other, None)]
    while alike:
        one, other, place = alike.pop()
        if one is other:
            continue
        kind = type(one)
        if nulls_absent and (kind is dict or kind is list):
            one, other = _present(one), _present(other)
        if kind is dict and type(other) is dict:
            if len(one) == len(other):
                members = [(key, member, other.get(key, _ABSENT)) for key, member in one.items()]
            else:
                missing = one.keys() ^ other.keys()
                return _collect_path((place, min(missing)))
        elif kind is list and type(other) is list:
            if len(one) != len(other):
                return _collect_path((place, min(len(one), len(other))))
            members = [*zip(range(len(one)), one, other, strict=True)]
        elif one == other and (kind is bool) == (type(other) is bool):
            continue
        else:
            return _collect_path(place)
        for segment, member, twin in members:
            kind = type(member)
            if kind is dict or kind is list:
                alike.append((member, twin, (place, segment)))
            elif member is not twin and (member != twin or (kind is bool) != (type(twin) is bool)):
                return _collect_path((place, segment))
    return None


def _present(value: Any) -> Any:
    """Return a container without its null members, or without the nulls at its end."""
    if type(value) is dict:
        if None in value.values():
            return {key: member for key, member in value.items() if member is not None}
    elif type(value) is list and value and value[-1] is None:
        return value[: present_length(value)]
    return value


_KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


def kind_at(value: Any, place: Iterable[Any]) -> str | None:
    """Return the type of the value at a place, in words; None if there is no value.

    >>> kind_at({"a": [None]}, ("a", 0)), kind_at({"a": [None]}, ("a", 1))
    ('null', None)
    """
    for segment in place:
        present = segment in value if type(value) is dict else segment < len(value)
        if not present:
            return None
        value = value[segment]
    return _KINDS.get(type(value), "a number")


def present_length(items: list[Any], least: int = 0) -> int:
    """Count the items of an array up to the last one that is not null, but at least ``least``.

    >>> present_length([None, 1, None, None]), present_length([None, 1, None, None], 3)
    (2, 3)
    """
    length = len(items)
    while length > least and items[length - 1] is None:
        length -= 1
    return length


def _collect_path(place: Any) -> list[Any]:
    path = []
    while place is not None:
        place, segment = place
        path.append(segment)
    return path
