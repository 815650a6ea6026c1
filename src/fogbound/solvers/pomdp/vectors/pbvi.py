"""Point-based value iteration: backups only at beliefs that can be met, each the price of a few products.

Pineau, Gordon and Thrun, "Point-based value iteration: an anytime algorithm for POMDPs" (2003); Spaan and Vlassis,
"Perseus: randomized point-based value iteration for POMDPs" (2005).

The backup at a point: one vector that is the best plan of one step more there, and a sound plan everywhere else.

Beliefs that can be met, block by block, and how to find more of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import SpecError
from fogbound.driver.kept import MOST, ROUNDING, Kept, run_sums
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.arrays import Floats
from fogbound.forms.mixed_observability import MixedObservability, mixed_observability
from fogbound.forms.pomdp import POMDP
from fogbound.solvers.linear_programs import highs
from fogbound.solvers.pomdp.greedy import informed_evidence
from fogbound.solvers.pomdp.initial_bounds import (
    UnderlyingMDP,
    model_of,
    qmdp_bound,
)
from fogbound.solvers.pomdp.vectors.vector_sets import (
    BlockDynamics,
    Lineage,
    VectorAnswer,
    VectorSets,
    blind_policy_sets,
)

Reached = list[
    list[Floats]
]  # [choices] of [outcomes] of [points, the target's size]: where points lead, not normalised


def _reach(steps: BlockDynamics, block: int, beliefs: Floats) -> Reached:
    """Where the points of a block lead: points stay while vectors change, so it is worked out once a sweep."""
    return [
        [np.asarray(steps.moves(choice, outcome).T @ beliefs.T).T.copy() for outcome in steps.outcomes(choice)]
        for choice in steps.choices(block)
    ]


def _back_up(
    steps: BlockDynamics, sets: VectorSets, block: int, beliefs: Floats, reached: Reached, k: int
) -> tuple[Floats, int, list[int]]:
    """The vector of the best action at point `k`, its choice, and the names of those that are best after it."""
    best, chosen, then = -np.inf, -1, list[int]()
    for choice, arrivals in zip(steps.choices(block), reached):
        value, picks = float(beliefs[k] @ steps.reward(choice)), []
        for outcome, arrival in zip(steps.outcomes(choice), arrivals):
            ahead = sets.vectors[steps.target(outcome)] @ arrival[k]
            picks.append(int(ahead.argmax()))
            value += float(ahead[picks[-1]])
        if value > best:
            best, chosen, then = value, choice, picks
    vector: Floats = steps.reward(chosen).copy()
    after = []
    for outcome, pick in zip(steps.outcomes(chosen), then):
        vector += steps.moves(chosen, outcome) @ sets.vectors[steps.target(outcome)][pick]
        after.append(int(sets.names[steps.target(outcome)][pick]))
    return vector, chosen, after


DIGITS = 9  # beliefs that agree so far are one point
TRIES = 20  # steps of a random walk for each point wanted, after which no more are hoped for


class BeliefPoints:
    """Beliefs over the states of blocks, the start's among them, each kept once."""

    def __init__(self, steps: BlockDynamics) -> None:
        self.steps, self.count = steps, 0
        self.beliefs: list[list[Floats]] = [[] for _ in range(steps.blocks.size)]
        self._known: set[tuple[int, bytes]] = set()

    def add(self, block: int, belief: Floats) -> bool:
        """Take a belief in; whether it is new."""
        key = block, (belief.round(DIGITS) + 0.0).tobytes()
        if key in self._known:
            return False
        self._known.add(key)
        self.beliefs[block].append(belief)
        self.count += 1
        return True

    def matrix(self, block: int) -> Floats:
        """[points, the block's size]"""
        blocks = self.steps.blocks
        size = int(blocks.first[block + 1] - blocks.first[block])
        return np.array(self.beliefs[block]).reshape(-1, size)

    def store(self, arrays: dict[str, NDArray[Any]]) -> None:
        arrays["points"] = np.array([len(beliefs) for beliefs in self.beliefs], np.int64)
        arrays["beliefs"] = np.concatenate([self.matrix(block).ravel() for block in range(len(self.beliefs))])

    @classmethod
    def stored(cls, arrays: dict[str, NDArray[Any]], steps: BlockDynamics) -> BeliefPoints:
        """What `store` wrote."""
        points, sizes = cls(steps), np.diff(steps.blocks.first)
        parts = np.split(arrays["beliefs"], np.cumsum(arrays["points"] * sizes)[:-1])
        for block, part in enumerate(parts):
            for belief in part.reshape(-1, sizes[block]):
                points.add(block, belief)
        return points

    @staticmethod
    def declare(kept: Kept, blocks: MixedObservability) -> None:
        """Declare what `store` wrote: beliefs, the start's among them."""
        sizes = np.diff(blocks.first)
        counts = kept.integers("points", (blocks.size,), np.arange(blocks.size) == 0, MOST // len(blocks.state))
        beliefs = kept.reals("beliefs", (int(counts @ sizes),), 0.0, 1 + ROUNDING)
        lengths = np.repeat(sizes, counts)
        kept.chances("beliefs", run_sums(beliefs, np.cumsum(lengths) - lengths, lengths))

    @classmethod
    def start(cls, steps: BlockDynamics) -> BeliefPoints:
        """The start, and the beliefs after each first observation."""
        points = cls(steps)
        points.add(0, np.ones(1))
        for _, block, belief in _successors(steps, np.ones(1), 0):
            points.add(block, belief)
        return points

    def sample(self, most: int, rng: np.random.Generator) -> None:
        """Random play from the start, again and again, until there are `most` points (Spaan and Vlassis 2005).

        Play ends as a game does, or as the discount says: what lies far ahead matters less.
        """
        block, belief = 0, np.ones(1)
        for _ in range(TRIES * most):
            if self.count >= most:
                return
            met = _successors(self.steps, belief, int(rng.choice(self.steps.choices(block))))
            place = int(np.searchsorted(np.cumsum([weight for weight, _, _ in met]), rng.random(), side="right"))
            block, belief = met[place][1:] if place < len(met) else (0, np.ones(1))
            self.add(block, belief)

    def expand(self, most: int, rng: np.random.Generator) -> None:
        """Try every action at each point and keep the outcome farthest from all points (Pineau et al. 2003).

        Outcomes are drawn, as likely ones matter more. If that leads nowhere new, all that can follow are looked at: so
        if there are no more points after it, then no step leads out of them.
        """
        before = self.count
        for drawn in (True, False):
            for block, beliefs in enumerate([list(beliefs) for beliefs in self.beliefs]):
                for belief in beliefs:
                    if self.count >= most:
                        return
                    self._farthest(block, belief, rng if drawn else None)
            if self.count > before:
                return

    def _farthest(self, block: int, belief: Floats, rng: np.random.Generator | None) -> None:
        candidates: list[tuple[int, Floats]] = []
        for choice in self.steps.choices(block):
            met = _successors(self.steps, belief, choice)
            if met and rng is not None:
                weights = np.array([weight for weight, _, _ in met])
                met = [met[int(rng.choice(len(met), p=weights / weights.sum()))]]
            candidates += [outcome[1:] for outcome in met]
        if candidates:
            self.add(*max(candidates, key=lambda outcome: self.distance(*outcome)))

    def distance(self, block: int, belief: Floats) -> float:
        """How far, in the 1-norm, the nearest point is; points of other blocks are as far as can be."""
        return float(np.abs(self.matrix(block) - belief).sum(axis=1).min(initial=2.0))


def _successors(steps: BlockDynamics, belief: Floats, choice: int) -> list[tuple[float, int, Floats]]:
    """How likely each outcome of an action is, discounted, with the block and the belief that it leads to."""
    reachable = []
    for outcome in steps.outcomes(choice):
        reached = np.asarray(steps.moves(choice, outcome).T @ belief)
        weight = float(reached.sum())
        if weight > 0:
            reachable.append((weight, steps.target(outcome), reached / weight))
    return reachable


STILL = 1e-8  # a gain of less than this share of the largest entry is not worth a vector
SEEDS = 2**62  # a run's is below this
INFORMED_WORK = 3e8  # multiplications spent on the upper bound, at most


@dataclass(frozen=True)
class PointBased(Solver[POMDP]):
    """Good policies for larger POMDPs: the lower bound rises with every sweep, the upper one is the informed bound.

    Perseus' sweeps back up random points until every point has gained; "all" backs up every point. A vector is only
    given up for one that is nowhere below it, so the policy that follows the vectors earns at least what they say. It
    assumes that the discount is below 1 or that play surely ends in the long run.

    Parameters
    ----------
    backup
        "perseus" (Spaan and Vlassis 2005), or "all" points (Pineau, Gordon and Thrun 2003).
    points
        How many beliefs at most.
    expansion
        How beliefs are found: "random" play from the start, or ever farther from those that are there ("far").
    """

    name = "pbvi"

    backup: Literal["all", "perseus"] = "perseus"
    points: int = 500
    expansion: Literal["random", "far"] = "far"

    form: ClassVar[type[POMDP]] = POMDP
    finds: ClassVar[str] = "best response"
    compiling: ClassVar[float] = 3

    def __post_init__(self) -> None:
        if self.backup not in ("all", "perseus"):
            raise SpecError(f"pbvi: backup is {self.backup!r}, expected all or perseus")
        if self.expansion not in ("random", "far"):
            raise SpecError(f"pbvi: expansion is {self.expansion!r}, expected random or far")
        if self.points < 1:
            raise SpecError(f"pbvi: points is {self.points}, expected 1 or more")

    def remembers(self, form: POMDP, kept: Kept) -> None:
        blocks = mixed_observability(form)
        for name in ("closed", "done"):
            kept.flags(name, (1,))
        for name in ("seed", "sweeps"):
            kept.integers(name, (1,), high=SEEDS)
        kept.reals("informed", (len(blocks.reward),))
        VectorSets.declare(kept, blocks)
        Lineage.declare(kept, blocks)
        BeliefPoints.declare(kept, blocks)

    def run(self, form: POMDP, context: Context) -> Iterator[Progress]:
        run = _Run(model_of(form, self.name), context)
        if not context.arrays:
            run.begin()
        yield run.answer()
        while not context.arrays["done"][0]:
            try:
                run.sweep(self)
            except highs.Cancelled:
                return
            yield run.answer()


class _Run:
    """A run in progress. Each sweep draws from a generator of its own, so that one cut short leaves no trace."""

    def __init__(self, model: UnderlyingMDP, context: Context) -> None:
        self.model, self.cut, self.context = model, model.blocks, context
        self.steps = BlockDynamics(self.cut)

    def begin(self) -> None:
        arrays = self.context.arrays
        sweeps = math.ceil(INFORMED_WORK / self.model.sweep_work())
        above, _ = self.model.fast_informed_bound(qmdp_bound(self.model), self.context.stopping, sweeps)
        arrays["informed"] = above
        arrays["seed"], arrays["sweeps"] = self.context.rng.integers(0, SEEDS, 1), np.zeros(1, np.int64)
        arrays["closed"], arrays["done"] = np.zeros(1, bool), np.zeros(1, bool)
        sets, lineage = blind_policy_sets(self.model)
        sets.store(arrays)
        lineage.store(arrays)
        BeliefPoints.start(self.steps).store(arrays)

    def answer(self) -> Progress:
        arrays, sets = self.context.arrays, VectorSets.stored(self.context.arrays, self.cut)
        lower = float(sets.vectors[0].max())
        details = {"vectors": sets.count, "points": int(arrays["points"].sum())}
        informed = arrays["informed"]
        upper = max(lower, self.model.bound_at_start(informed))
        stored, shown = Lineage.stored(arrays, self.cut), partial(informed_evidence, self.model, informed)
        found = VectorAnswer(self.model, stored, upper, lambda: (shown(), upper))
        return Progress(lower, lower, upper, found.profile, details, evidence=found.evidence)

    def sweep(self, how: PointBased) -> None:
        """More points where more are wanted, then backups; all or nothing of it is kept."""
        arrays = self.context.arrays
        rng = np.random.default_rng([int(arrays["seed"][0]), int(arrays["sweeps"][0])])
        sets, points = VectorSets.stored(arrays, self.cut), BeliefPoints.stored(arrays, self.steps)
        closed = bool(arrays["closed"][0]) or self.expand(points, how, rng)
        lineage = Lineage.stored(arrays, self.cut)
        gained = self.improve(sets, lineage, points, rng, everywhere=how.backup == "all")
        lineage.keep(sets.every_name())
        sets.store(arrays)
        lineage.store(arrays)
        points.store(arrays)
        arrays["sweeps"] = arrays["sweeps"] + 1
        arrays["closed"], arrays["done"] = np.array([closed]), np.array([closed and not gained])

    def expand(self, points: BeliefPoints, how: PointBased, rng: np.random.Generator) -> bool:
        """Look for more points; whether there will never be more."""
        if how.expansion == "random":
            points.sample(how.points, rng)
            return True
        before = points.count
        points.expand(how.points, rng)
        return points.count == before or points.count >= how.points

    def improve(
        self, sets: VectorSets, lineage: Lineage, points: BeliefPoints, rng: np.random.Generator, everywhere: bool
    ) -> bool:
        """Back up points in random order, passing over those that have gained already; whether one has gained at all.

        The start comes last, so that the lower bound speaks of the vectors that are left.
        """
        still = STILL * max(float(np.abs(vectors).max(initial=0.0)) for vectors in sets.vectors)
        matrices = [points.matrix(block) for block in range(self.cut.size)]
        before = [(here @ sets.vectors[block].T).max(axis=1, initial=-np.inf) for block, here in enumerate(matrices)]
        now, reached = [values.copy() for values in before], dict[int, Reached]()
        waiting = [(block, k) for block in range(1, self.cut.size) for k in range(len(matrices[block]))]
        for place in [*rng.permutation(len(waiting)).tolist(), None]:
            block, k = (0, 0) if place is None else waiting[place]
            if not everywhere and now[block][k] > before[block][k]:
                continue
            if self.context.stopping():
                raise highs.Cancelled("the sweep was stopped before it was done")
            if block not in reached:
                reached[block] = _reach(self.steps, block, matrices[block])
            vector, choice, after = _back_up(self.steps, sets, block, matrices[block], reached[block], k)
            if matrices[block][k] @ vector > now[block][k] + (still if block else 0.0):
                name = lineage.record(choice, vector, after)
                lineage.replace(sets.add(block, vector, choice, name), name)
                now[block] = np.maximum(now[block], matrices[block] @ vector)
        return any(len(old) and float((new - old).max()) > still for new, old in zip(now, before))
