"""What the cops lose when they have only some of their actions (section 5.2.2 of document 002).

The document compares lower bounds after a given time. Here losses are themselves bounded, so that no verdict hangs on
how far a search had come.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import mean

from fogbound.reproduce.claim import Claim
from fogbound.reproduce.d002_hunts import OTHER_MAP, Run, at, between, chains, hunt, verdict
from fogbound.reproduce.d002_speed import DRAWS

WORTH = {12: "67.24", 18: "79.33", 24: "70.3 to 75.1"}
NEAR = 10.0  # points that the document calls a good approximation
FEW = 30  # per cent


def claims() -> Iterator[Claim]:
    for number, published in WORTH.items():
        full = hunt(number).plain
        words = f"{OTHER_MAP}; {full.walks} walks"
        yield Claim(f"#{number} is worth", "§ 5.2.2", published, between(full.lower, full.upper), "not stated", words)
    most = lost(18)[1]
    words = f"mean of {DRAWS} draws, another map"
    statement = "#18: what 30 % of the actions lose"
    yield Claim(statement, "Fig. 5.3", "9.1", f"at most {most:.1f}", verdict(most < NEAR), words)
    least = lost(12)[0]
    words = f"lost with 30 %, means of {DRAWS} draws; published: portions that lose less than 10 points"
    ours = f"at least {least:.1f}, at most {most:.1f}"
    statement = "#12 needs more of its actions than #18"
    yield Claim(statement, "§ 5.2", "80 % and 30 %", ours, verdict(least > most), words)
    yield _spread()
    yield from _bounds()


def few(number: int) -> list[Run]:
    """What random subsets of 30 % come to."""
    return at(chains(18, DRAWS), FEW) if number == 18 else at(chains(number, DRAWS, (FEW,)), FEW)


def lost(number: int) -> tuple[float, float]:
    """What 30 % of the actions lose on average, at least and at most."""
    full, runs = hunt(number).plain, few(number)
    return full.lower - mean(run.upper for run in runs), full.upper - mean(run.lower for run in runs)


def _spread() -> Claim:
    """The best subset against the worst one: why it matters which actions are chosen."""
    runs = few(12)
    high, low = max(run.lower for run in runs), min(run.upper for run in runs)
    words = f"two subsets of 30 % among {DRAWS}; published: the best and the mean of 64 %"
    ours = f"over {high:.1f} and under {low:.1f}"
    return Claim("#12: which actions matters", "§ 5.2.2", "62 and 40.8", ours, verdict(high > low), words)


def _bounds() -> Iterator[Claim]:
    """What may be carried over from a smaller game, and what not (section 4.1)."""
    runs = chains(18, DRAWS)
    pairs = [pair for chain in runs for pair in pairwise(chain)]
    kept = sum(large.lower >= small.lower - 1e-9 for small, large in pairs)
    words = "#18, nested subsets, vectors re-used"
    statement = "with more actions the lower bound only rises"
    yield Claim(statement, "§ 4.1", "always", f"{kept} of {len(pairs)}", verdict(kept == len(pairs)), words)
    wrong = sum(run.upper < hunt(18).plain.lower for chain in runs for run in chain)
    words = "games of #18 whose upper bound lies below the lower bound with all actions"
    statement = "the upper bound cannot be re-used"
    yield Claim(statement, "§ 4.1", "yes", f"{wrong} would be wrong", verdict(wrong > 0), words)
