"""What streams carry besides text and calls: reasoning, refusals, usage, errors; and cancelled messages.

By format and part: a stream that has it, and the messages that are expected. Pieces of calls are not in the
tables of calls here, `Usage.raw` and the data of errors are not compared.
"""

from __future__ import annotations

from typing import Any

from midstream import MessageEnd, ProviderError, ReasoningDelta, RefusalDelta, TextDelta, Usage

from . import Event

__all__ = ["PARTS", "PART_NAMES", "Parts"]

PART_NAMES = ("reasoning", "refusal", "usage", "error first", "error later", "cancelled")
Parts = dict[str, tuple[list[Event], list[Any]]]

R, T = ReasoningDelta, TextDelta


def chat(reason: str | None = None, choice: int = 0, /, **delta: Any) -> Event:
    """Make a chunk of chat completions."""
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": choice, "delta": delta, "finish_reason": reason}],
    }


CHAT_USAGE = {
    "prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14,
    "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 3},
}  # fmt: skip
USED = Usage(9, 5, 4, 3)
OPENAI_CHAT: Parts = {
    "reasoning": (
        [
            *(chat(reasoning_content="Hm"), chat(reasoning="."), chat(reasoning="!", reasoning_content="!")),
            *(chat(content="Hi"), chat("stop")),
        ],
        [R("Hm"), R("."), R("!"), T("Hi"), MessageEnd("stop", choice=0)],
    ),
    "refusal": (
        [chat(role="assistant", refusal=None), chat(refusal="I can't"), chat(refusal="."), chat("stop")],
        [RefusalDelta("I can't"), RefusalDelta("."), MessageEnd("stop", choice=0)],
    ),
    "usage": (
        [chat(content="Hi"), chat("stop"), {"choices": [], "usage": CHAT_USAGE}],
        [T("Hi"), MessageEnd("stop", choice=0), USED],
    ),
    "error first": (
        [{"error": {"message": "Slow down", "type": "rate_limit_error", "code": 429, "retry_after": 2}}],
        [ProviderError("rate_limit_error", "Slow down", 429, 2.0), MessageEnd("rate_limit_error", True)],
    ),
    "error later": (
        [chat(content="Hi"), {"error": {"message": "Oh", "type": "server_error", "code": None}}],
        [T("Hi"), ProviderError("server_error", "Oh"), MessageEnd("server_error", True)],
    ),
    # vLLM and SGLang, when the request was aborted
    "cancelled": ([chat(content="Hi"), chat("abort")], [T("Hi"), MessageEnd("abort", True, choice=0)]),
}
BEGIN: Event = {"type": "response.created", "response": {"id": "r", "status": "in_progress"}}


def over(status: str = "completed", **response: Any) -> Event:
    """End a response."""
    return {"type": f"response.{status}", "response": {"id": "r", "status": status, **response}}


RESPONSES: Parts = {
    "reasoning": (
        [
            BEGIN,
            {
                "type": "response.reasoning_summary_text.delta",
                "item_id": "i",
                "output_index": 0,
                "delta": "S",
            },
            {"type": "response.reasoning_text.delta", "item_id": "i", "output_index": 0, "delta": "T"},
            {"type": "response.output_item.done", "item": {"type": "reasoning", "encrypted_content": "x"}},
            over(),
        ],
        [R("S", "summary"), R("T"), R("", "redacted", "x"), MessageEnd("completed")],
    ),
    "refusal": (
        [
            BEGIN,
            {"type": "response.refusal.delta", "item_id": "i", "output_index": 0, "delta": "No."},
            over(),
        ],
        [RefusalDelta("No."), MessageEnd("completed")],
    ),
    "usage": (
        [
            BEGIN,
            over(
                usage={
                    "input_tokens": 9,
                    "input_tokens_details": {"cached_tokens": 4},
                    "output_tokens": 5,
                    "output_tokens_details": {"reasoning_tokens": 3},
                }
            ),
        ],
        [USED, MessageEnd("completed", usage=USED)],
    ),
    "error first": (
        [{"type": "error", "code": "server_error", "message": "Oh", "param": None}],
        [ProviderError("server_error", "Oh"), MessageEnd("server_error", True)],
    ),
    "error later": (
        [BEGIN, over("failed", error={"code": "rate_limit_exceeded", "message": "Slow down"})],
        [ProviderError("rate_limit_exceeded", "Slow down"), MessageEnd("rate_limit_exceeded", True)],
    ),
    "cancelled": (
        [
            {"type": "response.created", "response": {"id": "r1"}},
            {
                "type": "response.done",
                "response": {
                    "id": "r1",
                    "status": "cancelled",
                    "status_details": {"reason": "turn_detected"},
                },
            },
        ],
        [MessageEnd("turn_detected", True, "r1")],
    ),
}


