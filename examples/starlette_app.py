"""Stream a structured output to a page that POSTs: ``uvicorn examples.starlette_app:app``."""

import asyncio
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from midstream import recordings
from midstream.asgi import MidstreamMiddleware

PAGE = r"""<!doctype html><meta charset="utf-8"><title>Report</title><button>Ask</button><pre></pre><p></p>
<script type="module">
import { JsonValueAccumulator } from "/web/midstream.js";
import { SseDecoder } from "/web/sse.js";

document.querySelector("button").onclick = async () => {
  const answer = new JsonValueAccumulator({ onError: "event" });
  let end = null, problem = "";
  try {
    const question = { method: "POST", body: JSON.stringify({ about: "energy" }) };
    const response = await fetch("/ask?events=midstream", question);
    if (!response.ok) throw new Error(`the server says ${response.status}`);
    const reader = response.body.getReader(), decoder = new SseDecoder();
    for (;;) {
      const { done, value } = await reader.read(); // rejects if the connection is lost
      if (done) break;
      for (const { type, data } of decoder.addBytes(value)) {
        const event = JSON.parse(data);
        if (type === "text_delta") answer.addFragment(event.text);
        else if (type === "message_end") end = event;
        else if (type === "error") problem = event.message;
      }
      document.querySelector("pre").textContent = JSON.stringify(answer.value, null, 2);
    }
  } catch (error) {
    problem = error.message;
  }
  const isWhole = end !== null && !end.is_truncated && problem === "";
  if (isWhole) answer.finish();
  const isValid = answer.error === null || answer.error.code === "truncated";
  document.title = !isValid ? "not valid" : isWhole && answer.isComplete ? "complete" : "cut off";
  document.querySelector("p").textContent = problem || (end && end.reason) || "";
};
</script>"""


async def page(_request: Request) -> HTMLResponse:
    """Send the page."""
    return HTMLResponse(PAGE)


async def ask(request: Request) -> StreamingResponse:
    """Send the provider's answer: here a recording, for every question."""
    await request.json()

    async def model() -> AsyncIterator[bytes]:
        for event in recordings.load("report").blocks():
            yield event
            await asyncio.sleep(0.03)

    return StreamingResponse(model(), media_type="text/event-stream")


web = StaticFiles(packages=[("midstream.render", "web")])
app = Starlette(
    routes=[Route("/", page), Route("/ask", ask, methods=["POST"]), Mount("/web", web)],
    middleware=[Middleware(MidstreamMiddleware)],
)
