"""Compare the features of the libraries: every cell of the table is the result of a check of the library.

    python benchmarks/features.py [--write] [--only NAME]

Prints the tables; with --write they are written to docs/comparison.md. The peers for Node must be installed
in benchmarks/node, or in the folder that MIDSTREAM_NODE_PEERS names. If a library is missing, the program
names it and writes nothing.
"""

from __future__ import annotations

import gc
import importlib.abc
import importlib.machinery
import importlib.util
import json
import re
import subprocess
import sys
import time
import warnings
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from feature_peers import GROUPS, Midstream, NodePeer, Peer, Updates

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).parent.parent / "docs" / "comparison.md"
BEGIN, END = "<!-- begin features -->", "<!-- end features -->"
YES, NO, PARTLY, DASH = "yes", "no", "partly", "–"


class Feature(NamedTuple):
    """A row: the feature in a few words, and the check that determines each cell."""

    key: str
    name: str
    check: Callable[[Peer], str]


def outcome(work: Callable[[], Any]) -> Any:
    """Run a check with a peer; return None if the peer lacks the feature or fails."""
    try:
        return work()
    except Exception:
        return None


def shown(peer: Peer, *fragments: Any) -> list[Any]:
    return outcome(lambda: peer.values(list(fragments))) or [None] * len(fragments)


def yes_if(condition: bool) -> str:
    return YES if condition else NO


# --- while the text arrives


def values(peer: Peer) -> str:
    first = shown(peer, '{"a": 1, "b": [2, ', '3], "c": 4}')[0]
    if first is None or first.get("a") != 1:
        return NO
    return PARTLY if peer.notes.get("values") else yes_if(first.get("b") == [2])


def open_strings(peer: Peer) -> str:
    return yes_if(shown(peer, '{"a": "hel', 'lo"}')[0] == {"a": "hel"})


def whole_numbers(peer: Peer) -> str:
    if values(peer) == NO:
        # events: none may report the 1
        reported = outcome(lambda: peer.reported(['{"a": 1', "2}"]))
        return DASH if reported is None else yes_if(all(value != 1 for _, value in reported[0]))
    if (shown(peer, '{"a": 1', "2}")[0] or {}).get("a") is None:
        return YES
    careful = outcome(lambda: peer.careful('{"a": 1'))
    return PARTLY if careful == {} and shown(peer, '{"a": 12}') == [{"a": 12}] else NO


def deltas(peer: Peer) -> str:
    found = outcome(lambda: peer.deltas(['{"a": "x\\u00', "fcy", 'z"}']))
    if found == ["x", "üy", "z"]:
        return YES
    return PARTLY if found is not None and "".join(found) == "xüyz" else NO


def paths(peer: Peer) -> str:
    reported = outcome(lambda: peer.reported(['{"a": [{"b": 1}, ', '{"b": 2}]}']))
    if not reported:
        return NO
    places = [path for part in reported for path, _ in part]
    if ["a", 1, "b"] in places:
        return YES
    return PARTLY if ["a", "item", "b"] in places else NO


def stays(peer: Peer) -> str:
    fragments = ['{"done": [1], "open": ["a', "b", '", "c']
    if values(peer) == NO:
        return DASH
    then = outcome(lambda: peer.values(fragments))
    if outcome(lambda: peer.kept(fragments)) == then:
        return YES
    return PARTLY if outcome(lambda: peer.copied(fragments)) == then else NO


def shares(peer: Peer) -> str:
    if stays(peer) != YES:
        return DASH if values(peer) == NO else NO
    fragments = ['{"done": [1, {"x": 2}], "open": ["a', "b"]
    if isinstance(peer, NodePeer):
        return yes_if(peer.ask(fragments)["same"])
    first, second = peer.kept(fragments)
    return yes_if(first["done"] is second["done"])


# --- time


