"""Stream tool calls to a page: ``uvicorn examples.fastapi_app:app``, then open http://127.0.0.1:8000."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, StreamingResponse
from fastapi.staticfiles import StaticFiles

from midstream import recordings
from midstream.asgi import MidstreamMiddleware

PAGE = Path(__file__).with_name("fastapi_page.html").read_text("utf-8")

app = FastAPI()
app.add_middleware(MidstreamMiddleware)
app.mount("/web", StaticFiles(packages=[("midstream.render", "web")]))
app.get("/", response_class=HTMLResponse)(lambda: PAGE)


@app.get("/chat")
async def chat() -> StreamingResponse:
    """Yield the bytes of the provider: here a recording, otherwise ``response.aiter_bytes()`` of httpx."""

    async def model() -> AsyncIterator[bytes]:
        for event in recordings.load("trip").blocks():
            yield event
            await asyncio.sleep(0.03)

    return StreamingResponse(model(), media_type="text/event-stream")
