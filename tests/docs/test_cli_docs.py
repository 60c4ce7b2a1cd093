"""The help texts in docs/command-line.md are those of the commands.

    python tests/docs/test_cli_docs.py

writes them anew.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
BLOCK = re.compile(r"(?<=```text\n)\$ midstream ([a-z ]*)--help\n.*?(?=```)", re.DOTALL)


def help_of(command: str) -> str:
    """Ask a command for its help, as somebody in a window of 80 columns does."""
    words = [*command.split(), "--help"]
    done = subprocess.run(
        [sys.executable, "-m", "midstream.cli", *words],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "80", "TERMINAL_WIDTH": "80"},
    )
    return f"$ midstream {' '.join(words)}\n{done.stdout}"


def with_help(page: str) -> str:
    """Return the page with the help texts of today."""
    commands = [found[1].strip() for found in BLOCK.finditer(page)]
    with ThreadPoolExecutor(2) as pool:
        texts = dict(zip(commands, pool.map(help_of, commands), strict=True))
    return BLOCK.sub(lambda found: texts[found[1].strip()], page)


def test_help_texts_are_true() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(BLOCK.findall(page)) == 10
    assert with_help(page) == page


if __name__ == "__main__":
    PAGE.write_text(with_help(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
