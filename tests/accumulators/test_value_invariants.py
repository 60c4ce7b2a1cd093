"""The numbered invariants as properties of values and of the pure parser, on random text at random cuts."""

from __future__ import annotations

import copy
import gc
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ast_model import node_as_data
from builds import BUILDS
from model import (
    Item,
    NaiveParser,
    characters,
    exactly,
    fold,
    items_of,
    join_partials,
    naive,
    pieces,
    split_documents,
    within,
)
from test_invariants import (
    anything,
    cuts,
    damaged,
    damaged_bytes,
    documents,
    documents_with_raw_surrogates,
    each_build,
    examples,
    examples_as_found,
    for_build,
    many_escapes,
    many_strings,
    options,
    soup,
    wide,
    wide_object,
)
from test_tree import check, parse, parse_all
from test_values import CHANGES, feed_all, has_repeated_keys, is_contained, seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

valid = st.one_of(documents, documents_with_raw_surrogates)
one_root = options.filter(lambda given_options: given_options["after_root"] != "next")
# small documents, equal ones too, some of them damaged
in_a_row = st.lists(
    st.sampled_from(["1", "true", "null", '""', '"a"', "[]", "[1]", "{}", " ", "\n", "x", '"', "[", "-"]),
    max_size=6,
).map(" ".join)


def forms(text: str | bytes, at: list[int]) -> Iterator[list[str | bytes]]:
    """Cut a text in some ways, as characters and as bytes."""
    yield from ([text], pieces(text, at), characters(text))
    if isinstance(text, str) and not any("\ud800" <= char <= "\udfff" for char in text):
        yield from (pieces(text.encode(), at), characters(text.encode()))


def end_of(midstream: Any, fragments: list[str | bytes], **call_options: Any) -> tuple[str, ...]:
    """Return everything that an accumulator reports at the end of a text, whatever the policy."""
    acc = midstream.JsonValueAccumulator(**call_options)
    done: list[Any] = []
    raised = None
    try:
        for fragment in fragments:
            acc.add_fragment(fragment)
            done += acc.documents
        acc.finish()
        done += acc.documents
    except midstream.JsonStreamError as error:
        raised = (error.error, error.path)
        done += acc.documents
    shown = (
        seen(midstream, acc.value),
        acc.error,
        raised,
        tuple(acc.position),
        acc.is_complete,
        acc.trailing,
    )
    return (*map(exactly, shown), exactly(done))


# --- 1: any cut


@each_build
@given(text=anything, at=cuts, given_options=options, on_error=st.sampled_from(["raise", "event", "recover"]))
@examples_as_found
def test_invariant_1_any_cut_gives_the_same_value(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any], on_error: str
) -> None:
    call_options = for_build(midstream, given_options) | {"on_error": on_error}
    with within(2):
        complete = end_of(midstream, [text], **call_options)
    for fragments in forms(text, at):
        assert end_of(midstream, fragments, **call_options) == complete


@each_build
@given(text=anything, at=cuts, given_options=one_root)
@examples
def test_invariant_1_any_cut_gives_the_same_state(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any]
) -> None:
    call_options = for_build(midstream, given_options)
    complete = parse_all(midstream, [text], **call_options)
    nodes = exactly([node_as_data(node) for node in complete.nodes])
    for fragments in forms(text, at):
        state = parse_all(midstream, fragments, **call_options)
        assert exactly([node_as_data(node) for node in state.nodes]) == nodes
        assert state.error == complete.error
        assert state == complete
        assert hash(state) == hash(complete)


@each_build
@given(text=anything, at=cuts, given_options=options, on_error=st.sampled_from(["event", "recover"]))
@examples_as_found
def test_invariant_1_a_checkpoint_is_a_cut(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any], on_error: str
) -> None:
    call_options = for_build(midstream, given_options) | {"on_error": on_error}
    acc = midstream.JsonValueAccumulator(**call_options)
    other = midstream.JsonValueAccumulator(**call_options)
    with within(5):
        for fragment in pieces(text, at):
            assert acc.add_fragment(fragment) == other.add_fragment(fragment)
            acc = midstream.JsonValueAccumulator.restore(json.loads(json.dumps(acc.checkpoint())))
            assert ascii(acc.value) == ascii(other.value)
    assert acc.finish() == other.finish()
    assert ascii(acc.value) == ascii(other.value)
    assert (acc.error, acc.position, acc.is_complete) == (other.error, other.position, other.is_complete)


