"""Close what an iterator reads when the iterator is left early.

A provider's stream costs money until its connection closes, so an iterator that ends before its source does
must end the source as well. The rule:

- A source that was read to its end is left alone.
- A generator is closed, and so is an object with ``aclose()`` or ``close()``: the streams and responses of
  SDKs and HTTP clients.
- A file is never closed: its owner may want to continue reading it. An object counts as a file if it has
  ``readline``, except for a response of ``http.client``, which is a connection.
- With ``close=False`` no source is closed.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Awaitable, Coroutine, Generator
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from types import TracebackType

__all__ = ["Source", "check_source"]


class Source:
    """Iterate over a source, and close it if the iteration ends early.

    The iteration ends early if the ``with`` block raises an exception (a generator that is closed raises
    `GeneratorExit` there), or after a call of `stop`.

    >>> def model():
    ...     try:
    ...         yield "text"
    ...     finally:
    ...         print("closed")
    >>> with Source(model()) as source:
    ...     for fragment in source:
    ...         source.stop()
    ...         break
    closed
    """

    def __init__(self, source: Any, close: bool = True) -> None:
        self._source = source
        self._close = close
        self._is_stopped = False
        self._iterator: Any = None

    def stop(self) -> None:
        """End the iteration early: leaving the ``with`` block then closes the source."""
        self._is_stopped = True

    def __iter__(self) -> Iterator[Any]:
        check_source(self._source, is_async=False)
        self._iterator = iter(self._source)
        return self._iterator  # type: ignore[no-any-return]

    def __aiter__(self) -> AsyncIterator[Any]:
        check_source(self._source, is_async=True)
        self._iterator = aiter(self._source)
        return self._iterator  # type: ignore[no-any-return]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for close in self._closers(kind, "close"):
            close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for close in self._closers(kind, "aclose", "close"):
            result = close()
            if isinstance(result, Awaitable):
                await result

    def _closers(self, kind: type[BaseException] | None, *names: str) -> Iterator[Callable[[], Any]]:
        """Yield the methods that close the source, if it has to be closed; its iterator is closed first."""
        iterator, source = self._iterator, self._source
        if not self._close or iterator is None or (kind is None and not self._is_stopped):
            return
        if iterator is not source and isinstance(iterator, (Generator, AsyncGenerator)):
            # the source's `__iter__` created this generator, and nothing else uses it
            yield iterator.close if isinstance(iterator, Generator) else iterator.aclose
        if is_closable(source):
            for name in names:
                if callable(close := getattr(source, name, None)):
                    yield close
                    return


def check_source(source: object, *, is_async: bool) -> None:
    """Raise TypeError with what to do if a source cannot be iterated over in this way.

    >>> class Manager:
    ...     def __enter__(self): ...
    >>> check_source(Manager(), is_async=False)
    Traceback (most recent call last):
      ...
    TypeError: a context manager, not a stream: pass what `with ... as stream` binds
    """
    kind, other = type(source), "__iter__" if is_async else "__aiter__"
    if hasattr(kind, "__aiter__" if is_async else "__iter__"):
        return
    why = None
    if isinstance(source, Coroutine):
        # without a second warning, that it was never awaited
        source.close()
    if isinstance(source, Awaitable):
        why = "a coroutine, not a stream: write `await` before the call that returns it"
    elif hasattr(kind, other) and is_async:
        why = "not an asynchronous stream: use the function of the same name in midstream"
    elif hasattr(kind, other):
        why = "an asynchronous stream: use the function of the same name in midstream.aio"
    elif hasattr(kind, "iter_bytes"):
        why = f"a response, not a stream: pass its {'aiter_bytes()' if is_async else 'iter_bytes()'}"
    elif hasattr(kind, "__enter__"):
        why = "a context manager, not a stream: pass what `with ... as stream` binds"
    elif hasattr(kind, "__aenter__"):
        why = "a context manager, not a stream: pass what `async with ... as stream` binds"
    if why is not None:
        raise TypeError(why)


def is_closable(source: object) -> bool:
    """Report whether an iterator that is left early may close its source: anything but a file.

    >>> import io
    >>> is_closable(io.StringIO()), is_closable(letter for letter in "text")
    (False, True)
    """
    if not hasattr(source, "readline"):
        return True
    # no import is needed: a program that has such a response has already imported the module
    http = sys.modules.get("http.client")
    return http is not None and isinstance(source, http.HTTPResponse)
