"""Document 000: Rosello, "Fully-Nested Interactive POMDPs for Partially-Observable Turn-Based Games"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fogbound_papers.claim import Claim
from fogbound_papers.d000 import extensions as d000_beyond
from fogbound_papers.d000 import games as d000_games
from fogbound_papers.d000 import matches as d000_matches
from fogbound_papers.d000 import passing as d000_passing
from fogbound_papers.d000 import shape as d000_shape
from fogbound_papers.d000 import size as d000_size
from fogbound_papers.d000 import text as d000_text
from fogbound_papers.d000 import timing as d000_time
from fogbound_papers.d000.figures import draw_all

TITLE = "000  Fully-nested interactive POMDPs (partially observable nim, levels of reasoning)"
PARTS = (d000_games, d000_shape, d000_time, d000_size, d000_passing, d000_matches, d000_text, d000_beyond)


def claims(folder: Path | None = None) -> Iterator[Claim]:
    """Every claim of the text and of its figures, and what it leaves open; Figures 1 to 9 go into `folder`."""
    for part in PARTS:
        yield from part.claims()
    if folder is not None:
        draw_all(folder)
