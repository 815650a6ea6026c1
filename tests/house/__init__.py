"""Figures about the source code: sizes, contracts, names, start-up. ``python -m tests.house`` prints them."""