def records(size: int) -> str:
    return "[" + ",".join('{"id":12,"name":"Ada","tags":["a","b"]}' for _ in range(size // 40)) + "]"


def long_string(size: int) -> str:
    return '{"text":"' + "word " * (size // 5) + '"}'


def numbers(size: int) -> str:
    return "[" + "10," * (size // 3) + "1]"


def linear(peer: Peer) -> str:
    """Compare the time for four times the text: 4 if linear, 16 if quadratic; three shapes, three tries."""
    shapes = (records, long_string, numbers)
    found = [_is_linear(peer, shape) for shape in shapes]
    if all(found):
        return YES
    if peer.notes.get("linear") and isinstance(peer, Midstream):
        # without a value at every step
        return PARTLY if all(_is_linear(Updates(), shape) for shape in shapes) else NO
    return PARTLY if any(found) and peer.notes.get("linear") else NO


def _is_linear(peer: Peer, shape: Callable[[int], str]) -> bool:
    # the slow ones are measured on a shorter text
    size = 2_000 if _seconds(peer, shape(1_000)) > 0.02 else 16_000
    counts = [peer.work(_pieces(shape(length))) for length in (size, size * 4)]
    if counts[0] is not None and counts[1] is not None:
        return counts[1] / counts[0] < 8
    for _ in range(3):
        before, after = (_seconds(peer, shape(length)) for length in (size, size * 4))
        if after / before < 8 or after > 1:
            return after / before < 8
    return False


def _pieces(text: str) -> list[str]:
    return [text[at : at + 4] for at in range(0, len(text), 4)]


def _seconds(peer: Peer, text: str) -> float:
    fragments = _pieces(text)
    gc.collect()
    start = time.process_time()
    measured = peer.seconds(fragments)
    if measured is None:
        peer.run(fragments)
        measured = time.process_time() - start
    return measured


def complete_fast(peer: Peer) -> str:
    """Compare with json.loads on one text: clearly faster, or about as fast."""
    text = records(400_000)
    if isinstance(peer, NodePeer) or not peer.is_parser:
        return DASH
    ratios = []
    for _ in range(5):
        start = time.process_time()
        json.loads(text)
        middle = time.process_time()
        if outcome(lambda: peer.complete(text)) is None:
            return NO
        ratios.append((time.process_time() - middle) / (middle - start))
    ratio = median(ratios)
    return YES if ratio < 0.8 else PARTLY if ratio < 2 else NO


# --- errors


WRONG = ('{"a": nope}', "[1 2]", '{"a" 1}', '{"a": 01}')


def refused(peer: Peer, text: str) -> Exception | None:
    """Return the error of a text, raised while it streams or at its end."""
    for read in (lambda: peer.values([text]), lambda: peer.complete(text)):
        try:
            read()
        except NotImplementedError:
            pass
        except Exception as error:
            return error
    return None


def invalid(peer: Peer) -> str:
    count = sum(refused(peer, text) is not None for text in WRONG)
    if peer.notes.get("invalid"):
        return PARTLY if count else NO
    return yes_if(count == len(WRONG))


def position(peer: Peer) -> str:
    error = refused(peer, '{"a": 1,\n "b": nope}')
    if error is None:
        return DASH if invalid(peer) == NO else NO
    reported = f"{error} {vars(error)}"
    return yes_if(bool(re.search(r"line 2|\b1[4-6]\b", reported)))


def complete(peer: Peer) -> str:
    reported = [outcome(lambda text=text: peer.is_complete(text)) for text in ('{"a": [1]}', '{"a": [1]')]  # type: ignore[misc]
    if reported != [True, False]:
        return NO
    return PARTLY if peer.notes.get("complete") else YES


def cut_bytes(peer: Peer) -> str:
    data = '{"a": "Zürich"}'.encode()
    fragments = [data[:9], data[9:]]
    if values(peer) == NO:
        reported = outcome(lambda: peer.reported(fragments))
        return yes_if(reported is not None and ["a"] in [path for path, _ in reported[-1]])
    first, last = shown(peer, *fragments)
    return yes_if(last == {"a": "Zürich"} and first in (None, {}, {"a": ""}, {"a": "Z"}))


def cut_pair(peer: Peer) -> str:
    fragments = ['{"a": "x\\ud83d', '\\ude00"}']
    if values(peer) == NO:
        reported = outcome(lambda: peer.reported(fragments))
        if reported is None:
            return NO
        return yes_if(
            (["a"], "x😀") in reported[-1] and not any("\ud83d" in str(value) for _, value in reported[0])
        )
    first, last = shown(peer, *fragments)
    return yes_if(last == {"a": "x😀"} and first in (None, {}, {"a": ""}, {"a": "x"}))


def depth(peer: Peer) -> str:
    """Run in a separate process, because some peers crash or hang."""
    command = [sys.executable, __file__, "--depth", peer.name]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=20)
    except subprocess.TimeoutExpired:
        return PARTLY if peer.notes.get("depth") else NO
    return yes_if(done.returncode == 0 and done.stdout.strip() == "fine")


def try_depth(peer: Peer) -> str:
    fragments = ["[" * 50_000, "[" * 50_000]
    try:
        if isinstance(peer, NodePeer):
            peer.seconds(fragments)
        else:
            peer.run(fragments) if values(peer) != NO else peer.complete("".join(fragments))
    except RecursionError:
        return "recursion"
    except Exception as error:
        return "recursion" if "Maximum call stack" in str(error) else "fine"
    return "fine"


# --- other features


def documents(peer: Peer) -> str:
    found = outcome(lambda: peer.documents('{"a": 1}\n{"a": 2}\n'))
    return yes_if(found == [{"a": 1}, {"a": 2}])


def saved(peer: Peer) -> str:
    found = outcome(lambda: peer.resumed('{"a": "mid', 'stream"}'))
    return yes_if(found == {"a": "midstream"})


def exact(peer: Peer) -> str:
    found = outcome(lambda: peer.exact("[18446744073709551617, 1.10]"))
    if found == [18446744073709551617, Decimal("1.10")] and isinstance(found[1], Decimal):
        return YES
    complete = outcome(lambda: peer.complete("[18446744073709551617]"))
    return PARTLY if complete == [18446744073709551617] else NO


def repeated(peer: Peer) -> str:
    text = '{"a": 1, "a": 2}'
    if values(peer) == NO:
        reported = outcome(lambda: peer.reported([text]))
        return yes_if(bool(reported) and [value for _, value in reported[0]][-1] == 2)
    return yes_if(outcome(lambda: peer.complete(text)) == {"a": 2})


def back(peer: Peer) -> str:
    found = outcome(lambda: peer.chunks([{"name": "Mat"}, {"age": 32, "name": "Matthew"}]))
    return yes_if(found is not None and json.loads("".join(found)) == {"name": "Matthew", "age": 32})


def calls(peer: Peer) -> str:
    formats = outcome(peer.calls) or []
    return YES if len(formats) > 1 else PARTLY if formats else NO


ALMOST = ("{name: 'Ada', \"n\": 1,}", '```json\n{"name": "Ada", "n": 1}\n```', '{"name": "Ada", "n": 1,')


def repairs(peer: Peer) -> str:
    expected = {"name": "Ada", "n": 1}
    count = sum(outcome(lambda text=text: peer.repaired(text)) == expected for text in ALMOST[:2])  # type: ignore[misc]
    return YES if count == 2 else PARTLY if count and peer.notes.get("repairs") else NO


def validates(peer: Peer) -> str:
    pydantic = __import__("pydantic")
    model = pydantic.create_model("Person", name=(str, ...), n=(int, ...))
    found = outcome(lambda: peer.validated(['{"name": "Ada", "n": 1', "2}"], model))
    if not found:
        return NO
    last = found[-1]
    if last not in ({"name": "Ada", "n": 12}, model(name="Ada", n=12)):
        return NO
    return PARTLY if peer.notes.get("validates") else YES


def pure(peer: Peer) -> str:
    """Run in a separate process that can import no compiled modules except Python's own."""
    if isinstance(peer, NodePeer):
        return YES
    command = [sys.executable, __file__, "--pure", peer.name]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60)
    return yes_if(done.stdout.strip() == "fine")


class PureFinder(importlib.abc.MetaPathFinder):
    """Find Python sources instead of extension modules, as if nothing were compiled."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or not isinstance(spec.loader, importlib.machinery.ExtensionFileLoader):
            return None
        if "lib-dynload" in str(spec.origin):
            return None
        for folder in path or sys.path:
            source = Path(folder, fullname.rpartition(".")[2] + ".py")
            if source.is_file():
                return importlib.util.spec_from_file_location(fullname, source)
        raise ImportError(f"{fullname} is compiled")


def try_pure(name: str) -> str:
    sys.meta_path.insert(0, PureFinder())
    peer = peer_named(name)
    text = '{"a": [1, "b"]}'
    return "fine" if peer.run([text]) and peer.complete(text) else "nothing"


def alone(peer: Peer) -> str:
    return yes_if(not peer.dependencies)


def typed(peer: Peer) -> str:
    return yes_if(peer.is_typed)


def browser(peer: Peer) -> str:
    return yes_if(peer.runs_in_browser())


FEATURES = [
    Feature("values", "a value after every fragment", values),
    Feature("open", "shows strings before they close", open_strings),
    Feature("numbers", "never shows `1` while `12` is arriving", whole_numbers),
    Feature("deltas", "the new text of a string, decoded", deltas),
    Feature("paths", "the path of what is new", paths),
    Feature("linear", "time grows with the text, not with its square", linear),
    Feature("stays", "a value that was returned stays as it was", stays),
    Feature("shares", "… and shares what did not change", shares),
    Feature("invalid", "invalid text is an error", invalid),
    Feature("position", "… with its position", position),
    Feature("complete", "distinguishes a truncated text from a complete one", complete),
    Feature("bytes", "bytes, cut inside a character", cut_bytes),
    Feature("pair", "an escaped emoji, cut in two", cut_pair),
    Feature("depth", "100,000 brackets: an answer, or an error other than RecursionError", depth),
    Feature("exact", "large integers, and decimals on request, exactly", exact),
    Feature("repeated", "the last of several equal keys wins", repeated),
    Feature("documents", "documents in a row (NDJSON)", documents),
    Feature("saved", "its state can be saved and resumed", saved),
    Feature("calls", "tool calls from providers' streams", calls),
    Feature("back", "snapshots back into text", back),
    Feature("repairs", "repairs bare keys and single quotes, finds JSON in fences", repairs),
    Feature("validates", "validates against a schema or model", validates),
    Feature("complete", "a complete text faster than `json.loads`", complete_fast),
    Feature("pure", "needs no compiled code", pure),
    Feature("alone", "needs no other package", alone),
    Feature("typed", "type hints", typed),
    Feature("browser", "runs in a browser", browser),
]


def peer_named(name: str) -> Peer:
    kinds: list[type[Peer]] = [Midstream, *(kind for kinds in GROUPS.values() for kind in kinds)]
    return next(kind for kind in kinds if kind.name == name)()


# what "partly" means for peers without a note of their own
NOTES = {
    "exact": "Large integers, not decimals.",
    "complete": "About as fast.",
}


def notes_of(peers: list[Peer], rows: dict[str, list[str]]) -> list[str]:
    """Explain every "partly": one line for all peers with the same note."""
    lines = []
    for feature in FEATURES:
        said: dict[str, list[str]] = {}
        for peer, cell in zip(peers, rows[feature.key], strict=True):
            if cell == PARTLY:
                said.setdefault(peer.notes.get(feature.key) or NOTES[feature.key], []).append(peer.name)
        lines += [f"- *{feature.name}*, {', '.join(names)}: {note}" for note, names in said.items()]
    return lines


def tables(only: str | None, missing: list[str]) -> str:
    """Run every check on every peer; return the tables in Markdown."""
    ours = Midstream()
    our_rows = {feature.key: [feature.check(ours)] for feature in FEATURES}
    parts, versions = [], []
    for title, kinds in GROUPS.items():
        peers = [kind() for kind in kinds if only in (None, kind.name)]
        missing += [peer.name for peer in peers if peer.version is None]
        peers = [peer for peer in peers if peer.version is not None]
        if not peers:
            continue
        versions += [f"{peer.name} {peer.version}" for peer in peers]
        rows = {feature.key: [feature.check(peer) for peer in peers] for feature in FEATURES}
        parts += [
            f"## {title}",
            "",
            "| | " + " | ".join(["midstream", *(peer.name for peer in peers)]) + " |",
        ]
        parts.append("| --- |" + " --- |" * (len(peers) + 1))
        for feature in FEATURES:
            cells = [*our_rows[feature.key], *rows[feature.key]]
            parts.append(f"| {feature.name} | " + " | ".join(cells) + " |")
        parts += ["", "What *partly* means:", "", *notes_of([ours, *peers], _joined(our_rows, rows)), ""]
    return "\n".join([*parts, f"Checked with {', '.join(versions)}."])


def _joined(ours: dict[str, list[str]], rows: dict[str, list[str]]) -> dict[str, list[str]]:
    return {key: [*ours[key], *cells] for key, cells in rows.items()}


def main() -> int:
    """Print the tables, or write them."""
    warnings.simplefilter("ignore")
    match sys.argv[1:]:
        case ["--depth", name]:
            print(try_depth(peer_named(name)))
            return 0
        case ["--pure", name]:
            print(try_pure(name))
            return 0
        case [*rest]:
            only = rest[rest.index("--only") + 1] if "--only" in rest else None
    missing: list[str] = []
    text = tables(only, missing)
    print(text)
    if missing:
        print(f"\nNot installed, and so not asked: {', '.join(missing)}", file=sys.stderr)
    if "--write" not in rest:
        return 0
    if missing or only:
        print("Nothing is written, because the table would be incomplete.", file=sys.stderr)
        return 1
    before, _, after = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after.partition(END)[2]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
