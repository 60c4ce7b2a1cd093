"""Render a document while it arrives, and render only the parts that changed.

If a node of the pure parser is the same object as in the last render, neither the node nor anything in
it has changed. So the renderer keeps the HTML of every node, and renders a node again only if it is another
object: these are the new nodes, and the nodes on the path from them to the root.

    python examples/render_unchanged.py
"""

from __future__ import annotations

from html import escape

from midstream import (
    UNDEFINED,
    JsonArrayAstNode,
    JsonAstNode,
    JsonObjectAstNode,
    ParserState,
    create_parser_state,
    parse_chunk,
)

FRAGMENTS = [
    '{"title": "Three days in Zür', 'ich", "days": [', '{"day": 1, "plan": ["old town", "lake"]},',
    '{"day": 2, "plan": ["Uetli', 'berg", "fon', 'due"]},', ' {"day": 3, "plan": ["museum"', ', "train"]}],',
    ' "hotel": {"name": "Lim', "mat", 'hof", "stars": 3}, ', '"booked": false', "}",
]  # fmt: skip


class Renderer:
    """Turn states into HTML, and reuse the HTML of the last render."""

    def __init__(self) -> None:
        self.made: dict[int, tuple[JsonAstNode, str]] = {}
        self.touched = 0

    def render(self, state: ParserState) -> str:
        """Return the HTML of a state, and count the rendered nodes in ``touched``."""
        self.touched = 0
        return "" if state.root is None else self._html(state, state.root)

    def _html(self, state: ParserState, node: JsonAstNode) -> str:
        before, html = self.made.get(node.id, (None, ""))
        if before is node:
            return html
        self.touched += 1
        if isinstance(node, (JsonObjectAstNode, JsonArrayAstNode)):
            parts = [self._html(state, state.nodes[child]) for child in node.children]
            if isinstance(node, JsonObjectAstNode):
                parts = [f"{escape(key)}: {part}" for key, part in zip(node.keys, parts, strict=True)]
            html = "<ul>" + "".join(f"<li>{part}</li>" for part in parts) + "</ul>"
        else:
            # a number or literal that is still arriving has no value yet
            text = "" if node.resolved_value is UNDEFINED else str(node.resolved_value)
            html = escape(text) + ("" if node.closed else "…")
        self.made[node.id] = (node, html)
        return html


def main() -> None:
    """Render after every fragment, and print how many nodes were rendered."""
    state = create_parser_state()
    renderer = Renderer()
    html = ""
    print(f"{'chunk':45} {'nodes':>5} {'touched':>7}")
    for fragment in FRAGMENTS:
        state = parse_chunk(state, fragment)
        html = renderer.render(state)
        print(f"{fragment:45} {len(state.nodes):5} {renderer.touched:7}")
    print("\n" + html)


if __name__ == "__main__":
    main()
