"""Both cores in one process: the one that is installed, and its plain twin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from builds import BUILDS

if TYPE_CHECKING:
    from types import ModuleType

# the compiled one first, as far as it was built
CORES: dict[str, ModuleType] = {f"midstream, {name}": BUILDS[name] for name in sorted(BUILDS)}
COMPILED = "midstream, compiled"
PLAIN = "midstream, plain"
