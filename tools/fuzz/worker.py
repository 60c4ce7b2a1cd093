"""Search with one harness: ``python worker.py NAME [libFuzzer's arguments]``, started by `run`."""

from __future__ import annotations

import importlib.machinery
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType

ROOT = Path(__file__).parents[2]
# it is in an environment of its own, and has no types
atheris: Any = import_module("atheris")


class _Instrumented(importlib.machinery.SourceFileLoader):
    """Load a module of the plain build so that it reports its coverage."""

    def get_code(self, fullname: str) -> CodeType | None:
        code = super().get_code(fullname)
        instrumented: CodeType | None = None if code is None else atheris.patch_code(code, True)
        return instrumented


def main() -> None:
    sys.path[0:1] = [str(ROOT / folder) for folder in ("tools", "tests/support", "src")]
    # `builds` finds the modules of the plain twin with this class
    importlib.machinery.SourceFileLoader = _Instrumented  # type: ignore[misc]
    import builds
    from fuzz import harness

    check = harness(sys.argv[1])
    print("builds:", *builds.BUILDS, file=sys.stderr)
    # to merge, libFuzzer starts itself again with the shell, by this name
    command = f"{sys.executable} {__file__} {sys.argv[1]}"
    atheris.Setup([command, *sys.argv[2:]], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