def anthropic_delta(kind: str, **delta: Any) -> Event:
    """Make a delta of a block."""
    return {"type": "content_block_delta", "index": 0, "delta": {"type": kind, **delta}}


STARTED: Event = {
    "type": "message_start",
    "message": {"usage": {"input_tokens": 9, "cache_read_input_tokens": 4, "output_tokens": 1}},
}
ANTHROPIC: Parts = {
    "reasoning": (
        [
            anthropic_delta("thinking_delta", thinking="Hm"),
            anthropic_delta("signature_delta", signature="sig"),
            {
                "type": "content_block_start",
                "index": 1,
                "content_block": {"type": "redacted_thinking", "data": "x"},
            },
        ],
        [R("Hm"), R("", signature="sig"), R("", "redacted", "x")],
    ),
    "refusal": (
        [
            {
                "type": "message_delta",
                "delta": {"stop_reason": "refusal", "stop_details": {"explanation": "No."}},
            }
        ],
        [RefusalDelta("No."), MessageEnd("refusal", True)],
    ),
    "usage": (
        [
            STARTED,
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
        ],
        [Usage(9, 1, 4), Usage(9, 5, 4), MessageEnd("end_turn", usage=Usage(9, 5, 4))],
    ),
    "error first": (
        [{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}],
        [ProviderError("overloaded_error", "Overloaded"), MessageEnd("overloaded_error", True)],
    ),
    "error later": (
        [
            anthropic_delta("text_delta", text="Hi"),
            {"type": "error", "error": {"type": "api_error", "message": "Oh"}},
        ],
        [T("Hi"), ProviderError("api_error", "Oh"), MessageEnd("api_error", True)],
    ),
}


def gemini(*parts: Event, reason: str | None = None, **more: Any) -> Event:
    """Make a chunk of generateContent."""
    candidate: Event = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    return {"candidates": [candidate if reason is None else {**candidate, "finishReason": reason}], **more}


GEMINI: Parts = {
    "reasoning": (
        [
            gemini({"text": "Hm", "thought": True}),
            gemini({"text": "Hi", "thoughtSignature": "sig"}, reason="STOP"),
        ],
        [R("Hm"), T("Hi"), R("", signature="sig"), MessageEnd("STOP", choice=0)],
    ),
    "usage": (
        [
            gemini(
                {"text": "Hi"},
                reason="STOP",
                usageMetadata={
                    "promptTokenCount": 9,
                    "candidatesTokenCount": 5,
                    "cachedContentTokenCount": 4,
                    "thoughtsTokenCount": 3,
                },
            )
        ],
        [USED, T("Hi"), MessageEnd("STOP", choice=0, usage=USED)],
    ),
    "error first": (
        [{"promptFeedback": {"blockReason": "SAFETY"}}],
        [ProviderError("SAFETY", "the prompt was blocked: SAFETY"), MessageEnd("SAFETY", True)],
    ),
    "error later": (
        [
            gemini({"text": "Hi"}),
            {
                "error": {
                    "code": 429,
                    "message": "Quota",
                    "status": "RESOURCE_EXHAUSTED",
                    "details": [{"@type": "RetryInfo", "retryDelay": "12s"}],
                }
            },
        ],
        [
            T("Hi"),
            ProviderError("RESOURCE_EXHAUSTED", "Quota", 429, 12.0),
            MessageEnd("RESOURCE_EXHAUSTED", True),
        ],
    ),
}
INTERACTIONS: Parts = {
    "reasoning": (
        [
            {"event_type": "step.start", "index": 0, "step": {"type": "thought"}},
            {
                "event_type": "step.delta",
                "index": 0,
                "delta": {"type": "thought_summary", "content": {"type": "text", "text": "Hm"}},
            },
            {
                "event_type": "step.delta",
                "index": 0,
                "delta": {"type": "thought_signature", "signature": "sig"},
            },
        ],
        [R("Hm", "summary"), R("", signature="sig")],
    ),
    "usage": (
        [
            {
                "event_type": "interaction.completed",
                "interaction": {
                    "status": "completed",
                    "usage": {
                        "total_input_tokens": 9,
                        "total_output_tokens": 5,
                        "total_cached_tokens": 4,
                        "total_thought_tokens": 3,
                    },
                },
            }
        ],
        [USED, MessageEnd("completed", usage=USED)],
    ),
    "error first": (
        [{"event_type": "error", "error": {"code": "gateway_timeout", "message": "Late"}}],
        [ProviderError("gateway_timeout", "Late"), MessageEnd("gateway_timeout", True)],
    ),
    "error later": (
        [
            {"event_type": "step.delta", "index": 0, "delta": {"type": "text", "text": "Hi"}},
            {"event_type": "error", "error": {"code": "gateway_timeout", "message": "Late"}},
        ],
        [T("Hi"), ProviderError("gateway_timeout", "Late"), MessageEnd("gateway_timeout", True)],
    ),
    "cancelled": ([{"event_type": "interaction.cancelled"}], [MessageEnd("cancelled", True)]),
}


