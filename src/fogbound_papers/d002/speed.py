"""Whether beginning with few actions saves time (section 5.2.1 and Tables 5.2 to 5.11 of document 002).

Seconds are of another machine, of another program and of other maps, so what is shown are shares and ratios. What the
document measured of its own program ours cannot refute; what came out on either side of a claim gets no verdict.

What the cops lose when they have only some of their actions (sections 4.1 and 5.2.2 of document 002).

The document compares lower bounds after a given time. Here losses are themselves bounded, so that no verdict hangs on
how far a search had come. What it says of the values on one of its maps is no claim about ours: no verdict.

The value of the best of many random subsets (HISG; sections 5.2.1 and 5.2.2 and chapter 6 of document 002).

What document 002 says of actions and of a short look at them (sections 4.1, 4.4 and 5.1.2), tried out.

What may be said of bounds on maps that document 002 does not print.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import mean, median
from typing import Any, cast

import numpy as np

import fogbound as fb
from fogbound import forms
from fogbound.games.scotland_yard.town import Cops
from fogbound.transforms.restrict import Restrict
from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d002.hunts import SEQUENCES, Chain, Run, Study, TriedSubset, runs_at

FEW = 30
OTHER_PROGRAM = "another program, so no verdict"


def claims(study: Study) -> Iterator[Claim]:
    """Times, subsets, the heuristic's, and what is said of actions."""
    yield from _speed_claims(study)
    yield from _subset_claims(study)
    yield from _heuristic_claims(study)
    yield from _choice_claims(study)


def _speed_claims(study: Study) -> Iterator[Claim]:
    own, plain = study.hunt(18), study.plain(18)
    whole = own.seconds + plain.seconds
    words = f"from the rules on, {bounds_words(plain.lower, plain.upper)}; {OTHER_MAP}"
    yield Claim("#18, all actions: seconds to width 1", "Table 5.2", "535", f"{whole:.1f}", "cannot be checked", words)
    share = plain.start / plain.seconds
    words = f"first bounds, of the time after making the game; {OTHER_PROGRAM}"
    statement = "the time goes into initialising"
    yield Claim(statement, "Table 5.2", "97 %", f"{share:.0%}", "cannot be checked", words)
    yield from _incremental(study)
    yield _larger(study)


def _incremental(study: Study) -> Iterator[Claim]:
    """ISG and HISG beside the plain algorithm."""
    plain, drawn, grown = study.plain(18), study.drawn(18, FEW), study.grown(18, FEW)
    begun = median(run.start for run in runs_at(drawn, FEW)) / plain.start
    words = f"{FEW} % over 100 %, median of {len(drawn)} draws; {OTHER_PROGRAM}"
    statement = "fewer actions shorten the initialisation"
    yield Claim(statement, "Table 5.3", "0.34 times", f"{begun:.2f} times", "cannot be checked", words)
    summed = min(map(seconds, drawn)) / plain.seconds
    words = f"30, 44, 64, 100 % over 100 % alone, to width 1, the fastest of {len(drawn)} draws, no files written"
    statement = "ISG-PG-HSVI is not faster than PG-HSVI"
    yield Claim(statement, "§ 5.2.1", "2.2 times", f"{summed:.1f} times", verdict(summed > 1), words)
    summed = seconds(grown) / plain.seconds
    tried = sum(subset.seconds for subset in study.tried(18, FEW)) / plain.seconds
    words = f"the same from the best subset; trying {len(study.tried(18, FEW))} subsets took {tried:.1f} times more"
    statement = "HISG-PG-HSVI is not faster either"
    yield Claim(statement, "§ 5.2.1", "1.9 times", f"{summed:.1f} times", verdict(summed > 1), words)
    saved = 1 - grown[0].seconds / plain.seconds
    words = f"{FEW} % (the best subset) against 100 %; {OTHER_PROGRAM}"
    yield Claim("the best 30 % alone save time", "ch. 6", "73 %", f"{saved:.0%}", "cannot be checked", words)
    trials = mean(run.trials for run in runs_at(drawn, 100))
    words = f"trials of the last game ({trials:.0f} on average) over those without; published are seconds"
    ours = f"{trials / plain.trials:.2f} times"
    yield Claim(
        "re-used vectors shorten the last game", "§ 5.2.1", "0.69 to 1.01 times", ours, "cannot be checked", words
    )


def seconds(chain: Chain) -> float:
    """What a whole sequence of portions took."""
    return sum(run.seconds for run in chain)


def _larger(study: Study) -> Claim:
    """A third more nodes."""
    small, large = study.plain(18).start, study.plain(24).start
    triples = len(study.hunt(24).form.reward) / len(study.hunt(18).form.reward)
    made = (study.hunt(24).seconds + large) / (study.hunt(18).seconds + small)
    words = f"{triples:.1f} times as many triples; with making the game {made:.1f} times; {OTHER_PROGRAM}"
    statement, ours = "#24 takes longer to initialise than #18", f"{large / small:.1f} times"
    return Claim(statement, "§ 5.2.1", "10 times", ours, "cannot be checked", words)


VALUES = {12: "67.24", 18: "79.33", 24: "70.3 to 75.1"}
PICTURES = {12: 1, 18: 3, 24: 5}  # the figure of each map in chapter 5


