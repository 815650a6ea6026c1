"""Fictitious play: everybody replies best to what the others have done on average so far.

Brown (1951), Robinson (1951) for matrices; on trees the averages are over realisation weights, so that a round mixes
whole strategies and not moves: full-width extensive-form fictitious play (Heinrich, Lanctot and Silver 2015, "XFP").
The averages approach an equilibrium of two players with a constant sum, slowly, and of games in which all want the
same; elsewhere they may circle for ever (Shapley 1964), and the regret says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.evaluation.exploitability import reply_to, sequence_gains
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.equilibrium import EquilibriumSolver, answer

SPARSE = 1.1  # answers are evaluated after so many times as many rounds as before
MOST_ROUNDS = 500  # ... but at least every so many
SHOWN = "the average of what was played, the first reply being one to uniform play"


@dataclass(frozen=True)
class FictitiousPlay(EquilibriumSolver[SequenceForm]):
    """Fictitious play on a matrix or a tree: the average of best replies to averages, with its regret.

    Works on the sequence form, any number of players (Brown 1951; Heinrich, Lanctot and Silver 2015). Its averages tend
    to an equilibrium where two players' payoffs have a constant sum; elsewhere nothing is promised.

    Parameters
    ----------
    alternating
        Players reply in turn, each to what the others have just come to; else all at once, as Brown has it.
    """

    name = "fictitious-play"

    alternating: bool = False

    form: ClassVar[type[SequenceForm]] = SequenceForm

    def remembers(self, form: SequenceForm, kept: Kept) -> None:
        for i, plex in enumerate(form.plexes):
            kept.reals(f"average_{i}", (plex.sequences,), low=0.0, high=1.0)
        kept.integers("round", (1,), low=1)

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        arrays = context.arrays
        if "round" not in arrays:
            arrays |= {f"average_{i}": plex.weights(plex.uniform) for i, plex in enumerate(form.plexes)}
            self._round(form, arrays, 0)
            arrays["round"] = np.ones(1, np.int64)
        while True:
            yield _answer(form, arrays)
            done = int(arrays["round"][0])
            until = min(max(done + 1, int(done * SPARSE)), done + MOST_ROUNDS, context.most)
            while done < until and not context.stopping():
                self._round(form, arrays, done)
                done += 1
            arrays["round"] = np.array([done])

    def _round(self, form: SequenceForm, arrays: dict[str, Any], done: int) -> None:
        """Everybody replies, at first to uniform play; what came before weighs as many rounds as there were."""
        average: list[Floats] = [arrays[f"average_{i}"] for i in range(len(form.plexes))]
        after = average if self.alternating else list(average)
        for i, plex in enumerate(form.plexes):
            reply = plex.weights(reply_to(form, sequence_gains(form, average, i), i).behaviour)
            after[i] = np.minimum(average[i] + (reply - average[i]) / (done + 1), 1.0)
        arrays |= {f"average_{i}": weights for i, weights in enumerate(after)}


def _answer(form: SequenceForm, arrays: dict[str, Any]) -> Progress:
    played = [plex.behaviour(arrays[f"average_{i}"]) for i, plex in enumerate(form.plexes)]
    progress = answer(form, played, iteration=int(arrays["round"][0]))
    return replace(progress, details={**progress.details, "shown": SHOWN})
