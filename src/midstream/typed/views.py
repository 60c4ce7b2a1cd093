"""Read-only views of containers that are still open, as `partial` returns them.

A view consists of a node, a length, and the view of the open child. It never changes, although the node
grows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from .._undefined import UNDEFINED
from .nodes import SHOWN
from .places import Kind

if TYPE_CHECKING:
    from .nodes import Node
    from .places import Body

__all__ = ["DictView", "ListView", "ModelView", "TypedDictView", "node_of", "to_plain", "view_of"]


# the children of a node at one moment: the node, how many of its children, the key of the open one (None if
# nothing is open) and its shown value
_Part = tuple["Node", int, Any, Any]


def _value(part: _Part, key: Any) -> Any:
    """Return the shown value of a child."""
    node, length, open_key, open_value = part
    if key == open_key and open_key is not None:
        # the text of an open string is joined on request
        return open_value[0].read(open_value[1]) if type(open_value) is tuple else open_value
    return node.child(key, length)


def _keys(part: _Part) -> Iterator[str]:
    """Yield the keys that have a shown value."""
    node, length, open_key, open_value = part
    for key in dict.fromkeys(node.keys[:length]):
        if _value(part, key) is not UNDEFINED:
            yield key
    is_new = open_key is not None and node.position(open_key, length) is None
    if is_new and open_value is not UNDEFINED:
        yield open_key


class ModelView:
    """A model that is still open. Its attributes are the names of the fields, and nothing else.

    A field that has not arrived is `UNDEFINED`. When the model has closed and is valid, the instance replaces
    the view.
    """

    # the name cannot be that of a field; `view_of` sets it
    __slots__ = ("__part",)

    def __getattr__(self, name: str) -> Any:
        part = _part_of(self)
        body = part[0].body
        keys = None if body is None else body.keys.get(name)
        if keys is None:
            if body is not None and body.extra and (value := _value(part, name)) is not UNDEFINED:
                return value
            raise AttributeError(f"{_name(body)} has no field {name!r}", name=name, obj=self)
        for key in keys:
            if (value := _value(part, key)) is not UNDEFINED:
                return value
        return UNDEFINED

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a partial is read-only")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a partial is read-only")

    def __dir__(self) -> list[str]:
        return list(dict.fromkeys(name for name, _ in _members(self, every=True)))

    def __eq__(self, other: object) -> bool:
        return to_plain(self) == to_plain(other) if isinstance(other, ModelView) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it holds lists

    def __reduce__(self) -> Any:
        raise _no_data()

    def __repr__(self) -> str:
        members = "".join(f" {name}={value!r}" for name, value in _members(self))
        return f"<partial {_name(_part_of(self)[0].body)}{members}>"


class TypedDictView(ModelView):
    """A TypedDict that is still open; its keys can also be read as items."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        try:
            value = getattr(self, name)
        except AttributeError:
            raise KeyError(name) from None
        if value is UNDEFINED:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        return any(name == member for member, _ in _members(self))

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in _members(self)])

    def __len__(self) -> int:
        return len(list(_members(self)))


def _no_data() -> TypeError:
    return TypeError("a partial cannot be pickled or copied; to_plain(partial) returns plain data")


def _name(body: Body | None) -> str:
    return (body.name if body is not None else "") or "object"


def _members(view: ModelView, every: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield the names of a view's fields with their shown values."""
    part = _part_of(view)
    body = part[0].body
    if body is None:
        return
    for name in body.keys:
        if (value := getattr(view, name)) is not UNDEFINED or every:
            yield name, value
    if body.extra:
        for key in _keys(part):
            if key not in body.fields:
                yield key, _value(part, key)


class ListView(Sequence[Any]):
    """A list that is still open, or that has an invalid item."""

    __slots__ = ("_part",)

    _part: _Part

    def __len__(self) -> int:
        _, length, open_key, open_value = self._part
        return length + (open_key is not None and open_value is not UNDEFINED)

    @overload
    def __getitem__(self, index: int) -> Any: ...

    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        length = len(self)
        position = index + length if index < 0 else index
        if not 0 <= position < length:
            raise IndexError("list index out of range")
        return _value(self._part, position)

    def __iter__(self) -> Iterator[Any]:
        part = self._part
        for position in range(len(self)):
            yield _value(part, position)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (list, ListView)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it holds lists

    def __reduce__(self) -> Any:
        raise _no_data()

    def __repr__(self) -> str:
        return f"<partial {list(self)!r}>"


class DictView(Mapping[str, Any]):
    """A dict that is still open, or that has an invalid member."""

    __slots__ = ("_part",)

    _part: _Part

    def __len__(self) -> int:
        return sum(1 for _ in _keys(self._part))

    def __iter__(self) -> Iterator[str]:
        return _keys(self._part)

    def __getitem__(self, key: str) -> Any:
        if (value := _value(self._part, key)) is UNDEFINED:
            raise KeyError(key)
        return value

    def __reduce__(self) -> Any:
        raise _no_data()

    def __repr__(self) -> str:
        return f"<partial {dict(self)!r}>"


_MODEL, _TAGGED = Kind.MODEL, Kind.TAGGED
_new = object.__new__
# attributes are read-only, and a descriptor is faster than a constructor
_slot: Any = ModelView.__dict__["_ModelView__part"]
_part_of: Callable[[ModelView], _Part] = _slot.__get__
_set_part: Callable[[ModelView, _Part], None] = _slot.__set__


def view_of(node: Node, length: int, open_key: Any = None, open_value: Any = UNDEFINED) -> Any:
    """Return the view of a node with its first ``length`` children."""
    body = node.body
    if body is None or node.role != SHOWN:
        return UNDEFINED
    part = (node, length, open_key, open_value)
    if body.kind is _MODEL or body.kind is _TAGGED:
        model = _new(TypedDictView if body.by_item else ModelView)
        _set_part(model, part)
        return model
    view: Any = _new(DictView if node.is_object else ListView)
    view._part = part
    return view


def node_of(shown: Any) -> Node | None:
    """Return the node that a view shows, None for anything else."""
    if isinstance(shown, ModelView):
        return _part_of(shown)[0]
    return shown._part[0] if isinstance(shown, (ListView, DictView)) else None


def to_plain(partial: Any) -> Any:
    """Return a partial as plain data: dicts and lists, without values that have not arrived or are invalid.

    The keys are the names of the fields. Complete values, such as instances of models, are returned as they
    are.

    >>> from midstream.typed import JsonTypedAccumulator, to_plain
    >>> accumulator = JsonTypedAccumulator(dict[str, list[str]])
    >>> _ = accumulator.add_fragment('{"tags": ["typed", "str')
    >>> accumulator.partial
    <partial {'tags': <partial ['typed', 'str']>}>
    >>> to_plain(accumulator.partial)
    {'tags': ['typed', 'str']}
    """
    if isinstance(partial, ModelView):
        return {name: to_plain(value) for name, value in _members(partial)}
    if isinstance(partial, DictView):
        return {key: to_plain(value) for key, value in partial.items()}
    if isinstance(partial, ListView):
        return [to_plain(value) for value in partial if value is not UNDEFINED]
    return partial
