"""Values that are collected first and processed later: unions before their tag, fields with several keys.

The visitor processes a collected value as if it arrived only then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from .nodes import ABSENT, OPEN, REFUSED, Node
from .places import InvalidValueError, Place

if TYPE_CHECKING:
    from ..paths import Segment
    from .places import Body
    from .visitor import TypedVisitor

__all__ = ["TAG_AGAIN", "add_tag_again", "add_to_undecided", "decide", "settle"]

# the place of a repeated tag, in an object whose tag was already known
TAG_AGAIN = Place()

# a marker in `_replay`: the container ends here
_END = object()


def add_to_undecided(visitor: TypedVisitor, node: Node, key: Segment, value: Any) -> None:
    """Add a member to a tagged union before its tag is known."""
    node.marks[node.put(key, value, UNDEFINED)] = OPEN
    if key != node.place.body.tag:  # type: ignore[union-attr]
        return
    # older snapshots keep the old node
    fresh = Node(node.parent, node.key, node.place, node.place.body, True)
    fresh.role, fresh.patterns = node.role, node.patterns
    visitor.node = fresh
    decide(visitor, fresh, value)
    for name, member in dict(zip(node.keys, node.raws, strict=True)).items():
        visitor.begin_member(name)
        _replay(visitor, member)


def add_tag_again(visitor: TypedVisitor, node: Node, key: str, value: Any) -> None:
    """Add a tag that is repeated: if it is another one, the object is validated only when it closes.

    To read all members again for each tag would take quadratic time.
    """
    before = node.raws[node.index[key]]
    if node.body is not None and type(value) is type(before) and value == before:
        visitor.add_complete(node, key, node.body.fields[key], value, None)
        return
    if node.body is not None or node.role == REFUSED:
        for bad in list(node.bad):
            visitor.forget(node, str(bad))
        # older snapshots keep the old node
        fresh = Node(node.parent, node.key, node.place, None, True)
        for name, member in zip(node.keys, node.raws, strict=True):
            fresh.put(name, member, UNDEFINED)
        visitor.node = node = fresh
    node.put(key, value, UNDEFINED)


def decide(visitor: TypedVisitor, node: Node, tag: Any) -> None:
    """Choose the model of a tagged union."""
    place = node.place
    body = place.body
    assert body is not None
    assert place.check is not None
    choice = None if isinstance(tag, (dict, list)) else body.choices.get((type(tag), tag))
    if choice is not None:
        node.body = choice
        node.given = {}
        return
    # the library reports what is wrong with the tag; otherwise the object is validated when it is complete
    node.body = None
    try:
        place.check({body.tag: tag}, None, visitor.context)
    except InvalidValueError as error:
        assert node.parent is not None
        node.role = REFUSED
        visitor.report_invalid(node.parent, node.key, error, {body.tag: tag})
        node.bad[body.tag] = node.parent.bad.pop(node.key)


def settle(visitor: TypedVisitor, node: Node, body: Body) -> None:
    """Process the keys of lower priority of a model that closes, unless a key of higher priority is there."""
    for key in [key for key, place in body.fields.items() if place.then is not None and key in node.index]:
        place = body.fields[key]
        raw = node.raws[node.index[key]]
        if any(rival in node.index for rival in place.rivals):
            # the library ignores it
            node.marks[node.put(key, raw, UNDEFINED)] = ABSENT
        else:
            visitor.begin_member(key)
            assert place.then is not None
            visitor.place = place.then
            _replay(visitor, raw)


def _replay(visitor: TypedVisitor, raw: Any) -> None:
    """Process a value that was collected, as if it arrived now."""
    waiting: list[tuple[str | None, Any]] = [(None, raw)]
    while waiting:
        key, value = waiting.pop()
        if value is _END:
            visitor.end()
            continue
        if key is not None:
            visitor.begin_member(key)
        if isinstance(value, dict):
            visitor.begin(True, value)
            waiting.append((None, _END))
            waiting += reversed(value.items())
        elif isinstance(value, list):
            visitor.begin(False)
            waiting.append((None, _END))
            waiting += [(None, item) for item in reversed(value)]
        else:
            visitor.scalar(value, None)
