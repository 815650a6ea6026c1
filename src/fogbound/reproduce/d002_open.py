"""The question that document 002 leaves open: which actions to give the player who does not see."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from fogbound.reproduce.claim import Claim
from fogbound.reproduce.d002_hunts import GAPS, WALKS, hunt, verdict
from fogbound.reproduce.d002_subsets import few
from fogbound.solvers.one_sided.subsets import Subgame, compare_subsets

DRAWS = 3


def claims() -> Iterator[Claim]:
    whole, oracle, *drawn = compared()
    share = oracle.actions / whole.actions
    words = f"#18, {share:.0%}: what the double oracle mixed while solving all of it, one action where it mixed none"
    yield Claim("some small subset loses little", "§ 5.2.3", "–", _lost(oracle), "not stated", words)
    least = min(part.least_lost for part in drawn)
    ours = f"{least:.1f} to {max(part.most_lost for part in drawn):.1f} lost"
    words = f"{DRAWS} draws of as many actions, hardly more than one a partition, so that cops can be foreseen"
    statement = "such a subset is far better than a random one"
    yield Claim(statement, "§ 5.2.3", "yes", ours, verdict(least > oracle.most_lost), words)
    larger = few(18)
    ours = f"{sum(oracle.lower > run.upper for run in larger)} of {len(larger)}"
    words = (
        "random subsets of 30 % surely worse than the oracle's; but it names those only while solving the whole game"
    )
    yield Claim("… and than larger random ones", "§ 5.2.3", "–", ours, "not stated", words)


def _lost(part: Subgame) -> str:
    return f"at most {part.most_lost:.2f} lost"


@cache
def compared() -> list[Subgame]:
    """#18 with all actions, with the oracle's, and with as many random ones."""
    return compare_subsets(hunt(18).form, GAPS[18], DRAWS, np.random.default_rng(0), WALKS[18])
