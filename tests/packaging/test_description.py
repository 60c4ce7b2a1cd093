"""README.md in the metadata of the package: links and pictures also work on the page of a package index."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from email import message_from_bytes
from typing import TYPE_CHECKING

import pytest

from documents import ROOT, links

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path

README = ROOT / "README.md"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PREPARE = "from setuptools import build_meta; print(build_meta.prepare_metadata_for_build_wheel('out'))"


@pytest.fixture(scope="module")
def metadata(tmp_path_factory: pytest.TempPathFactory) -> Message:
    """Return the metadata that the build backend makes of the project."""
    copy = tmp_path_factory.mktemp("project")
    (copy / "src" / "midstream").mkdir(parents=True)
    (copy / "out").mkdir()
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE", "src/midstream/_version.py"):
        shutil.copy(ROOT / name, copy / name)
    (copy / "src" / "midstream" / "__init__.py").touch()
    env = os.environ | {"MIDSTREAM_EXTENSION": "no"}
    subprocess.run([sys.executable, "-c", PREPARE], cwd=copy, env=env, check=True, capture_output=True)
    (file,) = (copy / "out").glob("*.dist-info/METADATA")
    return message_from_bytes(file.read_bytes())


def description(metadata: Message, folder: Path) -> Path:
    """Write the description of the package as a page."""
    assert metadata["Description-Content-Type"] == "text/markdown"
    body = metadata.get_payload(decode=True)
    assert isinstance(body, bytes)
    page = folder / "description.md"
    page.write_bytes(body)
    return page


def test_links_of_the_description_are_absolute(metadata: Message, tmp_path: Path) -> None:
    address = PROJECT["urls"]["Repository"]
    text = description(metadata, tmp_path).read_text("utf-8")
    original = README.read_text("utf-8")
    found = links(tmp_path / "description.md")
    assert found == [
        link
        if re.match(r"[a-z]+:", link)
        else f"{address}/{'raw' if is_picture(original, link) else 'blob'}/HEAD/{link}"
        for link in links(README)
    ]
    assert all(link.startswith("https://") for link in found)
    # nothing but the links differs
    assert re.sub(rf"{address}/\w+/HEAD/", "", text).strip() == original.strip()


def is_picture(text: str, link: str) -> bool:
    return re.search(rf"!\[[^]]*\]\({re.escape(link)}\)", text) is not None


def test_pictures_exist(metadata: Message, tmp_path: Path) -> None:
    prefix = f"{PROJECT['urls']['Repository']}/raw/HEAD/"
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", description(metadata, tmp_path).read_text("utf-8"))
    assert pictures
    for picture in pictures:
        assert (ROOT / picture.removeprefix(prefix)).is_file()


def test_addresses(metadata: Message) -> None:
    urls = dict(line.split(", ", 1) for line in metadata.get_all("Project-URL", []))
    assert urls == PROJECT["urls"]
    for url in urls.values():
        assert url.startswith(urls["Repository"])
        path = url.removeprefix(urls["Repository"]).partition("/blob/HEAD/")[2]
        assert (ROOT / path).exists(), url
