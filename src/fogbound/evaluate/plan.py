"""What a plan is worth in its POMDP, exactly: a linear system over the pairs (node, state) that occur."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, eye
from scipy.sparse.linalg import splu

from fogbound.core.errors import FormError, LimitError, PolicyError
from fogbound.forms.table import Floats, Ints
from fogbound.policies.plan import Plan

MOST_PAIRS = 5_000_000
DIRECT = 150_000  # pairs up to which the system is factorised; beyond, sweeps
SWEEPS = 20_000


@dataclass(frozen=True, eq=False)
class Worth:
    """A plan's worth, and where it comes from."""

    worth: float
    pair: Ints  # [P, 2] node, state
    value: Floats  # [P] from there on
    steps: Floats  # [P] expected steps that remain, discounted
    visits: Floats  # [P] how often play comes there, discounted
    used: Ints  # [m] the arrows that play can follow, as rows of plan.arrow
    follows: Floats  # [m] how often they are followed, discounted


def worth(plan: Plan, limit: int = MOST_PAIRS) -> Worth:
    """Explore the pairs that occur from the start, then solve v = r + discount P v."""
    found = _Pairs(plan, limit)
    pairs, moves, reward = found.explore()
    discount = plan.pomdp.discount
    start = np.bincount(found.first, weights=found.first_weight, minlength=len(pairs)) if len(pairs) else np.zeros(0)
    value, steps, visits = _solve(moves * discount, reward, start, plan)
    total = float(plan.pomdp.reward[0] + start @ value) if len(pairs) else float(plan.pomdp.reward[0])
    used, times = np.unique(found.follow_arrow, return_inverse=True)
    follows = np.bincount(times, weights=visits[found.follow_pair] * found.follow_weight, minlength=len(used))
    return Worth(total, pairs, value, steps, visits, used, follows)


