"""The benchmarks measure what they say: every contestant, on texts that are quick to read."""

from __future__ import annotations

import json
import math
import random
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import chunker
import corpus
import growth
import in_node
import instructions
import latency
import many_streams
import memory
import road
import run
import selections
import stages
import workloads
from event_peers import EVENT_PEERS, one_shot
from ours import CORES, KEPT, LIVE, PURE, SNAPSHOT, UPDATES, use
from peers import PEERS, SJP, Peer, our_peer
from plot import Panel, draw
from report import END, START, PerFragment, Report, Targets, put, read, table
from sdks import OURS_ON_SDKS, SDKS
from timing import Timing, race
from wrong_values import RAISED, count, is_beginning, shown_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TEXT = '{"city": "Zür\\u0069ch 🏔", "days": [12, -2.5, true, null], "deep": {"er": [{}, ""]}, "end": "x"}'
VALUE = json.loads(TEXT)
FRAGMENTS = workloads.fragments(TEXT)


def present(peer: Peer) -> Peer:
    if peer.missing:
        pytest.skip(f"{peer.missing} is not installed here; `make bench` installs it")
    return peer


def named(peer: Peer) -> str:
    return peer.name


# the texts

WRITERS: list[tuple[Callable[[int], str], int]] = [
    (workloads.tool_call, 500), (workloads.arguments, 100), (workloads.question, 100),
    (workloads.document, 5_000), (workloads.file_write, 5_000),
]  # fmt: skip


@pytest.mark.parametrize(("write", "size"), WRITERS)
def test_texts_are_json_of_their_size(write: Callable[[int], str], size: int) -> None:
    text = write(size)
    json.loads(text)
    assert size * 0.8 < len(text) < size * 1.2 + 600


def test_texts_by_count() -> None:
    assert len(json.loads(workloads.records(10))) == 10
    assert len(json.loads(workloads.wide(10))) == 10
    assert json.loads(workloads.nested(4)) == {"inner": [{"inner": [1]}]}
    assert len(json.loads(workloads.library(400_000))) == 2
    assert "".join(workloads.volumes(400_000)) == workloads.library(400_000)
    assert all(json.loads(text) for text in workloads.small(quick=True).values())


def test_the_corpus_of_broken_texts() -> None:
    cases = corpus.read()
    assert len(cases) >= 200
    assert len({(case.kind, case.name) for case in cases}) == len(cases)
    assert all(case.text for case in cases)
    valid = [case for case in cases if case.kind == "valid"]
    assert [json.loads(case.text) for case in valid] == [case.value for case in valid]


def test_cuts() -> None:
    assert "".join(FRAGMENTS) == TEXT
    assert {len(fragment) for fragment in FRAGMENTS[:-1]} <= set(range(1, 9))
    assert "".join(workloads.pieces(TEXT, 7)) == TEXT


# the contestants


@pytest.mark.parametrize("core", CORES)
def test_midstream_in_all_uses(core: str) -> None:
    shown = {name: list(use(core, name)(FRAGMENTS)) for name in (SNAPSHOT, KEPT, LIVE, PURE, UPDATES)}
    assert {len(yielded) for yielded in shown.values()} == {len(FRAGMENTS)}
    assert shown[SNAPSHOT][-1] == shown[KEPT][-1] == shown[LIVE][-1].value == VALUE
    assert shown[PURE][-1].root.resolved_value == VALUE
    assert shown[UPDATES][-1][-1].kind.value == "JsonComplete"


@pytest.mark.parametrize("peer", [*PEERS, *SDKS], ids=named)
def test_peers_give_a_value_after_every_fragment(peer: Peer) -> None:
    values = list(present(peer).adapter([peer.prepare(fragment) for fragment in FRAGMENTS]))
    assert len(values) == len(FRAGMENTS)
    assert values[-1] == VALUE
    peer.run(FRAGMENTS)()


