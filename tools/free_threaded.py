"""Build the compiled core for another Python, and run the tests of the core there.

    python tools/free_threaded.py path/to/python3.13t [arguments for pytest]

It is meant for a Python without the global lock, and then checks that the lock stays off; any other from 3.11
on will do, too. Such a Python is built from its sources with ``./configure --disable-gil``. Everything
happens in a temporary folder, from a copy of the sources. The Python needs setuptools, Cython, pytest and
hypothesis; what it lacks is installed into that folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOOLS = ["setuptools>=77", "Cython>=3.1", "pytest>=8", "hypothesis>=6.100"]
CORE = [
    str(next((ROOT / "tests").rglob(f"test_{name}.py")).relative_to(ROOT))
    for name in [
        "threads",
        "processes",
        "misuse",
        "table",
        "values",
        "tree",
        "rebuild",
        "recover",
        "numbers",
        "chars",
        "grammar_edges",
        "nasty",
        "chunker",
        "sse",
        "invariants",
        "value_invariants",
    ]
]

# Print what was built. A warning is an error: so Python says that it turned the lock on again.
LOOK = """
import sys, sysconfig
import midstream
is_free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
assert midstream.COMPILED
assert not is_free or not sys._is_gil_enabled(), "the global lock is on"
print(sys.version.split()[0], "without the global lock" if is_free else "with the global lock")
"""


def main() -> int:
    """Build, look and test; give the status of the tests."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    python, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        tools, tree = Path(folder, "tools"), Path(folder, "midstream")
        left_out = shutil.ignore_patterns("*.so", "*.c", "__pycache__", ".*", "build", "dist", "node_modules")
        shutil.copytree(ROOT, tree, ignore=left_out)
        # few examples each: what is looked for is what another Python does differently
        env = {"MIDSTREAM_FUZZ_EXAMPLES": "25"} | os.environ
        path = os.pathsep.join([str(tree / "src"), str(tools), os.environ.get("PYTHONPATH", "")])
        env |= {"PYTHONPATH": path.rstrip(os.pathsep), "MIDSTREAM_EXTENSION": "yes"}

        def run(*arguments: str) -> int:
            return subprocess.run([python, *arguments], cwd=tree, env=env).returncode

        if run("-c", "import setuptools, Cython, pytest, hypothesis") and run(
            "-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--target", str(tools), *TOOLS
        ):
            sys.exit("no tools to build and test with")
        if run("setup.py", "--quiet", "build_ext", "--inplace") or run("-W", "error", "-c", LOOK):
            return 1
        return run("-m", "pytest", "-q", "-p", "no:cacheprovider", *(options or CORE))


if __name__ == "__main__":
    sys.exit(main())
