"""Document 000: Rosello, "Fully-Nested Interactive POMDPs for Partially-Observable Turn-Based Games"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fogbound_papers.claim import Claim
from fogbound_papers.d000 import (
    controllers,
    extensions,
    games,
    information,
    matches,
    open_nim,
    passing,
    shape,
    size,
    text,
    timing,
)
from fogbound_papers.d000.figures import draw_all

PARTS = (open_nim, games, shape, information, timing, size, passing, matches, controllers, text, extensions)


def claims(folder: Path | None = None) -> Iterator[Claim]:
    """Every claim of the text and of its figures, and what it leaves open; Figures 1 to 9 go into `folder`."""
    for part in PARTS:
        yield from part.claims()
    if folder is not None:
        draw_all(folder)
