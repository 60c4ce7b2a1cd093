"""Read the parts that all providers send in some form: usage, and errors."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..calls.messages import ProviderError, Usage
from ._reading import get, items, text

__all__ = ["error_in", "is_complete_response", "provider_error", "usage_of"]

Names = tuple[str | tuple[str, str], ...]

_DETAILS = "prompt_tokens_details", "input_tokens_details", "input_token_details"
_OUTPUT_DETAILS = "completion_tokens_details", "output_tokens_details", "output_token_details"
# the names of each count, in the order in which they are tried; a tuple is a path
_INPUT: Names = (
    "prompt_tokens", "input_tokens", "promptTokenCount", "inputTokens", "promptTokens", "prompt_eval_count",
    "total_input_tokens", ("tokens", "input_tokens"), ("inputTokens", "total"),
)  # fmt: skip
_OUTPUT: Names = (
    "completion_tokens", "output_tokens", "candidatesTokenCount", "outputTokens", "completionTokens",
    "eval_count", "total_output_tokens", ("tokens", "output_tokens"), ("outputTokens", "total"),
)  # fmt: skip
_CACHED: Names = (
    *((name, "cached_tokens") for name in _DETAILS), ("input_token_details", "cache_read"),
    "cache_read_input_tokens", "cachedContentTokenCount", "cacheReadInputTokens", "cachedInputTokens",
    "cache_read_tokens", "prompt_cache_hit_tokens", "total_cached_tokens", "cached_tokens",
    ("inputTokens", "cacheRead"),
)  # fmt: skip
_REASONING: Names = (
    *((name, "reasoning_tokens") for name in _OUTPUT_DETAILS), ("output_token_details", "reasoning"),
    "thoughtsTokenCount", "reasoningTokens", "total_thought_tokens", ("details", "reasoning_tokens"),
    ("output_tokens_details", "thinking_tokens"), ("outputTokens", "reasoning"),
)  # fmt: skip
# the names of the message in an error
_MESSAGES = "message", "Message", "errorText", "detail", "error_msg", "error"
# the fields of an error that is the body of a response
_ERROR_FIELDS = {
    "message", "Message", "code", "detail", "status", "statusCode", "request_id", "id", "requestId", "title",
    "type", "instance", "timestamp", "path", "errors", "success", "result", "messages",
}  # fmt: skip
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)s")


def usage_of(raw: Any) -> Usage | None:
    """Read a provider's usage; None if there is none, or if it counts nothing.

    >>> usage_of({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7})[:2]
    (5, 2)
    """
    if raw is None:
        return None
    counts = [_count(raw, names) for names in (_INPUT, _OUTPUT, _CACHED, _REASONING)]
    is_empty = all(count is None for count in counts) and get(raw, "total_tokens") is None
    return None if is_empty else Usage(counts[0], counts[1], counts[2], counts[3], raw)


def _count(raw: Any, names: Names) -> int | None:
    for name in names:
        value = get(raw, name) if isinstance(name, str) else get(_record(get(raw, name[0])), name[1])
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return int(value)
    return None


def _record(value: Any) -> Any:
    return None if isinstance(value, (int, float, str, list)) else value


def provider_error(error: Any, reason: str | None = None, event: Any = None) -> ProviderError:
    """Read a provider's error: a dict or object with a type and a message, or a text.

    >>> provider_error({"type": "overloaded_error", "message": "Overloaded"})
    ProviderError(type='overloaded_error', message='Overloaded', status=None, retry_after=None, \
is_retryable=None, message_id=None)
    """
    if isinstance(error, str):
        names = [_word(get(event, name)) for name in ("error_type", "code")]
        reason = reason or next((name for name in names if name and " " not in name), None)
        return ProviderError(reason or "error", error, _status(None, event))
    names = [_word(get(error, name)) for name in ("type", "code", "status", "error_type", "__type")]
    found = reason or next((name for name in names if name), None) or "error"
    messages = (_message(error, name) for name in _MESSAGES)
    message = next((message for message in messages if message), "")
    return ProviderError(found, message, _status(error, event), _retry_after(error), _is_retryable(error))


def _message(error: Any, name: str) -> str:
    """Return a field as text; a list of details becomes JSON."""
    value = get(error, name)
    is_data = isinstance(value, (list, dict)) and bool(value)
    return json.dumps(value, ensure_ascii=False, default=str) if is_data else text(error, name)


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _status(error: Any, event: Any) -> int | None:
    for source in (error, event):
        for name in ("status", "status_code", "statusCode", "code", "originalStatusCode", "http_status"):
            value = get(source, name)
            if isinstance(value, str) and value.isdecimal():
                value = int(value)
            if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600:
                return value
    return None


def _retry_after(error: Any) -> float | None:
    seconds, milliseconds = get(error, "retry_after"), get(error, "retry_after_ms")
    if isinstance(seconds, (int, float)) and not isinstance(seconds, bool):
        return float(seconds)
    if isinstance(milliseconds, (int, float)) and not isinstance(milliseconds, bool):
        return milliseconds / 1000
    details = get(error, "details")
    for detail in details if isinstance(details, list) else ():
        # Google's RetryInfo
        match = _SECONDS.fullmatch(text(detail, "retryDelay"))
        if match is not None:
            return float(match[1])
    return None


def _is_retryable(error: Any) -> bool | None:
    for name in ("is_retryable", "isRetryable", "retryable"):
        value = get(error, name)
        if isinstance(value, bool):
            return value
    return None


def error_in(event: Any) -> ProviderError | None:
    """Read the body of a provider's error response, which has no format; None for anything else.

    >>> error_in({"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}).type
    'invalid_api_key'
    """
    if isinstance(event, list) and len(event) == 1:
        # Gemini wraps the body of an error in a list
        event = event[0]
    if not isinstance(event, Mapping):
        return None
    error = event.get("error")
    if isinstance(error, Mapping) or (isinstance(error, str) and error):
        return provider_error(error, None, event)
    if event.get("type") == "error" or event.get("object") == "error" or "__type" in event:
        kind = None if event.get("type") == "error" else _word(event.get("type"))
        return provider_error({**event, "type": kind or _word(event.get("code"))})
    return _error_body(event) if set(event) <= _ERROR_FIELDS else None


def _error_body(event: Mapping[Any, Any]) -> ProviderError | None:
    """Read an error that has no field of its own: its fields are those of the body."""
    errors, title = items(event, "errors"), text(event, "title")
    if errors and isinstance(errors[0], (str, Mapping)):
        # Cloudflare lists them
        return provider_error(errors[0], None, event)
    if title:
        # in RFC 9457 the type is an address, and the title says what it is
        detail = text(event, "detail")
        return provider_error({**event, "message": detail or title, "type": title if detail else None})
    said = next((event[name] for name in ("message", "Message", "detail") if event.get(name)), None)
    return None if "type" in event or not isinstance(said, (str, list)) else provider_error(event)


def is_complete_response(event: Mapping[Any, Any]) -> bool:
    """Report whether an event is what providers answer to a request without ``stream``."""
    if event.get("object") == "response":
        return True
    if event.get("type") == "message" and "content" in event:
        return True
    return any(get(choice, "message") is not None for choice in items(event, "choices"))
