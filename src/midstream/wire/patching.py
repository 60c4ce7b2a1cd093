"""Apply a JSON Patch (RFC 6902) to a value without changing it, sharing everything that stays the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..chunker.compare import same
from ..errors import ErrorCode, JsonStreamError, invalid
from .pointers import parse_pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Op = Mapping[str, Any]

__all__ = ["apply_patch"]

# RFC 6901 section 4: no leading zeros
_INDEX = re.compile("0|[1-9][0-9]{0,17}").fullmatch


class _Refused(Exception):  # noqa: N818  # it becomes a JsonStreamError with the operation's number and path
    """An operation cannot be applied, for the reason in its argument."""


def apply_patch(value: Any, ops: Iterable[Op]) -> Any:
    """Return a value with the operations of a JSON Patch applied; the value itself does not change.

    Only the containers on the paths of the operations are copied, and each of them once; all other parts of
    the result are the same objects. The operations are those of RFC 6902 and ``append``, which continues a
    string (see `JsonPatchWriter`). If one of them cannot be applied, `JsonStreamError` names it and its path.

    >>> state = {"city": "Par", "days": [1, 2]}
    >>> new = apply_patch(state, [{"op": "append", "path": "/city", "value": "is"}])
    >>> new, new["days"] is state["days"]
    ({'city': 'Paris', 'days': [1, 2]}, True)
    """
    document = _Document(value)
    for number, op in enumerate(ops):
        name = op.get("op") if hasattr(op, "get") else None
        path = op.get("path") if name is not None else None
        try:
            apply = _OPERATIONS.get(name) if isinstance(name, str) else None
            if apply is None:
                raise _Refused("expected op to be add, remove, replace, move, copy, test or append")
            apply(document, _tokens(op, "path"), op)
        except _Refused as error:
            where = f" {path}" if isinstance(path, str) else ""
            what = name if isinstance(name, str) else "unknown operation"
            why = f"operation {number} ({what}{where}): {error}"
            raise invalid(ErrorCode.INVALID_PATCH, why, path if isinstance(path, str) else "") from None
    return document.holder[0]


def _tokens(op: Op, name: str) -> list[str]:
    try:
        return parse_pointer(op.get(name))
    except JsonStreamError:
        raise _Refused(f"{name} is not a JSON Pointer") from None


def _argument(op: Op) -> Any:
    if "value" not in op:
        raise _Refused("the value is missing")
    return op["value"]


class _Document:
    """A value under change: the containers that are copied already may be changed in place."""

    def __init__(self, value: Any) -> None:
        # the root is the item of a list, so that it needs no rules of its own
        self.holder = [value]
        # kept alive, so that no other object gets the id of one of them
        self._own: dict[int, Any] = {id(self.holder): self.holder}

    def find(self, tokens: list[str]) -> Any:
        """Return the value at a path."""
        found: Any = self.holder[0]
        for token in tokens:
            found = found[_existing(found, token)]
        return found

    def parent(self, tokens: list[str]) -> tuple[Any, str]:
        """Return the container of the value at a path, as a copy that may be changed, and the last token."""
        if not tokens:
            return self.holder, "0"
        parent: Any = self.holder
        key: Any = 0
        for number, token in enumerate(tokens, 1):
            child = parent[key]
            if id(child) not in self._own:
                if not isinstance(child, (dict, list)):
                    raise _Refused(f"there is no container around {token!r}")
                child = parent[key] = child.copy()
                self._own[id(child)] = child
            parent = child
            if number < len(tokens):
                key = _existing(parent, token)
        return parent, tokens[-1]

    def share(self) -> None:
        """Stop changing copies in place, because one of them may be in two places now."""
        self._own = {id(self.holder): self.holder}


def _existing(container: Any, token: str) -> Any:
    """Return the key or index of a member that must exist."""
    if isinstance(container, dict):
        if token not in container:
            raise _Refused(f"there is no member {token!r}")
        return token
    if not isinstance(container, list):
        raise _Refused(f"there is no container around {token!r}")
    if not _INDEX(token) or int(token) >= len(container):
        raise _Refused(f"there is no item {token!r} in an array of {len(container)}")
    return int(token)


def _insert(document: _Document, tokens: list[str], value: Any) -> None:
    parent, token = document.parent(tokens)
    if not tokens:
        parent[0] = value
    elif isinstance(parent, dict):
        parent[token] = value
    elif token == "-":
        parent.append(value)
    elif not _INDEX(token) or int(token) > len(parent):
        raise _Refused(f"there is no place {token!r} in an array of {len(parent)}")
    else:
        parent.insert(int(token), value)


def _pop(document: _Document, tokens: list[str]) -> Any:
    if not tokens:
        raise _Refused("the root cannot be removed")
    parent, token = document.parent(tokens)
    return parent.pop(_existing(parent, token))


def _add(document: _Document, tokens: list[str], op: Op) -> None:
    _insert(document, tokens, _argument(op))


def _remove(document: _Document, tokens: list[str], _: Op) -> None:
    _pop(document, tokens)


def _replace(document: _Document, tokens: list[str], op: Op) -> None:
    value = _argument(op)
    parent, token = document.parent(tokens)
    parent[_existing(parent, token)] = value


def _move(document: _Document, tokens: list[str], op: Op) -> None:
    source = _tokens(op, "from")
    if source == tokens[: len(source)] and len(source) < len(tokens):
        raise _Refused("a value cannot move into itself")
    if source == tokens:
        document.find(source)
        return
    _insert(document, tokens, _pop(document, source))


def _copy(document: _Document, tokens: list[str], op: Op) -> None:
    value = document.find(_tokens(op, "from"))
    document.share()
    _insert(document, tokens, value)


def _test(document: _Document, tokens: list[str], op: Op) -> None:
    if not same(document.find(tokens), _argument(op)):
        raise _Refused("the value differs")


def _append(document: _Document, tokens: list[str], op: Op) -> None:
    value = _argument(op)
    parent, token = document.parent(tokens)
    key = _existing(parent, token)
    if not isinstance(parent[key], str) or not isinstance(value, str):
        raise _Refused("expected a string to continue, and a string as the value")
    parent[key] += value


_OPERATIONS: dict[str, Callable[[_Document, list[str], Op], None]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
    "append": _append,
}
