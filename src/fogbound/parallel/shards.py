"""A share of many jobs, for machines that know nothing of each other: the k-th of n takes every n-th job."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fogbound.core.errors import SpecError


@dataclass(frozen=True)
class Shard:
    """One share of n.

    Parameters
    ----------
    number
        Which, from 1.
    of
        How many shares there are.

    Examples
    --------
    >>> [job for job in range(7) if Shard.parse("2/3").has(job)]
    [1, 4]
    """

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise SpecError(f"shard {self.number} of {self.of}, expected 1 to {max(self.of, 1)}")

    @classmethod
    def parse(cls, text: str | Shard) -> Shard:
        """A share as people write it, such as 2/8; SpecError for anything else."""
        if isinstance(text, Shard):
            return text
        found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text) if isinstance(text, str) else None
        if not found:
            raise SpecError(f"shard is {text!r}, expected k/n such as 2/8: the second of eight")
        return cls(int(found[1]), int(found[2]))

    def has(self, job: int) -> bool:
        """Whether a job is in this share."""
        return job % self.of == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"