class _Pairs:
    """The exploration: breadth first, a whole frontier at a time."""

    def __init__(self, plan: Plan, limit: int) -> None:
        self.plan, self.limit, form = plan, limit, plan.pomdp
        self.states, self.labels, self.sights = form.size, len(form.actions) + 1, len(form.observations)
        owner = np.repeat(np.arange(form.size), np.diff(form.row))
        self.row_key = owner * self.labels + form.action[1:] + 1
        self.row_order = np.argsort(self.row_key, kind="stable")
        key = plan.arrow[:, 0] * self.sights + plan.arrow[:, 1]
        self.arrow_order = np.argsort(key, kind="stable")
        self.arrow_key = key[self.arrow_order]
        self.live = np.diff(form.row) > 0
        self.follow_pair = self.follow_arrow = np.zeros(0, np.int64)
        self.follow_weight = np.zeros(0)

    def explore(self) -> tuple[Ints, csr_matrix, Floats]:
        form, plan = self.plan.pomdp, self.plan
        begin = {z: node for z, node in plan.begin.tolist()}
        opening = [o for o in range(form.out[0], form.out[1]) if self.live[form.next[o]] and form.prob[o] > 0]
        missing = [o for o in opening if int(form.obs[o]) not in begin]
        if missing:
            raise PolicyError(f"{form.spec}: the plan has no first node after {self._sight(int(form.obs[missing[0]]))}")
        fresh = np.array([begin[int(form.obs[o])] * self.states + int(form.next[o]) for o in opening], np.int64)
        keys, back = np.unique(fresh, return_inverse=True)
        self.first, self.first_weight = back, form.prob[opening]
        known, rows = [keys], []
        parts: list[tuple[Ints, Ints, Ints, Floats]] = []
        seen = {int(k): i for i, k in enumerate(keys)}
        while len(keys):
            row = self._rows(keys)
            rows.append(row)
            base = sum(len(k) for k in known[:-1])
            source, target, arrow, prob = self._step(keys, row)
            parts.append((base + source, target, arrow, prob))
            fresh = [k for k in np.unique(target).tolist() if k not in seen]
            for k in fresh:
                seen[k] = len(seen)
            if len(seen) > self.limit:
                raise LimitError(f"{form.spec}: the plan meets more than {self.limit:,} pairs of a node and a state")
            keys = np.array(fresh, np.int64)
            known.append(keys)
        return self._system(known, rows, parts, seen)

    def _system(self, known: list[Ints], rows: list[Ints], parts: list, seen: dict[int, int]):  # type: ignore[type-arg,no-untyped-def]
        every = np.concatenate(known)
        count = len(every)
        source, target, arrow, prob = (np.concatenate(column) for column in zip(*parts)) if parts else (every,) * 4
        order = np.argsort(every, kind="stable")
        column = order[np.searchsorted(every[order], target)]
        moves = csr_matrix((prob, (source, column)), shape=(count, count))
        self.follow_pair, self.follow_arrow, self.follow_weight = source, arrow, prob
        pairs = np.stack([every // self.states, every % self.states], axis=1)
        return pairs, moves, self.plan.pomdp.reward[np.concatenate(rows)] if rows else np.zeros(0)

    def _rows(self, keys: Ints) -> Ints:
        """The row of each pair's state in which its node's action is taken."""
        form, node, state = self.plan.pomdp, keys // self.states, keys % self.states
        wanted = state * self.labels + self.plan.action[node] + 1
        at = np.searchsorted(self.row_key[self.row_order], wanted)
        row = self.row_order[np.minimum(at, len(self.row_order) - 1)]
        wrong = np.flatnonzero(self.row_key[row] != wanted)
        if len(wrong):
            action = int(self.plan.action[node[wrong[0]]])
            word = "waits" if action < 0 else f"plays {form.actions[action]!r}"
            raise PolicyError(f"{form.spec}: a node {word} in {form.label(int(state[wrong[0]]))!r}, where it cannot")
        return row + 1

    def _step(self, keys: Ints, row: Ints) -> tuple[Ints, Ints, Ints, Floats]:
        form = self.plan.pomdp
        count = (form.out[row + 1] - form.out[row]).astype(np.int64)
        source = np.repeat(np.arange(len(keys)), count)
        outcome = np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count) + form.out[row][source]
        keep = self.live[form.next[outcome]] & (form.prob[outcome] > 0)
        source, outcome = source[keep], outcome[keep]
        wanted = (keys[source] // self.states) * self.sights + form.obs[outcome]
        at = np.searchsorted(self.arrow_key, wanted)
        wrong = np.flatnonzero(self.arrow_key[np.minimum(at, len(self.arrow_key) - 1)] != wanted) if len(wanted) else []
        if len(wrong):
            z = int(form.obs[outcome[wrong[0]]])
            raise PolicyError(f"{form.spec}: a node has no arrow for {self._sight(z)}")
        arrow = self.arrow_order[at] if len(wanted) else np.zeros(0, np.int64)
        target = self.plan.arrow[arrow, 2] * self.states + form.next[outcome]
        return source, target, arrow, form.prob[outcome]

    def _sight(self, z: int) -> str:
        return repr(str(self.plan.pomdp.observations[z][0]))


def _solve(moves: csr_matrix, reward: Floats, start: Floats, plan: Plan) -> tuple[Floats, Floats, Floats]:
    """Value and steps ahead of each pair, and how often it is visited."""
    size = len(reward)
    ahead = np.stack([reward, np.ones(size)], axis=1)
    if size == 0:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    if size <= DIRECT or plan.pomdp.discount > 0.98:
        try:
            factors = splu((eye(size, format="csr") - moves).tocsc())
        except RuntimeError as error:
            raise FormError(f"{plan.pomdp.spec}: with this plan play ends too rarely to be evaluated") from error
        found, visits = factors.solve(ahead), factors.solve(start, trans="T")
        if not np.isfinite(found).all() or (found[:, 1] < 1 - 1e-6).any():
            raise FormError(
                f"{plan.pomdp.spec}: with this plan some play never ends, and with discount 1 it has no value"
            )
        return found[:, 0], found[:, 1], visits
    found, visits, back = np.zeros((size, 2)), start.copy(), moves.T.tocsr()
    for _ in range(SWEEPS):
        swept = ahead + moves @ found
        change, found = float(np.abs(swept - found).max()), swept
        visits = start + back @ visits
        if change <= 1e-15 * max(1.0, float(np.abs(found).max())):
            break
    return found[:, 0], found[:, 1], visits
