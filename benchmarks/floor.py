"""Compile a class that does nothing, the lower bound of the cost of a call, into a temporary folder."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = Path(__file__).with_suffix(".pyx")


def load_floor() -> Callable[[], Any] | None:
    """Return the class that does nothing, compiled; None if it cannot be compiled."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(SOURCE, folder)
        command = [sys.executable, "-m", "Cython.Build.Cythonize", "--inplace", "--quiet", SOURCE.name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        built = [*Path(folder).glob("floor.*.so"), *Path(folder).glob("floor.*.pyd")]
        if done.returncode or not built:
            print(f"The floor could not be compiled: {done.stderr.strip()[-300:]}", file=sys.stderr)
            return None
        spec = importlib.util.spec_from_file_location("floor", built[0])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found: Callable[[], Any] = module.Floor
        return found
