"""Random cases for the browser's module: what Python makes of them is what is expected.

python tools/web_cases/web_case_fuzz.py 20000 [SEED]
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests/support"))

import midstream
import midstream.sse
from make_web_cases import expected_of
from midstream.calls.messages import to_event
from web_case_inputs import end, over, said, upd, wire

__all__ = ["differences", "random_cases"]

RUNNER = ROOT / "tests" / "render" / "web_cases.mjs"
_SCALARS = [1, -2.5, True, None, "", "ab😀c", "x\ud800", "é", 0, 1e30, 'a\\"\n']
_KEYS = ["a", "b", "a.b", "", "__proto__", "1", "k y"]
_DAMAGE = [",", "}", "]", '"', "\\", "x", "\n", "\x01", "😀", "1", ":"]
_KINDS = [
    "Key", "EndObject", "EndArray", "StartString", "PartialString", "CompleteNull", "JsonComplete", "Error",
    "StartArray",
]  # fmt: skip
_CONTAINERS = ("StartObject", "StartArray", "EndObject", "EndArray")

Case = dict[str, Any]


class _Maker:
    """Make cases of all kinds from one source of chance."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def is_so(self, chance: float) -> bool:
        return self.random.random() < chance

    def value(self, depth: int = 0) -> Any:
        kind = self.random.random()
        if depth > 3 or kind < 0.5:
            return self.random.choice(_SCALARS)
        count = self.random.randint(0, 3)
        if kind < 0.75:
            return {self.random.choice(_KEYS): self.value(depth + 1) for _ in range(count)}
        return [self.value(depth + 1) for _ in range(count)]

    def text(self) -> str:
        text = json.dumps(self.value(), ensure_ascii=self.is_so(0.5))
        if self.is_so(0.3):
            at = self.random.randint(0, len(text))
            text = text[:at] + self.random.choice(_DAMAGE) + text[at:]
        return text[: self.random.randint(0, len(text))] if self.is_so(0.2) else text

    def pieces(self, text: str) -> list[str]:
        pieces = []
        while text:
            size = self.random.randint(1, self.random.choice([2, 6, 20]))
            pieces.append(text[:size])
            text = text[size:]
        return pieces or [""]

    def text_case(self) -> Case:
        steps = [{"add": piece} for piece in self.pieces(self.text())]
        options: dict[str, Any] = {"onError": self.random.choice(["raise", "event"])}
        if self.is_so(0.3):
            names = ["max_depth", "max_string", "max_number", "max_document"]
            options["limits"] = {self.random.choice(names): self.random.randint(0, 8)}
        return {"kind": "text", "steps": [*steps, {"finish": True}], "options": options}

    def updates_case(self) -> Case:
        case = self.text_case()
        return {
            **case,
            "kind": "updates",
            "options": {**case["options"], "root": self.random.choice(["root", "", "a.b"])},
        }

    def rebuild_case(self) -> Case:
        root = self.random.choice(["root", "root", "", "args"])
        on_error = self.random.choice(["event", "recover"])
        batches = wire(self.pieces(self.text()), root=root, on_error=on_error)
        fragments = [fragment for batch in batches for fragment in batch]
        for _ in range(self.random.choice([0, 0, 1, 2])):
            if fragments:
                self._damage(fragments)
        if self.is_so(0.3):
            fragments = [each for each in fragments if each.get("kind") not in ("Key", "StartString")]
        if self.is_so(0.2):
            fragments = [each for each in fragments if each.get("kind") not in _CONTAINERS]
        steps = []
        while fragments:
            size = self.random.randint(1, 4)
            steps.append({"apply": fragments[:size]})
            fragments = fragments[size:]
        return {"kind": "rebuild", "steps": steps or [{"apply": []}]}

    def _damage(self, fragments: list[dict[str, Any]]) -> None:
        at = self.random.randrange(len(fragments))
        other = self.random.choice(fragments)
        match self.random.randrange(5):
            case 0:
                del fragments[at]
            case 1:
                fragments.insert(at, dict(other))
            case 2:
                fragments[at] = {**fragments[at], "kind": self.random.choice(_KINDS)}
            case 3:
                path = other.get("path", "root") + self.random.choice(["", ".a", "[0]", "[1]"])
                fragments[at] = {**fragments[at], "path": path}
            case _:
                name = self.random.choice(list(fragments[at]))
                fragments[at] = {key: value for key, value in fragments[at].items() if key != name}

    def handler_case(self) -> Case:
        middleware = midstream.JsonFragmentUpdateMiddleware()
        choose = self.random.choice
        texts = ['{"a": [1, {"b": "c"}]}', "12", "", " ", "free"]
        calls = [
            (self.pieces(choose([self.text(), *texts])), choose([None, "a", "b", "c"]),
             choose([None, 0, 1, at, "0"]), choose(["f", "g", None]), choose([None, None, "m", "n"]))
            for at in range(self.random.randint(1, 3))
        ]  # fmt: skip
        begun: set[int] = set()
        is_enriched = self.is_so(0.6)
        events: list[dict[str, Any]] = []
        while any(pieces for pieces, *_ in calls) and len(events) < 60:
            at = self.random.randrange(len(calls))
            pieces, id, index, name, message_id = calls[at]
            if self.is_so(0.07):
                ends = [end(id, index), end(), end(id, failed=True), over("length", is_truncated=True)]
                result = {"type": "tool_result", "tool_call_id": "a"}
                thought = {"type": "reasoning_delta", "text": "x"}
                other = choose([*ends, over("stop"), said("x"), thought, result, upd("", id, index, name)])
                events += self._reported(middleware, other) if is_enriched else [other]
            if not pieces:
                continue
            known = at in begun
            begun.add(at)
            event = upd(
                pieces.pop(0), id if not known or self.is_so(0.4) else None, index,
                name if not known or self.is_so(0.1) else None, message_id=message_id,
                choice=choose([None, None, None, 1]), is_free_text=self.is_so(0.02) or None,
            )  # fmt: skip
            if is_enriched:
                (event,) = self._reported(middleware, event)
                self._thin_out(event)
            events.append(event)
        last = choose([over("stop"), over("length", is_truncated=True), said("y"), over()])
        events += self._reported(middleware, last) if is_enriched else [last]
        steps = [{"event": event} for event in events] + [{"complete": id} for id in (None, "m", "n")]
        return {"kind": "handler", "steps": steps, "options": {"lazy": self.is_so(0.3)}}

    def _reported(self, middleware: Any, event: dict[str, Any]) -> list[dict[str, Any]]:
        """Return what a server makes of an event, and what it reports before it."""
        messages = middleware.add_message(event)
        return [each if isinstance(each, dict) else to_event(each) for each in messages]

    def _thin_out(self, event: dict[str, Any]) -> None:
        """Leave out what senders leave out, lose what networks lose, say what is not so."""
        if self.is_so(0.3):
            event.pop("args_offset", None)
        if self.is_so(0.03):
            event["function_args"] = self.random.choice(["1", "}", '"', " ", "\ud83d"])
        if self.is_so(0.05):
            event.pop("json_update_fragments", None)
        elif self.is_so(0.05):
            event.pop("function_args", None)
        elif self.is_so(0.03) and event.get("json_update_fragments"):
            event["json_update_fragments"].pop()

    def stream_case(self) -> Case:
        """Make events of the form compact, some of which are lost, repeated or damaged on their way."""
        writer = midstream.EventWriter("compact", stream_id="s" if self.is_so(0.5) else None)
        sent = [writer.start("openai-chat", None, "m")]
        sent += [writer.add_message(self._message()) for _ in range(self.random.randint(1, 25))]
        sent.append(writer.end())
        decoder = midstream.sse.SseDecoder()
        events = [event for event in decoder.add_bytes(b"".join(sent)) if event.data]
        steps = [{"event": [event.event, event.data, event.id]} for event in events]
        for _ in range(self.random.choice([0, 0, 1, 2, 3])):
            at = self.random.randrange(len(steps))
            kind, data, id = steps[at]["event"]
            match self.random.randrange(4):
                case 0:
                    del steps[at]
                case 1:
                    steps.insert(self.random.randint(0, len(steps)), steps[at])
                case 2:
                    number = self.random.choice("0123")
                    steps[at] = {"event": [kind, re.sub("[0-9]", number, data, count=1), id]}
                case _ if data.startswith("["):
                    names = ["length", "free_text", "end", "name", "choice", "type", "numbers", "x"]
                    data = re.sub('"[a-z_]+":', f'"{self.random.choice(names)}":', data, count=1)
                    steps[at] = {"event": [kind, data, id]}
        return {"kind": "stream", "steps": [*steps, {"end": True}]}

    def select_case(self) -> Case:
        patterns = [
            "a", "a.b", "*", "[*]", "a[*]", "*.a", "[*].a", "[*][*]", "*.*", "['']", "[0]", "$.a.*", "",
            "a['a.b']", '["__proto__"].a',
        ]  # fmt: skip
        text = json.dumps({"a": self.value(), "b": self.value(), "": self.value()})
        steps = [{"add": piece} for piece in self.pieces(text)]
        paths = self.random.sample(patterns, self.random.randint(1, 3))
        options = {"paths": paths, "partial": self.is_so(0.5)}
        return {"kind": "select", "steps": [*steps, {"finish": True}], "options": options}

    def patch_case(self) -> Case:
        names = ["add", "add", "replace", "remove", "move", "copy", "test", "append", "none"]
        steps = []
        for _ in range(5):
            value = (
                [self.value() for _ in range(3)] if self.is_so(0.5) else {"a": self.value(), "": self.value()}
            )
            patch = []
            for _ in range(self.random.randint(1, 4)):
                operation = {"op": self.random.choice(names), "path": self._pointer(value)}
                if self.is_so(0.9):
                    operation["value"] = self.random.choice([self.value(), "y"])
                if self.is_so(0.5):
                    operation["from"] = self._pointer(value)
                patch.append(operation)
            steps.append({"value": json.dumps(value), "patch": patch})
        return {"kind": "patch", "steps": steps}

    def _pointer(self, value: Any) -> str:
        """Make the pointer of a place that may exist."""
        pointer = ""
        while self.is_so(0.8):
            if isinstance(value, dict) and value and self.is_so(0.8):
                token = self.random.choice(list(value))
                value = value[token]
            elif isinstance(value, list) and self.is_so(0.9):
                at = self.random.randint(0, len(value))
                token = "-" if self.is_so(0.2) else str(at)
                value = value[at] if token != "-" and at < len(value) else None
            else:
                token, value = self.random.choice([*_KEYS, "~", "/", "-", "01"]), None
            pointer += "/" + token.replace("~", "~0").replace("/", "~1")
        return pointer

    def _message(self) -> Any:
        choose = self.random.choice
        place: dict[str, Any] = {"choice": choose([0, 0, 0, 1])}
        if self.is_so(0.3):
            place["message_id"] = "n"
        call = {"tool_call_id": choose([None, "a", "b"]), "index": choose([None, 0, 1])}
        text = choose(["a", "bc😀", '{"a": 1', "}", "é\n", "", "\ud83d", "\ude00"])
        match self.random.randrange(10):
            case 0 | 1 | 2:
                name = choose([None, None, "f", "g"])
                event = {"function_name": name, "function_args": text, "is_free_text": self.is_so(0.1)}
                return {"type": "tool_call_update", **call, **event, **place}
            case 3:
                return {"type": "tool_call_end", **call, "failed": self.is_so(0.3), **place}
            case 4:
                return {"type": "message_end", "reason": "stop", **place}
            case 5:
                snapshot = {"message_id": "m", "text": "Hey", "calls": []}
                return {"type": "stream_snapshot", "messages": [snapshot]}
            case 6:
                return {"type": "tool_result", "tool_call_id": "a", "result": 1}
            case at:
                types = ["text_delta", "reasoning_delta", "refusal_delta"]
                return {"type": types[at - 7], "text": text, **place}


