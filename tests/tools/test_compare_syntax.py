"""What `tools/compare_syntax.py` accepts as new words, and what it reports as a change of the code."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

import compare_syntax
from compare_syntax import difference, load_renames, main

if TYPE_CHECKING:
    from pathlib import Path

RENAMES = {"old": "new", "older": "old", "Look": "Diff"}
SOURCE = '''
import json
from midstream.old import Look

__all__ = ["Look", "main"]


def old(text: str, *, look: Look | None = None) -> str:
    """Give the text."""
    # a comment
    if not text:
        raise ValueError(f"{text!r} is no text")
    total = look.old(text, older=1)
    return total
'''
SAME = {
    "nothing": ("Look", "Look"),
    "a function is renamed": ("def old(", "def new("),
    "a class is renamed, in annotations and __all__ too": ("Look", "Diff"),
    "an attribute is renamed": ("look.old", "look.new"),
    "an argument is renamed twice": ("older=1", "new=1"),
    "another docstring": ("Give the text.", "Return the text."),
    "no docstring": ('    """Give the text."""\n', ""),
    "another comment": ("# a comment", "# why"),
    "another message": ("is no text", "is not a text"),
    "another import": ("import json", "import re"),
    "another layout": ("total = look.old(text, older=1)", "total = look.old(\n        text, older=1\n    )"),
}
DIFFERENT = {
    "another expression": ("not text", "text"),
    "another constant": ("older=1", "older=2"),
    "a name that no map renames": ("total", "result"),
    "a renamed name whose new name no map has": ("Look", "Change"),
    "a dropped statement": ("    total = look.old(text, older=1)\n", ""),
    "a dropped message": ('ValueError(f"{text!r} is no text")', "ValueError(text)"),
    "another conversion in a message": ("{text!r}", "{text}"),
    "another exception": ("ValueError", "TypeError"),
    "a keyword becomes positional": ("*, look", "look"),
    "a name less in __all__": ('["Look", "main"]', '["Look"]'),
}


def changed(before: str, after: str) -> str:
    assert before in SOURCE
    return SOURCE.replace(before, after)


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_new_words_are_no_difference(change: tuple[str, str]) -> None:
    assert difference(SOURCE, changed(*change), RENAMES) == []


@pytest.mark.parametrize("change", DIFFERENT.values(), ids=DIFFERENT)
def test_other_code_is_a_difference(change: tuple[str, str]) -> None:
    assert difference(SOURCE, changed(*change), RENAMES) != []


def test_all_names_of_all_is_compared_without_its_order() -> None:
    assert difference(SOURCE, changed('"Look", "main"', '"main", "Diff"'), RENAMES) == []


def test_the_maps_are_pairs_of_names() -> None:
    renames = load_renames()
    assert renames
    assert all(old.isidentifier() and new.isidentifier() for old, new in renames.items())


def test_a_map_with_comments(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("# all of it\n\nold new  # why\n")
    (tmp_path / "b.txt").write_text("Look Diff\n")
    assert load_renames(tmp_path) == {"old": "new", "Look": "Diff"}


def test_two_revisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that moves is compared with itself; one that appears is named."""

    def git(*arguments: str) -> None:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setattr(compare_syntax, "ROOT", tmp_path)
    git("init")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(SOURCE)
    git("add", ".")
    git("commit", "-m", "first")
    git("mv", "src/a.py", "src/b.py")
    (tmp_path / "src" / "b.py").write_text(changed("# a comment", "# why"))
    git("commit", "-a", "-m", "second")
    assert main(["HEAD~1"]) == 0
    assert capsys.readouterr().out == "1 files changed, 0 of them in more than words\n"
    (tmp_path / "src" / "b.py").write_text(changed("not text", "text"))
    (tmp_path / "src" / "c.py").write_text("x = 1\n")
    git("add", ".")
    assert main(["HEAD", "."]) == 1
    out = capsys.readouterr().out
    assert out.startswith("--- src/b.py\n")
    assert "only in one revision: src/c.py" in out
    assert out.endswith("2 files changed, 2 of them in more than words\n")
    assert main([]) == 2
