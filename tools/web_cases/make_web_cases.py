"""Make tests/render/web_cases.json, the table that drives the Python classes and their JavaScript namesakes.

    python tools/web_cases/make_web_cases.py

The inputs are in `web_case_inputs`; what is expected of them is what the Python side does, so look at the
difference before you keep a new table. Values are kept as JSON text, because that can say more than
what JSON readers keep: 1 and 1.0, numbers beyond the range of floats, the order of keys. A text of
null stands for no value at all. What is expected is written down where it differs from the step
before; before the first step stands NOTHING.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests/support"))

import midstream
from midstream.accumulators.value_text import value_text
from web_case_inputs import all_cases

if TYPE_CHECKING:
    from collections.abc import Callable

    from web_case_inputs import Case

__all__ = ["TABLE", "expected_of", "table_text"]

TABLE = ROOT / "tests" / "render" / "web_cases.json"

# Running a case: what each kind of machine reports after each step


def run_case(library: Any, case: Case) -> list[dict[str, Any]]:
    """Return what is to be expected after each step of a case."""
    return _RUNNERS[case["kind"]](library, case)


def _text(library: Any, value: Any) -> str | None:
    return None if value is library.UNDEFINED else value_text(value)


def _error(error: Any) -> dict[str, Any] | None:
    return None if error is None else error._asdict() | {"code": str(error.code)}


def _path(path: Any) -> list[Any] | None:
    return None if path is None else list(path)


def _tried(library: Any, step: Callable[[], Any], name: str) -> dict[str, Any]:
    """Do a step, and return what it returned or threw."""
    try:
        return {name: step()}
    except library.JsonStreamError as error:
        return {"throws": {**(_error(error.error) or {}), "path": error.path}}


def _machine(library: Any, machine: Any) -> dict[str, Any]:
    return {
        "value": _text(library, machine.value),
        "isComplete": machine.is_complete,
        "openPath": _path(machine.open_path),
        "error": _error(machine.error),
    }


def _run_rebuild(library: Any, case: Case) -> list[dict[str, Any]]:
    rebuilder = library.JsonFragmentRebuilder(**case.get("options", {}))
    results = []
    for step in case["steps"]:
        if "reset" in step:
            rebuilder.reset()
            results.append(_machine(library, rebuilder))
        else:
            outcome = _tried(library, lambda step=step: rebuilder.apply(step["apply"]), "changed")  # type: ignore[misc]
            results.append(outcome | _machine(library, rebuilder))
    return results


def _run_text(library: Any, case: Case) -> list[dict[str, Any]]:
    on_error = case.get("options", {}).get("onError", "event")
    limits = library.Limits(**case.get("options", {}).get("limits", {}))
    accumulator = library.JsonValueAccumulator(on_error=on_error, limits=limits)
    results = []
    for step in case["steps"]:
        if "finish" in step:
            outcome = _tried(library, accumulator.finish, "changed")
        else:
            outcome = _tried(library, lambda step=step: accumulator.add_fragment(step["add"]), "changed")  # type: ignore[misc]
        results.append(
            outcome | _machine(library, accumulator) | {"position": accumulator.position._asdict()}
        )
    return results


def _run_updates(library: Any, case: Case) -> list[dict[str, Any]]:
    options = case.get("options", {})
    accumulator = library.JsonFragmentAccumulator(
        root=options.get("root", "root"),
        on_error=options.get("onError", "event"),
        limits=library.Limits(**options.get("limits", {})),
    )
    steps = []
    for step in case["steps"]:
        feed = accumulator.finish if "finish" in step else partial(accumulator.add_fragment, step["add"])
        try:
            outcome: dict[str, Any] = {"updates": _wire(library, feed())}
        except library.JsonStreamError as error:
            thrown = {**(_error(error.error) or {}), "path": error.path}
            outcome = {"throws": thrown, "updates": _wire(library, error.updates)}
        steps.append(
            outcome | {"isComplete": accumulator.is_complete, "position": accumulator.position._asdict()}
        )
    return steps


def _wire(library: Any, updates: Any) -> list[dict[str, Any]]:
    return [library.to_wire(update) for update in updates]


def _call(library: Any, call: Any) -> dict[str, Any]:
    return {
        "id": call.id,
        "index": call.index,
        "name": call.name,
        "args": _text(library, call.args),
        "rawArgs": call.raw_args,
        "isComplete": call.is_complete,
        "error": _error(call.error),
        "finishReason": call.finish_reason,
        "openPath": _path(call.open_path),
    }


def _run_handler(library: Any, case: Case) -> list[dict[str, Any]]:
    handler = library.ToolsAggregateMessageHandler()
    # a case may look at the calls of its last step only: what was not read then is read from the text
    is_lazy = case.get("options", {}).get("lazy", False)
    given: list[Any] = []
    for step in case["steps"]:
        if "complete" in step:
            outcome = {"calls": handler.complete(step["complete"])}
        elif "calls" in step:
            outcome = {"calls": handler.calls(step["calls"])}
        else:
            outcome = _tried(library, lambda step=step: handler.add_message(step["event"]), "calls")  # type: ignore[misc]
        ids = handler.message_ids
        if is_lazy:
            given.append((outcome, ids))
        else:
            given.append((_read(library, outcome), ids))
    return [_read(library, outcome) | {"messageIds": ids} for outcome, ids in given]


def _read(library: Any, outcome: dict[str, Any]) -> dict[str, Any]:
    calls = outcome.get("calls")
    if calls is None or (calls and isinstance(calls[0], dict)):
        return outcome
    return {"calls": [_call(library, call) for call in calls]}


def _run_path(library: Any, case: Case) -> list[dict[str, Any]]:
    return [
        _tried(library, lambda step=step: list(library.parse_path(*step["path"])), "segments")  # type: ignore[misc]
        for step in case["steps"]
    ]


def _run_sse(library: Any, case: Case) -> list[dict[str, Any]]:
    decoder = __import__(f"{library.__name__}.sse", fromlist=["SseDecoder"]).SseDecoder()
    results = []
    for step in case["steps"]:
        events = decoder.add_bytes(step["chunk"].encode("latin-1"))
        results.append({"events": [[event.event, event.data, event.id] for event in events]})
    return results


def _run_stream(library: Any, case: Case) -> list[dict[str, Any]]:
    reader = library.EventReader()
    sse = __import__(f"{library.__name__}.sse", fromlist=["encode"])
    results = []
    for step in case["steps"]:
        if "end" in step:
            results.append({"messages": _plain(library, reader.finish())})
            continue
        name, data, id = step["event"]
        block = sse.encode(sse.SseEvent(name, data, id))
        found = _tried(library, lambda block=block: reader.add_bytes(block), "messages")  # type: ignore[misc]
        if "messages" in found:
            found["messages"] = _plain(library, found["messages"])
        results.append(found)
    return results


def _plain(library: Any, messages: list[Any]) -> list[dict[str, Any]]:
    """Write messages as plain data, without defaults, and pieces of several calls one by one."""
    events = []
    for message in messages:
        event = library.to_event(message)
        for each in event.get("tool_call_updates", [event]):
            part = {"type": event["type"], **each}
            if part.get("choice") == 0:
                del part["choice"]
            events.append({key: value for key, value in part.items() if value is not False})
    return events


def _run_select(library: Any, case: Case) -> list[dict[str, Any]]:
    options = case["options"]
    selector = library.JsonSelectAccumulator(options["paths"], partial=options.get("partial", False))
    results = []
    for step in case["steps"]:
        found = selector.finish() if "finish" in step else selector.add_fragment(step["add"])
        # the text of a value, as a key may be "__proto__"
        matches = [
            [match.pattern, [*match.segments], json.dumps(match.value), match.is_final] for match in found
        ]
        results.append({"matches": matches})
    return results


def _run_patch(library: Any, case: Case) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    for step in case["steps"]:
        try:
            value = library.apply_patch(json.loads(step["value"]), step["patch"])
            results.append({"patched": json.dumps(value)})
        except library.JsonStreamError as error:
            results.append({"patched": None, "throws": {"code": error.code}})
    return results


_RUNNERS: dict[str, Callable[[Any, Case], list[dict[str, Any]]]] = {
    "rebuild": _run_rebuild,
    "text": _run_text,
    "updates": _run_updates,
    "handler": _run_handler,
    "path": _run_path,
    "sse": _run_sse,
    "stream": _run_stream,
    "select": _run_select,
    "patch": _run_patch,
}


NOTHING: dict[str, Any] = {
    "changed": True,
    "throws": None,
    "value": None,
    "isComplete": False,
    "openPath": None,
    "error": None,
    "position": None,
    "calls": None,
    "messageIds": [],
    "segments": None,
    "events": None,
    "updates": None,
    "messages": None,
    "matches": None,
    "patched": None,
}
NO_CALL: dict[str, Any] = {
    "id": None, "index": None, "name": None, "args": None, "rawArgs": "", "isComplete": False, "error": None,
    "finishReason": None, "openPath": None,
}  # fmt: skip


def shortened(expected: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what is as it was after the step before."""
    short = []
    before = NOTHING
    for each in expected:
        after = {**before, "throws": None, "changed": True, **each}
        short.append({key: value for key, value in after.items() if value != before[key]})
        before = after
    for step in short:
        if step.get("calls"):
            calls = [
                {key: value for key, value in call.items() if value != NO_CALL[key]} for call in step["calls"]
            ]
            step["calls"] = calls
    return short


def expected_of(library: Any, case: Case) -> list[dict[str, Any]]:
    """Run a case; return its results in the form of the table."""
    # as in JSON text, where two surrogates of a pair are one character
    results: list[dict[str, Any]] = json.loads(json.dumps(shortened(run_case(library, case))))
    return results


def table_text() -> str:
    """Write the table, a case per line."""
    lines = []
    names = set()
    for given in all_cases():
        # as the file will show it, so that both sides see the same
        case = json.loads(json.dumps(given))
        for option in ("options", "repeats"):
            if not case.get(option):
                case.pop(option, None)
        assert (case["kind"], case["name"]) not in names, case["name"]
        names.add((case["kind"], case["name"]))
        case["expect"] = expected_of(midstream, case)
        lines.append(json.dumps(case, separators=(",", ":")))
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    TABLE.write_text(table_text())
    cases = json.loads(TABLE.read_text())
    counts = {kind: sum(case["kind"] == kind for case in cases) for kind in _RUNNERS}
    print(f"{TABLE}: {len(cases)} cases, {TABLE.stat().st_size:,} bytes, {counts}")
