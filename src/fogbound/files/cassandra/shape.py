"""What an entry `T:`, `O:` or `R:` of a `.pomdp` file may look like: which fields, and what may follow them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fogbound.files.cassandra.names import Numbering

WORDS = {
    ("T", 1): ("uniform", "identity"),
    ("T", 2): ("uniform", "reset"),
    ("O", 1): ("uniform",),
    ("O", 2): ("uniform",),
}


@dataclass(frozen=True)
class Shape:
    """The fields that entries of one keyword have, and how many of them must be named."""

    keyword: str
    fields: tuple[Numbering, ...]
    least: int  # fields that may not be left out

    @property
    def probable(self) -> bool:
        """Whether the numbers are probabilities."""
        return self.keyword != "R"

    def tails(self, named: int) -> tuple[tuple[str, ...], int, str]:
        """What may follow when so many fields are named: words, or how many numbers, called what."""
        size = math.prod(numbering.size for numbering in self.fields[named:])
        return WORDS.get((self.keyword, named), ()), size, "probabilities" if self.probable else "rewards"

    def single(self, named: int, given: int) -> bool:
        """Whether one number is all there is to be: with all fields named; a reward may stand for many."""
        return named == len(self.fields) or (given == 1 and not self.probable)
