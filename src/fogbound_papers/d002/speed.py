"""Whether beginning with few actions saves time (section 5.2.1 and Tables 5.2 to 5.11 of document 002).

Seconds are of another machine, of another program and of other maps, so what is shown are shares and ratios. What the
document measured of its own program ours cannot refute; what came out on either side of a claim gets no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean, median

from fogbound_papers.claim import Claim, verdict
from fogbound_papers.d002.hunts import Chain, at
from fogbound_papers.d002.study import Study
from fogbound_papers.d002.verdicts import OTHER_MAP, between

FEW = 30
OTHER_PROGRAM = "another program, so no verdict"


def claims(study: Study) -> Iterator[Claim]:
    own, plain = study.hunt(18), study.plain(18)
    whole = own.seconds + plain.seconds
    words = f"from the rules on, {between(plain.lower, plain.upper)}; {OTHER_MAP}"
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
    begun = median(run.start for run in at(drawn, FEW)) / plain.start
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
    trials = mean(run.trials for run in at(drawn, 100))
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
