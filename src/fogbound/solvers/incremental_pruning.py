"""Exact value iteration for small POMDPs: incremental pruning.

Zhang and Liu, "Planning in stochastic domains: problem characteristics and approximation" (1996); Cassandra, Littman
and Zhang, "Incremental pruning: a simple, fast, exact method for partially observable Markov decision processes"
(1997). The optimal value of so many steps is the maximum of finitely many vectors; one step more adds, over what may be
seen, one vector of each set of successors, and pruning after every such sum keeps the sums small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.forms.pomdp import POMDP
from fogbound.forms.table import Floats
from fogbound.progress import Desk, Progress
from fogbound.solvers import lp
from fogbound.solvers.beliefs.first_bounds import Members, from_above
from fogbound.solvers.vectors.above import at_start
from fogbound.solvers.vectors.cross import CrossSums
from fogbound.solvers.vectors.model import model_of
from fogbound.solvers.vectors.prune import TINY, rise
from fogbound.solvers.vectors.sets import Dynamics, VectorSets, first_sets

BEST = "best-"  # the sets behind the lower bound: with slack the last ones need not be
SOONEST = 1_000  # sweeps towards the fewest steps that can be expected


@dataclass(frozen=True)
class IncrementalPruning:
    """All of the optimal value function, over every belief, to any gap: the reference for what approximates it.

    It assumes that the discount is below 1 or that play surely ends in the long run, whatever is done, and that the
    model is small: sets may grow doubly exponentially with the steps. Sweeps begin with what blind policies earn. While
    they still change much, pruning may lose a little: the loss is measured and the bounds allow for it.
    """

    name = "incremental-pruning"

    most: int = 20_000  # vectors in one set, before it is pruned
    slack: float = 0.02  # what one pruning may lose, as a share of the last sweep's gain; nothing where play must end

    form: ClassVar[str] = "pomdp"
    finds: ClassVar[str] = "best response"

    def __post_init__(self) -> None:
        if self.most < 1 or not 0 <= self.slack < 1:
            found = f"most is {self.most} and slack {self.slack}"
            raise SpecError(f"incremental-pruning: {found}, expected at least 1, and at least 0 but below 1")

    def run(self, form: POMDP, desk: Desk) -> Iterator[Progress]:
        sweeps = _Sweeps(model_of(form, self.name), desk)
        slack = 0.0 if form.ends else self.slack
        if not desk.arrays:
            sweeps.begin()
            yield sweeps.answer()
        while not sweeps.settled():
            try:
                sweeps.sweep(self.most, slack)
            except lp.Cancelled:
                return
            yield sweeps.answer()
        if not sweeps.count:  # resumed with nothing left to do
            yield sweeps.answer()


class _Sweeps:
    """Value iteration in progress; its state is in the desk's arrays.

    `margin` and `loss` are, for each block, what its last pruning was allowed to lose and may have lost.
    """

    def __init__(self, model: Members, desk: Desk) -> None:
        self.model, self.cut, self.desk, self.count = model, model.blocks, desk, 0
        self.steps, self.soonest = Dynamics(model.blocks), _soonest(model)
        owner = np.repeat(self.steps.owner, np.diff(self.cut.branch))
        self.after = [np.unique(self.cut.target[owner == block]) for block in range(self.cut.size)]

    def begin(self) -> None:
        first, arrays = first_sets(self.model), self.desk.arrays
        first.store(arrays)
        first.store(arrays, BEST)
        arrays["changed"] = np.ones(self.cut.size, bool)
        arrays["margin"], arrays["loss"] = np.full(self.cut.size, np.inf), np.zeros(self.cut.size)
        arrays["rose"] = np.array([np.inf])
        arrays["bounds"] = np.array([first.vectors[0].max(), at_start(self.cut, from_above(self.model))])

    def settled(self) -> bool:
        """Whether a sweep gained no more than pruning loses by rounding."""
        arrays = self.desk.arrays
        still = TINY * float(np.abs(arrays["vectors"]).max(initial=0.0))
        fine = arrays["margin"][1:].max(initial=0.0) <= still
        return bool(fine and arrays["rose"][0] <= max(still, arrays["loss"].max()))

    def sweep(self, most: int, slack: float) -> None:
        """One step more for every block whose successors have changed, all from the same old sets."""
        arrays, stopping = self.desk.arrays, self.desk.stopping
        old, loss, margins = VectorSets.stored(arrays, self.cut), arrays["loss"].copy(), arrays["margin"].copy()
        margin = slack * float(arrays["rose"][0]) if np.isfinite(arrays["rose"][0]) else 0.0
        sums = CrossSums(self.cut, self.steps, most, margin, stopping)
        new, rose, fell = old.snapshot(), [0.0], list[float]()
        for block in range(1, self.cut.size):
            if arrays["changed"][self.after[block]].any() or margins[block] > margin:
                new.vectors[block], new.slots[block], loss[block] = sums.backup(block, old)
                margins[block] = margin
                rose.append(rise(new.vectors[block], old.vectors[block], stopping))
                fell.append(rise(old.vectors[block], new.vectors[block], stopping))
            else:
                fell.append(0.0)
        new.vectors[0], new.slots[0], loss[0] = sums.backup(0, new)  # the start takes no time: it sees the new sets
        same = [np.array_equal(one, two) for one, two in zip(new.vectors, old.vectors)]
        new.store(arrays)
        arrays |= {"changed": ~np.array(same), "loss": loss, "margin": margins, "rose": np.array([max(rose)])}
        self._bound(new, max(rose), max(fell, default=0.0), loss)
        self.count += 1

    def _bound(self, new: VectorSets, rose: float, fell: float, loss: Floats) -> None:
        """What one sweep proves of the optimum above, and of the policy it leaves below (MacQueen 1966, Porteus 1971).

        If a step more, pruned, is nowhere further above the last values than `rose`, then the optimum is nowhere
        further above the new ones than rose x (steps that may remain - 1), where losses count as risen. The policy
        that follows the new vectors gains, or loses, in the same way with `fell`.
        """
        arrays, lost, start = self.desk.arrays, float(loss[1:].max(initial=0.0)), float(new.vectors[0].max())
        upper = start + float(loss[0]) + lost + (rose + lost) * self._ahead(self.model.steps)
        lower = start - fell * self._ahead(self.soonest if fell < 0 else self.model.steps)
        if lower >= arrays["bounds"][0]:
            new.store(arrays, BEST)
        arrays["bounds"] = np.array([max(lower, arrays["bounds"][0]), min(arrays["bounds"][1], upper)])

    def _ahead(self, steps: Floats) -> float:
        """How many steps follow the first, in expectation, with so many from each state on."""
        return max(0.0, float((self.model.moves[0] @ (steps - 1))[0]))

    def answer(self) -> Progress:
        sets = VectorSets.stored(self.desk.arrays, self.cut, BEST)
        lower, upper = (float(bound) for bound in self.desk.arrays["bounds"])
        return Progress(lower, lower, max(lower, upper), partial(sets.profile, self.cut), {"vectors": sets.count})


def _soonest(model: Members) -> Floats:
    """[N] fewest steps that can be expected to remain, discounted: from below, so that every sweep leaves a bound."""
    steps = np.ones(len(model.steps))
    for _ in range(SOONEST):
        longer = -model.best(-(1 + model.moves @ steps))
        if np.abs(longer - steps).max() <= 1e-12 * longer.max():
            break
        steps = longer
    return steps
