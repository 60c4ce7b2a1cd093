"""The option ``dialect`` of the one-liners, and of what they feed: the same values and repairs everywhere."""

from __future__ import annotations

import asyncio
import inspect
import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from builds import BUILDS
from lenient_cases import REPAIRED
from lenient_edges import CUT
from lenient_texts import grows
from model import cuttings, exactly

if TYPE_CHECKING:
    from collections.abc import Callable

each_build = pytest.mark.parametrize("midstream", BUILDS.values(), ids=list(BUILDS))
# after extraction a root must be in brackets, and text after it is not part of the document
IN_BRACKETS = [
    case for case in REPAIRED if case.text.lstrip()[:1] in ("{", "[") and isinstance(case.value, (dict, list))
]
# the functions and classes with the option, and whether they have the other options of an accumulator
WITH_DIALECT = {
    "": [
        "JsonFragmentAccumulator", "JsonValueAccumulator", "JsonSelectAccumulator", "JsonExtractor",
        "ToolsAggregateMessageHandler", "JsonFragmentUpdateMiddleware", "create_parser_state", "updates",
        "values", "parse_partial", "select", "first", "patches", "messages", "tool_calls", "argument_deltas",
    ],
    "aio": [
        "updates", "values", "select", "first", "patches", "messages", "tool_calls", "argument_deltas",
        "typed_values", "typed_calls",
    ],
    "typed": ["JsonTypedAccumulator", "typed_values", "typed_calls"],
}  # fmt: skip


async def arriving(fragments: Any) -> Any:
    for fragment in fragments:
        yield fragment


async def collected(stream: Any) -> list[Any]:
    return [item async for item in stream]


def aio(midstream: Any) -> Any:
    return import_module(f"{midstream.__name__}.aio")


@each_build
@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in WITH_DIALECT.items() for name in names]
)
def test_the_option_has_one_form_everywhere(midstream: Any, module: str, name: str) -> None:
    home = import_module(f"{midstream.__name__}.{module}") if module else midstream
    parameter = inspect.signature(getattr(home, name)).parameters["dialect"]
    assert parameter.default == "strict"
    assert parameter.annotation == "Dialect"


@each_build
def test_another_dialect_is_refused_everywhere(midstream: Any) -> None:
    loose: dict[str, Any] = {"dialect": "loose"}
    typed = import_module(f"{midstream.__name__}.typed")
    event: dict[str, Any] = {"choices": []}
    uses: list[Callable[[], Any]] = [
        lambda: midstream.JsonSelectAccumulator("a", **loose),
        lambda: midstream.JsonExtractor(**loose),
        lambda: midstream.ToolsAggregateMessageHandler(**loose),
        lambda: midstream.JsonFragmentUpdateMiddleware(**loose),
        lambda: midstream.create_parser_state(**loose),
        lambda: next(midstream.updates("1", **loose)),
        lambda: next(midstream.values("1", **loose)),
        lambda: midstream.parse_partial("1", **loose),
        lambda: midstream.select("1", "a", **loose),
        lambda: midstream.first("1", "a", **loose),
        lambda: midstream.patches("1", **loose),
        lambda: next(midstream.messages([event], **loose)),
        lambda: next(midstream.tool_calls([event], **loose)),
        lambda: next(midstream.argument_deltas([event], **loose)),
        lambda: typed.typed_values("1", int, **loose),
        lambda: next(typed.typed_calls([event], {}, **loose)),
    ]
    for use in uses:
        with pytest.raises(ValueError, match=r"^dialect must be one of 'strict', 'lenient', not 'loose'$"):
            use()


@each_build
def test_the_one_liners_agree_with_the_accumulators(midstream: Any) -> None:
    for case in REPAIRED:
        expected = exactly(case.value)
        for fragments in ([case.text], [*case.text]):
            *_, value = midstream.values(fragments, dialect="lenient")
            assert exactly(value) == expected, case.name
            updates = list(midstream.updates(fragments, dialect="lenient"))
            rebuilder = midstream.JsonFragmentRebuilder()
            rebuilder.apply(updates)
            assert exactly(rebuilder.value) == expected, case.name
            assert tuple(update.repair.code for update in updates if update.repair) == case.codes, case.name
            patched: Any = None
            for patch in midstream.patches(fragments, dialect="lenient", append=True):
                patched = midstream.apply_patch(patched, patch)
            assert exactly(patched) == expected, case.name
            (root,) = midstream.select(fragments, "$", dialect="lenient", to_end=True)
            assert exactly(root.value) == expected, case.name
            assert exactly(midstream.first(fragments, "$", dialect="lenient")) == expected, case.name


@each_build
def test_the_asynchronous_twins_agree_with_the_one_liners(midstream: Any) -> None:
    twins = aio(midstream)

    async def main() -> None:
        for case in REPAIRED[::4]:
            fragments = [*case.text]
            for name in ("values", "updates", "patches"):
                expected = list(getattr(midstream, name)(fragments, dialect="lenient"))
                found = await collected(getattr(twins, name)(arriving(fragments), dialect="lenient"))
                assert found == expected, (name, case.name)
            matches = await collected(twins.select(arriving(fragments), "*", dialect="lenient"))
            assert matches == list(midstream.select(fragments, "*", dialect="lenient")), case.name
            value = await twins.first(arriving(fragments), "$", dialect="lenient")
            assert exactly(value) == exactly(case.value), case.name

    asyncio.run(main())


