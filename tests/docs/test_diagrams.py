"""The pictures and tables of the documentation are what the code says, and the layers hold.

If one of these fails after a change that is meant: python tools/diagrams/make_diagrams.py, and look at it.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

import diagram_chunker
import diagram_grammar
import diagram_layers
from make_diagrams import DOCS, PICTURES, TABLES, with_part


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_the_code_says(name: str) -> None:
    picture = PICTURES[name]()
    ET.fromstring(picture)
    assert (DOCS / "pictures" / name).read_text("utf-8") == picture


@pytest.mark.parametrize(("page", "name"), TABLES)
def test_a_table_is_what_the_code_says(page: str, name: str) -> None:
    text = (DOCS / page).read_text("utf-8")
    assert with_part(text, name, TABLES[page, name]()) == text


def test_every_mode_is_in_the_picture_or_belongs_to_an_option() -> None:
    reached = {transition.mode for transition in diagram_grammar.explore()}
    assert set(diagram_grammar.PLACES) == reached - {"FAILED"}
    options = {"BETWEEN", "SKIP", "TRAILING", "DISCARD", "STOPPED"}
    assert set(diagram_grammar.MODES) - reached == options | set(diagram_grammar.LENIENT)


def test_an_arrow_too_many_or_too_few_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    arrows = diagram_grammar.ARROWS
    monkeypatch.setattr(diagram_grammar, "ARROWS", arrows[1:])
    with pytest.raises(ValueError, match="0 arrows"):
        diagram_grammar.picture()
    extra = diagram_grammar.Arrow(("COLON",), ("KEY",), "", (0, 0))
    monkeypatch.setattr(diagram_grammar, "ARROWS", [*arrows, extra])
    with pytest.raises(ValueError, match="no such arrow"):
        diagram_grammar.picture()


def test_every_module_has_its_layer() -> None:
    assert set(diagram_layers.LEVEL) == diagram_layers.modules()
    assert len(diagram_layers.LEVEL) == sum(len(layer.modules) for layer in diagram_layers.LAYERS)


def test_imports_point_one_way() -> None:
    assert diagram_layers.upward_imports() == []


def test_imports_are_found() -> None:
    """Else the test before this one would hold of nothing."""
    found = diagram_layers.imports()
    assert {
        ("core/", "errors"),
        ("tree/", "core/"),
        ("chunker/", "accumulators/"),
        ("__main__", "cli/"),
        ("server/", "sse"),
    } <= found
    assert ("errors", "accumulators/") not in found, "it is imported for the type checker only"


def test_the_worked_stream_shows_what_it_should() -> None:
    steps = list(diagram_chunker.steps())
    assert any(held for _, held, _, _ in steps)
    assert any(not chunk for _, _, chunk, _ in steps)
    assert "".join(chunk for _, _, chunk, _ in steps).endswith('"}')
