"""What document 002 says of actions and of a short look at them (sections 4.1, 4.4 and 5.1.2), tried out."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator, Sequence
from statistics import mean
from typing import Any, cast

import numpy as np

import fogbound as fb
from fogbound import forms
from fogbound.games.scotland_yard.town import Cops
from fogbound.transforms.restrict import Restrict
from fogbound_papers.claim import Claim
from fogbound_papers.d002.speed import OTHER_PROGRAM
from fogbound_papers.d002.study import Study
from fogbound_papers.d002.verdicts import OTHER_MAP

FEW = 30
COLUMNS = 4  # of map #12, a grid by taxi
STEPS = (-COLUMNS, COLUMNS, -1, 1)
SMALL = "pursuit(columns=3)"
EASY = 0.7  # rank correlation from which a short look tells


def claims(study: Study) -> Iterator[Claim]:
    yield _fewer_replies()
    yield _same_direction(study)
    yield _short_look(study)
    seconds = study.plain(12).seconds
    words = f"to a gap of {study.effort.gaps[12]:g} or {study.effort.trials[12]} trials; {OTHER_MAP}"
    yield Claim("#12 takes only a few seconds", "§ 5.2.1", "a few", f"{seconds:.1f} s", "cannot be checked", words)
    study.plain(24)
    words = f"the peak of this process so far, #24 and all else; {OTHER_PROGRAM}"
    ours = f"{peak_memory() / 1e9:.1f} GB"
    yield Claim("memory for the largest game", "§ 5.1.2", "up to 31 GB", ours, "cannot be checked", words)


def _fewer_replies() -> Claim:
    """Section 4.1: the seeing player must keep its actions, since without some the value may be higher."""
    game = fb.game(SMALL)
    kept = Restrict(game, _first_way)
    full, fewer = (fb.solve(forms.one_sided(each), "pg-hsvi", gap=1.0) for each in (game, kept))
    words = f"{SMALL}, where the evader must take its first way: bounds that do not overlap"
    ours = f"over {fewer.lower:.1f} instead of under {full.upper:.1f}"
    said = "reproduced" if fewer.lower > full.upper else "not reproduced"
    return Claim("fewer actions of player 2 may raise the value", "§ 4.1", "may", ours, said, words)


def _first_way(_: Any, player: int, actions: Sequence[Any]) -> Sequence[Any]:
    """The evader has no choice."""
    return actions[:1] if player == 1 else actions


def _same_direction(study: Study) -> Claim:
    """Section 4.4: cops in the middle of a grid who go in the same direction; how often an oracle mixes that."""
    own = study.hunt(12)
    bounds, _ = own.solve(100, own.everything, study.effort.gaps[12], study.effort.trials[12])
    form = own.form
    inside, alike = [], []
    for action, (part, label) in enumerate(zip(form.part_of_action.tolist(), form.action_label.tolist())):
        (cops, _), goals = cast("tuple[Cops, int]", form.states[int(form.state_start[part])]), form.actions[0][label]
        if all(cop % COLUMNS in (1, 2) for cop in cops):
            inside.append(action)
            alike.append(any(tuple(sorted(cop + step for cop in cops)) == goals for step in STEPS))
    mixed, same = bounds.touched[inside].astype(bool), np.array(alike)
    shares = float(mixed[same].mean()), float(mixed[~same].mean())
    words = "#12, both cops in the middle columns: actions of either kind that the double oracle ever mixed"
    ours = f"{shares[0]:.0%} and {shares[1]:.0%}"
    said = "reproduced" if shares[0] > shares[1] else "not reproduced"
    return Claim("going in one direction is probably worth more", "§ 4.4", "probably", ours, said, words)


def _short_look(study: Study) -> Claim:
    """Section 4.4: "the potential of the actions is mostly shown within the first iterations"."""
    own, tried, effort = study.hunt(12), study.tried(12, FEW), study.effort
    long = []
    for subset in tried:
        study.watch(f"#12: subset {subset.seed + 1} of {len(tried)}, a long look")
        mask = own.subsets(np.random.default_rng(subset.seed), (FEW,))[0]
        long.append(own.solve(FEW, mask, effort.gaps[12], effort.trials[12])[1].lower)
    together = rank_correlation([subset.lower for subset in tried], long)
    gained = mean(after - subset.lower for after, subset in zip(long, tried))
    words = (
        f"rank correlation of lower bounds after {effort.subset_trials[12]} and {effort.trials[12]} trials, "
        f"{len(tried)} subsets of {FEW} % of #12; the longer look adds {gained:.1f} on average"
    )
    said = "reproduced" if together >= EASY else "not reproduced"
    statement, ours = "a short look shows which actions are good", f"ρ = {together:.2f}".replace("-", "−")
    return Claim(statement, "§ 4.4", "mostly", ours, said, words)


def rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's, of values of which no two are equal."""
    ranks = np.array([np.argsort(np.argsort(values)) for values in (one, other)], float)
    return float(np.corrcoef(ranks)[0, 1])


def peak_memory() -> int:
    """Bytes that this process has held at most."""
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
