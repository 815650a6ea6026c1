"""The upper bound as a Markov decision process over points, solved by policy iteration.

A belief that follows a point is split into a share of one other point and a rest on single states (the sawtooth of
Hauskrecht 2000). With the split fixed, the points are the states of a finite decision process whose optimal values
bound the POMDP's (Lovejoy 1991). Backups lower such a bound by at most a share 1 - discount of its error each, about
1 / (1 - discount) times; policy iteration (Howard 1960) solves it in a few linear systems whatever the discount. Then
each belief is split anew by the values found, which can only lower them, until nothing changes.

New points are beliefs that the policy of this process leads to, those first at which one backup lowers the bound most,
weighted by how often the policy comes there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats, Ints, Longs
from fogbound.forms.linear_system import factorised
from fogbound.solvers.pomdp.hsvi.kernels.interpolation import best_points
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP

ROUNDS, POLICIES = 30, 50  # of splitting anew, and of policy iteration between two of them
STILL = 1e-10  # of the largest value: a change that is none
TINY = 1e-14  # likewise, of an action's value: rounding
AT_ONCE = 500  # beliefs that are split in one call
GROWTH, LEAST_NEW = 0.1, 8  # new points at once, as a share of those there are


@dataclass(frozen=True, eq=False)
class Beliefs:
    """Normalised beliefs, each over the states of its block."""

    home: Longs  # [n] block
    weight: Floats  # [n, width] by local state

    def joined(self, other: Beliefs) -> Beliefs:
        """These, then the others."""
        return Beliefs(np.append(self.home, other.home), np.concatenate([self.weight, other.weight]))

    def part(self, places: Ints) -> Beliefs:
        """Some of them."""
        return Beliefs(self.home[places], self.weight[places])


@dataclass(frozen=True, eq=False)
class OneStep:
    """One step from some beliefs: a row for each belief and action, and what may follow each row."""

    belief: Longs  # [rows] the belief, in increasing order
    reward: Floats  # [rows]
    row: Longs  # [ahead] the row that it follows
    outcome: Longs  # [ahead]
    block: Longs  # [ahead]
    ahead: Floats  # [ahead, width] unnormalised and discounted
    mass: Floats  # [ahead]

    def part(self, some: Ints) -> OneStep:
        """The same rows, and some of what follows them."""
        row, outcome, block = self.row[some], self.outcome[some], self.block[some]
        return OneStep(self.belief, self.reward, row, outcome, block, self.ahead[some], self.mass[some])

    @cached_property
    def split(self) -> Longs:
        """[ahead] the point that each was split by last; -1: by none."""
        return np.full(len(self.row), -1)

    @cached_property
    def begin(self) -> Ints:
        """[beliefs] where a belief's rows begin."""
        return np.flatnonzero(np.diff(self.belief, prepend=-1))


