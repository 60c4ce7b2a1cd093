"""The commands. Each reads a file or a pipe as it arrives, and writes its results at once."""

from __future__ import annotations

import json
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import COMPILED, __version__
from .._undefined import UNDEFINED
from ..accumulators.fragments import JsonFragmentAccumulator
from ..accumulators.select import JsonSelectAccumulator
from ..accumulators.values import JsonValueAccumulator
from ..captures import Opening, lines_in
from ..chunker.chunker import JsonStreamChunker
from ..errors import ErrorCode, JsonStreamError, ParserError
from ..provider_events import not_an_event_stream
from ..recordings import NAMES
from ..render.plain import print_value, update_line
from ..render.safe import shown
from ..streams.provider import CallStream
from ..wire.form import to_wire
from ..wire.rebuilder import JsonFragmentRebuilder
from .files import json_text, opened, pieces, truncated
from .guard import CANNOT_DO, complain, guarded, set_up
from .options import Extract, File, Format, Lenient, ProviderFormat, checked_path, one_of
from .outcome import PrintedDocuments, print_calls, require_complete_calls
from .reading import JsonReader, dialect_of, report_repairs, with_extracted_arguments
from .serving import serve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .._options import OnError
    from ..accumulators.match import Match
    from ..accumulators.update import JsonFragmentUpdate

__all__ = ["app", "run"]

# json.dumps would create an encoder for each update
_to_json = json.JSONEncoder(ensure_ascii=False).encode
# an option that an error message recommends under its Python name; the command line has its own name for it
_PYTHON_OPTION = re.compile(r"pass (\w+)=True")

