"""Tests that go through a table in one piece.

Hundreds of tests for the hundreds of cases of a table cost more time in pytest than in the tests. With
`each_case` one test runs all cases, and the error of the first one that fails names its case.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["each_case"]

Test = Any


def each_case(name: str, cases: Mapping[str, object]) -> Callable[[Test], Test]:
    """Run a test for every case, passed as the argument ``name``; an error gets the name of its case."""

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(*arguments: object, **named: object) -> None:
            for case, value in cases.items():
                try:
                    test(*arguments, **named, **{name: value})
                except BaseException as error:
                    error.add_note(f"{name}: {case}")
                    raise

        signature = inspect.signature(test)
        others = [parameter for parameter in signature.parameters.values() if parameter.name != name]
        assert len(others) == len(signature.parameters) - 1
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorate
