"""The numbered invariants as properties: random documents, random damage, random cuts.

MIDSTREAM_FUZZ_EXAMPLES sets how many examples each property tries; the default suits every commit.
"""

from __future__ import annotations

import json
import os
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from builds import BUILDS
from costs import assert_linear
from model import (
    Item,
    NaiveLimits,
    NaiveParser,
    characters,
    exactly,
    fold,
    items_of,
    join_partials,
    naive,
    pieces,
    run,
    split_documents,
    steps,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXAMPLES = int(os.environ.get("MIDSTREAM_FUZZ_EXAMPLES", "30"))

settings.register_profile(
    "midstream",
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
examples = settings(settings.get_profile("midstream"))
# where a failure may be a loop without end, making it smaller would take as long again and again
examples_as_found = settings(examples, phases=[Phase.explicit, Phase.reuse, Phase.generate])
each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))

# --- documents as text: the value is what json.loads makes of it

white_space = st.text(alphabet=" \t\r\n", max_size=2)


def hexadecimal(code: int) -> st.SearchStrategy[str]:
    return st.sampled_from([f"\\u{code:04x}", f"\\u{code:04X}"])


code_units = st.one_of(
    st.integers(0, 0x7F), st.integers(0, 0xFFFF), st.integers(0xD800, 0xDBFF), st.integers(0xDC00, 0xDFFF)
)
surrogate_pairs = st.tuples(st.integers(0xD800, 0xDBFF), st.integers(0xDC00, 0xDFFF)).flatmap(
    lambda pair: st.tuples(hexadecimal(pair[0]), hexadecimal(pair[1])).map("".join)
)
raw_characters = st.characters(min_codepoint=0x20, exclude_characters='"\\', exclude_categories=["Cs"])
raw_surrogates = st.integers(0xD800, 0xDFFF).map(chr)
in_strings = st.one_of(
    st.sampled_from("aZ09 .[]{}:,'/\u00e9\u20ac\U0001f600\u2028\x7f"),
    raw_characters,
    st.sampled_from(["\\" + letter for letter in '"\\/bfnrt']),
    code_units.flatmap(hexadecimal),
    surrogate_pairs,
)


def quoted(contents: st.SearchStrategy[str], max_size: int) -> st.SearchStrategy[str]:
    return st.lists(contents, max_size=max_size).map(lambda parts: '"' + "".join(parts) + '"')


numbers = st.one_of(
    st.integers(-20, 20).map(str),
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
)