app = typer.Typer(
    help="See JSON while it is still arriving; inspect captures of a model's stream.",
    epilog="First steps: midstream demo. Exit codes: 0 success, 1 invalid or truncated data "
    "(value accepts truncated text), 2 wrong usage or a file that cannot be read, 130 Ctrl-C, "
    "141 closed pipe",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run() -> int:
    """Run the command line and return the exit code."""
    set_up()
    try:
        code = app(prog_name="midstream", standalone_mode=False)
    except Exception as error:
        # a usage error: its class is typer's or click's, depending on typer's version
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "midstream"
        message = error.format_message()
        if message.startswith("No such command") and Path(sys.argv[1]).is_file():
            message += f" To look into a file: midstream watch {sys.argv[1]}"
        complain(f"{message} (for help: {command} -h)")
        return CANNOT_DO
    return code if isinstance(code, int) else 0


def _version(wanted: bool) -> None:
    if wanted:
        python = ".".join(map(str, sys.version_info[:3]))
        print(f"midstream {__version__} ({'compiled' if COMPILED else 'plain'} core, Python {python})")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _main(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  # the callback does the work
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show version and build.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit(CANNOT_DO)


@app.command(short_help="Watch JSON, or a model's message, arrive.")
def watch(
    file: File = "",
    format: Format = None,
    delay: Annotated[
        float,
        typer.Option(
            min=0, max=60, metavar="SECONDS", help="Wait after each token or event; 0.02 is a model's speed."
        ),
    ] = 0,
    lenient: Lenient = False,
    extract: Extract = False,
) -> None:
    """Watch a JSON text, or the text and the tool calls of a model's message, arrive.

    FILE holds JSON, NDJSON, or a provider's events as Server-Sent Events, as lines or as a JSON array.
    If the output is not a terminal, the result is printed as JSON.
    """
    # imported here because the rendering modules load slowly
    from .watch import watch_stream

    with guarded(file), opened(file) as source:
        watch_stream(source, format, delay, dialect_of(lenient), extract)


@app.command(short_help="Print the updates of a JSON text, one per line.")
def updates(
    file: File = "",
    format: Format = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write each as a JSON object, as rebuild reads them.")
    ] = False,
    recover: Annotated[bool, typer.Option("--recover", help="Continue after invalid text.")] = False,
    lenient: Lenient = False,
    extract: Extract = False,
) -> None:
    """Print the updates of a JSON text as it arrives, one per line.

    The text may hold several documents (NDJSON). For a provider's events, the message text is read.
    """
    with guarded(file), opened(file) as source, json_text(source, format, extract) as texts:
        on_error: OnError = "recover" if recover else "raise"
        accumulator = JsonFragmentAccumulator(
            on_error=on_error, after_root="next", dialect=dialect_of(lenient)
        )
        reader = JsonReader(accumulator, extract, on_error)
        try:
            for text in texts:
                for found in reader.add(text):
                    _print_updates(found, as_json)
            for found in reader.finish():
                _print_updates(found, as_json)
        except JsonStreamError as error:
            _print_updates(error.updates, as_json)
            raise
        if reader.error is not None:
            raise JsonStreamError(reader.error)


def _print_updates(found: list[JsonFragmentUpdate], as_json: bool) -> None:
    if as_json:
        lines = [_safe(_to_json(to_wire(update))) for update in found]
    else:
        lines = [update_line(update, sys.stdout.encoding) for update in found]
    if lines:
        _write("\n".join(lines) + "\n")


@app.command(short_help="Print the value of a JSON text, even if it is truncated.")
def value(
    file: File = "",
    format: Format = None,
    compact: Annotated[bool, typer.Option("--compact", "-c", help="Write each value on one line.")] = False,
    lenient: Lenient = False,
    extract: Extract = False,
) -> None:
    """Print the value of a JSON text as far as it has arrived, wherever it is truncated.

    The text may hold several documents (NDJSON). For a provider's events, the message text is read.
    """
    with guarded(file), opened(file) as source, json_text(source, format, extract) as texts:
        accumulator = JsonValueAccumulator(on_error="event", after_root="next", dialect=dialect_of(lenient))
        reader = JsonReader(accumulator, extract, "event")
        printed = PrintedDocuments(accumulator, reader, None if compact else 2)
        try:
            for text in texts:
                for _ in reader.add(text):
                    printed.print_new()
                if reader.error is not None:
                    break
        except JsonStreamError as broken:
            # a stream that ends inside an event is as truncated as one that ends after it
            if broken.code != ErrorCode.TRUNCATED or accumulator.value is UNDEFINED:
                raise
        finally:
            printed.finish()
            report_repairs(accumulator.repairs, accumulator.repair_count)
        error = reader.error
        is_only_cut = error is not None and error.code == ErrorCode.TRUNCATED
        if error is not None and (accumulator.value is UNDEFINED or not is_only_cut):
            raise JsonStreamError(error)


@app.command(short_help="Print the values at a path, one per line.")
def select(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            callback=checked_path,
            help="A path such as items[0].title; * stands for any key or index, $ for the root.",
        ),
    ],
    file: File = "",
    format: Format = None,
    paths: Annotated[
        bool, typer.Option("--paths", help="Write an object with the path and the value of each match.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", "-n", min=1, metavar="COUNT", help="Stop after that many matches, and read no further."
        ),
    ] = None,
    lenient: Lenient = False,
    extract: Extract = False,
) -> None:
    """Print the values at a path as JSON, one per line, each as soon as it is complete.

    The text may hold several documents (NDJSON). For a provider's events, the message text is read.
    """
    with guarded(file), opened(file) as source, json_text(source, format, extract) as texts:
        accumulator = JsonSelectAccumulator(path, limit=limit, after_root="next", dialect=dialect_of(lenient))
        has_matches = False
        try:
            for match in _matches(texts, accumulator, extract):
                has_matches = True
                found = {"path": match.path, "value": match.value} if paths else match.value
                print_value(found, indent=None)
                sys.stdout.flush()
        finally:
            report_repairs(accumulator.repairs, accumulator.repair_count)
        if not has_matches:
            complain(f"no value matches the path {path}")


def _matches(
    texts: Iterable[str | bytes], accumulator: JsonSelectAccumulator, extract: bool
) -> Iterator[Match[Any]]:
    """Yield the matches of a text; what precedes an error is yielded before it is raised."""
    reader = JsonReader(accumulator, extract, "raise")
    try:
        for text in texts:
            for matches in reader.add(text):
                yield from matches
                if accumulator.is_done:
                    return
        for matches in reader.finish():
            yield from matches
    except JsonStreamError as error:
        yield from error.matches
        raise


