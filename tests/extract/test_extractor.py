"""`JsonExtractor`: a table of answers, in one piece, per character and in two, and its edges."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builds import BUILDS
from costs import assert_linear
from extraction import extracted, joined, shape
from midstream.extract.openings import MAX_FENCE
from model import characters, two_way_cuts
from tables import each_case

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))

# the text, what it consists of (see `shape`), and the values of its documents
TABLE: dict[str, tuple[str, list[str], list[Any]]] = {
    "nothing else": ('{"a": 1}', ["bare"], [{"a": 1}]),
    "white space": ('\n {"a": 1}\n', ["T\n ", "bare", "T\n"], [{"a": 1}]),
    "a byte order mark": ('\ufeff{"a": 1}', ["bare"], [{"a": 1}]),
    "prose": ('Sure! {"a": 1} Bye', ["TSure! ", "prose", "T Bye"], [{"a": 1}]),
    "a fence": ('Here:\n```json\n{"a": 1}\n```\nBye', ["THere:\n", "fence", "T\nBye"], [{"a": 1}]),
    "a fence of tildes": ("~~~\n[1]\n~~~", ["fence"], [[1]]),
    "a longer end of tildes": ("~~~\n[1]\n~~~~\nx", ["fence", "T\nx"], [[1]]),
    "a shorter run of tildes": ("~~~~\n[1]\n~~~\n~~~~\nx", ["fence", "T~~~\n\nx"], [[1]]),
    "a longer end of backticks": ("```\n[1]\n````\nx", ["fence", "T\nx"], [[1]]),
    "a shorter run of backticks": ("````\n[1]\n```\n````\nx", ["fence", "T```\n\nx"], [[1]]),
    "a run that is too long for a fence": (
        "`" * (MAX_FENCE + 3) + "json\n{}",
        ["T" + "`" * (MAX_FENCE + 3) + "json\n", "prose"],
        [{}],
    ),
    "a long fence": ('````json\n{"a": "```"}\n````', ["fence"], [{"a": "```"}]),
    "a fence without a word": ('```\n{"a": 1}\n```', ["fence"], [{"a": 1}]),
    "a fence on one line": ('```json {"a": 1}```', ["fence"], [{"a": 1}]),
    "a fence within a line": ("It is ```json\n[2]\n```", ["TIt is ", "fence"], [[2]]),
    "a word in capitals": ("```JSON\n[1]\n```", ["fence"], [[1]]),
    "more on the line of the fence": ('```json title="x"\n[1]', ['T```json title="x"\n', "fence"], [[1]]),
    "a fence that is never closed": ("```json\n[1]\n", ["fence"], [[1]]),
    "a fence in a string": (
        '{"a": "```\\n```json"}',
        ["bare"],
        [{"a": "```\n```json"}],
    ),
    "an empty fence": ("```json\n```\n[{}]", ["T```json\n```\n", "prose"], [[{}]]),
    "text in a fence": ("```json\nnone\n```\n[{}]", ["T```json\nnone\n```\n", "prose"], [[{}]]),
    "text after the document in a fence": ("```json\n[1]\nso\n```!", ["fence", "Tso\n!"], [[1]]),
    "documents in a fence": ('```jsonl\n{"a":1}\n{"b":2}\n```', ["fence", "fence"], [{"a": 1}, {"b": 2}]),
    "another language": (
        '```python\nx = {"a": 1}\n```\n[{}]',
        ['T```python\nx = {"a": 1}\n```\n', "prose"],
        [[{}]],
    ),
    "a fence in another language": (
        '```python\ny = "```"\n``` \n{"b": 2}',
        ['T```python\ny = "```"\n``` \n', "prose"],
        [{"b": 2}],
    ),
    "a run and a word in another language": (
        '```python\n```x\n{"a": 1}\n```\n[{}]',
        ['T```python\n```x\n{"a": 1}\n```\n', "prose"],
        [[{}]],
    ),
    "code within a line": (
        'Use ```x``` or `{y}`: {"a": 1}',
        ["TUse ```x``` or `{y}`: ", "prose"],
        [{"a": 1}],
    ),
    "two documents": ('{"a":1} and {"b":2}', ["bare", "T and ", "prose"], [{"a": 1}, {"b": 2}]),
    "documents in a row": ('{"a":1}{"b":2}\n[3]', ["bare", "bare", "T\n", "bare"], [{"a": 1}, {"b": 2}, [3]]),
    "reasoning": ('<think>{"no": 1}</think>\n{"a": 1}', ['R{"no": 1}', "T\n", "bare"], [{"a": 1}]),
    "all names of reasoning": (
        "<thinking>a</thinking>b<reasoning>c</think></reasoning>[{}]",
        ["Ra", "Tb", "Rc</think>", "prose"],
        [[{}]],
    ),
    "reasoning that is mentioned": ("`<think>` is a tag: {}", ["T`<think>` is a tag: ", "prose"], [{}]),
    "another tag": ("<thinker>[{}]", ["T<thinker>", "prose"], [[{}]]),
    "a tag in a string": ('{"a": "<think>"}', ["bare"], [{"a": "<think>"}]),
    "placeholders": ("{name} {0} {a b} {{x}} ${y}", ["T{name} {0} {a b} {{x}} ${y}", "!no_json"], []),
    "links and sources": ("See [1], [a](b) and [2].", ["TSee [1], [a](b) and [2].", "!no_json"], []),
    "a list of sources": (
        "So:\n[1] A\n[2] B\n- [ ] C\n[ ] D\n",
        ["TSo:\n[1] A\n[2] B\n- [ ] C\n[ ] D\n", "!no_json"],
        [],
    ),
    "a line of a log": ("Log:\n[2024-01-01] x", ["TLog:\n[2024-01-01] x", "!no_json"], []),
    "a link of a wiki": ("x\n[[Page]] y", ["Tx\n[[Page]] y", "!no_json"], []),
    "a marker of a model": ('[TOOL_CALLS] [{"a": 1}]', ["T[TOOL_CALLS] ", "prose"], [[{"a": 1}]]),
    "an array at a line start": ("So:\n [1, 2]\nx", ["TSo:\n ", "prose", "T\nx"], [[1, 2]]),
    "an array alone on its line": ("So:\n[1]\nx", ["TSo:\n", "prose", "T\nx"], [[1]]),
    "an array that ends the text": ("So:\n[1]", ["TSo:\n", "prose"], [[1]]),
    "an array first of all": ("[1] x", ["bare", "T x"], [[1]]),
    "an empty array": ("So:\n[]\n", ["TSo:\n", "prose", "T\n"], [[]]),
    "arrays of literals": (
        "So:\n[true, 1]\n[None of it]\n",
        ["TSo:\n", "prose", "T\n[None of it]\n"],
        [[True, 1]],
    ),
    "arrays in arrays": ("So:\n[[1], [\n2]]", ["TSo:\n", "prose"], [[[1], [2]]]),
    "an array of objects within a line": ('So: [ {"a": 1}]', ["TSo: ", "prose"], [[{"a": 1}]]),
    "escaped space and quotes": ('So: {\\n  \\"a', ["TSo: ", "prose", "!expected_key"], []),
    "an array in a fence, within a line": ("{{```json\n{[1]", ["T{{```json\n{", "fence"], [[1]]),
    "an array in a line of Markdown": ("- [1, 2] and [ 3]", ["T- [1, 2] and [ 3]", "!no_json"], []),
    "spaces after the bracket": ('{ \n\t "a": 1}', ["bare"], [{"a": 1}]),
    "a heading": ("# Title {#id}\n", ["T# Title {#id}\n", "!no_json"], []),
    "nothing": ("", ["!no_json"], []),
    "no document": ("Sorry, no.", ["TSorry, no.", "!no_json"], []),
    "an open bracket": ("Here: {", ["THere: {", "!no_json"], []),
    "a document that is cut off": ('Here: {"a": [1,', ["THere: ", "prose", "!truncated"], []),
    "reasoning that is cut off": ("<think>{", ["R{", "!no_json"], []),
    "a surplus bracket": ("{}}", ["bare", "T}"], [{}]),
    "an array after reasoning": ("<think>a</think>[1]", ["Ra", "bare"], [[1]]),
    "an array and a space after reasoning": ("<think>a</think> [1] x", ["Ra", "T ", "bare", "T x"], [[1]]),
    "an array after a no-break space": ("So:\n\u00a0 [1]", ["TSo:\n\u00a0 [1]", "!no_json"], []),
    "an array after a carriage return": ("So:\r[1]", ["TSo:\r", "prose"], [[1]]),
    "more tags than one": ("<think>a</think><think>b</think>{}", ["Rab", "bare"], [{}]),
}


def cuttings(text: str) -> Iterator[list[Any]]:
    yield [text]
    yield list(characters(text))
    yield from map(list, two_way_cuts(text))
    data = text.encode()
    yield [data]
    yield [data[at : at + 1] for at in range(len(data))]


@each_build
@each_case("case", TABLE)
def test_table(midstream: Any, case: tuple[str, list[str], list[Any]]) -> None:
    text, expected, _ = case
    items = extracted(midstream, [text], pick="all")
    assert shape(items) == expected
    for fragments in cuttings(text):
        assert extracted(midstream, fragments, pick="all") == items, fragments


@each_build
@each_case("case", TABLE)
def test_values_of_the_table(midstream: Any, case: tuple[str, list[str], list[Any]]) -> None:
    text, _, values = case
    for fragments in ([text], [*text]):
        found: list[Any] = []
        extractor = midstream.JsonExtractor(pick="all", on_error="event")
        events = [event for fragment in fragments for event in extractor.add_fragment(fragment)]
        for event in events + extractor.finish():
            if isinstance(event, midstream.DocumentStart):
                rebuilder = midstream.JsonFragmentRebuilder()
            elif isinstance(event, midstream.JsonFragmentUpdate) and event.kind != "Error":
                rebuilder.apply([event])
            elif isinstance(event, midstream.DocumentEnd):
                found.append(rebuilder.value)
        assert found == values


# what is reported for one part of a table may not depend on the dialect in which documents are read
OPENERS = {
    "a comment": ("{ // x\n", True),
    "another comment": ("[ /* x */", True),
    "a comment of a script": ("{ # x\n", True),
    "a name": ("{ name : 1", True),
    "a name with a dash": ("so {a-b: 1", True),
    "a name with a dollar sign": ("so {$a: 1", True),
    "a name of 64 characters": ("{" + "n" * 64 + ":", True),
    "a name of 65 characters": ("{" + "n" * 65 + ":", False),
    "a quote": ("{'a'", True),
    "a typographic quote": ("{“a”", True),
    "an escaped quote": ('{\\"a', True),
    "white space": ("{" + " " * 256 + '"', True),
    "too much white space": ("{" + " " * 257 + '"', False),
    "a word": ("{name}", False),
    "a sign": ("[-1,", True),
    "a dash": ("x\n[- item]", False),
    "a bracket and a word": ("[{user}]", False),
}


@each_build
@each_case("case", OPENERS)
def test_what_begins_a_document(midstream: Any, case: tuple[str, bool]) -> None:
    text, begins = case
    for fragments in ([text], [*text]):
        extractor = midstream.JsonExtractor(on_error="event")
        events = [event for fragment in fragments for event in extractor.add_fragment(fragment)]
        events += extractor.finish()
        assert any(isinstance(event, midstream.DocumentStart) for event in events) is begins


@each_build
def test_a_document_is_reported_at_once(midstream: Any) -> None:
    extractor = midstream.JsonExtractor()
    assert [type(event).__name__ for event in extractor.add_fragment('So: {"')] == [
        "TextDelta",
        "DocumentStart",
        "JsonFragmentUpdate",
    ]
    assert extractor.add_fragment("ab") == []
    assert [event.kind for event in extractor.add_fragment('c": tru')] == ["Key"]


@each_build
def test_what_follows_code_is_reported_at_once(midstream: Any) -> None:
    events = midstream.JsonExtractor().add_fragment('```python\nx\n```\n[{"a')
    assert joined(events)[:2] == [("text", "```python\nx\n```\n"), ("start", 0, "prose")]


@each_build
@each_case("case", TABLE)
def test_far_into_a_fragment(midstream: Any, case: tuple[str, list[str], list[Any]]) -> None:
    text = f"{'Some prose first. ' * 20}\n{case[0]}"
    expected = extracted(midstream, [*text], pick="all")
    for at in range(len(text) - len(case[0]), len(text)):
        assert extracted(midstream, [text[:at], text[at:]], pick="all") == expected


@each_build
def test_prose_is_reported_at_once_and_little_is_held_back(midstream: Any) -> None:
    texts = ["plain", "a {b", "a [", "```", "~~~js", "<thin", "x `", "y {  ", "{" + "n" * 30, "```json\n  "]
    for text in texts:
        extractor = midstream.JsonExtractor()
        extractor.add_fragment("so ")
        events = extractor.add_fragment(text)
        emitted = "".join(event.text for event in events)
        assert text.startswith(emitted)
        assert emitted or text[0] in "{`~<"
        # white space and names are bounded, and so are fences
        for filler in (" " * 3000, "`" * 3000, "n" * 3000):
            events += extractor.add_fragment(filler)
            assert len(so_far := "".join(e.text for e in events)) > 1000, (text, len(so_far))


@each_build
def test_pick_first_leaves_the_rest_as_text(midstream: Any) -> None:
    text = 'a ```json\n{"a": 1}\n```\n<think>b</think> {"c": 2} [{}] ```x'
    expected = ["Ta ", "fence", "T\n", "Rb", 'T {"c": 2} [{}] ```x']
    for fragments in cuttings(text):
        assert shape(extracted(midstream, fragments)) == expected
    extractor = midstream.JsonExtractor()
    extractor.add_fragment('{"a": 1')
    assert not extractor.is_done
    assert not extractor.is_complete
    extractor.add_fragment("}")
    assert extractor.is_done
    assert extractor.is_complete


THINKING = {
    "open": ("open", "hm {}</think>{}", ["Rhm {}", "bare"]),
    "open, with its tag": ("open", "\n<think>hm</think>{}", ["Rhm", "bare"]),
    "open, any closing tag": ("open", "hm</reasoning>{}", ["Rhm", "bare"]),
    "open, then another": ("open", "a</think>b<think>c</think>{}", ["Ra", "Tb", "Rc", "prose"]),
    "open to the end": ("open", "  ", ["R  ", "!no_json"]),
    "open, white space before its tag": ("open", "\n   <reasoning>hm</reasoning>{}", ["Rhm", "bare"]),
    "open, most white space": ("open", " " * 256 + "<think>hm</think>{}", ["Rhm", "bare"]),
    "open, too much white space": (
        "open",
        " " * 257 + "<think>{}",
        ["R" + " " * 257 + "<think>{}", "!no_json"],
    ),
    "closed without an opening tag": ("auto", "a</think>{}", ["Ta</think>", "prose"]),
    "tags are text": (None, "<think>{}</think>", ["T<think>", "prose", "T</think>"]),
}


@each_build
@each_case("case", THINKING)
def test_thinking(midstream: Any, case: tuple[Any, str, list[str]]) -> None:
    thinking, text, expected = case
    for fragments in cuttings(text):
        assert shape(extracted(midstream, fragments, thinking=thinking)) == expected


@each_build
def test_positions_are_those_of_the_complete_text(midstream: Any) -> None:
    text = 'So:\n\n```json\n{"a": 1}\n```\nand\n  {"b": [1,]}'
    for fragments in cuttings(text):
        assert extracted(midstream, fragments, pick="all")[-1] == ("raised", "trailing_comma", 41, 7, 12)
    extractor = midstream.JsonExtractor()
    extractor.add_fragment('a\nb {"c')
    assert extractor.position == (7, 2, 6)
    extractor.add_fragment('": 1} d')
    assert extractor.position == (14, 2, 13)


@each_build
def test_documents_are_numbered(midstream: Any) -> None:
    text = '{"a":1}\n[2] and [{}] {} ```json\n[3]\n```'
    for fragments in cuttings(text):
        items = extracted(midstream, fragments, pick="all")
        assert [item[1] for item in items if item[0] == "start"] == [*range(5)]
        assert [item[1] for item in items if item[0] == "end"] == [*range(5)]


@each_build
def test_the_error_of_a_text_without_documents_is_at_its_end(midstream: Any) -> None:
    for text, place in (("ab", (2, 1, 3)), ("ab\nc", (4, 2, 2)), ("\n\n", (2, 3, 1)), ("", (0, 1, 1))):
        for fragments in ([text], [*text]):
            assert extracted(midstream, fragments)[-1] == ("raised", "no_json", *place)


@each_build
def test_errors(midstream: Any) -> None:
    text = 'So: {"a": [1, nope]} more'
    for fragments in cuttings(text):
        with_event = extracted(midstream, fragments, on_error="event")
        assert with_event[-1][0] == "Error"
        assert extracted(midstream, fragments)[:-1] == with_event[:-1]
        recovered = extracted(midstream, fragments, on_error="recover")
        assert recovered[-1] == ("text", " more")
    extractor = midstream.JsonExtractor(on_error="event")
    assert [event.kind for event in extractor.finish()] == ["Error"]
    assert extractor.error.code == "no_json"
    with pytest.raises(midstream.JsonStreamError, match="more input after the end"):
        extractor.add_fragment("x")
    assert extractor.finish() == []
    extractor.reset()
    assert extractor.error is None
    extractor.add_fragment("{}")
    assert extractor.is_complete


@each_build
@pytest.mark.parametrize("data", [b"a \xff b {}", b'{"a": "\xff"} x', b"a \xe2\x82", b'{"a": "\xe2\x82'])
def test_bytes_that_are_not_utf8(midstream: Any, data: bytes) -> None:
    for fragments in ([data], [data[at : at + 1] for at in range(len(data))]):
        assert extracted(midstream, fragments)[-1][1] in ("invalid_utf8", "truncated")
        assert [item[0] for item in extracted(midstream, fragments, on_error="event")].count("Error") == 1
        recovered = extracted(midstream, fragments, on_error="recover")
        assert any(item[0] == "Error" for item in recovered)


@each_build
def test_options(midstream: Any) -> None:
    for options in ({"pick": "best"}, {"thinking": "closed"}, {"on_error": "x"}, {"dialect": "loose"}):
        with pytest.raises(ValueError, match=next(iter(options))):
            midstream.JsonExtractor(**options)
    with pytest.raises(TypeError, match="str or bytes"):
        midstream.JsonExtractor().add_fragment(1)
    extractor = midstream.JsonExtractor(root="args", parse_int=str, limits=midstream.Limits(max_depth=1))
    events = extractor.add_fragment('{"a": 1')
    assert events[1].path == "args"
    with pytest.raises(midstream.JsonStreamError, match="max_depth"):
        extractor.add_fragment(', "b": []')
    for name in ("values", "updates"):
        function = getattr(midstream, name)
        with pytest.raises(ValueError, match="extract=True"):
            list(function(["{}"], pick="last"))
        with pytest.raises(ValueError, match="after_root"):
            list(function(["{}"], extract=True, after_root="next"))


@each_build
@each_case("case", TABLE)
def test_checkpoints(midstream: Any, case: tuple[str, list[str], list[Any]]) -> None:
    text = case[0]
    expected = extracted(midstream, [text], pick="all", on_error="event")
    for first, second in two_way_cuts(text):
        extractor = midstream.JsonExtractor(pick="all", on_error="event")
        events = extractor.add_fragment(first)
        data = json.loads(json.dumps(extractor.checkpoint()))
        other = midstream.JsonExtractor.restore(data)
        assert other.position == extractor.position
        events += other.add_fragment(second)
        events += other.finish()
        assert joined(events) == expected
    with pytest.raises(midstream.JsonStreamError) as raised:
        midstream.JsonExtractor.restore({"midstream": 0})
    assert raised.value.code == "invalid_checkpoint"


# The one-liners


@each_build
def test_values_ends_with_the_first_document(midstream: Any) -> None:
    read: list[str] = []

    def model() -> Iterator[str]:
        try:
            for piece in ('Sure: {"city": "Par', 'is"} or', ' {"b": 1}'):
                read.append(piece)
                yield piece
        finally:
            read.append("closed")

    assert list(midstream.values(model(), extract=True)) == [{"city": "Par"}, {"city": "Paris"}]
    assert read[1:] == ['is"} or', "closed"]
    assert list(midstream.values(model(), extract=True, pick="all")) == [
        {"city": "Par"},
        {"city": "Paris"},
        {"b": 1},
    ]
    kinds = [update.kind.value for update in midstream.updates(model(), extract=True)]
    assert kinds[0] == "StartObject"
    assert kinds[-1] == "JsonComplete"
    assert len([*midstream.updates(model(), extract=True, pick="last")]) == len(kinds) + 5


@each_build
def test_values_that_precede_an_error(midstream: Any) -> None:
    for fragments in (['a {"b": [1', ", 2"], ['a {"b": [1, 2, x']):
        got: list[Any] = []
        with pytest.raises(midstream.JsonStreamError):
            got.extend(midstream.values(fragments, extract=True))
        assert got[-1]["b"][0] == 1
    with pytest.raises(midstream.JsonStreamError, match="without a JSON document"):
        list(midstream.values("prose", extract=True))
    assert [u.kind.value for u in midstream.updates("prose", extract=True, on_error="event")] == ["Error"]


@each_build
def test_the_same_over_an_asynchronous_stream(midstream: Any) -> None:
    async def model() -> AsyncIterator[str]:
        for piece in ('<think>{}</think>Sure: {"a": [', "1, 2]", "} or", " [{}]"):
            yield piece

    async def main() -> None:
        choices: list[dict[str, Any]] = [{}, {"pick": "all"}, {"thinking": None, "pick": "last"}]
        for options in ({"extract": True, **choice} for choice in choices):
            pieces = [piece async for piece in model()]
            values = [value async for value in midstream.aio.values(model(), **options)]
            assert values == [*midstream.values(pieces, **options)]
            updates = [update async for update in midstream.aio.updates(model(), **options)]
            assert updates == [*midstream.updates(pieces, **options)]

    asyncio.run(main())


@each_build
def test_parse_partial(midstream: Any) -> None:
    text = 'a {"b": 1} c {"d": "e'
    assert midstream.parse_partial(text, extract=True) == {"b": 1}
    assert midstream.parse_partial(text, extract=True, pick="last") == {"d": "e"}
    assert midstream.parse_partial(text, extract=True, pick="all") == [{"b": 1}, {"d": "e"}]
    assert midstream.parse_partial("prose", extract=True) is midstream.UNDEFINED
    assert midstream.parse_partial("prose", extract=True, pick="all") == []


# Properties

PIECES = st.sampled_from(
    [
        *"{}[]\"'`~<>:,#/\\\n x1-",
        *("```", "~~~", "```json\n", "```python\n", "\n```\n", "<think>", "</think>", "\n[", "{}"),
        *('{"a": 1}', "[1, 2]", '{"a"', "name", "[1]", "\ufeff", "ü", "\ud83c", "\udf27", "true"),
    ]
)
ANSWERS = st.lists(PIECES, max_size=25).map("".join)


@each_build
@given(ANSWERS, st.data())
def test_any_split_gives_the_same_events(midstream: Any, text: str, data: st.DataObject) -> None:
    options = {
        "pick": data.draw(st.sampled_from(["first", "all"])),
        "thinking": data.draw(st.sampled_from(["auto", "open", None])),
        "on_error": data.draw(st.sampled_from(["raise", "event", "recover"])),
    }
    at = data.draw(st.lists(st.integers(0, len(text)), max_size=5).map(sorted))
    pieces = [text[i:j] for i, j in zip([0, *at], [*at, len(text)], strict=True)]
    expected = extracted(BUILDS["plain"], [text], **options)
    if text.isascii():
        assert extracted(midstream, pieces, **options) == expected
        assert extracted(midstream, [piece.encode() for piece in pieces], **options) == expected
    else:
        # a pair that is cut counts as two characters within a document
        assert shape(extracted(midstream, pieces, **options)) == shape(expected)
    assert extracted(midstream, [text], **options) == expected


@each_build
@given(ANSWERS)
def test_the_text_of_an_answer_without_a_document_is_intact(midstream: Any, text: str) -> None:
    items = extracted(midstream, [text], thinking=None)
    if items[-1][:2] == ("raised", "no_json"):
        assert "".join(item[1] for item in items[:-1]) == text.removeprefix("\ufeff").encode(
            "utf-16-le", "surrogatepass"
        ).decode("utf-16-le", "surrogatepass")


# Growth

HOSTILE = [
    "{", "[", "`", "```", "~", "<", "[[", "{ ", "[1", "\n[1] ", "{a", "<think", "</", "```json\n",
    "```python\n", "[{", " {\n", "{}", '{"a":1}\n', "\n```", "\n[", "{a:1}", '"', "<think></think>",
    "```json\n```\n", "x [y", "[(", "{\\n", " [",
]  # fmt: skip


@each_build
@pytest.mark.parametrize("shape", HOSTILE)
def test_the_cost_is_linear(midstream: Any, shape: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        text = "x" + (shape * (size // len(shape) + 1))[:size]

        def run() -> None:
            extractor = midstream.JsonExtractor(pick="all", on_error="recover")
            extractor.add_fragment(text[: size // 2])
            for at in range(size // 2, size, 50):
                extractor.add_fragment(text[at : at + 50])
            extractor.finish()

        return run

    assert_linear(prepare, 1_000 if midstream is BUILDS["plain"] else 2_000)
