"""Document 002: one-sided games, PG-HSVI, ISG and HISG, Scotland Yard."""

from __future__ import annotations

TITLE = (
    "002  a thesis supervised by Branislav Bošanský (our copy names no author), "
    '"Strategy generation for solving partially observable stochastic games" (translated)'
)
