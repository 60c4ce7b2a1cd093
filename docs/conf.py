"""The documentation site: ``make docs``."""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from docutils.nodes import Element, reference

import midstream
from midstream.accumulators.reentrancy import ReentrancyGuard

if TYPE_CHECKING:
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

project = "midstream"
author = "the midstream contributors"
copyright = f"2026 {author}"  # noqa: A001 -- Sphinx's name for it
version = release = midstream.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]

# Markdown
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
highlight_language = "none"

# the reference, from the docstrings: `name` there is a name of the library
default_role = "py:obj"
autodoc_class_signature = "mixed"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

# how it looks: nothing is loaded from elsewhere
html_theme = "furo"
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
html_title = "midstream"
html_favicon = "../src/midstream/render/web/icon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
pygments_dark_style = "github-dark"

# sessions and commands are copied without their prompts and their output
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

# A link that leads out of this folder works on the repository's host as it is. In the site a file that is a
# page here is that page, and a folder is only named; all other files come along.
PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md", "README.md": "index.md"}
# The reference stands in its pages as Markdown, below the directives that the site shows instead
# (`tests/support/reference.py`).
REFERENCE = re.compile(r"^<!-- autodoc\n(.*?)^-->\n.*?^<!-- end of autodoc -->$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[(?P<words>[^]\[]+)\]\((?P<path>\.\./[^)#\s]+)(?P<anchor>#[^)\s]+)?\)")


def keep_links_inside(app: Sphinx, docname: str, source: list[str]) -> None:
    """Turn the links of a page that lead out of the site."""
    docs = Path(app.srcdir)
    folder = Path(docs, docname).parent

    def turned(link: re.Match[str]) -> str:
        target = (folder / link["path"]).resolve()
        if target.is_dir():
            return link["words"]
        if target.parent != docs.parent or target.name not in PAGES:
            return link[0]
        return (
            f"[{link['words']}]({os.path.relpath(docs / PAGES[target.name], folder)}{link['anchor'] or ''})"
        )

    source[0] = REFERENCE.sub(r"```{eval-rst}\n\1```", source[0])
    # the blank line with which a session may end is not to be seen
    source[0] = re.sub(r"\n\n```$", "\n```", LINK.sub(turned, source[0]), flags=re.MULTILINE)


def find_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: Element) -> Element | None:
    """Find what a docstring or an annotation calls by its short name.

    A name without an entry in the reference is shown as it is if it exists; else there is a warning.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    entries = env.domains.python_domain.objects
    for name in (f"midstream.{target}", *(name for name in entries if name.endswith(f".{target}"))):
        if name in entries:
            page = app.builder.get_relative_uri(node["refdoc"], entries[name].docname)
            return reference("", "", shown, internal=True, refuri=f"{page}#{entries[name].node_id}")
    is_annotation = node["reftype"] == "class"
    return shown if is_annotation or exists(target) or exists(f"midstream.{target}") else None


def exists(name: str) -> bool:
    """Report whether a dotted name is a module, or something in one."""
    folder, _, last = name.rpartition(".")
    for module, attribute in ((name, ""), (folder, last)):
        try:
            found = import_module(module)
        except (ImportError, ValueError):
            continue
        if not attribute or hasattr(found, attribute):
            return True
    return False


def setup(app: Sphinx) -> None:
    """Take part in the build."""
    # where the core is plain, this hides what __init__ takes
    del ReentrancyGuard.__new__
    app.connect("source-read", keep_links_inside)
    app.connect("missing-reference", find_name)
