"""Check that everything names the same version: ``python tools/versions.py [TAG]``.

That is the Python package, the npm package, and with a tag, which is ``v`` and the version, also the tag and
the newest heading of CHANGELOG.md.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def named(tag: str = "") -> dict[str, str]:
    """Return the version that each place names."""
    source = (ROOT / "src" / "midstream" / "_version.py").read_text("utf-8")
    package = json.loads((ROOT / "js" / "package.json").read_text("utf-8"))
    found = re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE)
    # npm writes 1.0.0-rc.1 where Python writes 1.0.0rc1
    npm = re.sub(r"-(a|b|rc)\.(\d+)$", r"\1\2", package["version"])
    versions = {"_version.py": found[1] if found else "none", "js/package.json": npm}
    if tag:
        heading = re.search(r"^## \[?([^]\s]+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
        versions["CHANGELOG.md"] = heading[1] if heading else "none"
        versions["the tag"] = tag.removeprefix("v")
    return versions


def main() -> int:
    """Print the versions; the status is 1 if they differ."""
    versions = named(*sys.argv[1:2])
    for place, version in versions.items():
        print(f"{version:12} {place}")
    return int(len(set(versions.values())) > 1)


if __name__ == "__main__":
    sys.exit(main())
