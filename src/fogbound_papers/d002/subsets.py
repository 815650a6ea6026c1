"""What the cops lose when they have only some of their actions (sections 4.1 and 5.2.2 of document 002).

The document compares lower bounds after a given time. Here losses are themselves bounded, so that no verdict hangs on
how far a search had come. What it says of the values on one of its maps is no claim about ours: no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import mean

from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d002.hunts import Run, at
from fogbound_papers.d002.study import SEQUENCES, Study, TriedSubset
from fogbound_papers.d002.verdicts import OTHER_MAP, apart, between

VALUES = {12: "67.24", 18: "79.33", 24: "70.3 to 75.1"}
PICTURES = {12: 1, 18: 3, 24: 5}  # the figure of each map in chapter 5
FEW = 30  # per cent


def claims(study: Study) -> Iterator[Claim]:
    for number, published in VALUES.items():
        full = study.plain(number)
        words = f"{OTHER_MAP}; {full.trials} trials"
        yield Claim(
            *(f"#{number} is worth", "§ 5.2.2", published, between(full.lower, full.upper), "cannot be checked", words),
            figure=f"002-figure-5.{PICTURES[number]}",
            command=f'fogbound solve "scotland-yard(map={number})" --with pg-hsvi --gap 1',
        )
    least, most = lost(study, 18)
    draws = study.effort.draws
    words = f"mean of {draws[18]} draws; {OTHER_MAP}"
    ours = f"at most {most:.1f}"
    yield Claim(
        "#18: what 30 % of the actions lose",
        "Fig. 5.3",
        "9.1",
        ours,
        "cannot be checked",
        words,
        figure="002-figure-5.3",
    )
    least_12, most_12 = lost(study, 12)
    words = f"lost with 30 %, means of {draws[12]} and {draws[18]} draws; published: portions that lose less than 10"
    ours = f"at least {least_12:.1f}, at most {most:.1f}"
    statement = "#12 needs more of its actions than #18"
    yield Claim(statement, "§ 5.2", "80 % and 30 %", ours, apart(least_12, most, most_12 < least), words)
    yield _spread(study)
    yield from _bounds(study)


def lost(study: Study, number: int) -> tuple[float, float]:
    """What 30 % of the actions lose on average, at least and at most."""
    full, runs = study.plain(number), at(study.drawn(number, FEW, FEW), FEW)
    return full.lower - mean(run.upper for run in runs), full.upper - mean(run.lower for run in runs)


def _spread(study: Study) -> Claim:
    """The values "with different subsets of the same size differ vastly": the best subset against the worst one."""
    runs: list[Run | TriedSubset] = [*at(study.drawn(12, FEW, FEW), FEW), *study.tried(12, FEW)]
    high, low = max(run.lower for run in runs), min(run.upper for run in runs)
    words = f"bounds of the best and the worst of {len(runs)} subsets of {FEW} %; how far is vastly is not said"
    ours = f"over {high:.1f} and under {low:.1f}"
    said = apart(high, low, opposite=False)
    words += "; the bounds overlap" if said == "not reproduced" else ""
    return Claim("#12: subsets of one size differ in value", "§ 5.2.2, ch. 6", "vastly", ours, said, words)


def _bounds(study: Study) -> Iterator[Claim]:
    """What may be carried over from a smaller game, and what not (section 4.1)."""
    chains = [chain for first in SEQUENCES for chain in study.drawn(18, first)]
    pairs = [pair for chain in chains for pair in pairwise(chain)]
    kept = sum(large.lower >= small.lower - 1e-9 for small, large in pairs)
    words = "#18, nested subsets, vectors re-used"
    statement = "with more actions the lower bound only rises"
    yield Claim(statement, "§ 4.1", "always", f"{kept} of {len(pairs)}", verdict(kept == len(pairs)), words)
    wrong = sum(run.upper < study.plain(18).lower for chain in chains for run in chain)
    words = "games of #18 whose upper bound lies below the lower bound with all actions"
    statement = "the upper bound cannot be re-used"
    ours = f"{wrong} would be wrong"
    yield Claim(statement, "§ 4.1", "yes", ours, "reproduced" if wrong else "not reproduced", words)
