"""Check typed streams with every supported version of pydantic, and with msgspec.

    python tools/typed_versions.py [examples]

Each version has an environment of its own. The packages come from the index that pip is set up for. Random
types, texts and cuts are compared with one validation of the complete text, calls of validators included;
then the tests of the behaviour run, case by case. The exit status is 1 if any version disagrees.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = [
    "pydantic==2.10.*", "pydantic==2.11.*", "pydantic==2.12.*", "pydantic==2.13.*", "pydantic",
    "msgspec==0.19.*", "msgspec",
]  # fmt: skip

FOR_TESTS = ["annotated-types", "hypothesis", "pytest", "typing_extensions"]
FILES = ("test_typed.py", "test_typed_kinds.py", "test_typed_models.py", "test_typed_schemas.py")
TESTS = ["--rootdir=.", *(f"tests/typed/{file}" for file in FILES)]


def main() -> int:
    """Check all versions; return how many disagree, as an exit status."""
    examples = sys.argv[1] if len(sys.argv) > 1 else "1000"
    failed = []
    for requirement in VERSIONS:
        with tempfile.TemporaryDirectory() as folder:
            venv.create(folder, with_pip=True)
            python = str(Path(folder, "bin", "python"))
            libraries = {requirement.partition("=")[0]: requirement}
            needed = [*({"pydantic": "pydantic", "msgspec": "msgspec"} | libraries).values(), *FOR_TESTS]
            subprocess.run([python, "-m", "pip", "install", "--quiet", *needed], check=True)
            library = requirement.partition("=")[0]
            checks = str(ROOT / "tools" / "typed_check.py")
            path = os.pathsep.join(str(ROOT / name) for name in ("src", "tests/support"))
            commands = [
                [python, checks, library, examples],
                [python, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", "-c", os.devnull, *TESTS],
            ]
            environment = {**os.environ, "PYTHONPATH": path}
            if any(subprocess.run(command, cwd=ROOT, env=environment).returncode for command in commands):
                failed.append(requirement)
    print(f"failed: {', '.join(failed)}" if failed else "all agree")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