@app.command(short_help="Print the tool calls of a model's message.")
def calls(
    file: File = "", format: ProviderFormat = None, lenient: Lenient = False, extract: Extract = False
) -> None:
    """Print the tool calls of a provider's events as JSON; fail if one of them is incomplete.

    With --lenient, a call whose arguments were repaired lists the repairs. With --extract, the arguments may
    stand inside other text.
    """
    with guarded(file), opened(file) as source:
        stream = CallStream(format, dialect=dialect_of(lenient))
        opening = Opening(pieces(source), format or "any")
        error: JsonStreamError | None = None
        try:
            for event in opening.events():
                stream.add_event(event)
                if stream.error is not None:
                    break
        except JsonStreamError as broken:
            error = broken
        try:
            found = stream.finish()
        except JsonStreamError as broken:
            raise error or broken from None
        error = error or stream.error
        if error is None and not found and opening.strange is not None:
            error = not_an_event_stream(opening.strange)
        if extract:
            found = [with_extracted_arguments(call, dialect_of(lenient)) for call in found]
        # without any calls, the error is all that there is to say
        if found or error is None:
            print_calls(found)
        if error is not None:
            raise error
        require_complete_calls(found)


@app.command(short_help="Convert snapshots of a value into JSON text.")
def chunk(
    file: File = "",
    tentative_nulls: Annotated[
        bool, typer.Option("--tentative-nulls", help="Treat null as a value that may still arrive.")
    ] = False,
    tentative_numbers: Annotated[
        bool, typer.Option("--tentative-numbers", help="Treat a new number as possibly incomplete.")
    ] = False,
    override: Annotated[
        bool, typer.Option("--override", help="Write a member again if a later snapshot contradicts it.")
    ] = False,
) -> None:
    """Convert snapshots of a growing value, one JSON text per line, into one JSON text as they arrive."""
    chunker = JsonStreamChunker(
        on_conflict="override" if override else "raise",
        tentative_nulls=tentative_nulls,
        tentative_numbers=tentative_numbers,
    )
    with guarded(file), opened(file) as source:
        try:
            for number, line in enumerate(lines_in(pieces(source)), 1):
                if line.strip():
                    with _with_line_number(number):
                        _write(_safe(chunker.process(line)))
            _write(_safe(chunker.flush()))
        finally:
            if sys.stdout.isatty():
                _write("\n")


@app.command(short_help="Rebuild a value from what updates --json wrote.")
def rebuild(file: File = "") -> None:
    """Rebuild a value from its updates.

    FILE holds updates as updates --json writes them, one per line, or arrays of them.
    """
    rebuilder = JsonFragmentRebuilder()
    with guarded(file), opened(file) as source:
        try:
            for number, line in enumerate(lines_in(pieces(source)), 1):
                with _with_line_number(number):
                    for update in _updates_of(line):
                        if rebuilder.is_complete:
                            print_value(rebuilder.value)
                            rebuilder.reset()
                        rebuilder.apply([update])
        finally:
            print_value(rebuilder.value)
        if rebuilder.error is not None:
            raise JsonStreamError(rebuilder.error)
        if not rebuilder.is_complete:
            raise truncated("the updates end before the document is complete")


def _updates_of(line: bytes) -> list[Any]:
    if not line.strip():
        return []
    try:
        update = json.loads(line)
    except (ValueError, RecursionError):
        raise JsonStreamError(ParserError.of(ErrorCode.INVALID_UPDATE, 0, "not JSON")) from None
    return update if isinstance(update, list) else [update]


@contextmanager
def _with_line_number(line: int) -> Iterator[None]:
    """Add the line of the input to an error's message."""
    try:
        yield
    except JsonStreamError as error:
        message, place, column = error.error.message.rpartition(f" (line {error.line}, ")
        message = f"{message} (line {line}, {column}" if place else f"{column} (line {line})"
        message = _PYTHON_OPTION.sub(lambda hint: "use --" + hint[1].replace("_", "-"), message)
        raise JsonStreamError(error.error._replace(message=message), error.path) from None


def _safe(text: str) -> str:
    """Escape characters in JSON text that the output cannot encode or a terminal would interpret."""
    return shown(text, sys.stdout.encoding)


def _write(text: str) -> None:
    if text:
        sys.stdout.write(text)
        sys.stdout.flush()


app.command(short_help="Run the gateway and its page.")(serve)


@app.command(short_help="Watch two tool calls arrive.")
def demo(
    raw: Annotated[
        str | None,
        typer.Option(
            "--raw",
            metavar="NAME",
            help=f"Write a recorded stream instead, as its provider sent it: {', '.join(NAMES)}.",
            **one_of(*NAMES),
        ),
    ] = None,
) -> None:
    """Watch two tool calls arrive; the second one is truncated."""
    from .demo import main, write_recording

    with guarded("demo"):
        if raw is None:
            main()
        else:
            write_recording(raw)
