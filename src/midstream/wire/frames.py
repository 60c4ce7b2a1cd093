"""The open containers, as a chain from the innermost one outwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if TYPE_CHECKING:
    from ..paths import PathPair, Segment

__all__ = ["Frame"]


# CPython's trashcan mechanism frees a chain of any length without recursion.
@cython.final
@cython.trashcan(True)
@cython.cclass
class Frame:
    """An open container as it was after some update. Frames are immutable, so a cursor can return to them.

    ``path`` and ``pair`` are the two ways in which updates name the container, as far as they are known.
    """

    __slots__ = ("above", "count", "depth", "is_array", "is_explicit", "pair", "path", "segment")

    above: Frame | None
    segment: Segment | None
    is_array: bool
    is_explicit: bool
    count: int
    depth: int
    path: str | None
    pair: PathPair | None

    def with_item(self) -> Frame:
        """Return the same container with one more item."""
        frame = open_frame(self.above, self.segment, self.is_array, self.is_explicit)
        frame.count = self.count + 1
        frame.path = self.path
        frame.pair = self.pair
        return frame


def open_frame(above: Frame | None, segment: Segment | None, is_array: bool, is_explicit: bool) -> Frame:
    """Return the frame of a new, empty container."""
    frame = Frame()
    frame.above = above
    frame.segment = segment
    frame.is_array = is_array
    frame.is_explicit = is_explicit
    frame.count = 0
    frame.depth = 1 if above is None else above.depth + 1
    frame.path = None
    frame.pair = None
    return frame


def segments_to(frame: Frame | None) -> list[Segment]:
    """Return the segments from the root to an open container."""
    segments: list[Segment] = []
    while frame is not None and frame.segment is not None:
        segments.append(frame.segment)
        frame = frame.above
    segments.reverse()
    return segments