def bedrock(**delta: Any) -> Event:
    """Make a delta of a block."""
    return {"contentBlockDelta": {"contentBlockIndex": 0, "delta": delta}}


BEDROCK: Parts = {
    "reasoning": (
        [bedrock(reasoningContent={"text": "Hm"}), bedrock(reasoningContent={"signature": "sig"})],
        [R("Hm"), R("", signature="sig")],
    ),
    "usage": (
        [
            {"messageStop": {"stopReason": "end_turn"}},
            {"metadata": {"usage": {"inputTokens": 9, "outputTokens": 5, "cacheReadInputTokens": 4}}},
        ],
        [MessageEnd("end_turn"), Usage(9, 5, 4)],
    ),
    "error first": (
        [{"throttlingException": {"message": "Slow down"}}],
        [ProviderError("throttlingException", "Slow down"), MessageEnd("throttlingException", True)],
    ),
    "error later": (
        [
            bedrock(text="Hi"),
            {"modelStreamErrorException": {"message": "Oh", "originalStatusCode": 503}},
        ],
        [
            T("Hi"),
            ProviderError("modelStreamErrorException", "Oh", 503),
            MessageEnd("modelStreamErrorException", True),
        ],
    ),
}
MISTRAL: Parts = {
    name: (
        [{"data": {"model": "mistral-large", **event}} if "choices" in event else event for event in events],
        expected,
    )
    for name, (events, expected) in OPENAI_CHAT.items()
    if name in ("usage", "error later")
} | {
    "reasoning": (
        [
            {
                "data": chat(
                    content=[
                        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]},
                        {"type": "text", "text": "Hi"},
                    ]
                )
            }
        ],
        [R("Hm"), T("Hi")],
    ),
    "error first": (
        [{"object": "error", "message": "Slow down", "type": "rate_limited", "param": None, "code": "1300"}],
        [ProviderError("rate_limited", "Slow down"), MessageEnd("rate_limited", True)],
    ),
}
OLLAMA: Parts = {
    "reasoning": (
        [{"message": {"role": "assistant", "content": "", "thinking": "Hm"}, "done": False}],
        [R("Hm")],
    ),
    "usage": (
        [
            {
                "message": {"role": "assistant", "content": "Hi"},
                "done": True,
                "done_reason": "stop",
                "prompt_eval_count": 9,
                "eval_count": 5,
            }
        ],
        [T("Hi"), Usage(9, 5), MessageEnd("stop", usage=Usage(9, 5))],
    ),
    "error first": (
        [{"error": "model 'x' not found"}],
        [ProviderError("error", "model 'x' not found"), MessageEnd("error", True)],
    ),
    "error later": (
        [{"message": {"role": "assistant", "content": "Hi"}, "done": False}, {"error": "out of memory"}],
        [T("Hi"), ProviderError("error", "out of memory"), MessageEnd("error", True)],
    ),
}


def lang(content: Any = "", **more: Any) -> Event:
    """Make a message chunk of LangChain."""
    return {"type": "AIMessageChunk", "content": content, "tool_call_chunks": [], **more}


