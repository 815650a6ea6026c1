"""Exact value iteration for small POMDPs: incremental pruning.

Zhang and Liu, "Planning in stochastic domains: problem characteristics and approximation" (1996); Cassandra, Littman
and Zhang, "Incremental pruning: a simple, fast, exact method for partially observable Markov decision processes"
(1997). The optimal value of a number of steps is the maximum of finitely many vectors; one step more adds, over what
may be seen, one vector of each set of successors, and pruning after every such sum keeps the sums small.

Zhang and Liu prune after each sum rather than after the last, which is what makes it incremental. Beliefs at
which vectors were found to be best are handed on: sums are likely to be best there too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import ClassVar

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.mixed_observability import MixedObservability, mixed_observability
from fogbound.forms.pomdp import POMDP
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.pomdp.hsvi.sarsop import upper_by_trials
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP, model_of, qmdp_bound
from fogbound.solvers.pomdp.vectors.pruning import TINY, prune, rise
from fogbound.solvers.pomdp.vectors.vector_sets import (
    BlockDynamics,
    Lineage,
    VectorAnswer,
    VectorSets,
    blind_policy_sets,
)


@dataclass(frozen=True, eq=False)
class Summand:
    """A pruned set, beliefs at which its members are best, and what pruning may have lost so far.

    `after` names, for each vector and each of `outcomes`, the successor that it was made from.
    """

    vectors: Floats
    points: Floats
    loss: float
    after: Longs  # [vectors, outcomes]
    outcomes: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class CrossSums:
    """Backups of whole blocks; a set of more than `most` vectors is TooMany."""

    cut: MixedObservability
    steps: BlockDynamics
    most: int
    margin: float  # what one pruning may lose, beyond rounding
    stopping: Callable[[], bool]

    def backup(self, block: int, sets: VectorSets, lineage: Lineage) -> tuple[Floats, Longs, Longs, float]:
        """The vectors of one step more in a block, their choices and names, and what pruning may have lost."""
        found = [self.summed(choice, sets) for choice in self.steps.choices(block)]
        choices = np.repeat(np.array(self.steps.choices(block), np.int64), [len(one.vectors) for one in found])
        vectors = np.concatenate([one.vectors for one in found])
        points = np.concatenate([one.points for one in found])
        last = prune(vectors, points, self.margin, self.stopping)
        after = [names for one in found for names in one.after.tolist()]
        names = [lineage.record(int(choices[k]), vectors[k], after[k]) for k in last.keep.tolist()]
        loss = last.loss + max(one.loss for one in found)
        return vectors[last.keep], choices[last.keep], np.array(names, np.int64), loss

    def summed(self, choice: int, sets: VectorSets) -> Summand:
        """All that an action may be worth: one vector for each observation, chosen freely."""
        parts = [self.moved(choice, outcome, sets) for outcome in self.steps.outcomes(choice)]
        reward = self.steps.reward(choice)
        alone = Summand(reward[None], np.zeros((0, len(reward))), 0.0, np.zeros((1, 0), np.int64))
        whole = reduce(self.cross, sorted(parts, key=lambda part: len(part.vectors)), alone)
        return replace(whole, after=whole.after[:, np.argsort(whole.outcomes)])

    def moved(self, choice: int, outcome: int, sets: VectorSets) -> Summand:
        """What the target's vectors are worth before the step, weighted with how likely the observation is."""
        vectors = np.asarray(self.steps.moves(choice, outcome) @ sets.vectors[self.steps.target(outcome)].T).T
        after = sets.names[self.steps.target(outcome)][:, None]
        return self.pruned(Summand(vectors, np.zeros((0, vectors.shape[1])), 0.0, after, (outcome,)))

    def cross(self, one: Summand, two: Summand) -> Summand:
        many = len(one.vectors) * len(two.vectors)
        if many > self.most:
            raise TooMany(
                f"one more step needs a set of {many:,} vectors, more than most={self.most:,}: raise it, or use pbvi "
                "or sarsop, which do without all of them"
            )
        vectors = (one.vectors[:, None] + two.vectors[None]).reshape(many, -1)
        points = np.concatenate([one.points, two.points])
        left = np.repeat(one.after, len(two.after), axis=0)
        after = np.concatenate([left, np.tile(two.after, (len(one.after), 1))], axis=1)
        return self.pruned(Summand(vectors, points, one.loss + two.loss, after, one.outcomes + two.outcomes))

    def pruned(self, given: Summand) -> Summand:
        found = prune(given.vectors, given.points, self.margin, self.stopping)
        kept = given.vectors[found.keep], found.points, given.loss + found.loss, given.after[found.keep]
        return Summand(*kept, given.outcomes)


