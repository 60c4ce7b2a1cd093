"""Decide which call a piece belongs to.

Providers identify the call of a piece by id, by index, by both, by an id that changes, by index 0 for
all calls, by a name that repeats, or not at all. The rules are here once, for the handler and the
middleware.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..core.surrogates import Halves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .messages import ToolCallUpdate

__all__ = ["Call", "CallPlaces", "CallTable", "alias_of", "is_end"]

# no provider counts this far
_LARGE = 1 << 53


class Call:
    """The identity of a call; subclasses add their state."""

    __slots__ = ("aliases", "halves", "id", "index", "is_named_again", "is_open", "name")

    def __init__(self) -> None:
        self.id: str | None = None
        self.index: int | str | None = None
        self.name: str | None = None
        self.is_open = True
        # the name was repeated when the arguments were complete: another call may follow
        self.is_named_again = False
        # the ids and indices that identify it
        self.aliases: list[int | str] = []
        self.halves = Halves()

    def is_complete_text(self) -> bool:
        """Report whether the arguments could be complete; only a hint for the boundary of two calls."""
        raise NotImplementedError


C = TypeVar("C", bound=Call)


class CallTable(Generic[C]):
    """The calls of one message and choice, in order of appearance."""

    __slots__ = ("_at_index", "_by_id", "_calls", "_latest", "_new")

    def __init__(self, new: Callable[[], C]) -> None:
        self._new = new
        # an ordered set: there may be many calls, and any of them may be dropped
        self._calls: dict[C, None] = {}
        self._by_id: dict[Any, C] = {}
        self._at_index: dict[Any, C] = {}
        self._latest: C | None = None

    def find(self, update: ToolCallUpdate) -> C:
        """Return the call that an update belongs to, a new one if it begins one."""
        id, index, name = update.tool_call_id or None, alias_of(update.index), update.function_name or None
        text = update.function_args or ""
        is_blank = not text.strip()
        call = self._known(id, index, name, is_blank)
        if call is not None and name is None and not text and _ends_document(update):
            # it must not decide where the next piece belongs
            return call
        if call is None:
            call = self._new()
            self._calls[call] = None
            if name is None and id is None and index is not None and index in self._at_index:
                # its name came with an empty piece that seemed to repeat the name of the previous call
                name = self._at_index[index].name
        if not call.is_open:
            return call
        call.is_named_again = call.is_named_again or (
            name is not None and is_blank and call.is_complete_text()
        )
        if id is not None:
            # an id that changes in mid-stream is an alias of the same call
            self._lead(self._by_id, id, call)
            call.id = call.id or id
        if index is not None:
            self._lead(self._at_index, index, call)
            call.index = update.index if call.index is None else call.index
        call.name = name or call.name
        self._latest = call
        return call

    def _lead(self, places: dict[Any, C], alias: int | str, call: C) -> None:
        if places.get(alias) is not call:
            places[alias] = call
            call.aliases.append(alias)

    def _known(self, id: str | None, index: int | str | None, name: str | None, is_blank: bool) -> C | None:
        """Return the existing call that a piece continues, None if it begins a new one."""
        call = None if id is None else self._by_id.get(id)
        if call is not None and (call.is_open or name is None or (is_blank and name == call.name)):
            return call
        latest = self._latest
        if index is None:
            # without indices, another id is another call
            is_other = id is not None and latest is not None and latest.id is not None
            call = None if is_other else latest
        else:
            call = self._at_index.get(index)
            if call is None and id is None and name is None and latest is not None and latest.index is None:
                call = latest
        if call is None:
            return None
        is_bare = id is None and name is None
        if not call.is_open:
            # a piece without a name after the end of its call is late and does not begin another
            return call if is_bare else None
        if name is None or call.name is None:
            if is_bare and call.is_named_again and not is_blank:
                return None
            # it continues the call, unless it brings an id and a name and the call has its id
            return None if name is not None and id is not None and call.id is not None else call
        if name != call.name or (id is not None and call.id is not None):
            return None
        # the same name again: repeated with every piece, or a second call of the same tool
        return None if call.is_complete_text() and not is_blank else call

    def knows(self, id: str | None) -> bool:
        """Report whether a call has this id."""
        return id is not None and id in self._by_id

    def ids(self) -> list[str]:
        """Return the ids of all calls."""
        return list(self._by_id)

    def named(self, id: str | None, index: int | str | None) -> C | None:
        """Return the call with this id, or without one at this index, or else the latest."""
        if id is not None and id in self._by_id:
            return self._by_id[id]
        if index is not None:
            return self._at_index.get(alias_of(index))
        return self._latest if id is None else None

    def __iter__(self) -> Iterator[C]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def drop(self, call: C) -> list[str]:
        """Forget a call, and return the ids that are no longer known."""
        call.is_open = False
        del self._calls[call]
        ids: list[str] = []
        for alias in call.aliases:
            for places in (self._by_id, self._at_index):
                if places.get(alias) is call:
                    del places[alias]
                    if places is self._by_id:
                        ids.append(str(alias))
        if self._latest is call:
            self._latest = None
        return ids


class CallPlaces:
    """Map ids to the message and choice of their calls, because later events often omit the choice."""

    __slots__ = ("_choices",)

    def __init__(self) -> None:
        self._choices: dict[str, dict[str | None, int | str]] = {}

    def choice(self, id: str | None, message_id: str | None, stated: int) -> int | str:
        """Return the choice that has the call of this id, else the choice as stated."""
        found = None if id is None else self._choices.get(id)
        choice = None if found is None else found.get(message_id)
        return alias_of(stated) if choice is None else choice

    def of(self, id: str | None) -> Iterable[tuple[str | None, int | str]]:
        """Return the messages that have a call of this id, with the choice in each."""
        return () if id is None else self._choices.get(id, {}).items()

    def add(self, id: str, message_id: str | None, choice: int | str) -> None:
        """Record the message and choice of the call with this id."""
        self._choices.setdefault(id, {}).setdefault(message_id, choice)

    def discard(self, ids: Iterable[str], message_id: str | None) -> None:
        """Forget the calls with these ids in a message."""
        for id in ids:
            found = self._choices.get(id)
            if found is not None and found.pop(message_id, None) is not None and not found:
                del self._choices[id]


N = TypeVar("N", bound="int | str | None")


def alias_of(number: N) -> N | str:
    """Return the lookup key of an index or choice; large integers become text, whose hash is randomized."""
    return hex(number) if isinstance(number, int) and not -_LARGE < number < _LARGE else number


def is_end(fragment: Any) -> bool:
    """Report whether an update ends a document, successfully or with an error."""
    kind = fragment.get("kind") if isinstance(fragment, Mapping) else getattr(fragment, "kind", None)
    return kind in ("Error", "JsonComplete", "error", "jsonComplete")


def _ends_document(update: ToolCallUpdate) -> bool:
    """Report whether the last fragment of an update ends its document."""
    fragments = update.json_update_fragments
    return fragments is not None and len(fragments) > 0 and is_end(fragments[-1])
