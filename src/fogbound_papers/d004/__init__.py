"""Document 004: search in games of several players, and King Up."""

from __future__ import annotations

TITLE = (
    "004  Gao Peng, "
    '"Partially Observable Monte Carlo Planning in Public Game Tree for complex imperfect information game King UP"'
)
