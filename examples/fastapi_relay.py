"""Answers that survive a worker: ``uvicorn examples.fastapi_relay:app --workers 2``, Redis at REDIS_URL."""

import asyncio
import os
from collections.abc import AsyncIterator

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from fastapi.staticfiles import StaticFiles

from midstream import recordings
from midstream.server import Relay

PAGE = """<!doctype html><meta charset="utf-8"><title>Plan a trip</title>
<button>Plan a trip</button><pre></pre>
<script type="module">
import { createStore, messages } from "/web/midstream.js";
const show = ({ text, calls, status, error }) => {
  const lines = calls.map(call => `${call.name} ${JSON.stringify(call.args, null, 2) ?? ""}`);
  document.querySelector("pre").textContent = [text, ...lines, error?.message ?? status].join("\\n");
};
// the address names the stream: load the page again, or open it in a second browser
const follow = url => createStore(messages(url)).subscribe(show);
if (location.hash) follow(`/streams/${location.hash.slice(1)}?from=snapshot`);
document.querySelector("button").onclick = async () => {
  const response = await fetch("/chat", { method: "POST" });
  location.hash = response.headers.get("midstream-stream");
  response.body.cancel(); // the stream continues: all clients read it at its address
  follow(response.headers.get("content-location"));
};
</script>"""
relay = Relay(os.environ.get("REDIS_URL", "memory:"))
app = FastAPI(lifespan=relay.lifespan)
app.mount(relay.path, relay)
app.mount("/web", StaticFiles(packages=[("midstream.render", "web")]))
app.get("/", response_class=HTMLResponse)(lambda: PAGE)


async def model() -> AsyncIterator[bytes]:
    """Yield the bytes of the provider: here a recording."""
    for event in recordings.load("trip").blocks():
        yield event
        await asyncio.sleep(0.03)


@app.post("/chat", response_model=None)
async def chat(request: Request) -> Response:
    """Ask the model, unless a client comes back."""

    async def start() -> AsyncIterator[bytes]:
        return model()  # with an SDK: return await client.chat.completions.create(..., stream=True)

    return await relay.respond(request, start)