class BlockSteps:
    """The model's transitions as dense matrices, one for each outcome."""

    def __init__(self, model: UnderlyingMDP) -> None:
        self.model, blocks = model, model.blocks
        self.size = np.diff(blocks.first)
        self.width = int(self.size.max())
        self.matrices = [self._matrix(outcome) for outcome in range(len(blocks.target))]

    def _matrix(self, outcome: int) -> Floats:
        """[states of the block, width] of one outcome."""
        blocks = self.model.blocks
        block = int(np.searchsorted(blocks.outcome, outcome, side="right")) - 1
        size = int(self.size[np.searchsorted(blocks.choice, block, side="right") - 1])
        begin = int(blocks.begin[outcome])
        runs = blocks.start[begin : begin + size + 1]
        matrix = np.zeros((size, self.width))
        entries = slice(int(runs[0]), int(runs[-1]))
        np.add.at(matrix, (np.repeat(np.arange(size), np.diff(runs)), blocks.to[entries]), blocks.weight[entries])
        return matrix

    def corners(self) -> Beliefs:
        """Every state of every block, for certain: in the order of the blocks' states."""
        blocks = self.model.blocks
        weight = np.zeros((len(blocks.state), self.width))
        weight[np.arange(len(weight)), np.arange(len(weight)) - blocks.first[blocks.block]] = 1.0
        return Beliefs(blocks.block.astype(np.int64), weight)

    def ahead(self, beliefs: Beliefs) -> OneStep:
        """All rows of all beliefs, and what follows them."""
        blocks, rows, follow = self.model.blocks, list[tuple[Any, ...]](), [self._nothing]
        for block in np.unique(beliefs.home).tolist():
            own = np.flatnonzero(beliefs.home == block)
            weight = beliefs.weight[own, : self.size[block]]
            for choice in range(int(blocks.choice[block]), int(blocks.choice[block + 1])):
                span = slice(int(blocks.offset[choice]), int(blocks.offset[choice + 1]))
                rows.append((own, np.full(len(own), choice), weight @ blocks.reward[span]))
                follow += [
                    self._follow(own, weight, choice, outcome)
                    for outcome in range(int(blocks.outcome[choice]), int(blocks.outcome[choice + 1]))
                ]
        whose, choices, reward = (np.concatenate(column) for column in zip(*rows))
        order = np.lexsort((choices, whose))
        place = np.full((len(beliefs.home), int(np.diff(blocks.choice).max())), -1)
        place[whose[order], choices[order] - blocks.choice[beliefs.home[whose[order]]]] = np.arange(len(order))
        before, taken, outcomes, after = (np.concatenate(column) for column in zip(*follow))
        row = place[before, taken - blocks.choice[beliefs.home[before]]]
        target = blocks.target[outcomes].astype(np.int64)
        return OneStep(whose[order], reward[order], row, outcomes, target, after, after.sum(axis=1))

    def _follow(self, own: Longs, weight: Floats, choice: int, outcome: int) -> tuple[Any, ...]:
        """The beliefs from which an outcome may follow, the choice, the outcome, and what then is believed."""
        after = weight @ self.matrices[outcome]
        some = after.sum(axis=1) > 0
        same = np.ones(int(some.sum()), np.int64)
        return own[some], choice * same, outcome * same, after[some]

    @property
    def _nothing(self) -> tuple[Any, ...]:
        none = np.zeros(0, np.int64)
        return none, none, none, np.zeros((0, self.width))