class TooMany(Exception):
    """A step more needs a larger set than is allowed; the message says how large, and what to do."""


BEST = "best-"  # the sets behind the lower bound: with slack the last ones need not be
ROUNDING = 1e-12  # of the largest entry: vectors so far below another one may stand for it
SOONEST = 1_000  # sweeps towards the fewest steps that can be expected


@dataclass(frozen=True)
class IncrementalPruning(Solver[POMDP]):
    """All of the optimal value function, over every belief, to any gap: the reference for what approximates it.

    It assumes that the discount is below 1 or that play surely ends in the long run, whatever is done, and that the
    model is small: sets may grow doubly exponentially with the steps. Sweeps begin with what blind policies earn. While
    they still change much, pruning may lose a little: the loss is measured and the bounds allow for it. What is
    certified below is what greedy play by the vectors earns, and above a bound by trials such as `sarsop` runs.

    Cassandra, Littman and Zhang (1997).

    Parameters
    ----------
    most
        Vectors in one set, before it is pruned; where a step more would need a larger one, this is the last answer.
    slack
        What one pruning may lose, as a share of the last sweep's gain; nothing where play must end.
    """

    name = "incremental-pruning"

    most: int = 20_000
    slack: float = 0.02

    form: ClassVar[type[POMDP]] = POMDP
    finds: ClassVar[str] = "best response"
    compiling: ClassVar[float] = 18

    def __post_init__(self) -> None:
        if self.most < 1 or not 0 <= self.slack < 1:
            found = f"most is {self.most} and slack {self.slack}"
            raise SpecError(f"incremental-pruning: {found}, expected at least 1, and at least 0 but below 1")

    def remembers(self, form: POMDP, kept: Kept) -> None:
        blocks = mixed_observability(form)
        for label in ("", BEST):
            VectorSets.declare(kept, blocks, label)
        Lineage.declare(kept, blocks)
        kept.flags("changed", (blocks.size,))
        kept.reals("margin", (blocks.size,), 0.0, np.inf)  # infinite until a first sweep
        kept.reals("loss", (blocks.size,), 0.0)
        kept.reals("rose", (1,), 0.0, np.inf)
        kept.reals("bounds", (2,))

    def run(self, form: POMDP, context: Context) -> Iterator[Progress]:
        sweeps = _Sweeps(model_of(form, self.name), context)
        slack = 0.0 if form.ends else self.slack
        if not context.arrays:
            sweeps.begin()
        yield sweeps.answer()
        while not sweeps.converged():
            try:
                sweeps.sweep(self.most, slack)
            except highs.Cancelled:
                return
            except TooMany as limit:
                yield replace(sweeps.answer(str(limit)), passing=True)
                return
            yield sweeps.answer()


