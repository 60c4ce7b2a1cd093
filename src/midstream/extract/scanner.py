"""The walk through prose: from one place that may mean something to the next.

Plain prose is skipped with ``str.find``, once for the first character of each marker: a bracket, a fence, a
tag. Where that character occurs, a regular expression that begins with it finds the next marker. What the
marker means is decided in ``openings``. Between two fragments the scanner is in one of these states:

=========  ===========================================================================================
PROSE      text, with documents; ``fence`` is the fence around it, if its content is searched
CODE       the content of a fence in another language, up to its closing fence
THINKING   reasoning, up to the closing tag
BEGIN      the begin of a text that begins with reasoning, where its opening tag may stand
=========  ===========================================================================================

A fence belongs to the document that directly follows it, and is not reported; then its closing fence and the
white space between them are not reported either. All other fences are text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .openings import (
    ARRAY,
    ARRAY_IN_FENCE,
    FENCES,
    MAX_FENCE,
    MAX_SPACE,
    MORE,
    NO,
    OBJECT,
    YES,
    Fence,
    begins_document,
    fence_at,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Search = Callable[[str, int], re.Match[str] | None]

__all__ = ["REASONING", "TEXT", "Scanner"]

# the kinds of parts
TEXT, REASONING = "text", "reasoning"

PROSE, CODE, THINKING, BEGIN = "prose", "code", "thinking", "begin"

_NAMES = ("think", "thinking", "reasoning")
_OPENING = tuple(f"<{name}>" for name in _NAMES)
_CLOSING = tuple(f"</{name}>" for name in _NAMES)
# for each character with which something may begin, how to find the next place where it does
_BRACKETS: dict[str, Search] = {"{": OBJECT, "[": ARRAY}
_BRACKETS_IN_FENCE: dict[str, Search] = {"{": OBJECT, "[": ARRAY_IN_FENCE}
_RUNS: dict[str, Search] = {"`": re.compile("```").search, "~": re.compile("~~~").search}
_TAGS: dict[str, Search] = {"<": re.compile("<(?:think(?:ing)?|reasoning)>").search}
_LONGEST_TAG = 12


class Scanner:
    """The state between two fragments; `read` continues with more text."""

    __slots__ = (
        "_at", "_closers", "_is_dropped", "_last", "_line_is_blank", "_markers", "_state", "_thinking",
        "_trims", "fence", "has_text", "held", "wants_documents",
    )  # fmt: skip

    def __init__(self, thinking: str | None) -> None:
        self._thinking = thinking is not None
        self._state = BEGIN if thinking == "open" else PROSE
        self._closers: tuple[str, ...] = _CLOSING
        # the fence around the text: its length, negative for tildes; 0 without one
        self.fence = 0
        # whether the opening fence belongs to a document, and whether only white space followed the document
        self._is_dropped = False
        self._trims = False
        # whether the line so far is white space, and the character before the text
        self._line_is_blank = True
        self._last = ""
        # the text that waits for more
        self.held = ""
        # whether anything but white space has been reported as prose
        self.has_text = False
        self.wants_documents = True
        self._markers: dict[str, Search] = {}
        # where each search found its next marker: a place is searched for once
        self._at: dict[Search, int] = {}
        self._choose_markers()

    def _choose_markers(self) -> None:
        """Choose what is searched for in prose."""
        brackets = _BRACKETS_IN_FENCE if self.fence else _BRACKETS
        self._markers = (
            (brackets if self.wants_documents else {})
            | (_RUNS if self.wants_documents or self.fence else {})
            | (_TAGS if self._thinking and not self.fence else {})
        )

    def where(self) -> str:
        """Say where a document stands that begins now."""
        return "fence" if self.fence else "prose" if self.has_text else "bare"

    def add(self, text: str) -> str:
        """Return the text to read: what waited, and more text."""
        self._at.clear()
        text, self.held = self.held + text, ""
        return text

    def plain_kind(self, text: str) -> str | None:
        """Return the kind of a text if all of it is one part; None if it must be read to know."""
        if self.held or self._trims or (self._state != PROSE and self._state != THINKING):
            return None
        for c in self._markers if self._state == PROSE else "<":
            if c in text:
                return None
        if self._state == THINKING:
            return REASONING
        self._note(text)
        self.has_text = self.has_text or not text.isspace()
        return TEXT

    def end_document(self, wants_more: bool) -> None:
        """Continue with prose after a document."""
        self.wants_documents = wants_more
        self._trims = self._is_dropped
        self._line_is_blank = False
        self._last = "}"
        self._choose_markers()

    def read(self, text: str, i: int, is_final: bool, parts: list[tuple[str, Any]]) -> int:
        """Read text from i on, and append its parts; return where a document begins, -1 if none does.

        Without a document, the characters that wait for more text are in ``held``.
        """
        while True:
            if self._state == PROSE:
                at, i = self._read_prose(text, i, is_final, parts)
                if at >= 0:
                    return at
            elif self._state == CODE:
                i = self._read_code(text, i, is_final, parts)
            elif self._state == THINKING:
                i = self._read_thinking(text, i, is_final, parts)
            else:
                i = self._read_begin(text, i, is_final)
            if i < 0:
                return -1

    # Prose

    def _read_prose(
        self, text: str, start: int, is_final: bool, parts: list[tuple[str, Any]]
    ) -> tuple[int, int]:
        """Read prose from start on; return where a document begins (or -1), and where another state does."""
        i = start
        n = len(text)
        has_text = self.has_text
        while True:
            i = self._next_marker(text, i)
            if i == n:
                break
            c = text[i]
            if c == "{" or c == "[":
                is_free = self.fence != 0 or self._begins_line(text, start, i)
                # the first marker: what precedes it has not been looked at
                has_text = has_text or (i > start and not text[start:i].isspace())
                is_certain = self.fence != 0 or not has_text
                verdict = begins_document(text, i, is_final, is_free, is_certain)
                if verdict == YES:
                    self._report(text, start, i, parts)
                    return i, -1
            elif c == "<":
                verdict, end = self._opening_tag(text, start, i, is_final)
                if verdict == YES:
                    self._report(text, start, i, parts)
                    self._state = THINKING
                    return -1, end
            else:
                verdict, end, at = self._read_fence(text, start, i, is_final, parts)
                if verdict == YES:
                    return at, end
                if verdict == NO:
                    i = end - 1
            if verdict == MORE:
                self._hold(text, start, i, parts)
                return -1, -1
            has_text = True
            i += 1
        self._hold(text, start, n if is_final else self._tail(text, start), parts)
        return -1, -1

    def _next_marker(self, text: str, i: int) -> int:
        """Return the place of the first marker from i on, or the end of the text."""
        n = first = len(text)
        places = self._at
        for c, search in self._markers.items():
            at = places.get(search, -1)
            if at < i:
                at = text.find(c, i)
                found = search(text, at) if at >= 0 else None
                at = n if found is None else found.start()
                places[search] = at
            if at < first:
                first = at
        return first

    def _tail(self, text: str, start: int) -> int:
        """Return where the end of the text may be a marker that continues."""
        n = len(text)
        if self._markers:
            last = text[-1:]
            if n > start and (last == "`" or last == "~") and last in self._markers:
                at = n - 1 - (text[-2:-1] == last and n - 1 > start)
                # three are a marker, and those before it have been read
                return n if text[at - 1 : at] == last and at > start else at
            if "<" in self._markers:
                at = text.rfind("<", max(start, n - _LONGEST_TAG))
                if at >= 0 and _is_prefix(text[at:], _OPENING):
                    return at
        return n

    def _begins_line(self, text: str, start: int, i: int) -> bool:
        """Report whether only spaces and tabs precede text[i] on its line."""
        j = i - 1
        while j >= start and text[j] in " \t":
            j -= 1
        return self._line_is_blank if j < start else text[j] in "\r\n"

    def _report(self, text: str, start: int, end: int, parts: list[tuple[str, Any]]) -> None:
        """Report prose; after a document in its own fence white space is dropped."""
        if end == start:
            return
        piece = text if start == 0 and end == len(text) else text[start:end]
        self._note(piece)
        if self._trims:
            piece = piece.lstrip()
            if not piece:
                return
            self._trims = False
        self.has_text = self.has_text or not piece.isspace()
        parts.append((TEXT, piece))

    def _note(self, piece: str) -> None:
        """Note what the last line of a piece consists of."""
        line = max(piece.rfind("\n"), piece.rfind("\r")) + 1
        if line or self._line_is_blank:
            # the same white space as in `_begins_line`
            self._line_is_blank = not piece[line:].strip(" \t")
        self._last = piece[-1]

    def _hold(self, text: str, start: int, i: int, parts: list[tuple[str, Any]]) -> None:
        """Report prose up to i, and hold the rest back."""
        self._report(text, start, i, parts)
        self.held = text[i:]

    # Fences

    def _read_fence(
        self, text: str, start: int, i: int, is_final: bool, parts: list[tuple[str, Any]]
    ) -> tuple[int, int, int]:
        """Read the run of backticks or tildes at i.

        Return a verdict; where to continue; and with `YES`, where a document begins, or -1.
        """
        if i == start and self._last == text[i]:
            # the end of a run that is too long for a fence
            return NO, _end_of_run(text, i), -1
        fence = fence_at(text, i, is_final)
        if fence == MORE:
            return MORE, i, -1
        if not isinstance(fence, Fence):
            return NO, _end_of_run(text, i), -1
        is_json = fence.info in FENCES
        length = fence.length if text[i] == "`" else -fence.length
        if self.fence and not (is_json and fence.info):
            return self._close_fence(text, start, i, fence, length, parts)
        if not self._begins_line(text, start, i) and not (is_json and fence.info) and not self.fence:
            return NO, fence.end, -1
        if not self.wants_documents:
            return NO, fence.end, -1
        if not is_json:
            self._report(text, start, fence.info_end, parts)
            self._enter(CODE, length, is_dropped=False)
            return YES, fence.info_end, -1
        j = fence.info_end
        while j < len(text) and text[j] in " \t\r\n" and j - fence.info_end < MAX_SPACE:
            j += 1
        if j == len(text):
            verdict = NO if is_final else MORE
        else:
            verdict = NO if text[j] not in "{[" else begins_document(text, j, is_final, True, True)
        if verdict == MORE:
            return MORE, i, -1
        if verdict == YES:
            self._report(text, start, i, parts)
            self._enter(PROSE, length, is_dropped=True)
            return YES, -1, j
        # text in a fence: it may hold a document later
        self._report(text, start, fence.info_end, parts)
        self._enter(PROSE, length, is_dropped=False)
        return YES, fence.info_end, -1

    def _close_fence(
        self, text: str, start: int, i: int, fence: Fence, length: int, parts: list[tuple[str, Any]]
    ) -> tuple[int, int, int]:
        """Read a run within a fence: it closes the fence, or is text."""
        is_closing = length >= self.fence > 0 or length <= self.fence < 0
        if not is_closing:
            return NO, fence.end, -1
        if self._is_dropped:
            self._report(text, start, i, parts)
        else:
            self._report(text, start, fence.end, parts)
        self._enter(PROSE, 0, is_dropped=False)
        self._line_is_blank = False
        self._last = text[i]
        return YES, fence.end, -1

    def _enter(self, state: str, fence: int, is_dropped: bool) -> None:
        self._state = state
        self.fence = fence
        self._is_dropped = is_dropped
        self._trims = False
        self._choose_markers()

    def _read_code(self, text: str, start: int, is_final: bool, parts: list[tuple[str, Any]]) -> int:
        """Read the content of a fence in another language; return where prose continues, or -1."""
        i, n = start, len(text)
        mark, length = ("`", self.fence) if self.fence > 0 else ("~", -self.fence)
        run = mark * length
        while True:
            i = text.find(run, i)
            if i < 0:
                break
            if not self._begins_line(text, start, i):
                i = _end_of_run(text, i)
                continue
            end = _end_of_run(text, i)
            if end - i > MAX_FENCE:
                i = end
                continue
            if end == n and not is_final:
                self._hold(text, start, i, parts)
                return -1
            if end == n or text[end] in " \t\r\n":
                self._report(text, start, end, parts)
                self._enter(PROSE, 0, is_dropped=False)
                return end
            i = end
        held = n
        if not is_final:
            while held > start and n - held < length - 1 and text[held - 1] == mark:
                held -= 1
        self._hold(text, start, held, parts)
        return -1

    # Reasoning

    def _opening_tag(self, text: str, start: int, i: int, is_final: bool) -> tuple[int, int]:
        """Read the tag at i: return a verdict and where the tag ends."""
        before = text[i - 1] if i > start else self._last
        if before == "`":
            # the tag is mentioned, not used
            return NO, i
        for number, tag in enumerate(_OPENING):
            if text.startswith(tag, i):
                self._closers = (_CLOSING[number],)
                return YES, i + len(tag)
        rest = text[i : i + _LONGEST_TAG]
        return (MORE if i + len(rest) == len(text) and not is_final and _is_prefix(rest, _OPENING) else NO), i

    def _read_thinking(self, text: str, start: int, is_final: bool, parts: list[tuple[str, Any]]) -> int:
        """Read reasoning; return where prose continues, or -1."""
        n, end, tag = len(text), -1, ""
        for closer in self._closers:
            at = text.find(closer, start, n if end < 0 else end + len(tag))
            if at >= 0 and (end < 0 or at < end):
                end, tag = at, closer
        if end >= 0:
            if end > start:
                parts.append((REASONING, text[start:end]))
            self._state = PROSE
            self._line_is_blank = True
            self._last = ">"
            return end + len(tag)
        end = n
        if not is_final:
            at = text.rfind("<", max(start, n - _LONGEST_TAG))
            if at >= 0 and _is_prefix(text[at:], self._closers):
                end = at
        if end > start:
            parts.append((REASONING, text[start:end]))
        self.held = text[end:]
        return -1

    def _read_begin(self, text: str, start: int, is_final: bool) -> int:
        """Skip the tag with which open reasoning may begin; return where the reasoning continues, or -1."""
        i = start
        while i < len(text) and text[i] in " \t\r\n" and i - start < MAX_SPACE:
            i += 1
        rest = text[i : i + _LONGEST_TAG]
        if not is_final and (not rest or _is_prefix(rest, _OPENING)):
            self.held = text[start:]
            return -1
        self._state = THINKING
        for tag in _OPENING:
            if rest.startswith(tag):
                return i + len(tag)
        return start

    # Checkpoints

    def state(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {name.strip("_"): getattr(self, name) for name in _SAVED} | {"closers": list(self._closers)}

    def load(self, state: dict[str, Any]) -> None:
        """Restore a saved state; raise ValueError, KeyError or TypeError if the data is not one."""
        for name in _SAVED:
            value = state[name.strip("_")]
            if type(value) is not type(getattr(self, name)):
                raise TypeError("a part of the state is of another type")
            setattr(self, name, value)
        if self._state not in (PROSE, CODE, THINKING, BEGIN) or len(self._last) > 1:
            raise ValueError("not a state of the scanner")
        self._closers = tuple(_CLOSING[_CLOSING.index(tag)] for tag in state["closers"])
        self._choose_markers()


_SAVED = (
    "_state", "fence", "_is_dropped", "_trims", "_line_is_blank", "_last", "held", "has_text",
    "wants_documents",
)  # fmt: skip


def _end_of_run(text: str, i: int) -> int:
    """Return where the run of the character text[i] ends."""
    c, n = text[i], len(text)
    while i < n and text[i] == c:
        i += 1
    return i


def _is_prefix(text: str, tags: tuple[str, ...]) -> bool:
    """Report whether a text is the beginning of one of the tags, but not all of it."""
    return any(tag.startswith(text) and len(text) < len(tag) for tag in tags)
