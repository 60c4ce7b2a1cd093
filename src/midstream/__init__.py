"""JSON while it is still arriving."""

from . import aio
from ._grammar import COMPILED
from ._update import JsonFragmentKind, JsonFragmentUpdate
from ._version import __version__
from .errors import ErrorCode, JsonStreamError, ParserError, Position
from .fragments import JsonFragmentAccumulator, updates
from .limits import Limits
from .paths import parse_path

__all__ = [
    "COMPILED",
    "ErrorCode",
    "JsonFragmentAccumulator",
    "JsonFragmentKind",
    "JsonFragmentUpdate",
    "JsonStreamError",
    "Limits",
    "ParserError",
    "Position",
    "__version__",
    "aio",
    "parse_path",
    "updates",
]
