"""Document 003: dynamic games, from minimax to counterfactual regret."""

from __future__ import annotations

TITLE = '003  slides whose copy names no author, "Dynamic Games"'
