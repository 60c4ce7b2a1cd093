"""What an extractor reports beside text, reasoning and updates: where documents begin and end."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["DocumentEnd", "DocumentStart"]


class DocumentStart(NamedTuple):
    """A document begins; the updates that follow are its own.

    ``index`` counts documents from 0. ``where`` says what the document stands in: ``"fence"`` in a code
    fence, ``"prose"`` after other text, ``"bare"`` with nothing but white space before it.

    >>> DocumentStart(0, "fence")
    DocumentStart(index=0, where='fence')
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which is not useful here
    where: Literal["bare", "fence", "prose"]


class DocumentEnd(NamedTuple):
    """A document is complete.

    >>> DocumentEnd(0)
    DocumentEnd(index=0)
    """

    index: int  # type: ignore[assignment]  # as above
