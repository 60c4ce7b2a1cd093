"""Engine E2: the arguments as a JSON text, after a header that has named the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._json_text import JsonText
from ._markers import skip_space

if TYPE_CHECKING:
    from ..._options import Dialect
    from ._markers import Markers
    from ._output import Output

__all__ = ["DocumentBody"]


class DocumentBody:
    """The arguments of one call; a marker in their place means that there are none."""

    def __init__(self, output: Output, after: Markers, unwrap: bool, dialect: Dialect) -> None:
        self._output = output
        self._unwrap = unwrap
        self._dialect = dialect
        # what may follow a call
        self._after = after
        self._text: JsonText | None = None
        self.is_over = False
        self.is_broken = False

    def read(self, text: str, i: int) -> int:
        """Read from i on; return the index of what is left, which the caller keeps for the next time."""
        if self._text is None:
            i = skip_space(text, i)
            if i == len(text):
                return i
            marker = self._after.at(text, i)
            if marker is not None:
                if marker:
                    self._output.arguments("{}")
                    self._output.close_call()
                    self.is_over = True
                return i
            if text[i] not in '{["':
                self.is_broken = True
                return i
            self._text = JsonText(self._output, self._unwrap, self._dialect, text[i])
        i = self._text.read(text, i)
        self.is_broken = self._text.is_broken
        if self._text.is_over:
            self.is_over = True
            self._output.close_call()
        return i

    def finish(self, held: str) -> None:
        """End the call where the text ends."""
        self._output.arguments(held)
