"""Show an answer and its tool calls on a page as they arrive: ``uvicorn examples.fastapi_openai:app``."""

from typing import Literal

from fastapi import FastAPI
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles
from openai import AsyncOpenAI

from midstream.integrations.starlette import EventsResponse

PAGE = """<!doctype html><meta charset="utf-8"><title>Plan a day</title>
<form><input value="Plan a day in Zürich."><button>Ask</button></form><pre></pre>
<script type="module">
import { createStore, messages } from "/web/midstream.js";
const state = call => call.isComplete ? "complete" : call.error?.code ?? "…";
const line = call => `${call.name} ${JSON.stringify(call.args, null, 2) ?? ""} ${state(call)}`;
const lines = ({ text, calls, status, error }) => [text, ...calls.map(line), error?.message ?? status];
const show = snapshot => { document.querySelector("pre").textContent = lines(snapshot).join("\\n"); };
document.querySelector("form").onsubmit = event => {
  event.preventDefault();
  const question = encodeURIComponent(document.querySelector("input").value);
  createStore(messages(`/chat?question=${question}`, { method: "POST" })).subscribe(show);
};
</script>"""
DAY = {"type": "object", "properties": {"city": {"type": "string"}, "plan": {"type": "string"}}}
TOOL = {"name": "plan_day", "description": "Plan a day in a city.", "parameters": DAY}
app = FastAPI()
app.mount("/web", StaticFiles(packages=[("midstream.render", "web")]))
app.get("/", response_class=HTMLResponse)(lambda: PAGE)
client = AsyncOpenAI()  # the key is in the environment: OPENAI_API_KEY


@app.post("/chat")
async def chat(question: str, form: Literal["full", "compact"] = "full") -> EventsResponse:
    """Ask the model, and send its stream to the page."""
    request = {"model": "gpt-5.4-mini", "tools": [{"type": "function", "function": TOOL}], "stream": True}
    messages = [{"role": "user", "content": question}]
    return EventsResponse(await client.chat.completions.create(**request, messages=messages), form=form)
