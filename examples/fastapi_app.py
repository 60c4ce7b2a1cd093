"""Stream tool calls to a page: ``uvicorn examples.fastapi_app:app``, then open http://127.0.0.1:8000."""

import asyncio
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles

from midstream import recordings
from midstream.asgi import MidstreamMiddleware

PAGE = r"""<!doctype html><meta charset="utf-8"><title>Tool calls</title><pre></pre><p></p>
<script type="module">
import { ToolsAggregateMessageHandler } from "/web/midstream.js";
const handler = new ToolsAggregateMessageHandler(), source = new EventSource("/chat?events=midstream");
const state = ({ isComplete, error }) =>
  isComplete ? "complete" : !error ? "…" : error.code === "truncated" ? "cut off" : "not valid";
const show = call => `${call.name} ${state(call)} ${JSON.stringify(call.args, null, 2)}`;
const draw = calls => { document.querySelector("pre").textContent = calls.map(show).join("\n"); };
const end = why => {
  source.close(); // else it would ask again
  draw(handler.complete());
  document.querySelector("p").textContent = why;
};
for (const type of ["tools_call_update", "tool_call_end", "message_end"])
  source.addEventListener(type, event => draw(handler.addMessage(JSON.parse(event.data))));
source.addEventListener("stream_end", () => end("That was all."));
source.addEventListener("error", ({ data }) =>
  end(data ? JSON.parse(data).message : "The connection is lost."));
</script>"""

app = FastAPI()
app.add_middleware(MidstreamMiddleware)
app.mount("/web", StaticFiles(packages=[("midstream.render", "web")]))
app.get("/", response_class=HTMLResponse)(lambda: PAGE)


@app.get("/chat")
async def chat() -> StreamingResponse:
    """Send what the provider sends: here a recording, else say ``response.aiter_bytes()`` of httpx."""

    async def model() -> AsyncIterator[bytes]:
        for event in recordings.load("trip").blocks():
            yield event
            await asyncio.sleep(0.03)

    return StreamingResponse(model(), media_type="text/event-stream")
