"""Document 000: fully-nested I-POMDPs, partially observable nim and levels of reasoning."""

from __future__ import annotations

TITLE = '000  Pol Rosello, "Fully-Nested Interactive POMDPs for Partially-Observable Turn-Based Games"'