class PointMDP:
    """Points above a POMDP with their values: first every state for certain, the start being the first, then others."""

    def __init__(self, steps: BlockSteps, points: Beliefs, value: Floats) -> None:
        self.steps, self.points, self.value = steps, points, value
        self.corners = len(steps.model.blocks.state)
        self.look = steps.ahead(points)

    def _split(self, look: OneStep) -> tuple[Longs, Floats]:
        """[ahead] the point that each belief is split by, and its share; -1: by the corners alone."""
        blocks, count = self.steps.model.blocks, self.corners
        gap, home, weight = self.gaps(), self.points.home[count:], self.points.weight[count:]
        order = np.lexsort((gap, home))
        lists = np.searchsorted(home[order], np.arange(blocks.size + 1))
        place, number = np.full(len(self.value) + 1, -1), np.append(count + order, -1)
        place[number[:-1]] = np.arange(len(order))
        chosen, share = np.ascontiguousarray(place[look.split]), np.zeros(len(look.row))
        for first in range(0, len(look.row), AT_ONCE):
            check()
            part = slice(first, first + AT_ONCE)
            rows = look.ahead[part], look.block[part], look.mass[part]
            best_points(*rows, weight[order], lists, gap[order], chosen[part], share[part])
        look.split[:] = number[chosen]
        return look.split, share

    def gaps(self) -> Floats:
        """[points that are no corners] the value less that of the corners."""
        own = self.points.part(np.arange(self.corners, len(self.value)))
        return np.asarray(self.value[self.corners :] - (own.weight * self._corner_values(own.home)).sum(axis=1))

    def _corner_values(self, block: Ints) -> Floats:
        """[n, width] the values of the states of some blocks."""
        first = self.steps.model.blocks.first
        local = np.arange(self.steps.width)
        inside = local < self.steps.size[block][:, None]
        return np.where(inside, self.value[np.where(inside, first[block][:, None] + local, 0)], 0.0)

    def moves(self, look: OneStep) -> csr_matrix:
        """[rows, points] the splits as transitions; what rounding makes negative is none."""
        chosen, share = self._split(look)
        held = np.where(chosen >= 0, share, 0.0)
        rest = np.maximum(look.ahead - held[:, None] * self.points.weight[chosen], 0.0)
        row, local = np.nonzero(rest)
        first = self.steps.model.blocks.first[look.block]
        some = np.flatnonzero(held > 0)
        weight = np.concatenate([rest[row, local], held[some]])
        column = np.concatenate([first[row] + local, chosen[some]])
        source = np.concatenate([look.row[row], look.row[some]])
        return csr_matrix((weight, (source, column)), shape=(len(look.belief), len(self.value)))

    def solve(self, little: float = 0.0) -> Longs:
        """Lower the values as far as these points let them; the optimal row of each point.

        A round that changes no more than the share `little` of the largest change so far is the last.
        """
        look, chosen, most = self.look, self.look.begin, 0.0
        for _ in range(ROUNDS):
            moves, before = self.moves(look), self.value
            chosen = self._policy_iteration(moves)
            change = float(np.abs(self.value - before).max())
            most = max(most, change)
            if change <= max(STILL * float(np.abs(self.value).max()), little * most):
                break
        return np.asarray(chosen)

    def _policy_iteration(self, moves: csr_matrix) -> Longs:
        """Optimal values for one split, and the rows that are taken."""
        look, chosen = self.look, self._greedy(moves)[0]
        for _ in range(POLICIES):
            check()
            self.value = np.asarray(factorised(moves[chosen]).solve(look.reward[chosen]))
            greedy, gain = self._greedy(moves, chosen)
            better = gain > TINY * float(np.abs(self.value).max())
            if not better.any():
                break
            chosen = np.where(better, greedy, chosen)
        return chosen

    def _greedy(self, moves: csr_matrix, chosen: Longs | None = None) -> tuple[Longs, Floats]:
        """[points] the best row of each point, and what it gains over the chosen one."""
        look = self.look
        q_values = np.asarray(look.reward + moves @ self.value)
        best = np.maximum.reduceat(q_values, look.begin)
        first = np.flatnonzero(q_values >= best[look.belief])
        greedy = first[np.searchsorted(look.belief[first], np.arange(len(best)))]
        return greedy, best - q_values[greedy if chosen is None else chosen]

    def backed_up(self, beliefs: Beliefs) -> Floats:
        """[n] the bound of beliefs after one backup."""
        look = self.steps.ahead(beliefs)
        return np.asarray(np.maximum.reduceat(look.reward + self.moves(look) @ self.value, look.begin))

    def interpolated(self, ahead: OneStep, some: Ints) -> Floats:
        """[some] the bound of unnormalised beliefs."""
        part = ahead.part(some)
        chosen, share = self._split(part)
        gap = np.append(np.zeros(self.corners), self.gaps())
        corner = (part.ahead * self._corner_values(part.block)).sum(axis=1)
        return np.asarray(corner + np.where(chosen >= 0, share * gap[chosen], 0.0))

    def expand(self, chosen: Longs, apart: float) -> int:
        """Add beliefs that the optimal policy leads to, where that gains most, `apart` in L1; how many were added."""
        look, many = self.look, len(self.value)
        start = np.zeros(many)
        start[0] = 1.0
        visits = factorised(self.moves(look)[chosen]).solve(start, trans="T")
        taken = np.zeros(len(look.belief), bool)
        taken[chosen] = True
        reach = visits[look.belief[look.row]] * look.mass
        some = np.flatnonzero(taken[look.row] & (reach > 0))
        beliefs = Beliefs(look.block[some], look.ahead[some] / look.mass[some, None])
        gain = self.interpolated(look, some) / look.mass[some] - self.backed_up(beliefs)
        score = reach[some] * gain
        floor = STILL * float(np.abs(self.value).max())
        order = np.argsort(-score, kind="stable")
        found = self._apart(
            beliefs, apart, order[(score * (gain > 0))[order] > floor], max(LEAST_NEW, int(GROWTH * many))
        )
        if len(found):
            new = beliefs.part(found)
            value = (new.weight * self._corner_values(new.home)).sum(axis=1)
            self.points, self.value = self.points.joined(new), np.append(self.value, value)
            self.look = self.steps.ahead(self.points)
        return len(found)

    def _apart(self, beliefs: Beliefs, apart: float, order: Ints, most: int) -> Longs:
        """The first of some beliefs, but none that is next to another or to a point."""
        found = list[int]()
        for k in order.tolist():
            near = [self.points.weight[self.points.home == beliefs.home[k]]]
            near.append(beliefs.weight[[j for j in found if beliefs.home[j] == beliefs.home[k]]])
            if min(float(np.abs(own - beliefs.weight[k]).sum(axis=1).min(initial=np.inf)) for own in near) > apart:
                found.append(k)
            if len(found) >= most:
                break
        return np.array(found, np.int64)