@pytest.mark.parametrize("peer", OURS_ON_SDKS, ids=named)
def test_midstream_on_the_objects_of_sdks(peer: Peer) -> None:
    *_, last = present(peer).adapter([peer.prepare(fragment) for fragment in FRAGMENTS])
    assert last == VALUE


@pytest.mark.parametrize("peer", EVENT_PEERS, ids=named)
def test_event_peers_report_all_atoms(peer: Peer) -> None:
    assert list(present(peer).adapter([peer.prepare(fragment) for fragment in FRAGMENTS]))
    events = [repr(event) for events in peer.adapter([peer.prepare(TEXT)]) for event in events]
    for atom in ("12", "-2.5", "True", "None", "'x'"):
        assert any(atom in event for event in events), atom


def test_the_plain_twin_of_a_peer_is_plain() -> None:
    plain, native = (
        next(peer for peer in PEERS if f", {which}, live" in peer.name) for which in ("plain", "native")
    )
    present(plain)
    present(native)
    cells = [cell.cell_contents for cell in plain.adapter.__closure__ or ()]
    assert [type(cell()).__module__ for cell in cells if isinstance(cell, type)] == [
        f"{SJP[0].replace('-', '_')}.high_performance_parser"
    ]


def test_one_shot_parsers_agree() -> None:
    assert {name for name, run in one_shot(TEXT).items() if run() != VALUE} == set()


def test_a_peer_reaches_as_far_as_it_says() -> None:
    peer = Peer("", (), "", lambda: iter, reach=100, string_reach=50)
    assert peer.reaches(100)
    assert not peer.reaches(100, is_string=True)
    assert not peer.reaches(100, part=0.5)
    assert Peer("", ("no such package",), "", lambda: iter).missing == "no such package"


# what is counted


@pytest.mark.parametrize(
    ("shown", "final", "expected"),
    [
        ("Zür", "Zürich", True), ("Zug", "Zürich", False), (1, 12, False), (12, 12, True), (12, 12.0, True),
        (True, 1, False), (None, None, True), (None, 0, False), ([1], [1, 2], True), ([1, 2], [1], False),
        ([2], [1, 2], False), ({}, {"a": 1}, True), ({"a": "x"}, {"a": "xy"}, True), ([], {}, False),
        ({"b": 1}, {"a": 1}, False), ({"a": [{"b": "c"}]}, {"a": [{"b": "cd"}, 1]}, True), ("", None, False),
    ],
)  # fmt: skip
def test_a_beginning_is_no_contradiction(shown: Any, final: Any, expected: bool) -> None:
    assert is_beginning(shown, final) is expected


def test_wrong_values_are_counted() -> None:
    def careless(fragments: Iterable[str]) -> Iterator[Any]:
        for fragment, value in zip(fragments, [[1], [], [12]], strict=True):
            if fragment == "bad":
                raise ValueError
            yield value

    cases = [(["[1", "2", "]"], [12])]
    found = count(Peer("careless", (), "", lambda: careless), cases)
    assert found == {"fragments": 3, "wrong": 1, "raised": 0, "late": 0, "wrong in the end": 0}
    none = count(our_peer(next(iter(CORES)), SNAPSHOT), cases)
    assert none == {"fragments": 3, "wrong": 0, "raised": 0, "late": 0, "wrong in the end": 0}


def test_one_that_raises_starts_again() -> None:
    def nervous(fragments: Iterable[str]) -> Iterator[str]:
        text = ""
        for fragment in fragments:
            text += fragment
            if text == "ab":
                raise ValueError
            yield text

    assert list(shown_by(Peer("", (), "", lambda: nervous), ["a", "b", "c", "d"])) == [
        "a",
        RAISED,
        "abc",
        "abcd",
    ]


# how it is measured


def test_a_race_times_everybody() -> None:
    found = race({"fast": lambda: None, "slow": lambda: sum(range(20_000))}, seconds=0.02)
    assert all(3 <= len(timing.rounds) <= 25 for timing in found.values())
    assert found["slow"].over(found["fast"]) > 5