@each_build
def test_parse_partial_shows_what_a_cut_text_determines(midstream: Any) -> None:
    for case in CUT:
        found = midstream.parse_partial(case.text, dialect="lenient")
        accumulator = midstream.JsonValueAccumulator(on_error="event", dialect="lenient")
        accumulator.add_fragment(case.text)
        assert found == accumulator.value, case.name
        # the end only completes what was waiting for it
        accumulator.finish()
        assert found is midstream.UNDEFINED or grows(found, accumulator.value), case.name


@each_build
def test_selections_are_those_of_the_value(midstream: Any) -> None:
    for case in REPAIRED:
        if not isinstance(case.value, (dict, list)):
            continue
        members = case.value.items() if isinstance(case.value, dict) else enumerate(case.value)
        expected = {segment: exactly(value) for segment, value in members}
        for fragments in cuttings(case.text):
            accumulator = midstream.JsonSelectAccumulator("*", dialect="lenient", to_end=True)
            matches = [match for fragment in fragments for match in accumulator.add_fragment(fragment)]
            matches += accumulator.finish()
            found = {match.segments[0]: exactly(match.value) for match in matches}
            assert found == expected, (case.name, fragments)
            assert tuple(repair.code for repair in accumulator.repairs) == case.codes, case.name


@each_build
def test_repairs_of_a_selection_have_the_paths_of_the_accumulator(midstream: Any) -> None:
    for case in REPAIRED:
        accumulator = midstream.JsonValueAccumulator(dialect="lenient")
        selection = midstream.JsonSelectAccumulator("*", dialect="lenient", to_end=True)
        for reader in (accumulator, selection):
            reader.add_fragment(case.text)
            reader.finish()
        assert selection.repairs == accumulator.repairs, case.name
        assert selection.repair_count == len(case.codes)


@each_build
@pytest.mark.parametrize("begin", ["", "Here it is: ", "```json\n", "<think>Well, {1}.</think>\n"])
def test_extraction_reads_documents_in_the_dialect(midstream: Any, begin: str) -> None:
    end = "\n```\nDone." if begin.startswith("```") else "\nDone."
    count = 0
    for case in IN_BRACKETS:
        text = begin + case.text + end
        extractor = midstream.JsonExtractor(dialect="lenient", on_error="event")
        events = [*extractor.add_fragment(text), *extractor.finish()]
        kinds = [type(event).__name__ for event in events]
        before = events[: kinds.index("DocumentStart")] if "DocumentStart" in kinds else events
        prose = "".join(
            getattr(event, "text", "") for event in before if isinstance(event, midstream.TextDelta)
        )
        if prose.strip() != begin.partition("<")[0].strip("`json \n") or len(before) == len(events):
            # the bracket does not announce a document in prose
            continue
        count += 1
        value = midstream.parse_partial(text, extract=True, dialect="lenient")
        *_, last = midstream.values([*text], extract=True, dialect="lenient")
        assert exactly(last) == exactly(value), case.name
        updates = list(midstream.updates([text], extract=True, dialect="lenient"))
        assert tuple(update.repair for update in updates if update.repair) == extractor.repairs
        assert extractor.repair_count == len(extractor.repairs)
        if case.codes[-1:] != ("extra_closer",):
            # what follows a document is prose
            assert exactly(value) == exactly(case.value), case.name
    assert count > len(IN_BRACKETS) // 2


@each_build
def test_the_extractor_keeps_its_repairs(midstream: Any) -> None:
    text = "One: {'a': 1,} and two: ```json\n{'b': [2,],}\n```"
    extractor = midstream.JsonExtractor(dialect="lenient", pick="all")
    expected: tuple[Any, ...] = ()
    for character in text:
        extractor.add_fragment(character)
        assert extractor.repairs[: len(expected)] == expected
        expected = extractor.repairs
        data = json.loads(json.dumps(extractor.checkpoint()))
        extractor = midstream.JsonExtractor.restore(data)
    extractor.finish()
    assert [(str(repair.code), repair.path) for repair in extractor.repairs] == [
        ("single_quotes", "root"), ("trailing_comma", "root"), ("single_quotes", "root"),
        ("trailing_comma", "root.b[1]"), ("trailing_comma", "root"),
    ]  # fmt: skip
    assert [text[repair.index] for repair in extractor.repairs] == ["'", "}", "'", "]", "}"]
    extractor.reset()
    assert extractor.repairs == ()


@each_build
def test_typed_values_have_the_repairs_of_the_accumulator(midstream: Any) -> None:
    typed = import_module(f"{midstream.__name__}.typed")
    for case in REPAIRED:
        accumulator = typed.JsonTypedAccumulator(Any, dialect="lenient")
        expected = midstream.JsonValueAccumulator(dialect="lenient")
        for character in case.text:
            accumulator.add_fragment(character)
            expected.add_fragment(character)
            assert accumulator.repairs == accumulator.snapshot.repairs == expected.repairs, case.name
        accumulator.finish()
        assert exactly(accumulator.result) == exactly(case.value), case.name
        assert tuple(repair.code for repair in accumulator.repairs) == case.codes, case.name
        *_, last = typed.typed_values([case.text], Any, dialect="lenient")
        assert exactly(last.raw) == exactly(case.value), case.name
        accumulator.reset()
        assert accumulator.repairs == ()
