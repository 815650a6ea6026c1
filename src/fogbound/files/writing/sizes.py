"""How large a model is in a file, which may differ from the form: states may be written more than once."""

from __future__ import annotations

from typing import NamedTuple


class Sizes(NamedTuple):
    """What a model file that was written declares."""

    states: int
    actions: int
    observations: int

    def __str__(self) -> str:
        return f"{self.states:,} states, {self.actions:,} actions, {self.observations:,} observations"