def test_ratios_are_those_of_the_rounds() -> None:
    assert Timing((2.0, 8.0, 4.0)).over(Timing((1.0, 1.0, 1.0, 9.0))) == 4
    assert Timing((1.0, 1.0, 1.0, 1.0)).spread == 0


@pytest.mark.parametrize("power", [0, 1, 2])
def test_the_slope_of_a_line(power: int) -> None:
    assert growth.slope({size: 1e-6 * size**power for size in (10, 100, 1_000)}) == pytest.approx(power)
    assert math.isnan(growth.slope({1: 1.0}))


def test_growth_is_measured_along_every_axis() -> None:
    for axis in growth.axes(quick=True):
        assert axis.points == sorted(set(axis.points))
        assert json.loads("".join(axis.cut(axis.points[0])))
    axis = growth.Axis("size", "", [100, 400], lambda size: workloads.fragments(workloads.question(size)))
    peer = our_peer(next(iter(CORES)), SNAPSHOT)
    assert list(growth.line(axis, peer.run, quick=True)) == [100, 400]


def test_latencies_and_memory_are_measured() -> None:
    peer = our_peer(next(iter(CORES)), UPDATES)
    spent = latency.latencies(peer.adapter, FRAGMENTS)
    assert len(spent) == len(FRAGMENTS)
    assert latency.microseconds([[1_000, 3_000, 2_000]], 0.5) == 2
    if Path("/proc/self/status").exists():
        assert memory.resident("VmHWM") > 0
        assert math.isfinite(memory.idle(peer, 10))


@pytest.mark.parametrize("form", many_streams.FORMS)
def test_streams_arrive_through_the_wire(form: str) -> None:
    lines = many_streams.interleaved(TEXT, 3)
    assert len(lines) == 3 * (len(FRAGMENTS) + 2)
    sent = many_streams.serve([(which, json.loads(line)) for which, line in lines], form, 3)
    calls = many_streams.receive(sent, 3)
    assert [(call.args, call.is_complete) for (call,) in calls] == [(VALUE, True)] * 3


def test_every_stage_of_the_road_runs() -> None:
    for make in stages.stages().values():
        make()()
    sizes = stages.sizes()
    assert sizes["longest data, compact"] <= 40 < sizes["data, full"] < sizes["provider"]


def test_the_road_is_measured_in_turns() -> None:
    version = road.Version(None)
    try:
        road.run_rounds({road.NOW: version}, 1)
        assert {len(rounds) for rounds in version.rounds.values()} == {1}
        assert version.ratio(road.LOADS) == 1
        report = Report("")
        assert "| adapter |" in road.stage_table({road.NOW: version}, {})
        road.target_table({road.NOW: version}, report)
        assert len(report.targets.rows) >= 6
    finally:
        version.close()


@pytest.mark.parametrize("make", chunker.MADE)
def test_snapshots_are_chunked(make: Callable[[random.Random, int], Iterator[Any]]) -> None:
    snapshots = [json.dumps(value) for value in islice(make(random.Random(1), 8), 6)]
    assert json.loads(chunker.feed(snapshots, unset=False)) == json.loads(snapshots[-1])


def test_node_answers_or_says_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert in_node.ask({}, 0) == "node is not installed"


# how it is written


def test_tables() -> None:
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | ---: |\n| 1 | 2 |"
    cells = PerFragment("ours")
    cells.add("1 KB", {"ours": Timing((1e-6, 1e-6)), "theirs": Timing((3e-6, 3e-6))}, 10)
    assert cells.cells == {"ours": {"1 KB": "100"}, "theirs": {"1 KB": "300 (3.00 ×)"}}


def test_targets_are_judged_honestly() -> None:
    targets = Targets()
    targets.at_most("small", 2, 1)
    targets.at_least("large", 2, 1)
    targets.ahead("of all", {"x": 3, "y": 0.5}, 1)
    targets.ahead("of nobody", {}, 1)
    assert [row[-1] for row in targets.rows] == ["**no**", "yes", "**no**"]
    assert targets.rows[-1][0] == "of all, at the least (y)"


