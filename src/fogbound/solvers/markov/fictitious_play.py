"""Fictitious play in Markov games: everybody replies to what the others have done on average so far. A baseline.

Brown (1951) and Robinson (1951) for matrices; with values of what follows that are learned more slowly than beliefs, as
by Leslie, Perkins and Xu, "Best-response dynamics in zero-sum stochastic games" (2020). Beliefs tend to an equilibrium
where the game is zero-sum, slowly; elsewhere nothing is promised, and they may circle for ever (Shapley 1964). It is
here to be compared with: use shapley, hoffman-karp or markov-nash.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.evaluation.markov import reply_process
from fogbound.forms.markov import MarkovGame, require_discounted
from fogbound.solvers.markov.answers import MarkovSolver, first_best, profile_answer

BASELINE = "a baseline: nothing is promised but in zero-sum games, and there it is slow"
SPARSE = 1.2  # answers are evaluated after so many times as many rounds as before


@dataclass(frozen=True)
class MarkovFictitiousPlay(MarkovSolver):
    """Fictitious play at every state, with values that are learned more slowly: a baseline without promises.

    Works on the Markov game: discounted, or sure to end; any number of players (Brown 1951; Leslie, Perkins and Xu
    2020). The answer is the average of what was played, with its regret.
    """

    name = "markov-fictitious-play"

    def remembers(self, form: MarkovGame, kept: Kept) -> None:
        for i, first in enumerate(form.first):
            kept.reals(f"average_{i}", (int(first[-1]),), low=0.0, high=1.0)
        kept.reals("value", (form.size, len(form.players)))
        kept.integers("round", (1,))

    def run(self, form: MarkovGame, context: Context) -> Iterator[Progress]:
        require_discounted(form, self.name)
        arrays, n = context.arrays, len(form.players)
        if "round" not in arrays:
            arrays |= {f"average_{i}": played.copy() for i, played in enumerate(form.uniform)}
            arrays |= {"value": np.zeros((form.size, n)), "round": np.zeros(1, np.int64)}
        else:
            yield self._answer(form, arrays)
        due = 1.0 if arrays["round"][0] == 0 else max(arrays["round"][0] + 1, arrays["round"][0] * SPARSE)
        while True:
            arrays["round"] = arrays["round"] + 1
            t = int(arrays["round"][0])
            average, value = [arrays[f"average_{i}"] for i in range(n)], arrays["value"].copy()
            for i, first in enumerate(form.first):
                moves, reward = reply_process(form, average, i)
                ahead = reward + form.discount * (moves @ arrays["value"][:, i])
                begins, wide = first[:-1][form.live], np.diff(first)[form.live]
                best, reply = first_best(ahead, begins, wide), np.zeros(len(ahead))
                reply[best] = 1.0
                arrays[f"average_{i}"] = average[i] + (reply - average[i]) / (t + 1)
                value[form.live, i] += (ahead[best] - value[form.live, i]) / (1.0 + log(t) if t > 1 else 1.0)
            arrays["value"] = value
            if t >= due or t >= context.most or context.stopping():
                due = max(t + 1, t * SPARSE)
                yield self._answer(form, arrays)

    def _answer(self, form: MarkovGame, arrays: dict[str, Any]) -> Progress:
        played = [arrays[f"average_{i}"] for i in range(len(form.players))]
        return profile_answer(form, played, {"note": BASELINE}, iteration=int(arrays["round"][0]))
