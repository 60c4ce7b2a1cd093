"""Calls with repaired arguments through the gateway, the ASGI middleware and the response for Starlette."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.routing import Route

from midstream import ToolsAggregateMessageHandler
from midstream.asgi import MidstreamMiddleware
from midstream.events.reader import EventReader
from midstream.integrations.starlette import EventsResponse
from midstream.server import Settings, create_app
from test_server import running

if TYPE_CHECKING:
    from starlette.requests import Request

    from midstream import ToolCall

ARGS = {"city": 'Zü"rich', "days": [1, 2]}
TEXT = '{\'city\': "Zü"rich", days: [1, 2,],}'
CODES = ["single_quotes", "inner_quote", "unquoted_key", "trailing_comma", "trailing_comma"]
CALL = {"index": 0, "id": "call_1", "function": {"name": "weather", "arguments": ""}}
PIECES = [CALL, *({"index": 0, "function": {"arguments": piece}} for piece in TEXT)]
EVENTS: list[Any] = [
    *({"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]} for piece in PIECES),
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
]
BODY = "".join(f"data: {json.dumps(event)}\n\n" for event in EVENTS).encode()
SHORT = Settings(pace=0, grace=0.5, heartbeat=0.2)
LENIENT = SHORT._replace(dialect="lenient")


def call_in(response: httpx.Response) -> ToolCall:
    assert response.status_code == 200
    handler = ToolsAggregateMessageHandler()
    reader = EventReader()
    for message in reader.add_bytes(response.content):
        handler.add_message(message)
    (call,) = (call for id in handler.message_ids for call in handler.complete(id))
    return call


def check(call: ToolCall, is_lenient: bool) -> None:
    if is_lenient:
        found = [str(repair.code) for repair in call.repairs]
        assert (call.args, found, call.is_complete, call.error) == (ARGS, CODES, True, None)
    else:
        assert (call.is_complete, call.is_repaired) == (False, False)
        assert call.error is not None
        assert call.error.code == "expected_key"
    assert call.raw_args == TEXT


@pytest.mark.parametrize(
    ("settings", "query", "is_lenient"),
    [
        (SHORT, "", False),
        (SHORT, "&dialect=lenient", True),
        (LENIENT, "", True),
        (LENIENT, "&dialect=strict", False),
    ],
    ids=["strict", "asked", "by default", "refused"],
)
def test_the_gateway(settings: Settings, query: str, is_lenient: bool) -> None:
    with running(create_app(settings=settings)) as url, httpx.Client(timeout=20) as client:
        for form in ("full", "compact"):
            response = client.post(f"{url}/api/enrich?form={form}{query}", content=BODY)
            check(call_in(response), is_lenient)
            address = url + response.headers["content-location"]
            check(call_in(client.get(f"{address}?from=snapshot&form={form}{query}")), is_lenient)
            state = client.get(f"{address}/state?{query[1:]}").json()
            (said,) = (call for message in state["messages"] for call in message["calls"])
            assert said["status"] == ("complete" if is_lenient else "invalid")


def test_another_dialect_is_refused() -> None:
    with running(create_app(settings=SHORT)) as url:
        response = httpx.post(f"{url}/api/enrich?dialect=loose", content=BODY)
        assert (response.status_code, response.json()["code"]) == (400, "invalid_dialect")
    with pytest.raises(ValueError, match="dialect must be one of"):
        Settings(dialect="loose").check()  # type: ignore[arg-type]


async def plain(request: Request) -> StreamingResponse:
    return StreamingResponse(iter([BODY]), media_type="text/event-stream")


async def lenient(request: Request) -> EventsResponse:
    form: Any = request.query_params["form"]
    return EventsResponse(EVENTS, dialect="lenient", form=form)


def test_an_application() -> None:
    app = Starlette(routes=[Route("/plain", plain), Route("/lenient", lenient)])
    with running(MidstreamMiddleware(app, dialect="lenient")) as url:
        for form in ("full", "compact"):
            for path in (f"plain?events=midstream&form={form}", f"lenient?form={form}"):
                check(call_in(httpx.get(f"{url}/{path}")), True)
