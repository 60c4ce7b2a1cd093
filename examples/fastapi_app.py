"""Stream tool calls to a page: ``uvicorn examples.fastapi_app:app``, then open http://127.0.0.1:8000."""

import asyncio
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, StreamingResponse

from midstream import recordings
from midstream.asgi import MidstreamMiddleware

PAGE = """<!doctype html><meta charset="utf-8"><title>Tool calls</title><pre></pre><script>
const source = new EventSource("/chat?events=midstream"), shown = {};
source.addEventListener("tools_call_update", event => {
  for (const {index, json_update_fragments} of JSON.parse(event.data).tool_call_updates)
    for (const {path, kind, textValue} of json_update_fragments)
      if (kind == "PartialString") shown[index + path] = (shown[index + path] ?? "") + textValue;
  document.querySelector("pre").textContent = JSON.stringify(shown, null, 2);
});
source.addEventListener("stream_end", () => source.close());
</script>"""

app = FastAPI()
app.add_middleware(MidstreamMiddleware)
app.get("/", response_class=HTMLResponse)(lambda: PAGE)


@app.get("/chat")
async def chat() -> StreamingResponse:
    """Send what the provider sends: here a recording, else say ``response.aiter_bytes()`` of httpx."""

    async def model() -> AsyncIterator[bytes]:
        for event in recordings.load("trip").blocks():
            yield event
            await asyncio.sleep(0.03)

    return StreamingResponse(model(), media_type="text/event-stream")
