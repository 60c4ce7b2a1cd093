"""What is measured: nothing unless it is wanted, else what Prometheus reads at ``/metrics``."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from .streams.derivation import Variant

if TYPE_CHECKING:
    from .streams.channel import Channel

__all__ = ["Metrics", "PrometheusMetrics"]

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
# how many different tools are counted by name; models choose the names
_MAX_TOOLS = 100
_OUTCOMES = {"complete": "complete", "truncated": "truncated", "invalid": "invalid", "failed": "failed"}


class Metrics:
    """Measure nothing."""

    def opened(self, channel: Channel) -> None:
        """Count a stream that was started here, or taken over."""

    def ended(self, channel: Channel) -> None:
        """Count a stream that is no longer filled here."""

    def appended(self, channel: Channel, count: int, seconds: float) -> None:
        """Count events that were appended to the store."""

    def count(self, what: str) -> None:
        """Count a rare event: fenced, claimed, reseeded, snapshot."""

    def viewers(self, change: int) -> None:
        """Count a client that came or left."""

    def text(self) -> bytes | None:
        """Return the measurements in the text format of Prometheus."""
        return None


class PrometheusMetrics(Metrics):
    """Measure with the library ``prometheus-client``.

    The supervisor names a folder in PROMETHEUS_MULTIPROC_DIR; the figures of all its workers are added.
    """

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        registry = self._registry = CollectorRegistry()
        self._streams = Counter("midstream_streams", "Streams that ended here", ["end"], registry=registry)
        self._events = Counter("midstream_events", "Events of providers", registry=registry)
        self._rare = {
            what: Counter(f"midstream_{what}", about, registry=registry)
            for what, about in {
                "fenced": "Streams that another worker took over while this one was alive",
                "claimed": "Streams that were taken over from dead workers",
                "reseeded": "Streams that the store had lost and that were stored again",
                "snapshot": "Snapshots for late and slow viewers",
            }.items()
        }
        mode: Any = "livesum"
        self._open = Gauge(
            "midstream_streams_open", "Open streams", registry=registry, multiprocess_mode=mode
        )
        self._viewers = Gauge("midstream_viewers", "Viewers", registry=registry, multiprocess_mode=mode)
        kinds = {
            "append": "Time to append events to the store",
            "first_event": "Time from the start of a stream to its first event",
            "first_argument": "Time from the start of a stream to the first argument of a call",
        }
        self._times = {
            kind: Histogram(f"midstream_{kind}_seconds", about, buckets=_SECONDS, registry=registry)
            for kind, about in kinds.items()
        }
        labels = ["format", "tool", "outcome"]
        self._calls = Counter("midstream_tool_calls", "Tool calls", labels, registry=registry)
        self._tools: set[str] = set()
        # when streams began, and how far they were at which time
        self._progress: dict[str, list[tuple[int, float]]] = {}

    def opened(self, channel: Channel) -> None:
        """Count a stream that was started here, or taken over."""
        self._open.inc()
        self._progress[channel.id] = [(channel.log.last, time.monotonic())]

    def appended(self, channel: Channel, count: int, seconds: float) -> None:
        """Count events that were appended to the store."""
        self._events.inc(count)
        self._times["append"].observe(seconds)
        progress = self._progress.get(channel.id)
        if progress is not None and count:
            now = time.monotonic()
            if len(progress) == 1:
                self._times["first_event"].observe(now - progress[0][1])
            progress.append((progress[-1][0] + count, now))

    def ended(self, channel: Channel) -> None:
        """Count a stream that is no longer filled here, and its calls."""
        self._open.dec()
        progress = self._progress.pop(channel.id, [])
        if (end := channel.log.end) is not None:
            self._streams.labels(end.code or "complete").inc()
            self._count_calls(channel, progress)

    def _count_calls(self, channel: Channel, progress: list[tuple[int, float]]) -> None:
        feed = channel.new_feed(Variant(form="compact", dialect=channel.settings.dialect))
        feed.observe()
        while not feed.skip_all():
            pass
        began = feed.first_argument
        for message in feed.said().messages:
            for call in message["calls"]:
                outcome = _OUTCOMES.get(call["status"], "abandoned")
                tool = self._tool(call.get("function_name"))
                self._calls.labels(channel.meta["format"] or "unknown", tool, outcome).inc()
        reached = next((at for number, at in progress if began is not None and number >= began), None)
        if reached is not None:
            self._times["first_argument"].observe(reached - progress[0][1])

    def _tool(self, name: str | None) -> str:
        if name not in self._tools:
            if name is None or len(self._tools) >= _MAX_TOOLS or len(name) > _MAX_TOOLS:
                return "other"
            self._tools.add(name)
        return name or "other"

    def count(self, what: str) -> None:
        """Count a rare event."""
        self._rare[what].inc()

    def viewers(self, change: int) -> None:
        """Count a client that came or left."""
        self._viewers.inc(change)

    def text(self) -> bytes | None:
        """Return the measurements of all workers of the machine."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        registry = self._registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return bytes(generate_latest(registry))
