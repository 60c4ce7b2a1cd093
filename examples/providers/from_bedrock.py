"""Tool calls from Bedrock's ConverseStream, as they arrive.

There are too few tokens for two days: the second call is cut off, and said to be.
"""

from recorded import recorded
from show import show, summary

from midstream import tool_calls

STOP = {"type": "object", "properties": {"place": {"type": "string"}, "minutes": {"type": "integer"}}}
DAY = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "stops": {"type": "array", "items": STOP}},
}


def live():
    """Ask the real service."""
    import boto3  # pip install boto3; AWS credentials and a region in the US in the environment

    tool = {"name": "plan_day", "description": "Plan a day in a city.", "inputSchema": {"json": DAY}}
    response = boto3.client("bedrock-runtime").converse_stream(
        modelId="us.amazon.nova-micro-v1:0",
        messages=[{"role": "user", "content": [{"text": "Plan a day in Tromsø and a day in Leeds."}]}],
        inferenceConfig={"maxTokens": 120},
        toolConfig={"tools": [{"toolSpec": tool}]},
    )
    return response["stream"]


stream = recorded("bedrock.jsonl")  # the real service: stream = live()

for calls in tool_calls(stream):
    show(calls)
summary(calls)