def texts(strings: st.SearchStrategy[str], keys: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Make JSON texts of all shapes, with white space wherever it may stand."""
    scalars = st.one_of(st.sampled_from(["true", "false", "null", "0", "-0"]), numbers, strings)

    def around(text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(white_space, text, white_space).map("".join)

    def containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        members = st.tuples(around(keys), around(inner)).map(":".join)
        arrays = st.lists(around(inner), max_size=5).map(lambda parts: "[" + ",".join(parts) + "]")
        objects = st.lists(members, max_size=5).map(lambda parts: "{" + ",".join(parts) + "}")
        return st.one_of(arrays, objects)

    return around(st.recursive(scalars, containers, max_leaves=10))


few_keys = st.sampled_from(['"a"', '"b"', '""', '"\\u0061"', '"a.b"'])
documents = texts(quoted(in_strings, 8), st.one_of(few_keys, quoted(in_strings, 4)))
# what only a str can hold
documents_with_raw_surrogates = texts(
    quoted(st.one_of(in_strings, raw_surrogates), 8), quoted(st.one_of(in_strings, raw_surrogates), 3)
)

# --- damage

SUSPECTS = '{}[]",:\\/ubtfnrelsa0129+-.eE \t\n\r\x00\x1f\ufeff\u00e9\U0001f600dD'


@st.composite
def damaged(draw: st.DrawFn, complete: st.SearchStrategy[str] = documents) -> str:
    """Delete, insert or replace a few characters, or cut the end off."""
    text = draw(complete)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        act = draw(st.sampled_from(["delete", "insert", "replace", "truncate"]))
        char = draw(st.sampled_from(SUSPECTS))
        if act == "delete":
            text = text[:at] + text[at + 1 :]
        elif act == "insert":
            text = text[:at] + char + text[at:]
        elif act == "replace":
            text = text[:at] + char + text[at + 1 :]
        else:
            text = text[:at]
    return text


@st.composite
def damaged_bytes(draw: st.DrawFn) -> bytes:
    """Change a byte of the encoding of a text."""
    data = draw(st.one_of(documents, damaged())).encode()
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.binary(max_size=2)) + data[at + draw(st.integers(0, 2)) :]


soup = st.text(alphabet=SUSPECTS, max_size=20)
anything: st.SearchStrategy[str | bytes] = st.one_of(
    documents,
    documents_with_raw_surrogates,
    damaged(),
    damaged(),
    soup,
    damaged_bytes(),
    st.binary(max_size=20),
)
cuts = st.lists(st.integers(0, 60), max_size=8)
options = st.fixed_dictionaries(
    {
        "after_root": st.sampled_from(["error", "error", "ignore", "next"]),
        "limits": st.one_of(
            st.just(NaiveLimits()),
            st.builds(
                NaiveLimits,
                max_depth=st.sampled_from([1000, None, 0, 1, 3]),
                max_string=st.sampled_from([None, 0, 1, 2, 5]),
                max_number=st.sampled_from([4300, None, 0, 1, 2, 4]),
                max_document=st.sampled_from([None, None, 0, 5, 20]),
            ),
        ),
    }
)


def for_build(midstream: Any, given_options: dict[str, Any]) -> dict[str, Any]:
    return given_options | {"limits": midstream.Limits(*given_options["limits"])}


# --- the oracle itself


def refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


@given(text=st.one_of(documents, documents_with_raw_surrogates, damaged(), soup))
@examples
def test_the_model_agrees_with_json_loads(text: str) -> None:
    items = naive([text])
    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=refuse)
    except ValueError:
        assert items[-1].kind == "Error"
    else:
        assert items[-1].kind == "JsonComplete"
        assert exactly(fold(items)) == exactly(value)


@given(data=st.one_of(damaged_bytes(), st.binary(max_size=12)))
@examples
def test_the_model_agrees_with_the_codec(data: bytes) -> None:
    # in a string that never ends nothing but the encoding can be wrong
    data = bytes(byte for byte in data if byte >= 0x20 and byte not in b'"\\')
    last = naive([b'"', data])[-1]
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        complete = len(data[: error.start].decode()) + 1
        truncated = error.reason == "unexpected end of data"
        assert (last.text_value, last.value[0]) == ("truncated" if truncated else "invalid_utf8", complete)
    else:
        assert (last.text_value, last.value[0]) == ("truncated", len(text) + 1)


# --- the invariants


@each_build
@given(text=anything, at=cuts, given_options=options, on_error=st.sampled_from(["raise", "event"]))
@examples
def test_invariant_1_any_cut_gives_the_same_updates(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any], on_error: str
) -> None:
    call_options = for_build(midstream, given_options) | {"on_error": on_error}
    expected = exactly(join_partials(naive([text], **given_options)))
    for fragments in ([text], pieces(text, at), characters(text)):
        assert exactly(join_partials(run(midstream, fragments, **call_options))) == expected
    if isinstance(text, str) and not any("\ud800" <= char <= "\udfff" for char in text):
        data = text.encode()
        for fragments in (pieces(data, at), characters(data)):
            assert exactly(join_partials(run(midstream, fragments, **call_options))) == expected


@each_build
@given(text=anything, at=cuts, given_options=options)
@examples_as_found
def test_invariant_1_any_cut_recovers_the_same_way(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any]
) -> None:
    call_options = for_build(midstream, given_options) | {"on_error": "recover"}
    with within(2):
        expected = exactly(join_partials(run(midstream, [text], **call_options)))
    for fragments in (pieces(text, at), characters(text)):
        assert exactly(join_partials(run(midstream, fragments, **call_options))) == expected


@each_build
@given(text=anything, at=cuts, given_options=options, on_error=st.sampled_from(["event", "recover"]))
@examples_as_found
def test_invariant_1_a_checkpoint_is_a_cut(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any], on_error: str
) -> None:
    call_options = for_build(midstream, given_options) | {"on_error": on_error}
    acc = midstream.JsonFragmentAccumulator(**call_options)
    updates = []
    with within(2):
        complete = join_partials(run(midstream, [text], **call_options))
    for fragment in pieces(text, at):
        updates += acc.add_fragment(fragment)
        acc = midstream.JsonFragmentAccumulator.restore(json.loads(json.dumps(acc.checkpoint())))
    updates += acc.finish()
    assert exactly(join_partials(items_of(updates))) == exactly(complete)


@each_build
@given(text=st.one_of(documents, documents_with_raw_surrogates), at=cuts)
@examples
def test_invariant_2_deltas_add_up(midstream: Any, text: str, at: list[int]) -> None:
    so_far: dict[Any, str] = {}
    for step in steps(midstream, pieces(text, at)):
        partial_in_this_string = False
        for kind, segments, text_value, value in step:
            if kind == "StartString":
                so_far[segments] = ""
                partial_in_this_string = False
            elif kind == "PartialString":
                assert text_value
                assert not partial_in_this_string
                so_far[segments] += text_value
                partial_in_this_string = True
            elif kind == "CompleteString":
                assert text_value == value == so_far[segments]


@each_build
@given(text=anything, at=cuts, given_options=options)
@examples
def test_invariant_3_at_once(
    midstream: Any, text: str | bytes, at: list[int], given_options: dict[str, Any]
) -> None:
    fragments = pieces(text, at)
    model = NaiveParser(**given_options)
    acc = midstream.JsonFragmentAccumulator(on_error="event", **for_build(midstream, given_options))
    reported: list[Item] = []
    for number, fragment in enumerate(fragments, start=1):
        items = items_of(acc.add_fragment(fragment))
        assert exactly(items) == exactly(model.add(fragment))
        assert acc.position == model.position
        assert acc.is_complete == model.is_complete
        # nor does it matter how the part before was cut
        reported += items
        prefix = text[: sum(map(len, fragments[:number]))]
        at_once = NaiveParser(**given_options).add(prefix)
        assert exactly(join_partials(reported)) == exactly(join_partials(at_once))
    assert exactly(items_of(acc.finish())) == exactly(model.finish())
    if given_options["after_root"] == "ignore":
        assert acc.trailing == model.trailing


@each_build
@given(text=documents, at=cuts)
@examples
def test_invariant_4_atoms_appear_once_and_completely(midstream: Any, text: str, at: list[int]) -> None:
    written: list[str] = []

    json.loads(text, parse_int=written.append, parse_float=written.append)
    numbers_met, literals_met = [], []
    for kind, _, text_value, value in run(midstream, pieces(text, at)):
        if kind == "CompleteNumber":
            numbers_met.append(text_value)
            assert exactly(value) == exactly(json.loads(str(text_value)))
        elif kind in ("CompleteBoolean", "CompleteNull"):
            literals_met.append(text_value)
            assert value is json.loads(str(text_value))
    assert numbers_met == written
    assert literals_met == list(leaves(json.loads(text, object_pairs_hook=Pairs)))


class Pairs(list[tuple[str, Any]]):
    """An object with all its members, equal keys too."""


def leaves(value: Any) -> Iterator[str]:
    """Yield the literals of a value in their order."""
    if isinstance(value, Pairs):
        for _, member in value:
            yield from leaves(member)
    elif isinstance(value, list):
        for element in value:
            yield from leaves(element)
    elif value is None or isinstance(value, bool):
        yield json.dumps(value)


@each_build
@given(texts_in_a_row=st.lists(documents, max_size=3), damage=damaged(), at=cuts)
@examples
def test_invariant_5_balance(midstream: Any, texts_in_a_row: list[str], damage: str, at: list[int]) -> None:
    complete = "\n".join(texts_in_a_row)
    items = run(midstream, pieces(complete, at), after_root="next")
    assert len(split_documents(items)) == len(texts_in_a_row)
    for document in split_documents(items):
        assert nesting(document) == []
        assert [item.kind for item in document].index("JsonComplete") == len(document) - 1
    # an error leaves things open, but never crossed
    broken = run(midstream, pieces(damage, at), on_error="event")
    kinds = [item.kind for item in broken]
    assert ("JsonComplete" in kinds) <= (kinds[-1] in ("JsonComplete", "Error"))
    assert kinds.count("JsonComplete") <= 1
    nesting(broken)


def nesting(items: list[Item]) -> list[tuple[str, Any]]:
    """Check that starts and ends nest, each with its own path; give what is left open."""
    still_open: list[tuple[str, Any]] = []
    for kind, segments, _, _ in items:
        if kind.startswith("Start"):
            if still_open:
                assert segments[:-1] == still_open[-1][1]
                assert still_open[-1][0] != "String"
            still_open.append((kind.removeprefix("Start"), segments))
        elif kind.startswith("End"):
            assert still_open.pop() == (kind.removeprefix("End"), segments)
        elif kind == "CompleteString":
            assert still_open.pop() == ("String", segments)
        elif kind in ("PartialString", "Key"):
            assert still_open[-1] == ("String" if kind == "PartialString" else "Object", segments)
        elif kind.startswith("Complete") and still_open:
            assert segments[:-1] == still_open[-1][1]
        elif kind == "JsonComplete":
            assert not still_open
            assert segments == ()
    return still_open


@each_build
@given(text=st.one_of(documents, documents_with_raw_surrogates), at=cuts)
@examples
def test_invariant_6_same_value_as_json_loads(midstream: Any, text: str, at: list[int]) -> None:
    assert exactly(fold(run(midstream, pieces(text, at)))) == exactly(json.loads(text))


@each_build
@given(text=st.one_of(damaged(), soup, damaged_bytes()), at=cuts, more=soup)
@examples
def test_invariant_7_nothing_lost(midstream: Any, text: str | bytes, at: list[int], more: str) -> None:
    expected = join_partials(naive([text]))
    if expected[-1].kind != "Error":
        return
    acc = midstream.JsonFragmentAccumulator(on_error="raise")
    delivered = []
    first: Any = None
    try:
        for fragment in pieces(text, at):
            delivered += acc.add_fragment(fragment)
        delivered += acc.finish()
    except midstream.JsonStreamError as error:
        first = error
    delivered += first.updates
    assert exactly(join_partials(items_of(delivered))) == exactly(expected[:-1])
    assert (str(first.code), (first.index, first.line, first.column)) == expected[-1][2:]
    assert acc.position == expected[-1].value
    for again in (lambda: acc.add_fragment(more), lambda: acc.add_fragment(b""), acc.finish):
        with pytest.raises(midstream.JsonStreamError) as caught:
            again()
        assert caught.value.error == first.error
        assert caught.value.path == first.path
        assert caught.value.updates == []
        assert not acc.is_complete

    quiet = midstream.JsonFragmentAccumulator(on_error="event")
    updates = [update for fragment in pieces(text, at) for update in quiet.add_fragment(fragment)]
    updates += quiet.finish()
    assert exactly(join_partials(items_of(updates))) == exactly(expected)
    assert updates[-1].text_value == str(first)
    assert updates[-1].error == first.error
    assert quiet.add_fragment(more) == quiet.finish() == []
    # and what it was given does not stay
    quiet.reset()
    kinds = [item.kind for item in items_of(quiet.add_fragment("[]"))]
    assert kinds == ["StartArray", "EndArray", "JsonComplete"]


# --- invariant 8: how time and memory grow


def deep(size: int) -> str:
    return "[" * (size // 2) + "]" * (size // 2)


def deep_in_objects(size: int) -> str:
    return '{"k":' * (size // 6) + "1" + "}" * (size // 6)


def wide(size: int) -> str:
    return "[" + "10," * (size // 3) + "1]"


def wide_object(size: int) -> str:
    return "{" + ",".join(f'"{number:06}":{number}' for number in range(size // 16)) + "}"


def long_string(size: int) -> str:
    return '"' + "s" * size + '"'


def long_key(size: int) -> str:
    return '{"' + "k" * size + '":1}'


def long_number(size: int) -> str:
    return "1" * size


def many_escapes(size: int) -> str:
    return '"' + r"\n\u00e9\ud83d\ude00" * (size // 20) + '"'


def many_highs(size: int) -> str:
    return '"' + r"\ud83d" * (size // 6) + '"'


def many_strings(size: int) -> str:
    return "[" + '"ab",' * (size // 5) + '""]'


def white(size: int) -> str:
    return " " * size + "1"


SHAPES = [
    deep, deep_in_objects, wide, wide_object, long_string, long_key, long_number, many_escapes, many_highs,
    many_strings, white,
]  # fmt: skip


@each_build
@pytest.mark.parametrize("size", [1, 7], ids=["per character", "seven at a time"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_invariant_8_linear_time(midstream: Any, shape: Callable[[int], str], size: int) -> None:
    def prepare(length: int) -> Callable[[], None]:
        text = shape(length * size)
        fragments = [text[at : at + size] for at in range(0, len(text), size)]
        limits = midstream.Limits(None, None, None, None)
        # a long number is kept as text, as int() alone is quadratic
        acc = midstream.JsonFragmentAccumulator(limits=limits, parse_int=str, parse_float=str)

        def run() -> None:
            """Keep nothing of what is reported."""
            for fragment in fragments:
                acc.add_fragment(fragment)
            acc.finish()

        return run

    assert_linear(prepare, 5000)


@each_build
def test_invariant_8_memory_of_updates_does_not_grow_with_the_text(midstream: Any) -> None:
    def peak(members: int) -> int:
        acc = midstream.JsonFragmentAccumulator()
        tracemalloc.start()
        try:
            acc.add_fragment("[")
            for number in range(members):
                acc.add_fragment(f'{{"key": "text {number}", "n": [{number}, null]}},')
            acc.add_fragment("0]")
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def least(members: int) -> int:
        # what other threads and the collector's callbacks allocate meanwhile counts too, but not every time
        return min(peak(members) for _ in range(3))

    peak(100)
    assert least(4000) < least(500) + 20_000


# --- invariant 12


def everything(update: Any) -> tuple[Any, ...]:
    """All that can be read from an update, as plain data."""
    error = update.error and (str(update.error.code), *update.error[1:])
    return (
        str(update.kind.value),
        update.path,
        update.segments,
        update.pointer,
        update.jsonpath,
        update.text_value,
        repr(update.value),
        error,
        repr(update),
    )


def transcript(midstream: Any, fragments: list[Any], **call_options: Any) -> list[Any]:
    """All that a build says while it takes some fragments."""
    acc = midstream.JsonFragmentAccumulator(**call_options)
    said: list[Any] = []

    def take(call: Callable[[], list[Any]]) -> None:
        try:
            said.append([everything(update) for update in call()])
        except midstream.JsonStreamError as error:
            before = [everything(update) for update in error.updates]
            said.append(
                (str(error), str(error.code), error.index, error.line, error.column, error.path, before)
            )
        said.append((tuple(acc.position), acc.is_complete, json.dumps(acc.checkpoint(), sort_keys=True)))

    for fragment in fragments:
        take(lambda fragment=fragment: acc.add_fragment(fragment))  # type: ignore[misc]
    take(acc.finish)
    take(lambda: acc.add_fragment("x"))
    take(acc.finish)
    return said


@pytest.mark.skipif(len(BUILDS) < 2, reason="only one build here")
@given(
    text=anything,
    at=cuts,
    given_options=options,
    on_error=st.sampled_from(["raise", "event", "recover"]),
    root=st.sampled_from(["root", "", "$"]),
)
@examples_as_found
def test_invariant_12_one_source(
    text: str | bytes, at: list[int], given_options: dict[str, Any], on_error: str, root: str
) -> None:
    transcripts = []
    for midstream in BUILDS.values():
        call_options = for_build(midstream, given_options) | {"on_error": on_error, "root": root}
        with within(2):
            transcripts.append(transcript(midstream, pieces(text, at), **call_options))
    for other in transcripts[1:]:
        assert other == transcripts[0]
