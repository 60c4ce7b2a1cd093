"""The command ``serve``: the options of the gateway."""

from __future__ import annotations

import socket
from typing import Annotated

import typer

from .guard import CANNOT_DO, complain, guarded
from .reading import dialect_of

__all__ = ["serve"]


def serve(
    upstream: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An API like OpenAI's or Anthropic's; default: recordings."),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 selects a free one.")] = 8377,
    workers: Annotated[int, typer.Option(min=1, max=256, help="The number of processes (Linux).")] = 1,
    store: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Where streams are kept: memory:, or for several workers sqlite:////absolute/path.db or "
            "redis://host:port/db.",
        ),
    ] = "memory:",
    ttl: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="Keep a stream after its last event.")
    ] = 600,
    idle: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="Give up an upstream that is silent.")
    ] = 120,
    lease: Annotated[
        float, typer.Option(min=0.5, metavar="SECONDS", help="With Redis: a silent worker counts as dead.")
    ] = 3,
    drain: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="After SIGTERM, let streams continue.")
    ] = 30,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A host name to accept; repeatable."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="An origin whose pages may send requests; repeatable."),
    ] = None,
    upstream_key_env: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The environment variable with the key for requests without credentials."
        ),
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Repair arguments; a request may say dialect=strict or lenient.")
    ] = False,
    metrics: Annotated[bool, typer.Option("--metrics", help="Measure for Prometheus: /metrics.")] = False,
    log_streams: Annotated[
        bool, typer.Option("--log-streams", help="Log a line of JSON when a stream ends.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Log errors only.")] = False,
) -> None:
    """Relay a provider's stream as midstream's events, and show arriving tool calls on a page.

    Clients connect to the gateway instead of the provider: /v1/... returns midstream's events,
    /provider/v1/... the provider's own. Without an upstream it replays recorded streams.
    """
    try:
        # only to check that they are installed
        import httpx  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        complain(f"the gateway needs {error.name}: pip install 'midstream[server]'")
        raise typer.Exit(CANNOT_DO) from None
    from ..server import Settings
    from ..server import serve as run_gateway
    from ..server.store.base import StoreError

    def announce(url: str) -> None:
        print(f"midstream serves {url} (press Ctrl-C to stop)", flush=True)

    try:
        # checked here first, because the server would report it in its own format
        socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        complain(f"{host}:{port}: {error.strerror or error}")
        raise typer.Exit(CANNOT_DO) from None
    with guarded(f"{host}:{port}"):
        try:
            is_started = run_gateway(
                host=host,
                port=port,
                upstream=upstream,
                settings=Settings(
                    ttl=ttl,
                    idle=idle,
                    lease=lease,
                    drain=drain,
                    metrics=metrics,
                    log_streams=log_streams,
                    dialect=dialect_of(lenient),
                ),
                on_ready=announce,
                log_level="error" if quiet else "info",
                store=store,
                workers=workers,
                hosts=allow_host or (),
                origins=allow_origin or (),
                upstream_key_env=upstream_key_env,
            )
        except (ValueError, StoreError) as error:
            raise typer.BadParameter(str(error)) from None
        if not is_started:
            raise typer.Exit(CANNOT_DO)
