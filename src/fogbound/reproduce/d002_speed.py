"""Whether beginning with few actions saves time (section 5.2.1 and Tables 5.2 to 5.11 of document 002).

Seconds are of another machine and of other maps, so what is shown are shares and ratios. Those that came out on either
side of the claim from one measurement to the next get no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import mean, median

import numpy as np

from fogbound.reproduce.claim import Claim
from fogbound.reproduce.d002_hunts import OTHER_MAP, at, between, chains, hunt, verdict

DRAWS = 5
FIRST = (30, 44, 64, 100)  # the document's P 1
TIMES_24 = 10.0  # as long to begin on 24 nodes as on 18, says the document


def claims() -> Iterator[Claim]:
    own, plain = hunt(18), hunt(18).plain
    whole = own.seconds + plain.seconds
    words = f"from the rules on, {between(plain.lower, plain.upper)}; {OTHER_MAP}"
    yield Claim("#18, all actions: seconds to width 1", "Table 5.2", "535", f"{whole:.1f}", "not stated", words)
    share = plain.start / plain.seconds
    words = "first bounds, of the time after making the game; a fraction of a second, so no verdict"
    statement = "the time goes into initialising"
    yield Claim(statement, "Table 5.2", "97 %", f"{share:.0%}", "not stated", words)
    yield from _incremental()
    yield _larger()


def _incremental() -> Iterator[Claim]:
    """ISG beside the plain algorithm."""
    own, plain, runs = hunt(18), hunt(18).plain, chains(18, DRAWS)
    masks = [own.subsets(np.random.default_rng(seed), (30,))[0] for seed in range(DRAWS)]
    begun = median(own.start_seconds(mask) for mask in masks) / own.start_seconds(np.ones_like(masks[0]))
    words = f"30 % over 100 %, median of {DRAWS} draws; a fraction of a second, so no verdict"
    statement = "fewer actions shorten the initialisation"
    yield Claim(statement, "Table 5.3", "0.34 times", f"{begun:.2f} times", "not stated", words)
    summed = min(sum(run.seconds for run in chain if run.portion in FIRST) for chain in runs) / plain.seconds
    words = f"30, 44, 64, 100 % over 100 % alone, to width 1, the fastest of {DRAWS} draws, nothing written to files"
    statement = "ISG-PG-HSVI is not faster than PG-HSVI"
    yield Claim(statement, "§ 5.2.1", "2.2 times", f"{summed:.1f} times", verdict(summed > 1), words)
    walks = mean(run.walks for run in at(runs, 100))
    words = f"walks of the last game ({walks:.0f} on average) over those without; published are seconds"
    ours = f"{walks / plain.walks:.2f} times"
    yield Claim("re-used vectors shorten the last game", "§ 5.2.1", "0.69 to 1.01 times", ours, "not stated", words)


def _larger() -> Claim:
    """A third more nodes."""
    begun = hunt(24).plain.start / hunt(18).plain.start
    triples = len(hunt(24).form.reward) / len(hunt(18).form.reward)
    words = f"there are {triples:.1f} times as many triples; with making the game "
    made = (hunt(24).seconds + hunt(24).plain.start) / (hunt(18).seconds + hunt(18).plain.start)
    words += f"{made:.1f} times"
    ours = f"{begun:.1f} times"
    return Claim(
        "#24 takes longer to initialise than #18", "§ 5.2.1", "10 times", ours, verdict(begun > 0.8 * TIMES_24), words
    )