def test_a_workload_that_the_reference_does_not_have_is_reported() -> None:
    counts = {instructions.LOADS: 100, "more": 103, "less": 90, "new": 1}
    before = {
        "setting": instructions.setting(),
        "instructions": {instructions.LOADS: 100, "more": 100, "less": 100},
    }
    text, worse = instructions.judge(counts, before)
    assert worse == ["more", "new"]
    assert "| new | none | 1 |" in text


def test_a_report_crosses_processes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = Report("Title", ["text"], short={"a": {"b": "1"}})
    report.targets.at_least("what", 2, 1)
    monkeypatch.setattr(sys, "argv", ["", "--json"])
    import report as module

    module.main(lambda _: report)
    assert read(capsys.readouterr().out) == report


def test_text_goes_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"a\n{START}\nold\n{END}\nb\n", "utf-8")
    assert put(page, "new")
    assert page.read_text("utf-8") == f"a\n{START}\nnew\n{END}\nb\n"
    page.write_text("no marks", "utf-8")
    assert not put(page, "new")
    assert START in run.DOCUMENT.read_text("utf-8")
    assert all((BENCHMARKS / f"{question}.py").exists() for question in run.QUESTIONS)
    assert all(START in page.read_text("utf-8") for page in run.PAGES.values())


def test_the_sections_of_some_questions_are_written_anew() -> None:
    old, new = Targets(), Targets()
    old.at_most("a", 1, 2)
    old.at_most("b", 3, 2)
    old.at_most("b", 3, 4)
    new.at_most("b", 1, 2)
    new.at_most("c", 1, 2)
    document = f"head\n\n## 1. One\n\n1\n\n## 2. Two\n\n2\n\n{run.judged(old)}\n\nMeasured in 9 s.\n"
    assert run.renewed(
        document, {"## 2. Two": "## 2. Two\n\nnew", "## 3. Three": "## 3. Three\n\n3"}, new
    ) == (
        "head\n\n## 1. One\n\n1\n\n## 2. Two\n\nnew\n\n## 3. Three\n\n3\n\n## Targets\n\n"
        "| target | measured | wanted | met |\n| --- | ---: | ---: | ---: |\n| a | 1.00 × | ≤ 2 × | yes |\n"
        "| b | 1.00 × | ≤ 2 × | yes |\n| b | 3.00 × | ≤ 4 × | yes |\n| c | 1.00 × | ≤ 2 × | yes |\n\n"
        "4 of 4 met.\n\nMeasured in 9 s."
    )
    # written anew with nothing, the page stays what it is
    page = run.DOCUMENT.read_text("utf-8").partition(START)[2].partition(END)[0]
    assert run.renewed(page, {}, Targets()).split() == page.split()


def test_the_picture_is_an_svg_with_all_names() -> None:
    lines = {"one & two": {10: 1e-5, 100: 1e-4}, "three": {10: 1e-4, 100: 1e-2}, "nobody": {}}
    drawn = draw([Panel("size", "characters", lines)])
    texts = [
        element.text for element in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert {"one & two", "three", "characters", "Time over size"} <= set(texts)
    assert drawn == draw([Panel("size", "characters", lines)])


def test_selections_find_what_they_name() -> None:
    text = selections.document(500)
    parts = workloads.fragments(text)
    items = json.loads(text)["items"]
    right = {
        "select items[*]": items,
        "select items[*].title": [item["title"] for item in items],
        "select what comes last": ["…"],
    }
    for core in CORES.values():
        for name, (path, options) in selections.SELECTIONS.items():
            found = [m.value for m in selections.selected(core, path, options, parts) if m.is_final]
            assert found == right.get(name, items)
    assert list(selections.pydantic_partial(parts))[-1] == json.loads(text)
    assert selections.contestants(text, parts, quick=True)
