"""Document 002: incremental strategy generation for one-sided games (PG-HSVI, ISG-PG-HSVI) on Scotland Yard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fogbound.reproduce import d002_open, d002_sizes, d002_speed, d002_subsets
from fogbound.reproduce.claim import Claim
from fogbound.reproduce.d002_figures import draw_all

TITLE = "002  Incremental strategy generation in one-sided games (Scotland Yard, PG-HSVI)"
PARTS = (d002_sizes, d002_speed, d002_subsets, d002_open)


def claims(folder: Path | None = None) -> Iterator[Claim]:
    """The claims of chapters 4 and 5 and the question they leave open; Figures 5.1 to 5.6 go into `folder`."""
    for part in PARTS:
        yield from part.claims()
    if folder is not None:
        draw_all(folder)
