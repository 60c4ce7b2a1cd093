"""Measure the time of an import, and the size of the installed package.

python benchmarks/footprint.py [--quick]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from peers import version_of
from report import Report, Targets, main, number, table

# by module, the packages that it needs
MODULES = {
    "json": (),
    "midstream": ("midstream",),
    "jiter": ("jiter",),
    "orjson": ("orjson",),
    "ijson": ("ijson",),
    "streaming_json_parser": ("streaming-json-parser", "streaming-json-parser-native"),
    "jsonmend": ("jsonmend",),
    "jsonriver": ("jsonriver",),
    "partial_json_parser": ("partial-json-parser",),
    "json_repair": ("json-repair",),
    "ijp": ("ijp",),
    "json_stream": ("json-stream", "json-stream-rs-tokenizer"),
    "pydantic_core": ("pydantic-core",),
    "langchain_core.utils.json": ("langchain-core",),
    "openai.lib.streaming.chat": ("openai",),
    "anthropic.lib.streaming": ("anthropic",),
}  # fmt: skip
SLOW = ("langchain_core.utils.json", "openai.lib.streaming.chat", "anthropic.lib.streaming")


def import_milliseconds(module: str, rounds: int) -> list[float]:
    """Time an import in new processes."""
    program = f"import time; start = time.process_time(); import {module}; print(time.process_time() - start)"
    command = [sys.executable, "-c", program]
    return [
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) * 1e3
        for _ in range(rounds)
    ]


def installed_size(package: str) -> int:
    """Return the total size of the files of a package, without Python's bytecode caches."""
    try:
        listed = files(package) or []
    except PackageNotFoundError:
        return 0
    paths = [Path(str(one.locate())) for one in listed if one.suffix != ".pyc"]
    return sum(path.stat().st_size for path in paths if path.is_file())


def wheels() -> list[list[str]]:
    """Return the size of our wheels, if the environment was made with them."""
    found = sorted(Path(sys.prefix, "wheels").glob("midstream-*.whl"))
    return [[path.name, f"{path.stat().st_size / 1e3:,.0f} KB"] for path in found]


def measure(quick: bool) -> Report:
    """Measure, and return the tables."""
    rows: list[list[str]] = []
    spent: dict[str, float] = {}
    for module, packages in MODULES.items():
        if any(version_of(package) is None for package in packages):
            rows.append([module, "missing", "-", "-"])
        elif not (quick and module in SLOW):
            rounds = import_milliseconds(module, 3 if quick or module in SLOW else 15)
            spent[module] = statistics.median(rounds)
            low, _, high = statistics.quantiles(rounds, n=4)
            size = sum(map(installed_size, packages))
            rows.append(
                [
                    module,
                    number(spent[module]),
                    f"{(high - low) / spent[module]:.0%}",
                    f"{size / 1e3:,.0f} KB",
                ]
            )
    targets = Targets()
    targets.at_most(
        "`import midstream` more than `import json`", spent["midstream"] - spent["json"], 40, "ms"
    )
    parts = [
        table(["import", "milliseconds", "spread", "installed"], rows)
        + "\n\nThe import in a process of its own; the files of the package, without what it depends on."
    ]
    if wheels():
        parts.append(table(["wheel", "size"], wheels()))
    return Report("9. Import time and size", parts, targets)


if __name__ == "__main__":
    main(measure)