class _Sweeps:
    """Value iteration in progress; its state is in the context's arrays.

    `margin` and `loss` are, for each block, what its last pruning was allowed to lose and may have lost.
    """

    def __init__(self, model: UnderlyingMDP, context: Context) -> None:
        self.model, self.cut, self.context = model, model.blocks, context
        self.steps, self.soonest = BlockDynamics(model.blocks), _soonest(model)
        owner = np.repeat(self.steps.owner, np.diff(self.cut.outcome))
        self.after = [np.unique(self.cut.target[owner == block]) for block in range(self.cut.size)]

    def begin(self) -> None:
        arrays = self.context.arrays
        first, lineage = blind_policy_sets(self.model)
        lineage.store(arrays)
        first.store(arrays)
        first.store(arrays, BEST)
        arrays["changed"] = np.ones(self.cut.size, bool)
        arrays["margin"], arrays["loss"] = np.full(self.cut.size, np.inf), np.zeros(self.cut.size)
        arrays["rose"] = np.array([np.inf])
        arrays["bounds"] = np.array([first.vectors[0].max(), self.model.bound_at_start(qmdp_bound(self.model))])

    def converged(self) -> bool:
        """Whether a sweep gained no more than pruning loses by rounding."""
        arrays = self.context.arrays
        still = TINY * float(np.abs(arrays["vectors"]).max(initial=0.0))
        fine = arrays["margin"][1:].max(initial=0.0) <= still
        return bool(fine and arrays["rose"][0] <= max(still, arrays["loss"].max()))

    def sweep(self, most: int, slack: float) -> None:
        """One step more for every block whose successors have changed, all from the same old sets."""
        arrays, stopping = self.context.arrays, self.context.stopping
        old, loss, margins = VectorSets.stored(arrays, self.cut), arrays["loss"].copy(), arrays["margin"].copy()
        margin = slack * float(arrays["rose"][0]) if np.isfinite(arrays["rose"][0]) else 0.0
        sums = CrossSums(self.cut, self.steps, most, margin, stopping)
        new, rose, fell, lineage = old.snapshot(), [0.0], list[float](), Lineage.stored(arrays, self.cut)
        remade = [0]
        for block in range(1, self.cut.size):
            if arrays["changed"][self.after[block]].any() or margins[block] > margin:
                new.vectors[block], new.choices[block], new.names[block], loss[block] = sums.backup(block, old, lineage)
                margins[block] = margin
                remade.append(block)
                rose.append(rise(new.vectors[block], old.vectors[block], stopping))
                fell.append(rise(old.vectors[block], new.vectors[block], stopping))
            else:
                fell.append(0.0)
        # the start takes no time: it sees the new sets
        new.vectors[0], new.choices[0], new.names[0], loss[0] = sums.backup(0, new, lineage)
        same = [np.array_equal(one, two) for one, two in zip(new.vectors, old.vectors)]
        new.store(arrays)
        arrays |= {"changed": ~np.array(same), "loss": loss, "margin": margins, "rose": np.array([max(rose)])}
        self._bound(new, max(rose), max(fell, default=0.0), loss)
        self._descend(new, lineage, remade, margin)

    def _descend(self, new: VectorSets, lineage: Lineage, remade: list[int], margin: float) -> None:
        """Keep what the last and the best sets lead to; new vectors stand for the old ones that they are not below."""
        arrays, best = self.context.arrays, VectorSets.stored(self.context.arrays, self.cut, BEST)
        lineage.keep([*new.every_name(), *best.every_name()])
        least = ROUNDING * float(np.abs(arrays["vectors"]).max(initial=0.0))
        for block in remade:
            lineage.cover(self.cut, block, new.names[block], new.vectors[block], max(margin, least))
        best.names = [np.array([lineage.current(name) for name in names.tolist()], np.int64) for names in best.names]
        best.store(arrays, BEST)
        lineage.keep([*new.every_name(), *best.every_name()])
        lineage.store(arrays)

    def _bound(self, new: VectorSets, rose: float, fell: float, loss: Floats) -> None:
        """What one sweep proves of the optimum above, and of the policy it leaves below (MacQueen 1966, Porteus 1971).

        If a step more, pruned, is nowhere further above the last values than `rose`, then the optimum is nowhere
        further above the new ones than rose x (steps that may remain - 1), where losses count as risen. The policy
        that follows the new vectors gains, or loses, in the same way with `fell`.
        """
        arrays, lost, start = self.context.arrays, float(loss[1:].max(initial=0.0)), float(new.vectors[0].max())
        upper = start + float(loss[0]) + lost + (rose + lost) * self._ahead(self.model.steps)
        lower = start - fell * self._ahead(self.soonest if fell < 0 else self.model.steps)
        if lower >= arrays["bounds"][0]:
            new.store(arrays, BEST)
        arrays["bounds"] = np.array([max(lower, arrays["bounds"][0]), min(arrays["bounds"][1], upper)])

    def _ahead(self, steps: Floats) -> float:
        """How many steps follow the first, in expectation, with so many from each state on."""
        return max(0.0, float((self.model.moves[0] @ (steps - 1))[0]))

    def answer(self, limit: str = "") -> Progress:
        """The best so far; `limit` says what kept it from becoming better."""
        sets = VectorSets.stored(self.context.arrays, self.cut, BEST)
        lower, upper = (float(bound) for bound in self.context.arrays["bounds"])
        details = {"vectors": sets.count} | ({"limit": limit} if limit else {})
        upper = max(lower, upper)  # the residual is no evidence, so points above are found by trials
        stored, above = Lineage.stored(self.context.arrays, self.cut), partial(upper_by_trials, self.cut, upper)
        found = VectorAnswer(self.model, stored, upper, above, {"by_residual": upper})
        return Progress(lower, lower, upper, found.profile, details, evidence=found.evidence)


def _soonest(model: UnderlyingMDP) -> Floats:
    """[N] fewest steps that can be expected to remain, discounted: from below, so that every sweep leaves a bound."""
    steps = np.ones(len(model.steps))
    for _ in range(SOONEST):
        longer = -model.best(-(1 + model.moves @ steps))
        if np.abs(longer - steps).max() <= 1e-12 * longer.max():
            break
        steps = longer
    return steps
