"""A naive model of the pure parser's state: the nodes of a text, node by node.

It is written from the definition of the state and not from the code. The items of `NaiveParser` say what is
complete, and the parser's token what is open: a number or literal has a node from its first character on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from midstream import UNDEFINED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from model import Item, NaiveParser

__all__ = ["mode_of", "node_as_data", "nodes_of"]

TYPES = {
    "StartObject": "object", "StartArray": "array", "StartString": "string",
    "CompleteNumber": "number", "CompleteBoolean": "boolean", "CompleteNull": "null",
}  # fmt: skip
FIELDS = ("id", "type", "parent_id", "closed", "buffer", "children", "keys", "value")
LITERALS = {"t": "boolean", "f": "boolean", "n": "null"}


class _Tree:
    """The nodes so far, as dicts, and the ids of the open ones."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.still_open: list[int] = []
        self.pending_key = ""

    def open(self, kind: str, **content: Any) -> None:
        """Add a node: its id is the number of nodes before it."""
        node = {"id": len(self.nodes), "type": kind, "parent_id": None, "closed": False, **content}
        if self.still_open:
            parent = self.nodes[self.still_open[-1]]
            node["parent_id"] = parent["id"]
            parent["children"].append(node["id"])
            if parent["type"] == "object":
                parent["keys"].append(self.pending_key)
        self.nodes.append(node)
        self.still_open.append(node["id"])

    def close(self) -> None:
        """Close the innermost open node."""
        self.nodes[self.still_open.pop()]["closed"] = True


def nodes_of(model: NaiveParser, items: Iterable[Item]) -> list[dict[str, Any]]:
    """Return the nodes of a document, ordered by id: items are all items that the model has returned."""
    tree = _Tree()
    for kind, _, text_value, value in items:
        if kind == "Key":
            tree.pending_key = str(text_value)
        elif kind == "StartObject":
            tree.open("object", keys=[], children=[])
        elif kind == "StartArray":
            tree.open("array", children=[])
        elif kind == "StartString":
            tree.open("string", buffer="")
        elif kind == "PartialString":
            tree.nodes[tree.still_open[-1]]["buffer"] += text_value
        elif kind in ("CompleteString", "EndObject", "EndArray"):
            tree.close()
        elif kind == "CompleteNumber":
            tree.open("number", buffer=text_value, value=value)
            tree.close()
        elif kind in TYPES:
            tree.open(TYPES[kind], value=value)
            tree.close()
    # after an error the model is still in the state in which it found the error
    if model.state == "number":
        tree.open("number", buffer=model.token, value=UNDEFINED)
    elif model.state == "literal":
        tree.open(LITERALS[model.token[0]], value=UNDEFINED)
    # children come after their parents
    for node in reversed(tree.nodes):
        if node["type"] == "string":
            node["value"] = node["buffer"]
        elif node["type"] in ("array", "object"):
            # what has no value yet is no part of the value
            known = [tree.nodes[id_]["value"] for id_ in node["children"]]
            if known and known[-1] is UNDEFINED:
                known.pop()
            node["value"] = known
            if node["type"] == "object":
                node["value"] = dict(zip(node["keys"], known, strict=False))
    return [{name: node[name] for name in FIELDS if name in node} for node in tree.nodes]


def node_as_data(node: Any) -> dict[str, Any]:
    """Read all fields of a node."""
    data = {"id": node.id, "type": node.type, "parent_id": node.parent_id, "closed": node.closed}
    if node.type in ("string", "number"):
        data["buffer"] = node.buffer
    if node.type in ("array", "object"):
        data["children"] = list(node.children)
    if node.type == "object":
        data["keys"] = list(node.keys)
    return data | {"value": node.resolved_value}


def mode_of(model: NaiveParser) -> str:
    """Name the mode in which the model is."""
    if model.dead:
        return "Error"
    if model.state == "string":
        return "Key" if model.token_is_key else "String"
    names = {"first value": "Array", "first key": "Object", "after value": "Comma"}
    return names.get(model.state, model.state.title())
