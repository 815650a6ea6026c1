"""Document 000: Rosello, "Fully-Nested Interactive POMDPs for Partially-Observable Turn-Based Games"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fogbound.reproduce import (
    d000_beyond,
    d000_games,
    d000_matches,
    d000_passing,
    d000_shape,
    d000_size,
    d000_text,
    d000_time,
)
from fogbound.reproduce.claim import Claim
from fogbound.reproduce.d000_figures import draw_all

TITLE = "000  Fully-nested interactive POMDPs (partially observable nim, levels of reasoning)"
PARTS = (d000_games, d000_shape, d000_time, d000_size, d000_passing, d000_matches, d000_text, d000_beyond)


def claims(folder: Path | None = None) -> Iterator[Claim]:
    """Every claim of the text and of its figures, and what it leaves open; Figures 1 to 9 go into `folder`."""
    for part in PARTS:
        yield from part.claims()
    if folder is not None:
        draw_all(folder)
