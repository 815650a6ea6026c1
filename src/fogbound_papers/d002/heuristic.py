"""The value of the best of many random subsets (HISG; sections 5.2.1 and 5.2.2 and chapter 6 of document 002)."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean

from fogbound_papers.claim import Claim
from fogbound_papers.d002.hunts import Run, at
from fogbound_papers.d002.study import Study
from fogbound_papers.d002.verdicts import OTHER_MAP, apart, between

NEAR = 10.0  # points that the document calls a good approximation
FEW = 30  # per cent
GROWN = "002-figure-5.6"


def claims(study: Study) -> Iterator[Claim]:
    lower = [subset.lower for subset in study.tried(18, FEW)]
    ours = f"{mean(lower):.1f} ({min(lower):.1f} to {max(lower):.1f})"
    words = f"lower bounds of {len(lower)} random subsets: mean, least and best; {OTHER_MAP}"
    yield Claim("#18: 30 % of the actions are worth, on average", "§ 5.2.2", "70.2", ours, "cannot be checked", words)
    yield _accurate(study)
    yield _better(study)
    yield from _large_map(study)


def _accurate(study: Study) -> Claim:
    """That some subset of this size will do is all that is claimed, so one of ours decides it for our map."""
    full, run = study.plain(18), study.grown(18, FEW, FEW)[0]
    most = full.upper - run.lower
    words = f"#18, best of {len(study.tried(18, FEW))}; less than the 10 points of a good approximation"
    said = "reproduced" if most < NEAR else "not reproduced"
    return Claim(
        "some 30 % of the actions come close",
        "ch. 6",
        "yes",
        f"at most {most:.2f} lost",
        said,
        words,
        figure="002-figure-5.4",
    )


def _better(study: Study) -> Claim:
    """The best subset, grown to 64 per cent, against the average one."""
    (best,), others = at([study.grown(12, FEW, 64)], 64), at(study.drawn(12, FEW, 64), 64)
    least, most = (mean(getattr(run, name) for run in others) for name in ("lower", "upper"))
    ours = f"{between(best.lower, best.upper)}, {between(least, most)}"
    words = f"64 %, grown from the best of {len(study.tried(12, FEW))}, and the mean of {len(others)} draws"
    said = apart(best.lower, most, best.upper < least)
    words += "; the bounds overlap" if said == "not reproduced" else ""
    return Claim(
        "#12: the best subset against the average", "§ 5.2.2", "62 and 40.8", ours, said, words, figure="002-figure-5.2"
    )


def _large_map(study: Study) -> Iterator[Claim]:
    """What the document says of its largest map."""
    full = study.plain(24)
    count = len(study.tried(24, FEW))
    (best,) = at([study.grown(24, FEW, 44)], 44)
    words = f"bounds with 44 %, grown from the best of {count}: {_lost(full, best)}; {OTHER_MAP}"
    ours = between(best.lower, best.upper)
    yield Claim(
        "#24: 44 % come within 7 points", "§ 5.2.2", "63.4 to 72.9", ours, "cannot be checked", words, figure=GROWN
    )
    (best,) = at([study.grown(24, 60, 60)], 60)
    words = f"bounds with 60 %, the best of {len(study.tried(24, 60))}: {_lost(full, best)}; {OTHER_MAP}"
    ours = between(best.lower, best.upper)
    yield Claim(
        "#24: the best 60 % are as good as all", "§ 5.2.2", "yes", ours, "cannot be checked", words, figure=GROWN
    )
    runs = at(study.drawn(24, 60, 80), 80)
    ours = f"{mean(run.lower for run in runs):.1f}"
    words = f"lower bound, mean of {len(runs)}; all actions: {full.lower:.1f} (published 70.3); {OTHER_MAP}"
    yield Claim(
        "#24: 80 % are needed on average", "§ 5.2.1", "60.9", ours, "cannot be checked", words, figure="002-figure-5.5"
    )


def _lost(full: Run, run: Run) -> str:
    return f"{max(0.0, full.lower - run.upper):.1f} to {full.upper - run.lower:.1f} lost"
