"""Tool calls from any model of LangChain, as they arrive."""

from recorded import recorded
from show import show, summary

from midstream import tool_calls


def plan_day(city: str, stops: list[str], minutes: list[int]) -> str:
    """Plan a day in a city: where to go, and for how many minutes each."""
    return f"{city}: {len(stops)} stops, {sum(minutes)} minutes"


def live():
    """Ask the real service."""
    # pip install langchain langchain-openai; OPENAI_API_KEY in the environment
    from langchain.chat_models import init_chat_model

    model = init_chat_model("openai:gpt-5.4-mini").bind_tools([plan_day])
    return model.stream("Plan a day in Tromsø and a day in 東京.")


stream = recorded("langchain.jsonl")  # the real service: stream = live()

for calls in tool_calls(stream):
    show(calls)
summary(calls)
