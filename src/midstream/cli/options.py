"""The options and arguments that several commands share, and how they are checked."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import JsonStreamError
from ..patterns import parse_pattern
from ..providers import FORMATS

__all__ = ["Extract", "File", "Format", "Lenient", "ProviderFormat", "checked_path", "one_of"]


def _file_or_pipe(context: typer.Context, name: str) -> str:
    if not name and sys.stdin is not None and sys.stdin.isatty():
        path = context.params.get("path")
        taken = f"{path} was read as the PATH; " if path is not None and Path(path).is_file() else ""
        raise typer.BadParameter(
            f"{taken}name a file or pipe data in; - reads from the terminal", param_hint="FILE"
        )
    return name or "-"


File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        callback=_file_or_pipe,
        show_default=False,
        help="A file, or - for the standard input (the default).",
    ),
]


def one_of(*names: str) -> Any:
    """Return the parameters of an option that accepts one of several names."""

    def check(name: str | None) -> str | None:
        if name is not None and name not in names:
            raise typer.BadParameter(_complaint(name, names))
        return name

    return {
        "callback": check,
        "autocompletion": lambda incomplete: [name for name in names if name.startswith(incomplete)],
    }


def _complaint(name: str, names: tuple[str, ...]) -> str:
    """Return what to say of a wrong name: the names that resemble it, or all."""
    wanted = name.lower().replace("_", "-")
    similar = [known for known in names if wanted and (known.startswith(wanted) or wanted.startswith(known))]
    similar = similar or get_close_matches(wanted, names)
    if not similar:
        return f"{name!r} is not one of {', '.join(names)}"
    *others, last = similar
    return f"{name!r} is not known; did you mean {', '.join(others)}{' or ' if others else ''}{last}?"


Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help=f"The content: json, or a provider's events ({', '.join(FORMATS)}). By default it is detected.",
        **one_of("json", *FORMATS),
    ),
]
ProviderFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help=f"The provider's format: {', '.join(FORMATS)}. By default it is detected.",
        **one_of(*FORMATS),
    ),
]


Lenient = Annotated[
    bool, typer.Option("--lenient", help="Repair JSON as models write it: quotes, commas, comments and more.")
]
Extract = Annotated[
    bool,
    typer.Option("--extract", help="Read the JSON inside other text, such as an answer with code fences."),
]


def checked_path(path: str) -> str:
    """Return a path pattern; report one that is not valid as wrong usage."""
    try:
        parse_pattern(path)
    except JsonStreamError as error:
        raise typer.BadParameter(str(error), param_hint="PATH") from None
    return path
