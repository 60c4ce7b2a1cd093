"""What users install: sdist and wheels, built and tried in fresh environments."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from try_dist import CHECKS, ROOT, Workshop

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None, reason="needs the repository"
)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("dist"), flags="-O0")  # here only the packaging counts


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_distribution(check: Callable[[Workshop], None], workshop: Workshop) -> None:
    check(workshop)