def random_cases(count: int, seed: int) -> list[Case]:
    """Make cases, with what is expected of them."""
    maker = _Maker(seed)
    makers = [
        maker.text_case, maker.updates_case, maker.rebuild_case, maker.handler_case, maker.stream_case,
        maker.select_case, maker.patch_case,
    ]  # fmt: skip
    cases = []
    for number in range(count):
        make = maker.random.choice(makers)
        case: Case = json.loads(json.dumps({**make(), "name": f"{seed}/{number}", "repeats": True}))
        expect = expected_of(midstream, case)
        if case["kind"] == "stream":
            # a reader in Python that has failed stays failed
            count_until_failure = next((at for at, step in enumerate(expect, 1) if step.get("throws")), None)
            case["steps"], expect = case["steps"][:count_until_failure], expect[:count_until_failure]
        cases.append({**case, "expect": expect})
    return cases


def differences(count: int, seed: int) -> str:
    """Run random cases in Node; give what it says of them."""
    node = shutil.which("node")
    assert node is not None, "Node is missing"
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(random_cases(count, seed), file)
        file.flush()
        run = subprocess.run([node, str(RUNNER), file.name], capture_output=True, text=True, timeout=600)
    return run.stderr + run.stdout


if __name__ == "__main__":
    print(differences(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)))
