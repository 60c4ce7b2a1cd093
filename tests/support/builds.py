"""The builds under test: the compiled core, and its plain twin loaded beside it from the same files.

With ``MIDSTREAM_EXTENSION=yes`` a missing compiled build is an error, so that a run that is meant to
cover both can't pass with one.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType

import midstream

TWIN = "midstream_plain"


class _PlainFinder(importlib.abc.MetaPathFinder):
    """Find the twin's modules as Python source, whatever compiled files lie beside it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.split(".")[0] != TWIN:
            return None
        loader = (importlib.machinery.SourceFileLoader, importlib.machinery.SOURCE_SUFFIXES)
        for folder in path or []:
            spec = importlib.machinery.FileFinder(folder, loader).find_spec(fullname)
            if spec is not None:
                return spec
        return None


def load_plain_twin() -> ModuleType:
    """Import the package a second time, under another name and uncompiled."""
    if TWIN in sys.modules:
        return sys.modules[TWIN]
    sys.meta_path.insert(0, _PlainFinder())
    origin = midstream.__spec__.origin
    assert origin is not None
    spec = importlib.util.spec_from_file_location(
        TWIN, origin, submodule_search_locations=list(midstream.__path__)
    )
    assert spec is not None
    assert spec.loader is not None
    twin = importlib.util.module_from_spec(spec)
    sys.modules[TWIN] = twin
    spec.loader.exec_module(twin)
    return twin


PLAIN = load_plain_twin()
BUILDS: dict[str, ModuleType] = {"plain": PLAIN}
if midstream.COMPILED:
    BUILDS["compiled"] = midstream
elif os.environ.get("MIDSTREAM_EXTENSION") == "yes":
    raise RuntimeError("MIDSTREAM_EXTENSION is yes, but the compiled core was not built")


def depth_for(midstream: ModuleType) -> int:
    """Return a depth at which recursion fails: in the C stack, or in the interpreter for the plain build."""
    return 100_000 if midstream.COMPILED else 20_000
