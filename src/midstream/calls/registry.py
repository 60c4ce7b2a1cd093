"""Decide which call a piece belongs to, for the handler and the middleware.

Every choice of every message has calls of its own, even if their ids are equal (recorded from OpenAI with
n=2). Within a choice the first row that applies decides:

============================================  ==============================================================
piece                                         belongs to (seen with)
============================================  ==============================================================
index stated, the id known at that index      the call with that id (Bedrock through LangChain: index 0 for
                                              every call, pieces by id)
index stated, a new id with a name, while     a new call at that index (Ollama's endpoint for OpenAI's SDK,
the call there has an id and a name           LiteLLM's bridge to Responses: index 0 for every call)
index stated, a new id without a name         the call there (LM Studio: a new id with every piece)
index stated, the id and name repeated        the call there (Mistral: both on every piece)
index stated, no id, the name repeated        the call there, or a new one if its arguments are complete
                                              (gateways to Ollama: index 0 for every call, without ids)
index stated, another name                    a new call at that index (the same)
index stated for the first time, without      the latest call if it has no index yet (no such stream is known:
id and name                                   a precaution), else a new call
index stated for the first time               a new call, even if its id is known elsewhere (OpenRouter:
                                              parallel calls with one id)
no index, a known id                          the call with that id (Vercel, AG-UI; proxies that state the
                                              index with the first piece alone)
no index, another id than the latest call's   a new call (Vercel, AG-UI, Gemini's endpoint for OpenAI's SDK)
no index, no id                               the latest call; a repeated name as above (Ollama before 0.4.7)
============================================  ==============================================================

There is one exception: a piece that has only an id, which is known only in another choice, belongs to that
choice, because a choice of 0 may mean that none was stated.

An ended call accepts no further piece: one without a name is late and changes nothing, one with an id and a
name begins a new call. Ends and results identify their call by id first, because the id is all that some
formats repeat; `CallTable.named` has that rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..core import cython_shim as cython
from ..core.surrogates import SurrogateJoiner
from .state import Lifecycle, State

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .messages import fields_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .messages import ToolCallEnd, ToolCallUpdate

__all__ = ["Call", "CallRegistry", "CallTable", "alias_of", "is_end", "kind_of"]

# no provider counts this far
_LARGE = 1 << 53
_SMALL = -_LARGE
# ended calls that a registry remembers, to recognize late pieces
_REMEMBERED = 64
_NOT_ENDED: Any = object()
_OPEN = State.OPEN

Key = int | str
Place = tuple[str | None, Key]
# by id and message: the choices that have calls of that id
Places = dict[str, dict[str | None, dict[Key, None]]]


@cython.auto_pickle(True)
@cython.cclass
class Call(Lifecycle):
    """The identity of a call; subclasses add their view of its arguments."""

    __slots__ = (
        "choice", "id", "ids", "index", "indices", "is_named_again", "joiner", "message_id", "name",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.message_id: str | None = None
        self.choice = 0
        self.id: str | None = None
        self.index: int | str | None = None
        self.name: str | None = None
        # the name was repeated when the arguments were complete: another call may follow
        self.is_named_again = False
        # all ids and indices that have identified it
        self.ids: list[str] = []
        self.indices: list[Key] = []
        self.joiner = SurrogateJoiner()

    def is_complete_text(self) -> bool:
        """Report whether the arguments could be complete; only a hint for the boundary of two calls."""
        raise NotImplementedError


@cython.auto_pickle(True)
@cython.cclass
class CallTable:
    """The calls of one choice, in order of appearance."""

    __slots__ = (
        "_at_index", "_by_id", "_calls", "_first", "_latest", "_new", "_place", "_places", "last_content",
    )  # fmt: skip

    def __init__(self, new: Callable[[], Any], place: Place, places: Places) -> None:
        self._new = new
        # the registry's index of ids, and where this choice is
        self._place = place
        self._places = places
        # an ordered set: there may be many calls, and any of them may be dropped
        self._calls: dict[Any, None] = {}
        # the latest call with an id, and the first of several that share it
        self._by_id: dict[Any, Any] = {}
        self._first: dict[str, Any] = {}
        self._at_index: dict[Any, Any] = {}
        self._latest: Any = None
        # the call that the latest content belonged to, None if it was text or the like
        self.last_content: Any = None

    def find(self, update: ToolCallUpdate) -> Any:
        """Return the call that a piece belongs to, a new one if it begins one."""
        id, stated, name, text, _, _, _, _, _, _ = fields_of(update)
        id, index, name, text = id or None, alias_of(stated), name or None, text or ""
        call: Any
        if name is None and text and index is not None:
            # a shortcut for most pieces: the arguments of an open call, by index
            call = self._at_index.get(index)
            if (
                call is not None
                and call.state is _OPEN
                and not call.is_named_again
                and (id is None or self._by_id.get(id) is call)
            ):
                self._latest = call
                return call
        is_blank = not text.strip()
        call = self._existing(id, index, name, is_blank)
        if call is not None and name is None and not text and _ends_document(update):
            # it must not decide where the next piece belongs
            return call
        if call is None:
            call = self._new()
            self._calls[call] = None
            if name is None and id is None and index is not None and index in self._at_index:
                # its name came with an empty piece that seemed to repeat the name of the previous call
                name = self._at_index[index].name
        if call.state is not _OPEN:
            return call
        call.is_named_again = call.is_named_again or (
            name is not None and is_blank and call.is_complete_text()
        )
        if id is not None:
            if self._by_id.get(id) is not call:
                # an id that changes in mid-stream is an alias of the same call
                self._by_id[id] = call
                self._first.setdefault(id, call)
                message_id, choice = self._place
                self._places.setdefault(id, {}).setdefault(message_id, {})[choice] = None
                if id not in call.ids:
                    call.ids.append(id)
            call.id = call.id or id
        if index is not None:
            if self._at_index.get(index) is not call:
                self._at_index[index] = call
                if index not in call.indices:
                    call.indices.append(index)
            call.index = stated if call.index is None else call.index
        call.name = name or call.name
        self._latest = call
        return call

    def _existing(self, id: str | None, index: Key | None, name: str | None, is_blank: bool) -> Any:
        """Return the existing call that a piece continues, None if it begins a new one."""
        call = None if id is None else self._by_id.get(id)
        if call is not None and index is not None and call.indices and index not in call.indices:
            # the same id at another index is another call
            call = None
        if call is not None and (call.state is _OPEN or name is None or (is_blank and name == call.name)):
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
        return None if call is None or self._begins_another(call, id, name, is_blank) else call

    def _begins_another(self, call: Any, id: str | None, name: str | None, is_blank: bool) -> bool:
        """Report whether a piece at the place of a call begins another one."""
        is_bare = id is None and name is None
        if call.state is not _OPEN:
            # a piece without a name after the end of its call is late and does not begin another
            return not is_bare
        is_same_id = id is not None and id in call.ids
        is_new_id = id is not None and call.id is not None and not is_same_id
        if name is None or call.name is None:
            if is_bare and call.is_named_again and not is_blank:
                return True
            return name is not None and is_new_id
        if name != call.name or is_new_id:
            return True
        # the same name again: repeated with every piece, or a second call of the same tool
        return not is_same_id and not is_blank and call.is_complete_text()

    def named(self, id: str | None, index: Key | None) -> Any:
        """Return the call that an end means: by id and index, by id, by index, or the latest."""
        index = alias_of(index)
        at_index = None if index is None else self._at_index.get(index)
        if id is None:
            return at_index if index is not None else self._latest
        if at_index is not None and id in at_index.ids:
            return at_index
        if id in self._by_id:
            return self._by_id[id]
        return at_index

    def first(self, id: str) -> Any:
        """Return the call that has an id, the first of several."""
        return self._first[id]

    def knows(self, id: str) -> bool:
        """Report whether a call has this id."""
        return id in self._by_id

    def __iter__(self) -> Iterator[Any]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def drop(self, call: Any) -> None:
        """Forget a call."""
        del self._calls[call]
        for id in call.ids:
            latest, first = self._by_id.get(id), self._first.get(id)
            if latest is call is first:
                del self._by_id[id], self._first[id]
            elif latest is call and first is not None:
                self._by_id[id] = first
            elif first is call and latest is not None:
                self._first[id] = latest
        for index in call.indices:
            if self._at_index.get(index) is call:
                del self._at_index[index]
        if self._latest is call:
            self._latest = None
        if self.last_content is call:
            self.last_content = None


@cython.auto_pickle(True)
@cython.cclass
class _Message:
    """The calls of a message, in order of appearance over all its choices."""

    __slots__ = ("calls", "choices")

    def __init__(self) -> None:
        self.calls: dict[Any, None] = {}
        self.choices: dict[Key, CallTable] = {}


@cython.auto_pickle(True)
@cython.cclass
class CallRegistry:
    """The calls of a stream, by message and choice.

    ``new`` makes a call, of a subclass of `Call`; the methods return calls of that class. (An extension type
    cannot be generic, so the calls have the type `Any` here.)
    """

    __slots__ = ("_ended", "_latest", "_messages", "_new", "_places", "latest_table")

    def __init__(self, new: Callable[[], Any]) -> None:
        self._new = new
        self._messages: dict[str | None, _Message] = {}
        # by id: the messages and choices with calls of that id, for results, which name nothing else
        self._places: Places = {}
        # the message that the latest piece belonged to
        self._latest: str | None = None
        # the choice that the latest piece belonged to
        self.latest_table: CallTable | None = None
        self._ended: dict[tuple[str | None, Key, str | None], Key | None] = {}

    @property
    def message_ids(self) -> list[str | None]:
        """The messages that have calls."""
        return list(self._messages)

    def find(self, update: ToolCallUpdate, message_id: str | None) -> Any:
        """Return the call of a piece, a new one if it begins one; None for a late piece of a dropped call."""
        id, index, name, _, _, _, stated, _, _, _ = fields_of(update)
        choice: Key = alias_of(stated) if stated else 0
        if id is not None:
            if choice == 0 and index is None and not name:
                choice = self._choice_of(id, message_id)
            if self._ended and not name and self._is_late(update, message_id, choice):
                return None
        message = self._messages.get(message_id)
        if message is None:
            message = self._messages[message_id] = _Message()
        table = message.choices.get(choice)
        if table is None:
            table = message.choices[choice] = CallTable(self._new, (message_id, choice), self._places)
        self._latest, self.latest_table = message_id, table
        call = table.find(update)
        if call not in message.calls:
            call.message_id, call.choice = message_id, stated
            message.calls[call] = None
        return call

    def _is_late(self, update: ToolCallUpdate, message_id: str | None, choice: Key) -> bool:
        """Report whether a piece without a name belongs to a call that was dropped."""
        at = self._ended.get((message_id, choice, update.tool_call_id), _NOT_ENDED)
        index = alias_of(update.index)
        return at is not _NOT_ENDED and (at is None or index is None or at == index)

    def _choice_of(self, id: str, message_id: str | None) -> Key:
        """Return the choice that has a call of this id: 0 if it has one, or if none has."""
        places = self._places.get(id)
        choices = None if places is None else places.get(message_id)
        return next(iter(choices)) if choices and 0 not in choices else 0

    def message_of(self, message_id: str | None) -> str | None:
        """Return the message that is meant: without an id the latest, if all messages have ids."""
        if message_id is None and None not in self._messages and self._latest in self._messages:
            return self._latest
        return message_id

    def table(self, call: Any) -> CallTable:
        """Return the calls of the same choice."""
        return self._messages[call.message_id].choices[alias_of(call.choice)]

    def tables(self, message_id: str | None, choice: int | None = None) -> list[CallTable]:
        """Return the choices of a message, or the one that is stated."""
        message = self._messages.get(message_id)
        if message is None:
            return []
        if choice is None:
            return list(message.choices.values())
        table = message.choices.get(alias_of(choice))
        return [] if table is None else [table]

    def all_calls(self) -> list[Any]:
        """Return the calls of all messages."""
        calls: list[Any] = []
        for message in self._messages.values():
            calls += message.calls
        return calls

    def calls(self, message_id: str | None) -> Iterable[Any]:
        """Return the calls of a message in order of appearance."""
        message = self._messages.get(message_id)
        return () if message is None else message.calls

    def of_end(self, end: ToolCallEnd) -> Any:
        """Return the call that an end means, in another choice if only that has its id."""
        message_id, id = self.message_of(end.message_id), end.tool_call_id
        choices = self.tables(message_id, end.choice)
        if id is not None and not any(table.knows(id) for table in choices):
            choices = [table for table in self.tables(message_id) if table.knows(id)] or choices
        return choices[0].named(id, end.index) if choices else None

    def of_result(self, id: str | None) -> Iterator[Any]:
        """Yield the calls that a result may mean: the first with its id in every message and choice."""
        places = None if id is None else self._places.get(id)
        if id is None or places is None:
            return
        for message_id, choices in places.items():
            for choice in choices:
                yield self._messages[message_id].choices[choice].first(id)

    def drop(self, call: Any) -> None:
        """Forget a call, and remember that it has ended."""
        place: Place = (call.message_id, alias_of(call.choice))
        message = self._messages[call.message_id]
        table = message.choices[place[1]]
        table.drop(call)
        del message.calls[call]
        for id in call.ids:
            if not table.knows(id):
                self._discard(id, place)
        if call.id is not None:
            key = (*place, call.id)
            self._ended.pop(key, None)
            self._ended[key] = alias_of(call.index)
            if len(self._ended) > _REMEMBERED:
                del self._ended[next(iter(self._ended))]
        if not table:
            del message.choices[place[1]]
            self.latest_table = None
        if not message.calls:
            del self._messages[call.message_id]

    def drop_message(self, message_id: str | None) -> None:
        """Forget a message and its calls."""
        message = self._messages.pop(message_id, None)
        self.latest_table = None
        for call in () if message is None else message.calls:
            for id in call.ids:
                self._discard(id, (message_id, alias_of(call.choice)))

    def _discard(self, id: str, place: Place) -> None:
        message_id, choice = place
        places = self._places.get(id, {})
        choices = places.get(message_id, {})
        choices.pop(choice, None)
        if not choices:
            places.pop(message_id, None)
        if not places:
            self._places.pop(id, None)


N = TypeVar("N", bound="int | str | None")


def alias_of(number: N) -> N | str:
    """Return the lookup key of an index or choice; large integers become text, whose hash is randomized."""
    return hex(number) if isinstance(number, int) and not _SMALL < number < _LARGE else number


def kind_of(fragment: Any) -> Any:
    """Return the kind of an update, which may be in its wire form."""
    return fragment.get("kind") if isinstance(fragment, Mapping) else getattr(fragment, "kind", None)


def is_end(fragment: Any) -> bool:
    """Report whether an update ends a document, successfully or with an error."""
    return kind_of(fragment) in ("Error", "JsonComplete", "error", "jsonComplete")


def _ends_document(update: ToolCallUpdate) -> bool:
    """Report whether the last fragment of an update ends its document."""
    fragments = update.json_update_fragments
    return fragments is not None and len(fragments) > 0 and is_end(fragments[len(fragments) - 1])