LANGCHAIN: Parts = {
    "reasoning": (
        [
            lang([{"type": "thinking", "thinking": "Hm", "index": 0}]),
            lang([{"type": "reasoning", "reasoning": "."}]),
            lang("", additional_kwargs={"reasoning_content": "!"}),
            lang([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "S"}]}]),
        ],
        [R("Hm"), R("."), R("!"), R("S", "summary")],
    ),
    "refusal": (
        [lang([{"type": "refusal", "refusal": "No"}]), lang("", additional_kwargs={"refusal": "."})],
        [RefusalDelta("No"), RefusalDelta(".")],
    ),
    "usage": (
        [
            lang("Hi"),
            lang(
                "",
                usage_metadata={
                    "input_tokens": 9,
                    "output_tokens": 5,
                    "total_tokens": 14,
                    "input_token_details": {"cache_read": 4},
                    "output_token_details": {"reasoning": 3},
                },
                chunk_position="last",
            ),
        ],
        [T("Hi"), USED, MessageEnd(choice=0, usage=USED)],
    ),
}
PYDANTIC: Parts = {
    "reasoning": (
        [
            {"event_kind": "part_start", "index": 0, "part": {"part_kind": "thinking", "content": "Hm"}},
            {
                "event_kind": "part_delta",
                "index": 0,
                "delta": {"part_delta_kind": "thinking", "content_delta": ".", "signature_delta": "sig"},
            },
        ],
        [R("Hm"), R(".", signature="sig")],
    ),
    "usage": (
        [
            {
                "event_kind": "agent_run_result",
                "result": {"usage": {"input_tokens": 9, "output_tokens": 5, "cache_read_tokens": 4}},
            }
        ],
        [Usage(9, 5, 4), MessageEnd(usage=Usage(9, 5, 4))],
    ),
}
VERCEL_UI: Parts = {
    "reasoning": (
        [{"type": "reasoning-start", "id": "1"}, {"type": "reasoning-delta", "id": "1", "delta": "Hm"}],
        [R("Hm")],
    ),
    "error first": (
        [{"type": "start"}, {"type": "error", "errorText": "Oh"}],
        [ProviderError("error", "Oh"), MessageEnd("error", True)],
    ),
    "error later": (
        [{"type": "text-delta", "id": "0", "delta": "Hi"}, {"type": "error", "errorText": "Oh"}],
        [T("Hi"), ProviderError("error", "Oh"), MessageEnd("error", True)],
    ),
    "cancelled": ([{"type": "start"}, {"type": "abort"}], [MessageEnd("abort", True)]),
}
MODEL: Event = {"type": "stream-start", "warnings": []}
VERCEL_MODEL: Parts = {
    "reasoning": (
        [
            MODEL,
            {"type": "reasoning-delta", "id": "1", "delta": "Hm"},
            {"type": "reasoning-end", "id": "1", "providerMetadata": {"anthropic": {"signature": "sig"}}},
        ],
        [R("Hm"), R("", signature="sig")],
    ),
    "usage": (
        [
            MODEL,
            {
                "type": "finish",
                "finishReason": "stop",
                "usage": {"inputTokens": 9, "outputTokens": 5, "cachedInputTokens": 4, "reasoningTokens": 3},
            },
        ],
        [USED, MessageEnd("stop", usage=USED)],
    ),
    "error first": (
        [
            MODEL,
            {
                "type": "error",
                "error": {"name": "X", "message": "Oh", "statusCode": 503, "isRetryable": True},
            },
        ],
        [ProviderError("error", "Oh", 503, None, True), MessageEnd("error", True)],
    ),
    "error later": (
        [MODEL, {"type": "text-delta", "id": "0", "delta": "Hi"}, {"type": "error", "error": "Oh"}],
        [T("Hi"), ProviderError("error", "Oh"), MessageEnd("error", True)],
    ),
    "cancelled": ([MODEL, {"type": "abort"}], [MessageEnd("abort", True)]),
}
AG_UI: Parts = {
    "reasoning": (
        [
            {"type": "REASONING_MESSAGE_CONTENT", "messageId": "m", "delta": "Hm"},
            {"type": "THINKING_TEXT_MESSAGE_CONTENT", "delta": "."},
            {"type": "REASONING_ENCRYPTED_VALUE", "encryptedValue": "x"},
        ],
        [R("Hm"), R("."), R("", "redacted", "x")],
    ),
    "usage": (
        [
            {
                "type": "RUN_FINISHED",
                "usage": [
                    {"provider": "a", "inputTokens": 4, "outputTokens": 2, "cachedInputTokens": 4},
                    {"provider": "b", "inputTokens": 5, "outputTokens": 3, "reasoningTokens": 3},
                ],
            }
        ],
        [USED, MessageEnd("success", usage=USED)],
    ),
    "error first": (
        [{"type": "RUN_ERROR", "message": "Oh", "code": "E1"}],
        [ProviderError("E1", "Oh"), MessageEnd("E1", True)],
    ),
    "error later": (
        [
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"},
            {"type": "RUN_ERROR", "message": "Oh", "code": "E1"},
        ],
        [T("Hi"), ProviderError("E1", "Oh"), MessageEnd("E1", True)],
    ),
    "cancelled": (
        [{"type": "RUN_STARTED"}, {"type": "RUN_FINISHED", "outcome": {"type": "cancelled"}}],
        [MessageEnd("cancelled", True)],
    ),
}


