"""The help texts in docs/command-line.md are those of the commands.

    python tests/docs/test_cli_docs.py

writes them anew.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
BLOCK = re.compile(r"(?<=```text\n)\$ midstream ([a-z ]*)--help\n.*?(?=```)", re.DOTALL)


# in one process, which takes as long to start as all the rest
_HELP = """
import json, sys
from contextlib import suppress
from midstream.cli.app import run
for words in json.loads(sys.argv[1]):
    sys.argv[1:] = words
    with suppress(SystemExit):
        run()
    print(end=chr(0))
"""


def with_help(page: str) -> str:
    """Return the page with the help texts of today, as somebody in a window of 80 columns sees them."""
    asked = [[*found[1].split(), "--help"] for found in BLOCK.finditer(page)]
    done = subprocess.run(
        [sys.executable, "-c", _HELP, json.dumps(asked)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "80", "TERMINAL_WIDTH": "80"},
    )
    texts = iter(done.stdout.split("\0"))
    return BLOCK.sub(lambda found: f"$ midstream {found[1]}--help\n{next(texts)}", page)


def test_help_texts_are_true() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(BLOCK.findall(page)) == 10
    assert with_help(page) == page


if __name__ == "__main__":
    PAGE.write_text(with_help(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