@each_build
@given(text=anything, at=cuts, given_options=one_root)
@examples
def test_invariant_1_a_saved_state_is_a_cut(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any]
) -> None:
    call_options = for_build(midstream, given_options)
    state = midstream.create_parser_state(**call_options)
    for fragment in pieces(text, at):
        state = midstream.parse_chunk(state, fragment)
        saved = midstream.load_state(json.loads(json.dumps(midstream.dump_state(state))))
        assert saved == state
        state = saved
    assert midstream.finalize(state) == parse_all(midstream, [text], **call_options)


# --- 3: at once


@each_build
@given(text=anything, at=cuts, given_options=options)
@examples
def test_invariant_3_a_value_shows_at_once_what_a_fragment_determines(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any]
) -> None:
    model = NaiveParser(**given_options)
    acc = midstream.JsonValueAccumulator(on_error="event", **for_build(midstream, given_options))
    items: list[Item] = []

    def compare(changed: bool, step: list[Item]) -> None:
        items.extend(step)
        assert changed is any(item.kind in CHANGES for item in step)
        assert exactly(seen(midstream, acc.value)) == exactly(fold(items))
        ended = [part for part in split_documents(items) if part[-1].kind == "JsonComplete"]
        ended = ended[len(ended) - sum(item.kind == "JsonComplete" for item in step) :]
        assert exactly(acc.documents) == exactly([fold(part) for part in ended])
        assert acc.position == model.position
        assert acc.is_complete == model.is_complete
        assert (acc.error is not None) == model.dead

    for fragment in pieces(text, at):
        step = model.add(fragment)
        compare(acc.add_fragment(fragment), step)
    step = model.finish()
    compare(acc.finish(), step)
    assert acc.trailing == model.trailing


@each_build
@given(text=st.one_of(anything, in_a_row), at=cuts, given_options=options)
@examples
def test_invariant_3_values_yields_every_document_and_every_change_once(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any]
) -> None:
    for fragments in forms(text, at):
        check_values(midstream, fragments, given_options)


def check_values(midstream: Any, fragments: list[str | bytes], given_options: dict[str, Any]) -> None:
    """Compare what is yielded, and when: how many fragments had been read by then."""
    model = NaiveParser(**given_options)
    items: list[Item] = []
    expected: list[tuple[int, str]] = []
    for number in range(len(fragments) + 1):
        step = model.add(fragments[number]) if number < len(fragments) else model.finish()
        for part in split_documents(step):
            items += part
            if any(item.kind in CHANGES for item in part):
                expected.append((min(number + 1, len(fragments)), exactly(fold(items))))
    read = 0

    def source() -> Iterator[str | bytes]:
        nonlocal read
        for fragment in fragments:
            read += 1
            yield fragment

    for on_error in ("event", "raise"):
        read = 0
        got: list[tuple[int, str]] = []
        raised = False
        call_options = for_build(midstream, given_options) | {"on_error": on_error}
        try:
            for value in midstream.values(source(), **call_options):
                got.append((read, exactly(value)))  # noqa: PERF401 (it must keep what came before an error)
        except midstream.JsonStreamError:
            raised = True
        assert got == expected
        assert raised == (model.dead and on_error == "raise")


@each_build
@given(text=anything, at=cuts, given_options=one_root)
@examples
def test_invariant_3_a_state_shows_at_once_what_a_chunk_determines(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any]
) -> None:
    model = NaiveParser(**given_options)
    state = midstream.create_parser_state(**for_build(midstream, given_options))
    items: list[Item] = []
    for fragment in pieces(text, at):
        state = midstream.parse_chunk(state, fragment)
        items += model.add(fragment)
        check(midstream, state, model, items)
    items += model.finish()
    check(midstream, midstream.finalize(state), model, items)


# --- 4: atoms


