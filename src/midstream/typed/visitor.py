"""Updates in, events out: follow the places of a type while a document arrives.

There are three kinds of values. A scalar, or a container that is not split, is validated when it is complete
(`add_complete`). A container that is split is a `Node`, validated with its validated children when it closes
(`_close`). A value that is not part of the type is only kept as JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._undefined import UNDEFINED
from ..accumulators.update import JsonFragmentKind
from ..core.surrogates import join_surrogates
from ..errors import TypedError
from ..paths import format_path, segments_of
from ..patterns import ANY as WILDCARD
from .events import TypedEvent
from .nodes import ABSENT, HELD, INVALID, NO_PART, OPEN, REFUSED, SHOWN, ErrorLog, GrowingText, Node
from .places import (
    ARRAY,
    FORBIDDEN,
    IGNORED,
    OBJECT,
    PENDING,
    TEXT,
    Body,
    Carrier,
    Finding,
    InvalidValueError,
    Kind,
    Place,
)
from .undecided import TAG_AGAIN, add_tag_again, add_to_undecided, decide, settle
from .views import view_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..accumulators.update import JsonFragmentUpdate
    from ..errors import Repair
    from ..paths import Segment, Segments
    from .nodes import Capture
    from .plans import Plan

__all__ = ["TypedVisitor"]

KEY = JsonFragmentKind.Key
PARTIAL_STRING = JsonFragmentKind.PartialString
COMPLETE_STRING = JsonFragmentKind.CompleteString
COMPLETE_NUMBER = JsonFragmentKind.CompleteNumber
COMPLETE_BOOLEAN = JsonFragmentKind.CompleteBoolean
COMPLETE_NULL = JsonFragmentKind.CompleteNull
START_STRING = JsonFragmentKind.StartString
START_OBJECT = JsonFragmentKind.StartObject
START_ARRAY = JsonFragmentKind.StartArray
END_OBJECT = JsonFragmentKind.EndObject
END_ARRAY = JsonFragmentKind.EndArray
JSON_COMPLETE = JsonFragmentKind.JsonComplete
REPAIR = JsonFragmentKind.Repair


class TypedVisitor:
    """Validate a document part by part, and report what is complete or invalid."""

    def __init__(
        self,
        plan: Plan,
        context: Any,
        hold: tuple[tuple[Any, ...], ...],
        stop: Callable[[], None] | None,
    ) -> None:
        self.plan = plan
        self.context = context
        # called after an error is reported; it raises if the first error ends the stream
        self.stop = stop
        self.document = Node(None, "", IGNORED, None, True)
        self.document.given = {}
        self.document.patterns = hold
        self.node = self.document
        # the place and key of the next value, or of the open string
        self.place = plan.root
        self.key: Segment = "root"
        self.text: GrowingText | None = None
        self.role = SHOWN
        self.events: list[TypedEvent] = []
        self.errors = ErrorLog()
        self.repairs: tuple[Repair, ...] = ()
        self.result: Any = UNDEFINED
        self.is_complete = False

    def capture(self) -> Capture:
        """Return the data that a snapshot stores."""
        node, text = self.node, self.text
        if text is None:
            return node, len(node.raws), None, None, 0, SHOWN
        return node, len(node.raws), self.key, text, text.length, self.role

    def add_updates(self, updates: Iterable[JsonFragmentUpdate]) -> None:
        """Process the updates of a fragment."""
        for update in updates:
            kind = update.kind
            if kind is PARTIAL_STRING:
                self.text.append(update.text_value)  # type: ignore[union-attr, arg-type]
            elif kind is KEY:
                self.begin_member(update.value)
            elif kind is COMPLETE_STRING:
                self.text = None
                self.scalar(update.value, None)
            elif kind is START_STRING:
                self.begin_string()
            elif kind is COMPLETE_NUMBER:
                self.scalar(update.value, update.text_value)
            elif kind is COMPLETE_BOOLEAN or kind is COMPLETE_NULL:
                self.scalar(update.value, None)
            elif kind is START_OBJECT:
                self.begin(True)
            elif kind is START_ARRAY:
                self.begin(False)
            elif kind is END_OBJECT or kind is END_ARRAY:
                self.end()
            elif kind is JSON_COMPLETE:
                self.end_document()
            elif kind is REPAIR and (repair := update.repair) is not None:
                self.repairs = (*self.repairs, repair)

    def begin_member(self, key: str) -> None:
        """Find the place of the member whose key has arrived."""
        if not key.isascii():
            key = join_surrogates(key)
        node = self.node
        self.key = key
        body = node.body
        if key in node.index:
            self.forget(node, key)
        if body is None:
            self.place = IGNORED
        elif body.kind is Kind.MODEL:
            place = body.fields.get(key)
            self.place = body.extra_place if place is None else place
        else:
            self.place = body.item
        union = node.place.body
        if body is not union and key in node.index and union is not None and union.is_tag(key):
            self.place = TAG_AGAIN
        if not key.isascii() and not _is_text(key):
            self.place = FORBIDDEN

    def begin_string(self) -> None:
        """Start collecting the text of a string."""
        place, node = self.place, self.node
        if not node.is_object:
            self.key = len(node.raws)
        if not place.accepts & TEXT:
            place = self.place = self._refused(place, self.key, "")
        self.text = GrowingText()
        if place is IGNORED or place is FORBIDDEN:
            self.role = NO_PART if place is IGNORED else REFUSED
        elif not place.shows_text or (node.patterns and self._held(node, self.key)[1]):
            self.role = HELD
        else:
            self.role = SHOWN

    def scalar(self, value: Any, text: str | None) -> None:
        """Add a string, a number, a boolean or null that is complete."""
        place, node = self.place, self.node
        key = self.key if node.is_object else len(node.raws)
        if type(value) is place.exact and (value.__class__ is not str or value.isascii() or _is_text(value)):
            # the most frequent case: the value is valid as it is
            node.put(key, value, value)
            if node.given is not None:
                node.add_input(key, value)
            self.events.append(TypedEvent("complete", (node.pair, key), value))
        else:
            if value.__class__ is str and not value.isascii():
                value = join_surrogates(value)
            self.add_complete(node, key, place, value, text)

    def begin(self, is_object: bool, raw: Any = None) -> None:
        """Open a container; ``raw`` is its JSON value if it is already known."""
        place, parent = self.place, self.node
        key = self.key if parent.is_object else len(parent.raws)
        if not place.accepts & (OBJECT if is_object else ARRAY):
            place = self._refused(place, key, {} if is_object else [])
        body = place.body
        if body is not None and (body.kind is Kind.ANY or (body.kind is not Kind.LIST) == is_object):
            node = Node(parent, key, place, body, is_object)
            if body.close is not None or body.is_late:
                node.given = {} if is_object else []
        else:
            body = None
            node = Node(parent, key, place, None, is_object)
        if place is IGNORED or place is FORBIDDEN:
            node.role = NO_PART if place is IGNORED else REFUSED
        elif parent.patterns:
            node.patterns, is_held = self._held(parent, key)
            if is_held:
                node.role = HELD
        self.node = node
        self.text = None
        if body is None:
            self.place = IGNORED
        elif body.kind is not Kind.TAGGED:
            self.place = body.item
        elif raw is not None and body.tag in raw:
            decide(self, node, raw[body.tag])

    def end(self) -> None:
        """Close the innermost container."""
        node = self.node
        if node.body is not None and node.body.has_rivals:
            settle(self, node, node.body)
        parent = node.parent
        assert parent is not None
        self.node = parent
        self.text = None
        raw = node.closed_raw()
        if node.body is None or node.body.kind is Kind.TAGGED:
            if node.bad:
                self._put_bad(parent, node, raw)
            else:
                self.add_complete(parent, node.key, node.place, raw, None)
        else:
            self._close(parent, node, node.body, raw)
        if not parent.is_object:
            self.place = IGNORED if parent.body is None else parent.body.item

    def end_document(self) -> None:
        """Set the result, because the root is closed."""
        self.is_complete = True
        document = self.document
        if document.bad:
            return
        raw, value = document.raws[-1], document.shown[-1]
        if self.plan.root.is_late:
            try:
                value = self.plan.finish(document.given["root"], self.context)
            except InvalidValueError as error:
                document.marks[document.put("root", raw, value)] = INVALID
                self.report_invalid(document, "root", error, raw)
                return
            self._report_late({"root": value}, document)
            document.put("root", raw, value)
        self.result = value

    def add_complete(self, node: Node, key: Segment, place: Place, value: Any, text: str | None) -> None:
        """Add a complete value that was not split."""
        if type(value) is str and not value.isascii() and place.takes_any and not _is_text(value):
            node.marks[node.put(key, value, UNDEFINED)] = INVALID
            self.report_invalid(node, key, self.plan.unreadable(value), value)
            return
        if place is IGNORED:
            position = node.put(key, value, UNDEFINED)
            if node.body is not None:
                node.marks[position] = ABSENT
            return
        if place is PENDING:
            add_to_undecided(self, node, key, value)
            return
        if place is TAG_AGAIN:
            add_tag_again(self, node, str(key), value)
            return
        if place.then is not None:
            shown = value if place.shows_text and not self._is_held(node, key) else UNDEFINED
            node.marks[node.put(key, value, shown)] = OPEN
            node.add_input(key, value)
            return
        if place is FORBIDDEN:
            if key not in node.bad:
                self._forbid(key)
            if not node.is_object:
                # the next item is not refused
                self.place = IGNORED if node.body is None else node.body.item
            node.marks[node.put(key, value, UNDEFINED)] = INVALID
            return
        result: Any
        if value is None and place.is_nullable:
            result = given = None
        elif place.check is None:
            result, given = UNDEFINED, value
        else:
            try:
                result = place.check(value, text, self.context)
            except InvalidValueError as error:
                node.marks[node.put(key, value, UNDEFINED)] = INVALID
                self.report_invalid(node, key, error, value)
                return
            given = Carrier(result, value) if place.carries else value
        if place.is_late:
            shown = value if place.shows_text and not self._is_held(node, key) else UNDEFINED
            self._put_late(node, key, value, shown)
        else:
            node.put(key, value, result)
            self.events.append(TypedEvent("complete", (node.pair, key), result))
        node.add_input(key, given)

    def _close(self, parent: Node, node: Node, body: Body, raw: Any) -> None:
        """Add a container that was split."""
        key, place = node.key, node.place
        if node.bad:
            self._put_bad(parent, node, raw)
            return
        given: Any
        value: Any
        if body.is_late:
            step = parent.step(key)
            parent.late[key] = [
                (pair, (step, *steps)) for records in node.late.values() for pair, steps in records
            ]
            value, given = None, node.inputs()
        else:
            if body.close is None:
                value = dict(zip(node.keys, node.shown, strict=True)) if node.is_object else node.shown.copy()
            else:
                try:
                    value = body.close(node.inputs(), self.context)
                except InvalidValueError as error:
                    parent.marks[parent.put(key, raw, view_of(node, len(node.raws)))] = INVALID
                    self.report_invalid(parent, key, error, raw)
                    return
                final = self._report_late(value if body.unfold is None else body.unfold(value), node)
                if final and place.is_late:
                    node = node.settled(final)
            given = Carrier(value, raw) if place.carries else raw
        if place.is_late:
            self._put_late(parent, key, raw, view_of(node, len(node.raws)))
        else:
            parent.put(key, raw, value)
            self.events.append(TypedEvent("complete", (parent.pair, key), value))
        parent.add_input(key, given)

    def _put_late(self, node: Node, key: Segment, raw: Any, shown: Any) -> None:
        """Add a child that becomes final only with the model around it."""
        node.marks[node.put(key, raw, shown)] = OPEN
        node.late.setdefault(key, []).append(((node.pair, key), (node.step(key),)))

    def _put_bad(self, parent: Node, node: Node, raw: Any) -> None:
        """Add a container with an invalid part; the container itself is not validated."""
        parent.marks[parent.put(node.key, raw, view_of(node, len(node.raws)))] = INVALID
        parent.bad[node.key] = list(node.bad.values())

    def _report_late(self, value: Any, node: Node) -> dict[Segment, Any]:
        """Report the values that became final with their model, and return those that are its children."""
        final: dict[Segment, Any] = {}
        for key, records in node.late.items():
            for pair, steps in records:
                found: Any = value
                try:
                    for step in steps:
                        is_item = isinstance(found, (dict, list, tuple))
                        found = found[step] if is_item else getattr(found, str(step))
                except (LookupError, TypeError, AttributeError):
                    # a validator of the user returned a value of another shape
                    continue
                self.events.append(TypedEvent("complete", pair, found))
                if len(steps) == 1:
                    final[key] = found
        return final

    def report_invalid(self, node: Node, key: Segment, error: InvalidValueError, raw: Any) -> None:
        """Report the errors of a child."""
        pair = (node.pair, key)
        segments = segments_of(pair)
        errors = [_typed_error(segments, finding) for finding in error.findings]
        self.errors.add(errors)
        node.bad[key] = errors
        self.events.append(TypedEvent("invalid", pair, raw, tuple(errors)))
        if self.stop is not None:
            self.stop()

    def _refused(self, place: Place, key: Segment, empty: Any) -> Place:
        """Report a value that is invalid because of what it begins with; return the place for its rest."""
        if place is FORBIDDEN:
            self._forbid(key)
            return place
        assert place.refusal is not None
        try:
            place.refusal(empty, None, self.context)
        except InvalidValueError as error:
            self.report_invalid(self.node, key, error, UNDEFINED)
            return FORBIDDEN
        return place

    def _forbid(self, key: Segment) -> None:
        """Report a key that the type forbids, or that has a lone surrogate."""
        name, body = str(key), self.node.body
        if _is_text(name) and body is not None:
            error = InvalidValueError([self.plan.forbidden(name, body.forbids)])
        else:
            error = self.plan.unreadable(name)
        self.report_invalid(self.node, key, error, UNDEFINED)

    def forget(self, node: Node, key: str) -> None:
        """Drop the errors of a key that is repeated."""
        if dropped := node.forget(key):
            self.errors.drop(dropped)

    def _held(self, node: Node, key: Segment) -> tuple[tuple[tuple[Any, ...], ...], bool]:
        """Return the patterns of values held back below a child, and whether the child is held back."""
        rest = [
            pattern[1:]
            for pattern in node.patterns
            if pattern[0] is WILDCARD or (type(pattern[0]) is type(key) and pattern[0] == key)
        ]
        return tuple(pattern for pattern in rest if pattern), not all(rest)

    def _is_held(self, node: Node, key: Segment) -> bool:
        return bool(node.patterns) and self._held(node, key)[1]


def _is_text(value: str) -> bool:
    """Report whether a string has no lone surrogates, which every library refuses."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _typed_error(segments: Segments, finding: Finding) -> TypedError:
    place = (*segments, *finding.segments)
    native = finding.native
    if isinstance(native, dict):
        # pydantic's place is below the value
        native = {**native, "loc": place}
    return TypedError(place, format_path("root", place), finding.code, finding.message, native)