def cohere(kind: str, **message: Any) -> Event:
    """Make an event of Cohere."""
    return {"type": kind, "index": 0, "delta": {"message": message}}


COHERE: Parts = {
    "error first": (
        [{"id": "x", "message": "invalid api token"}],
        [ProviderError("error", "invalid api token"), MessageEnd("error", True)],
    ),
    "reasoning": (
        [
            cohere("tool-plan-delta", tool_plan="Plan"),
            cohere("content-delta", content={"thinking": "Hm"}),
        ],
        [R("Plan", "summary"), R("Hm")],
    ),
    "usage": (
        [
            {
                "type": "message-end",
                "delta": {
                    "finish_reason": "COMPLETE",
                    "usage": {"tokens": {"input_tokens": 9, "output_tokens": 5}, "cached_tokens": 4},
                },
            }
        ],
        [Usage(9, 5, 4), MessageEnd("COMPLETE", usage=Usage(9, 5, 4))],
    ),
    "error later": (
        [
            cohere("content-delta", content={"text": "Hi"}),
            {"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "Oh"}},
        ],
        [T("Hi"), ProviderError("ERROR", "Oh"), MessageEnd("ERROR", True)],
    ),
}
COMPLETIONS: Parts = {
    "usage": (
        [
            {"object": "text_completion", "choices": [{"index": 0, "text": "Hi", "finish_reason": "stop"}]},
            {"object": "text_completion", "choices": [], "usage": CHAT_USAGE},
        ],
        [T("Hi"), MessageEnd("stop", choice=0), USED],
    ),
    "error first": OPENAI_CHAT["error first"],
    "error later": (
        [
            {"object": "text_completion", "choices": [{"index": 0, "text": "Hi", "finish_reason": None}]},
            {"error": {"message": "Oh", "type": "server_error"}},
        ],
        [T("Hi"), ProviderError("server_error", "Oh"), MessageEnd("server_error", True)],
    ),
}
OWN: Parts = {
    "reasoning": ([{"type": "reasoning_delta", "text": "Hm", "signature": "s"}], [R("Hm", signature="s")]),
    "refusal": ([{"type": "refusal_delta", "text": "No."}], [RefusalDelta("No.")]),
    "usage": (
        [
            {"type": "usage", "input_tokens": 9},
            {"type": "message_end", "reason": "stop", "usage": {"input_tokens": 9, "output_tokens": 5}},
        ],
        [Usage(9), MessageEnd("stop", usage=Usage(9, 5))],
    ),
    "error first": (
        [{"type": "provider_error", "error_type": "overloaded", "message": "Oh", "status": 529}],
        [ProviderError("overloaded", "Oh", 529)],
    ),
    "error later": (
        [{"type": "text_delta", "text": "Hi"}, {"type": "provider_error", "message": "Oh", "retry_after": 2}],
        [T("Hi"), ProviderError("error", "Oh", retry_after=2)],
    ),
    "cancelled": (
        [{"type": "message_end", "reason": "cancelled", "is_truncated": True}],
        [MessageEnd("cancelled", True)],
    ),
}
PARTS: dict[str, Parts] = {
    "ag-ui": AG_UI, "anthropic": ANTHROPIC, "bedrock": BEDROCK, "cohere": COHERE, "gemini": GEMINI,
    "gemini-interactions": INTERACTIONS, "langchain": LANGCHAIN, "midstream": OWN, "mistral": MISTRAL,
    "ollama": OLLAMA, "openai-chat": OPENAI_CHAT, "openai-completions": COMPLETIONS,
    "openai-responses": RESPONSES, "pydantic-ai": PYDANTIC, "vercel-model": VERCEL_MODEL,
    "vercel-ui": VERCEL_UI,
}  # fmt: skip
