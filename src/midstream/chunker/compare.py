"""Whether two values are the same JSON, and where they first differ.

Order of keys aside, numbers by their worth: 1 and 1.0 are one number, 1 and true are not one value. Where
nulls are said to be absent, a member that is null makes no difference, nor do nulls at the end of an array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..paths import Segments

_ABSENT = object()


def same(one: Any, other: Any, nulls_absent: bool = False) -> bool:
    """Compare two values.

    >>> same({"a": 1, "b": []}, {"b": [], "a": 1.0})
    True
    >>> same([1], [True])
    False
    >>> same([1], [1, None], nulls_absent=True)
    True
    """
    try:
        if one == other:
            return type(one) is str or not confused(one, other)
        if not nulls_absent:
            return False
    except RecursionError:
        pass
    return way_to_difference(one, other, nulls_absent) is None


# Python's own comparison is many times faster than parsing, and right about everything but one thing:
# that True equals 1 and False equals 0. A second look is due only where a value holds one of these. Of a
# value that is compared again and again, marks remember where: pairs of a key and, there, either the
# marks inside a container or whether this is a boolean.
Marks = list[tuple[Any, Any]]


def marks_of(members: Iterable[tuple[Any, Any]]) -> Marks:
    """Mark what Python may take for something else.

    >>> marks_of({"a": [2, 1], "b": "x", "c": False}.items())
    [('c', True), ('a', [(1, False)])]
    """
    marks: Marks = []
    found = marks
    # the key of the container that is looked at, the marks of the one around, and where that one is
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
    """Enter the first mark of a container in the one around it, and so on."""
    while place is not None and len(found) == 1:
        key, around, place = place
        around.append((key, found))
        found = around


def deceives(marks: Marks, now: Any) -> bool:
    """Find out whether a value that Python calls equal has a boolean for a number, or a number for one.

    >>> deceives([("a", [(1, False)])], {"a": [2, True]})
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


def confused(one: Any, other: Any) -> bool:
    """Find out whether Python took a boolean for a number in two values that it calls equal.

    >>> confused([1], [True]), confused([1], [1.0])
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
    """Find the place where two values part, as segments below them; None where they do not.

    >>> first_difference({"a": [1, "x"]}, {"a": [1, "y"]})
    ('a', 1)
    """
    way = way_to_difference(one, other)
    return None if way is None else tuple(reversed(way))


def way_to_difference(one: Any, other: Any, nulls_absent: bool = False) -> list[Any] | None:
    """Find the same place as a way to go: the next segment is always the last one, to be popped.

    >>> way_to_difference({"a": [1, "x"]}, {"a": [1, "x", None, 2], "b": None}, nulls_absent=True)
    [2, 'a']
    """
    # a chain of pairs (pair above, segment) names a place without copying the way to it
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
                return _way((place, min(missing)))
        elif kind is list and type(other) is list:
            if len(one) != len(other):
                return _way((place, min(len(one), len(other))))
            members = [*zip(range(len(one)), one, other, strict=True)]
        elif one == other and (kind is bool) == (type(other) is bool):
            continue
        else:
            return _way(place)
        for segment, member, twin in members:
            kind = type(member)
            if kind is dict or kind is list:
                alike.append((member, twin, (place, segment)))
            elif member is not twin and (member != twin or (kind is bool) != (type(twin) is bool)):
                return _way((place, segment))
    return None


def _present(value: Any) -> Any:
    """Leave out what is null in an object, or at the end of an array."""
    if type(value) is dict:
        if None in value.values():
            return {key: member for key, member in value.items() if member is not None}
    elif type(value) is list and value and value[-1] is None:
        return value[: present_length(value)]
    return value


def present_length(items: list[Any], least: int = 0) -> int:
    """Count the items of an array up to the last that is not null, but not fewer than are known to be there.

    >>> present_length([None, 1, None, None]), present_length([None, 1, None, None], 3)
    (2, 3)
    """
    length = len(items)
    while length > least and items[length - 1] is None:
        length -= 1
    return length


def _way(place: Any) -> list[Any]:
    way = []
    while place is not None:
        place, segment = place
        way.append(segment)
    return way
