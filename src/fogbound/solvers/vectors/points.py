"""Beliefs that can be met, block by block, and how to find more of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.table import Floats
from fogbound.solvers.vectors.sets import Dynamics

DIGITS = 9  # beliefs that agree so far are one point
TRIES = 20  # steps of a random walk for each point wanted, after which no more are hoped for


class Points:
    """Beliefs over the states of blocks, the start's among them, each kept once."""

    def __init__(self, steps: Dynamics) -> None:
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
    def stored(cls, arrays: dict[str, NDArray[Any]], steps: Dynamics) -> Points:
        """What `store` wrote."""
        found, sizes = cls(steps), np.diff(steps.blocks.first)
        parts = np.split(arrays["beliefs"], np.cumsum(arrays["points"] * sizes)[:-1])
        for block, part in enumerate(parts):
            for belief in part.reshape(-1, sizes[block]):
                found.add(block, belief)
        return found

    @classmethod
    def start(cls, steps: Dynamics) -> Points:
        """The start, and the beliefs after each first sight."""
        found = cls(steps)
        found.add(0, np.ones(1))
        for _, block, belief in outcomes(steps, np.ones(1), 0):
            found.add(block, belief)
        return found

    def walk(self, most: int, rng: np.random.Generator) -> None:
        """Random play from the start, again and again, until there are `most` points (Spaan and Vlassis 2005).

        A walk ends as a game does, or as the discount says: what lies far ahead matters less.
        """
        block, belief = 0, np.ones(1)
        for _ in range(TRIES * most):
            if self.count >= most:
                return
            met = outcomes(self.steps, belief, int(rng.choice(self.steps.slots(block))))
            place = int(np.searchsorted(np.cumsum([weight for weight, _, _ in met]), rng.random(), side="right"))
            block, belief = met[place][1:] if place < len(met) else (0, np.ones(1))
            self.add(block, belief)

    def spread(self, most: int, rng: np.random.Generator) -> None:
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
        found: list[tuple[int, Floats]] = []
        for slot in self.steps.slots(block):
            met = outcomes(self.steps, belief, slot)
            if met and rng is not None:
                weights = np.array([weight for weight, _, _ in met])
                met = [met[int(rng.choice(len(met), p=weights / weights.sum()))]]
            found += [outcome[1:] for outcome in met]
        if found:
            self.add(*max(found, key=lambda outcome: self.distance(*outcome)))

    def distance(self, block: int, belief: Floats) -> float:
        """How far, in the 1-norm, the nearest point is; points of other blocks are as far as can be."""
        return float(np.abs(self.matrix(block) - belief).sum(axis=1).min(initial=2.0))


def outcomes(steps: Dynamics, belief: Floats, slot: int) -> list[tuple[float, int, Floats]]:
    """How likely each branch of an action is, discounted, with the block and the belief that it leads to."""
    found = []
    for branch in steps.branches(slot):
        reached = np.asarray(steps.moves(slot, branch).T @ belief)
        weight = float(reached.sum())
        if weight > 0:
            found.append((weight, steps.target(branch), reached / weight))
    return found
