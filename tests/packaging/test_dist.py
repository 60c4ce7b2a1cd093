"""What users install: sdist and wheels, built and tried in fresh environments."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from try_dist import (
    CHECKS,
    ROOT,
    Workshop,
    metadata_is_complete,
    npm_package_works,
    plain_wheel_works,
    sdist_is_complete,
)

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None, reason="needs the repository"
)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("dist"), flags="-O0")  # here only the packaging counts


# the others take long, and the suite itself runs on a compiled build
QUICK = [sdist_is_complete, plain_wheel_works, metadata_is_complete]
RUNS = [
    pytest.param(check, id=check.__name__, marks=[] if check in QUICK else pytest.mark.deep)
    for check in CHECKS
]


@pytest.mark.parametrize("check", RUNS)
def test_distribution(check: Callable[[Workshop], None], workshop: Workshop) -> None:
    if check is npm_package_works and shutil.which("npm") is None:
        pytest.skip("needs npm")
    check(workshop)