def _subset_claims(study: Study) -> Iterator[Claim]:
    for number, published in VALUES.items():
        full = study.plain(number)
        words, ours = f"{OTHER_MAP}; {full.trials} trials", bounds_words(full.lower, full.upper)
        yield Claim(
            *(f"#{number} is worth", "§ 5.2.2", published, ours, "cannot be checked", words),
            figure=f"002-figure-5.{PICTURES[number]}",
            command=f'fogbound solve "scotland-yard(map={number})" --with pg-hsvi --gap 1',
        )
    least, most = lost(study, 18)
    draws = study.effort.draws
    words = f"mean of {draws[18]} draws; {OTHER_MAP}"
    ours = f"at most {most:.1f}"
    statement, figure = "#18: what 30 % of the actions lose", "002-figure-5.3"
    yield Claim(statement, "Fig. 5.3", "9.1", ours, "cannot be checked", words, figure)
    least_12, most_12 = lost(study, 12)
    words = f"lost with 30 %, means of {draws[12]} and {draws[18]} draws; published: portions that lose less than 10"
    ours = f"at least {least_12:.1f}, at most {most:.1f}"
    statement = "#12 needs more of its actions than #18"
    yield Claim(statement, "§ 5.2", "80 % and 30 %", ours, bounds_verdict(least_12, most, most_12 < least), words)
    yield _spread(study)
    yield from _bounds(study)


def lost(study: Study, number: int) -> tuple[float, float]:
    """What 30 % of the actions lose on average, at least and at most."""
    full, runs = study.plain(number), runs_at(study.drawn(number, FEW, FEW), FEW)
    return full.lower - mean(run.upper for run in runs), full.upper - mean(run.lower for run in runs)


def _spread(study: Study) -> Claim:
    """The values "with different subsets of the same size differ vastly": the best subset against the worst one."""
    runs: list[Run | TriedSubset] = [*runs_at(study.drawn(12, FEW, FEW), FEW), *study.tried(12, FEW)]
    high, low = max(run.lower for run in runs), min(run.upper for run in runs)
    words = f"bounds of the best and the worst of {len(runs)} subsets of {FEW} %; how far is vastly is not said"
    ours = f"over {high:.1f} and under {low:.1f}"
    said = bounds_verdict(high, low, opposite=False)
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
    yield Claim(statement, "§ 4.1", "yes", ours, verdict(wrong > 0, "not reproduced"), words)


NEAR = 10.0  # points that the document calls a good approximation
GROWN = "002-figure-5.6"


def _heuristic_claims(study: Study) -> Iterator[Claim]:
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
    said = verdict(most < NEAR, "not reproduced")
    statement, ours = "some 30 % of the actions come close", f"at most {most:.2f} lost"
    return Claim(statement, "ch. 6", "yes", ours, said, words, figure="002-figure-5.4")


def _better(study: Study) -> Claim:
    """The best subset, grown to 64 per cent, against the average one."""
    (best,), others = runs_at([study.grown(12, FEW, 64)], 64), runs_at(study.drawn(12, FEW, 64), 64)
    least, most = (mean(getattr(run, name) for run in others) for name in ("lower", "upper"))
    ours = f"{bounds_words(best.lower, best.upper)}, {bounds_words(least, most)}"
    words = f"64 %, grown from the best of {len(study.tried(12, FEW))}, and the mean of {len(others)} draws"
    said = bounds_verdict(best.lower, most, best.upper < least)
    words += "; the bounds overlap" if said == "not reproduced" else ""
    return Claim(
        "#12: the best subset against the average", "§ 5.2.2", "62 and 40.8", ours, said, words, figure="002-figure-5.2"
    )


def _large_map(study: Study) -> Iterator[Claim]:
    """What the document says of its largest map."""
    full = study.plain(24)
    count = len(study.tried(24, FEW))
    (best,) = runs_at([study.grown(24, FEW, 44)], 44)
    words = f"bounds with 44 %, grown from the best of {count}: {_lost(full, best)}; {OTHER_MAP}"
    ours = bounds_words(best.lower, best.upper)
    yield Claim(
        "#24: 44 % come within 7 points", "§ 5.2.2", "63.4 to 72.9", ours, "cannot be checked", words, figure=GROWN
    )
    (best,) = runs_at([study.grown(24, 60, 60)], 60)
    words = f"bounds with 60 %, the best of {len(study.tried(24, 60))}: {_lost(full, best)}; {OTHER_MAP}"
    ours = bounds_words(best.lower, best.upper)
    yield Claim(
        "#24: the best 60 % are as good as all", "§ 5.2.2", "yes", ours, "cannot be checked", words, figure=GROWN
    )
    runs = runs_at(study.drawn(24, 60, 80), 80)
    ours = f"{mean(run.lower for run in runs):.1f}"
    words = f"lower bound, mean of {len(runs)}; all actions: {full.lower:.1f} (published 70.3); {OTHER_MAP}"
    yield Claim(
        "#24: 80 % are needed on average", "§ 5.2.1", "60.9", ours, "cannot be checked", words, figure="002-figure-5.5"
    )


def _lost(full: Run, run: Run) -> str:
    return f"{max(0.0, full.lower - run.upper):.1f} to {full.upper - run.lower:.1f} lost"


COLUMNS = 4  # of map #12, a grid by taxi
STEPS = (-COLUMNS, COLUMNS, -1, 1)
SMALL = "pursuit(columns=3)"
EASY = 0.7  # rank correlation from which a short look tells


def _choice_claims(study: Study) -> Iterator[Claim]:
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
    said = verdict(fewer.lower > full.upper, "not reproduced")
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
    said = verdict(shares[0] > shares[1], "not reproduced")
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
    said = verdict(together >= EASY, "not reproduced")
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


OTHER_MAP = "the document does not print its map: not comparable"


def bounds_verdict(better: float, worse: float, opposite: bool) -> str:
    """For bounds: the better one's lower bound against the other's upper bound; if they overlap, nothing is said."""
    if better > worse:
        return "reproduced"
    return "refuted" if opposite else "not reproduced"


def bounds_words(lower: float, upper: float) -> str:
    return f"{lower:.2f} to {upper:.2f}"
