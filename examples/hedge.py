from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import fogbound as fb
from fogbound.forms import NormalForm
from fogbound.solvers.equilibrium import answer, behaviour_of


@dataclass(frozen=True)
class Hedge(fb.Solver[NormalForm]):
    """Exponential weights in self-play (Freund and Schapire 1997): averages approach a zero-sum equilibrium."""

    rate: float = 0.3

    form: ClassVar[type[NormalForm]] = NormalForm
    finds: ClassVar[str] = "equilibrium"

    def remembers(self, form, kept):
        kept.integers("done", (1,))
        for name in ("gain", "total"):
            kept.reals(name, (sum(map(len, form.weights)),))

    def run(self, form, context) -> Iterator[fb.Progress]:
        ends = np.cumsum([len(strategies) for strategies in form.weights])
        done = context.arrays.setdefault("done", np.zeros(1, np.int64))
        gain, total = (context.arrays.setdefault(name, np.zeros(ends[-1])) for name in ("gain", "total"))
        while True:
            if done[0]:
                average = np.split(total / done[0], ends[:-1])
                yield answer(form.sequence, behaviour_of(form, average), iteration=int(done[0]))
            weights = [np.exp(self.rate * (g - g.max())) for g in np.split(gain, ends[:-1])]
            mixed = [w / w.sum() for w in weights]
            gain += np.concatenate([form.payoff[..., 0] @ mixed[1], mixed[0] @ form.payoff[..., 1]])
            total += np.concatenate(mixed)
            done += 1
