"""Short cycles of actions as a lower bound to begin from, where the discount is near 1.

A cycle plays a fixed sequence of actions for ever and looks at nothing: a blind policy of several steps (Hauskrecht
1997 has those of one). With a discount near 1 a search needs about 1 / (1 - discount) backups until a sequence that is
repeated earns in its bound what it earns in play; as a plan it is evaluated by one linear system. Tried are all cycles
of one action and then another a few times, and what single changes make of the best of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Longs
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP

LONGEST = 10  # steps of a cycle
NEAR = 0.999  # discounts from here on begin from cycles: below, backups get there themselves
NEARER = 0.9995  # above, trials hardly get anywhere, and both bounds are refined by linear systems
MOST_STATES, MOST_ACTIONS = 300, 12
WORK = 3e9  # multiplications, at most
ROUNDS = 20

Cycle = tuple[int, ...]  # places in the lists of legal actions


@dataclass(frozen=True, eq=False)
class EvaluatedCycle:
    """A cycle with its value [steps, N] from each of its steps on, no higher than what it earns."""

    cycle: Cycle
    value: Floats

    @property
    def total(self) -> float:
        """At the start, begun at the best of its steps."""
        return float(self.value[:, 0].max())


class CyclicPolicies:
    """Cycles over the members of a model's blocks, evaluated by dense linear systems."""

    def __init__(self, model: UnderlyingMDP) -> None:
        wide = int(np.diff(model.blocks.choice).max())
        self.model, self.states = model, len(model.blocks.state)
        rows = [model.choose(np.full(self.states, place)) for place in range(wide)]
        self.moves = [model.moves[row] for row in rows]  # sparse: products of dense matrices would wait for threads
        self.reward = [model.blocks.reward[row] for row in rows]
        self.left = WORK
        self.known: dict[Cycle, EvaluatedCycle] = {}

    def evaluated(self, cycle: Cycle) -> EvaluatedCycle:
        """v_i = r_i + P_i v_(i+1) round the cycle: one system for v_0, the others by substitution; residuals paid."""
        if cycle not in self.known:
            check()
            self.left -= (len(cycle) + 1) * float(self.states) ** 3
            paid, moved = self.reward[cycle[-1]], self.moves[cycle[-1]].toarray()
            for place in cycle[-2::-1]:
                paid, moved = self.reward[place] + self.moves[place] @ paid, self.moves[place] @ moved
            value = np.zeros((len(cycle), self.states))
            value[0] = np.linalg.solve(np.eye(self.states) - moved, paid)
            for step in range(len(cycle) - 1, 0, -1):
                value[step] = self._before(cycle[step], value[(step + 1) % len(cycle)])
            short = max(
                float((value[k] - self._before(place, value[(k + 1) % len(cycle)])).max())
                for k, place in enumerate(cycle)
            )
            self.known[cycle] = EvaluatedCycle(cycle, value - max(short, 0.0) * self.model.steps)
        return self.known[cycle]

    def _before(self, place: int, value: Floats) -> Floats:
        return np.asarray(self.reward[place] + self.moves[place] @ value)

    def best(self) -> EvaluatedCycle:
        """The best cycle that was found within the work allowed."""
        places = range(len(self.moves))
        pairs = [(a, *[b] * many) for many in range(1, LONGEST) for a, b in permutations(places, 2)]
        best = max((self.evaluated((place,)) for place in places), key=lambda one: one.total)
        for cycle in pairs:
            if self.left > 0:
                best = max(best, self.evaluated(cycle), key=lambda one: one.total)
        for _ in range(ROUNDS):
            around = [self.evaluated(cycle) for cycle in self._around(best.cycle) if self.left > 0]
            better = max([best, *around], key=lambda one: one.total)
            if better is best:
                break
            best = better
        return best

    def _around(self, cycle: Cycle) -> Iterator[Cycle]:
        """Cycles with one step changed, left out or put in."""
        for k in range(len(cycle)):
            if len(cycle) > 1:
                yield cycle[:k] + cycle[k + 1 :]
            for place in range(len(self.moves)):
                if place != cycle[k]:
                    yield (*cycle[:k], place, *cycle[k + 1 :])
                if len(cycle) < LONGEST:
                    yield (*cycle[:k], place, *cycle[k:])


def near_one(model: UnderlyingMDP) -> bool:
    """Whether the discount is so near 1 that trials do not get there, and the model small."""
    return model.blocks.pomdp.discount > NEARER and _small(model)


def _small(model: UnderlyingMDP) -> bool:
    """Whether play is discounted, and the model small enough for dense linear systems."""
    blocks = model.blocks
    few = len(blocks.state) <= MOST_STATES and 1 < int(np.diff(blocks.choice).max()) <= MOST_ACTIONS
    return few and blocks.pomdp.discount < 1


def cyclic_policies(model: UnderlyingMDP) -> EvaluatedCycle | None:
    """The best cycle where the discount is near 1 and the model small; None elsewhere."""
    near = model.blocks.pomdp.discount >= NEAR and _small(model)
    return CyclicPolicies(model).best() if near else None


def as_plan(model: UnderlyingMDP, found: EvaluatedCycle) -> tuple[Longs, Floats, Longs]:
    """A cycle as vectors, one for each step and block: their choices, values, and successors."""
    blocks, steps = model.blocks, len(found.cycle)
    choices = [blocks.choice[:-1] + place % np.diff(blocks.choice) for place in found.cycle]
    after = [
        (step + 1) % steps * blocks.size + blocks.target[blocks.outcome[c] : blocks.outcome[c + 1]]
        for step, choice in enumerate(choices)
        for c in choice.tolist()
    ]
    return np.concatenate(choices), found.value.ravel(), np.concatenate(after)
