"""Write values as JSON text, in the form that the chunker emits.

RFC 8259 section 7 requires escapes for quotes, backslashes and control characters only; all other
characters are written as they are. A lone surrogate is the exception: UTF-8 cannot encode it, so it is
written as its escape.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..accumulators.value_text import value_text
from ..core.surrogates import escape_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# a string with its quotes; `joined` escapes the surrogates in it
quoted: Callable[[str], str] = json.encoder.encode_basestring
# `snapshot.read_snapshot` has already refused cycles and infinities
_encoder = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"))
# JSONEncoder builds a C encoder for every text, which takes longer than writing most texts, so one is built
# here. An interpreter without it uses `iterencode`, which has the same parameters.
_make: Any = getattr(json.encoder, "c_make_encoder", None)
_pieces: Callable[..., Iterable[str]] = (
    _make(None, _encoder.default, quoted, None, ":", ",", False, False, False)
    if _make
    else _encoder.iterencode
)


def json_text(value: Any) -> str:
    """Write a complete value; `joined` escapes the surrogates in it.

    >>> json_text({"a": [1, "ü"]})
    '{"a":[1,"ü"]}'
    """
    try:
        return "".join(_pieces(value, 0))
    except RecursionError:
        # the C encoder recurses
        return value_text(value)


def joined(parts: list[str]) -> str:
    r"""Join the parts of a chunk, with every lone surrogate escaped.

    >>> print(joined(['"ü', '\ud83d"']))
    "ü\ud83d"
    """
    return escape_surrogates("".join(parts))