@each_build
@given(text=valid, at=cuts)
@examples
def test_invariant_4_atoms_appear_completely_and_stay(midstream: Any, text: str, at: list[int]) -> None:
    complete = json.loads(text)
    # a repeated key takes the place of what was there, whatever that was
    grows_only = not has_repeated_keys(text)
    for value in midstream.values(pieces(text, at)):
        assert not grows_only or is_contained(value, complete)
    written: list[Any] = []
    json.loads(text, parse_int=written.append, parse_float=written.append)
    state = midstream.create_parser_state()
    met: dict[int, Any] = {}
    for fragment in [*pieces(text, at), None]:
        state = midstream.finalize(state) if fragment is None else midstream.parse_chunk(state, fragment)
        for node in state.nodes:
            if node.type in ("number", "boolean", "null"):
                if node.closed:
                    assert met.setdefault(node.id, node) is node
                else:
                    assert node.id not in met
                    assert node.resolved_value is midstream.UNDEFINED
    assert [node.buffer for _, node in sorted(met.items()) if node.type == "number"] == written


# --- 6: same value


@each_build
@given(text=valid, at=cuts)
@examples
def test_invariant_6_same_value(midstream: Any, text: str, at: list[int]) -> None:
    expected = exactly(json.loads(text))
    fragments = pieces(text, at)
    acc = midstream.JsonValueAccumulator()
    assert feed_all(midstream, acc, fragments) is None
    assert exactly(acc.value) == expected
    assert exactly(midstream.get_resolved_value(parse_all(midstream, fragments))) == expected
    assert exactly(list(midstream.values(fragments))[-1]) == expected
    assert exactly(fold(items_of(midstream.updates(fragments)))) == expected
    assert exactly(midstream.parse_partial(text + " ")) == expected
    # plain values, as json.dumps takes them
    assert json.dumps(acc.value) == json.dumps(json.loads(text))


# --- 7: nothing lost


@each_build
@given(text=st.one_of(damaged(), soup, damaged_bytes()), at=cuts, more=soup)
@examples
def test_invariant_7_nothing_lost(midstream: Any, text: str | bytes, at: list[int], more: str) -> None:
    items = join_partials(naive([text]))
    if items[-1].kind != "Error":
        return
    for on_error in ("raise", "event"):
        acc = midstream.JsonValueAccumulator(on_error=on_error)
        raised = feed_all(midstream, acc, pieces(text, at))
        value = acc.value
        assert exactly(seen(midstream, value)) == exactly(fold(items))
        assert (str(acc.error.code), tuple(acc.error[2:])) == items[-1][2:]
        for fragment in (more, b"]", "", '"}'):
            again = feed_all(midstream, acc, [fragment])
            assert (again and (again.error, again.path)) == (raised and (raised.error, raised.path))
            assert acc.value is value
            assert acc.position == items[-1].value
            assert not acc.is_complete
        assert exactly(seen(midstream, value)) == exactly(fold(items))
    state = parse_all(midstream, pieces(text, at))
    assert (str(state.error.code), tuple(state.error[2:])) == items[-1][2:]
    assert exactly(
        seen(midstream, state.root.resolved_value if state.root else midstream.UNDEFINED)
    ) == exactly(fold(items))
    for fragment in (more, b"]", "", '"}'):
        assert midstream.parse_chunk(state, fragment) is state
    assert midstream.finalize(state) is state
    assert midstream.get_resolved_value(state) is midstream.UNDEFINED


# --- 8: linear. Work is counted in calls, which no busy machine can disturb


