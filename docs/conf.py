"""How the pages are made: `make docs`. Pages of games and solvers are generated from their docstrings first."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from generated import write_all  # noqa: E402

from fogbound import __version__  # noqa: E402

project, author, version, release = "Fogbound", "The Fogbound authors", __version__, __version__
project_copyright = "The Fogbound authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
napoleon_google_docstring = False
autodoc_typehints = "none"  # parameters are described in words; signatures carry the types
autodoc_member_order = "bysource"
html_theme = "furo"
html_title = f"Fogbound {version}"
html_static_path = ["_static"]  # made by `make docs`
html_copy_source = False


def setup(_app: object) -> None:
    """Write what is generated before anything is read."""
    write_all(HERE)
