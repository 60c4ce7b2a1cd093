"""Count how often a value shown is wrong, which means that it contradicts the final one.

    python benchmarks/wrong_values.py [--quick]

A value is right if it can grow into the final one: strings, arrays and objects may be incomplete, numbers and
literals must be equal. It is late if it is right, but midstream has shown more by then.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from midstream import UNDEFINED
from ours import CORES, SNAPSHOT, use
from peers import PEERS, Peer, absent, installed, our_peer
from report import Report, Targets, main, table
from sdks import SDKS
from workloads import arguments, document, nested, tool_call

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RAISED = object()
TEXTS = [
    '{"count": 1234, "price": -0.25e+3, "list": [10, 200, 3000.5, 0, -7], "ok": true, "no": false, "": null}',
    '{"quote": "say \\"hi\\" \\\\ \\/ \\n\\t", "pair": "\\ud83d\\ude80 and \\u00e9", "raw": "🚀é日本"}',
    '[true, null, [1, [22, [333, {"deep": {"er": ["x", "yz"]}}]]], "", {}, [], "last"]',
    '{"a key with \\"quotes\\"": {"\\u00e9t\\u00e9": 1}, "empty": "", "null": "null", "[": "]}"}',
    '"a string alone, with \\u2028 and 🚀"',
    "[1e5, 1E-5, 0.1, 100, 12.5]",
]


def is_beginning(shown: Any, final: Any) -> bool:
    """Report whether a value can grow into the final one."""
    if isinstance(shown, str) and isinstance(final, str):
        return final.startswith(shown)
    if isinstance(shown, list) and isinstance(final, list):
        return len(shown) <= len(final) and all(map(is_beginning, shown, final))
    if isinstance(shown, dict) and isinstance(final, dict):
        return all(key in final and is_beginning(value, final[key]) for key, value in shown.items())
    is_bool = isinstance(shown, bool), isinstance(final, bool)
    return is_bool[0] == is_bool[1] and bool(shown == final)


def shown_by(peer: Peer, fragments: Sequence[str]) -> Iterator[Any]:
    """Return what a peer shows after every fragment; a peer that raises starts again with the text so far."""
    index = 0
    while index < len(fragments):
        begun = "".join(fragments[: index + 1])
        rest = [peer.prepare(fragment) for fragment in [begun, *fragments[index + 1 :]]]
        try:
            for value in peer.adapter(rest):
                index += 1
                yield value
        except Exception:
            index += 1
            yield RAISED


def cut(text: str, rng: random.Random) -> list[str]:
    """Cut a text into fragments of 1 to 8 characters, differently every time."""
    found, start = [], 0
    while start < len(text):
        end = start + rng.randint(1, 8)
        found.append(text[start:end])
        start = end
    return found


def streams(rounds: int) -> list[tuple[list[str], Any]]:
    """Return texts in fragments, and their final values."""
    rng = random.Random(10)
    texts = [*TEXTS, arguments(300), tool_call(500), document(2_000), nested(20)]
    return [(cut(text, rng), json.loads(text)) for text in texts for _ in range(rounds)]


def count(peer: Peer, cases: list[tuple[list[str], Any]]) -> dict[str, int]:
    """Count the values that a peer shows, by category."""
    found = dict.fromkeys(("fragments", "wrong", "raised", "late", "wrong in the end"), 0)
    ours = next(iter(CORES))
    for fragments, final in cases:
        value: Any = None
        for value, known in zip(shown_by(peer, fragments), use(ours, SNAPSHOT)(fragments), strict=True):
            found["fragments"] += 1
            if value is RAISED:
                found["raised"] += 1
            elif value is None and final is not None:
                found["late"] += known is not UNDEFINED  # most peers return None while there is no value
            elif value is not UNDEFINED and not is_beginning(value, final):
                found["wrong"] += 1
            elif known is not UNDEFINED and not is_beginning(known, value):
                found["late"] += 1
        found["wrong in the end"] += not (is_beginning(value, final) and is_beginning(final, value))
    return found


def measure(quick: bool) -> Report:
    """Count, and return the table."""
    cases = streams(1 if quick else 8)
    ours = [our_peer(core, SNAPSHOT) for core in CORES]
    counts = {peer.name: count(peer, cases) for peer in [*ours, *installed([*PEERS, *SDKS])]}
    targets = Targets()
    for peer in ours:
        targets.at_most(f"{peer.name}: wrong values shown", counts[peer.name]["wrong"], 0, "")
    total = next(iter(counts.values()))
    rows = [
        [
            name,
            f"{found['wrong']:,} ({found['wrong'] / found['fragments']:.1%})",
            *(f"{found[what]:,}" for what in ("raised", "late")),
            f"{found['wrong in the end']:,}",
        ]
        for name, found in counts.items()
    ]
    head = ["values", "wrong", "raised", "late", "wrong in the end"]
    note = (
        f"Of {total['fragments']:,} fragments of 1 to 8 characters, in {len(cases)} streams. *Wrong*: what "
        "was shown is no beginning of the final value (`1` before `12`). *Late*: right, but midstream "
        "shows more by then (of an open string, for example). *Wrong in the end* counts streams."
    )
    text = table(head, rows) + "\n\n" + note + absent([*PEERS, *SDKS])
    return Report("10. How often a value shown is wrong", [text], targets)


if __name__ == "__main__":
    main(measure)