def calls_of(work: Callable[[], object]) -> int:
    """Count the calls that some work makes, of Python functions and of built-in ones."""
    count = 0

    def on_event(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    # what other tests left is not to be collected, and counted, now
    gc.disable()
    sys.setprofile(on_event)
    try:
        work()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count


CLOSED = {
    "numbers in an array": ("[", "1,", "2,"),
    "objects in an array": ("[", '{"a":1,"b":[]},', '{"a":1,"b":[]},'),
    "members of an object": ("{", '"k":1,', '"k":2,'),
    "members deep inside": ('{"a":[{"b":{', '"k":[[]],', '"k":"x",'),
    "an open string": ("[", "[[1],[2]],", '"xyz'),
    "nothing new": ('{"a":[', "{},", "  "),
}


@each_build
@pytest.mark.parametrize("shape", CLOSED)
def test_invariant_8_the_work_of_a_chunk_does_not_grow_with_what_is_closed(
    midstream: Any, shape: str
) -> None:
    opener, member, more = CLOSED[shape]
    counts: list[int] = []
    for size in (200, 12_800):
        state = parse(midstream, [opener + member * size])
        # beginning with the number of items at which the tail of a persistent sequence is full
        works = []
        for _ in range(40):
            works.append(calls_of(lambda state=state: midstream.parse_chunk(state, more)))  # type: ignore[misc]
            state = midstream.parse_chunk(state, member if more == '"xyz' else more)
        counts.append(max(works))
    assert counts[1] <= counts[0] + 12, counts


@each_build
@pytest.mark.parametrize("shape", CLOSED)
def test_invariant_8_the_work_of_a_fragment_does_not_grow_with_the_value(midstream: Any, shape: str) -> None:
    opener, member, more = CLOSED[shape]
    counts: list[int] = []
    for size in (200, 12_800):
        acc = midstream.JsonValueAccumulator()
        acc.add_fragment(opener + member * size)
        assert acc.value
        acc.add_fragment(member)
        counts.append(calls_of(lambda acc=acc: acc.add_fragment(more)))  # type: ignore[misc]
    assert counts[1] == counts[0], counts


@each_build
@pytest.mark.parametrize(
    "shape", [wide, wide_object, many_escapes, many_strings], ids=lambda shape: shape.__name__
)
def test_invariant_8_the_work_for_a_text_is_linear(midstream: Any, shape: Callable[[int], str]) -> None:
    def work(size: int) -> tuple[int, int]:
        text = shape(size)
        acc = midstream.JsonValueAccumulator()
        fed = calls_of(lambda: feed_all(midstream, acc, characters(text)))
        return fed, calls_of(lambda: parse_all(midstream, characters(text)))

    for small, large in zip(work(1500), work(6000), strict=True):
        # four times the text: four times the calls
        assert large < small * 4.6, (small, large)


@each_build
def test_invariant_8_reading_a_state_makes_only_the_values_that_are_new(midstream: Any) -> None:
    counts: list[int] = []
    for size in (100, 3200):
        state = parse(midstream, ['{"done":[' + '{"a":[1]},' * size + '0],"open":{"x":['])
        state.root.resolved_value  # noqa: B018
        after = midstream.parse_chunk(state, '"more')
        counts.append(calls_of(lambda after=after: after.root.resolved_value))  # type: ignore[misc]
    assert counts[1] == counts[0], counts


# --- 9: identity


def containers_in(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Walk through a value: every container in it, and where."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while waiting:
        path, here = waiting.pop()
        if isinstance(here, (dict, list)):
            yield path, here
            members = here.items() if isinstance(here, dict) else enumerate(here)
            waiting.extend(((*path, name), member) for name, member in members)


def parts_in(value: Any) -> dict[tuple[str | int, ...], Any]:
    """Map the place of every part of a value to it."""
    parts: dict[tuple[str | int, ...], Any] = {(): value}
    for path, container in containers_in(value):
        members = container.items() if isinstance(container, dict) else enumerate(container)
        parts |= {(*path, name): member for name, member in members}
    return parts


@each_build
@given(text=st.one_of(valid, damaged()), at=cuts)
@examples
def test_invariant_9_snapshots_share_all_that_is_equal(midstream: Any, text: str, at: list[int]) -> None:
    acc = midstream.JsonValueAccumulator(on_error="event")
    try:
        repeats = has_repeated_keys(text)
    except ValueError:
        repeats = True
    before = acc.value
    for fragment in [*pieces(text, at), *characters(" ")]:
        changed = acc.add_fragment(fragment)
        after = acc.value
        assert (after is before) is not changed
        old, new = parts_in(before), parts_in(after)
        closed = [path for path in old if path in new and exactly(old[path]) == exactly(new[path])]
        for path in closed:
            # a repeated key may bring another value that is equal
            assert new[path] is old[path] or repeats
        before = after


@each_build
@given(text=st.one_of(valid, damaged()), at=cuts)
@examples
def test_invariant_9_a_chunk_renews_only_the_path_to_what_changed(
    midstream: Any, text: str, at: list[int]
) -> None:
    state = midstream.create_parser_state()
    for fragment in [*pieces(text, at), None]:
        before = {node.id: node for node in state.nodes}
        data = {id_: {**node_as_data(node), "value": None} for id_, node in before.items()}
        values = {id_: node.resolved_value for id_, node in before.items()}
        state = midstream.finalize(state) if fragment is None else midstream.parse_chunk(state, fragment)
        renewed: set[int | None] = set()
        # from the last to the first: a node that changed, or is new, renews those around it
        for node in reversed(list(state.nodes)):
            if node.id in renewed or data.get(node.id) != {**node_as_data(node), "value": None}:
                renewed |= {node.id, node.parent_id}
        for node in state.nodes:
            if node.id in before:
                assert (node is before[node.id]) == (node.id not in renewed)
                if node.id not in renewed:
                    assert node.resolved_value is values[node.id]


# --- 10: purity


@each_build
@given(text=anything, at=cuts, given_options=options, on_error=st.sampled_from(["event", "recover"]))
@examples_as_found
def test_invariant_10_a_snapshot_stays_as_it_was_read(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any], on_error: str
) -> None:
    acc = midstream.JsonValueAccumulator(on_error=on_error, **for_build(midstream, given_options))
    read: list[tuple[Any, Any]] = []

    def look() -> None:
        shown = [value for value in (*acc.documents, acc.value) if value is not midstream.UNDEFINED]
        read.extend((value, copy.deepcopy(value)) for value in shown)

    with within(5):
        for fragment in pieces(text, at):
            acc.add_fragment(fragment)
            look()
            acc.checkpoint()
        acc.finish()
        look()
        acc.reset()
        acc.add_fragment('[{"a": "b')
        look()
    for value, as_read in read:
        assert exactly(value) == exactly(as_read)


@each_build
@given(text=valid, at=cuts, data=st.data())
@examples
def test_invariant_10_what_a_reader_keeps_of_a_snapshot_stays_too(
    midstream: Any, text: str, at: list[int], data: st.DataObject
) -> None:
    """Keep any part of it, in any way, and let go of the rest, which is then free to be changed in place."""
    acc = midstream.JsonValueAccumulator()
    kept: list[tuple[Any, Any]] = []
    for fragment in pieces(text, at):
        acc.add_fragment(fragment)
        act = data.draw(st.sampled_from(["nothing", "look", "keep", "keep a part", "view"]))
        if act == "look":
            assert exactly(acc.value) is not None
        elif act == "keep":
            kept.append((acc.value, copy.deepcopy(acc.value)))
        elif act in ("keep a part", "view"):
            containers = [container for _, container in containers_in(acc.value)]
            if containers:
                part = containers[data.draw(st.integers(0, len(containers) - 1))]
                as_read = copy.deepcopy(part)
                if act == "view" and isinstance(part, dict):
                    kept.append((part.items(), list(as_read.items())))
                elif act == "view":
                    kept.append((iter(part), as_read))
                else:
                    kept.append((part, as_read))
                del part, containers
    acc.finish()
    assert exactly(acc.value) == exactly(json.loads(text))
    for value, as_read in kept:
        now = value if isinstance(value, (str, dict, list)) or not hasattr(value, "__iter__") else list(value)
        assert exactly(now) == exactly(as_read)


CHUNKS = [
    "[", "]", "{", "}", ",", ":", '"', '"a"', '"a":', '{"a":', '"b', "c", 'd"', "1", "2", "-", "0.5", "e3",
    " ", "\n", "true", "tr", "ue", "null", "\\u00", "e9", "\\n", "\\ud83d", "\\ude00", "[1,", '"x",',
    '{"k":[', "]}", b"\xc3", b"\xa9", b'"\xe2\x82\xac"', '[{"a":1},', '{"a":{"b":"', "x",
]  # fmt: skip


@each_build
@given(data=st.data(), given_options=one_root)
@examples
def test_invariant_10_any_state_can_go_on_more_than_once(
    midstream: Any, data: st.DataObject, given_options: dict[str, Any]
) -> None:
    """Grow a tree of branches, read here and there: each state is that of a fresh parse of its text."""
    call_options = for_build(midstream, given_options)
    branches: list[tuple[Any, list[Any]]] = [(midstream.create_parser_state(**call_options), [])]
    as_made: list[str] = []

    def shown(state: Any) -> str:
        return exactly([node_as_data(node) for node in state.nodes]) + exactly(midstream.dump_state(state))

    for _ in range(data.draw(st.integers(5, 25))):
        # mostly the youngest, as a stream that lives has a future
        number = data.draw(st.one_of(st.integers(0, len(branches) - 1), st.just(len(branches) - 1)))
        state, chunks = branches[number]
        chunk = data.draw(st.sampled_from(CHUNKS))
        if data.draw(st.booleans()) and state.root is not None:
            state.root.resolved_value  # noqa: B018
        branches.append((midstream.parse_chunk(state, chunk), [*chunks, chunk]))
    for state, chunks in branches:
        fresh = parse(midstream, chunks, **call_options)
        assert shown(state) == shown(fresh)
        assert state == fresh
        as_made.append(shown(state))
    for state, chunks in branches:
        ended = midstream.finalize(state)
        assert ended == parse_all(midstream, chunks, **call_options)
    assert [shown(state) for state, _ in branches] == as_made


@each_build
@given(text=anything, at=cuts, more=st.lists(st.sampled_from(CHUNKS), max_size=3))
@examples
def test_invariant_10_a_state_stays_as_it_was(
    midstream: Any, text: str | bytes, at: list[int], more: list[Any]
) -> None:
    states = [midstream.create_parser_state()]
    copies: list[tuple[Any, Any]] = []
    for fragment in pieces(text, at):
        states.append(midstream.parse_chunk(states[-1], fragment))
        data = [node_as_data(node) for node in states[-1].nodes]
        copies.append((data, copy.deepcopy(data)))
    dumps = [midstream.dump_state(state) for state in states]
    for state in states:
        for chunk in more:
            after = midstream.finalize(midstream.parse_chunk(state, chunk))
            list(map(node_as_data, after.nodes))
    assert [midstream.dump_state(state) for state in states] == dumps
    for state, (data, as_read) in zip(states[1:], copies, strict=True):
        # the values that were returned before, and those that are returned now
        assert exactly(data) == exactly(as_read)
        assert exactly([node_as_data(node) for node in state.nodes]) == exactly(as_read)


# --- 12: one source


def reports_of_values(midstream: Any, fragments: list[Any], **call_options: Any) -> list[Any]:
    """All that an accumulator says while it takes some fragments."""
    acc = midstream.JsonValueAccumulator(**call_options)
    said: list[Any] = []

    def take(call: Callable[[], bool]) -> None:
        try:
            said.append(call())
        except midstream.JsonStreamError as error:
            said.append(
                (repr(error), str(error), error.code, error.index, error.line, error.column, error.path)
            )
        said.append((exactly(acc.value), exactly(acc.documents), exactly(acc.error), acc.trailing))
        said.append((tuple(acc.position), acc.is_complete, json.dumps(acc.checkpoint())))

    for fragment in fragments:
        take(lambda fragment=fragment: acc.add_fragment(fragment))  # type: ignore[misc]
    take(acc.finish)
    take(lambda: acc.add_fragment("x"))
    take(acc.finish)
    return said


def reports_of_states(midstream: Any, fragments: list[Any], **call_options: Any) -> list[Any]:
    """All that states and their nodes say."""
    states = [midstream.create_parser_state(**call_options)]
    for fragment in fragments:
        states.append(midstream.parse_chunk(states[-1], fragment))
    states.append(midstream.finalize(states[-1]))
    states.append(midstream.parse_chunk(states[-1], "x"))
    return [
        (
            repr(state),
            repr(state.error),
            [repr(node) for node in state.nodes],
            exactly([node_as_data(node) for node in state.nodes]),
            json.dumps(midstream.dump_state(state)),
            repr(midstream.get_resolved_value(state)),
        )
        for state in states
    ]


@pytest.mark.skipif(len(BUILDS) < 2, reason="only one build here")
@given(text=anything, at=cuts, given_options=options, on_error=st.sampled_from(["raise", "event", "recover"]))
@examples_as_found
def test_invariant_12_one_source(
    text: str | bytes, at: list[int], given_options: dict[str, Any], on_error: str
) -> None:
    fragments = pieces(text, at)
    transcripts = []
    for midstream in BUILDS.values():
        call_options = for_build(midstream, given_options)
        with within(5):
            said = reports_of_values(midstream, fragments, on_error=on_error, **call_options)
            if given_options["after_root"] != "next":
                said += reports_of_states(midstream, fragments, **call_options)
        transcripts.append(said)
    for other in transcripts[1:]:
        assert other == transcripts[0]
