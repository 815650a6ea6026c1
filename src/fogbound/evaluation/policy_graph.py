"""The value of a plan in its POMDP, exactly: a linear system over the pairs (node, state) that occur."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, LimitError, PolicyError
from fogbound.forms.arrays import Floats, Ints, KeyIndex, Longs
from fogbound.forms.linear_system import factorised
from fogbound.policies.policy_graph import PolicyGraph

MOST_PAIRS = 200_000


@dataclass(frozen=True, eq=False)
class PolicyGraphValue:
    """A plan's value, and where it comes from."""

    total: float  # its value at the start
    pair: Ints  # [P, 2] node, state
    value: Floats  # [P] from there on
    steps: Floats  # [P] expected steps that remain, discounted
    visits: Floats  # [P] how often play comes there, discounted
    used: Ints  # [m] the arrows that play can follow, as rows of plan.arrow
    follows: Floats  # [m] how often they are followed, discounted


@dataclass(frozen=True, eq=False)
class Moves:
    """What may happen from some pairs: the place of the pair, the key of the pair that follows, by which arrow."""

    source: Longs
    target: Longs
    arrow: Longs
    prob: Floats


def policy_graph_value(plan: PolicyGraph, limit: int = MOST_PAIRS) -> PolicyGraphValue:
    """Explore the pairs that occur from the start, then solve v = r + discount P v."""
    exploration = _Exploration(plan)
    keys, start = exploration.opening()
    layers, rows, moves = [keys], [], []
    seen = dict.fromkeys(keys.tolist())
    while len(keys):
        check()
        row = exploration.rows(keys)
        step = exploration.moves(keys, row)
        rows.append(row)
        moves.append(step)
        keys = np.array([k for k in np.unique(step.target).tolist() if k not in seen], np.int64)
        seen |= dict.fromkeys(keys.tolist())
        layers.append(keys)
        if len(seen) > limit:
            raise LimitError(f"{plan.pomdp.spec}: the plan meets more than {limit:,} pairs of a node and a state")
    if not rows:  # over as soon as it begins
        none = np.zeros(0)
        nothing = np.zeros((0, 2), np.int64)
        return PolicyGraphValue(float(plan.pomdp.reward[0]), nothing, none, none, none, nothing[:, 0], none)
    every = np.concatenate(layers)
    base = np.cumsum([0] + [len(k) for k in layers])
    source = np.concatenate([at + m.source for at, m in zip(base, moves)]) if moves else np.zeros(0, np.int64)
    joined = Moves(source, *(np.concatenate([getattr(m, name) for m in moves]) for name in ("target", "arrow", "prob")))
    return _solved(plan, every, start, np.concatenate(rows), joined)


def completed(plan: PolicyGraph, limit: int = MOST_PAIRS) -> PolicyGraph:
    """The plan with an arrow wherever play may go, also where a belief was too faint for whoever made the plan.

    A state that was left out of a belief may show what the rest never shows. Such an arrow leads to a node that follows
    the same observation elsewhere, which is offered the same actions; where there is none, to a new one that takes
    the first of them. Whatever it does counts for next to nothing, but a plan must say it to be evaluated exactly.
    """
    while True:
        missing = _missing_arrows(_Exploration(plan), limit)
        if not missing:
            return plan
        action, arrows = plan.action.tolist(), plan.arrow.tolist()
        entered = {z: target for _, z, target in reversed(arrows)} | dict(plan.begin.tolist())
        for (node, z), state in missing.items():
            if z not in entered:
                entered[z] = len(action)
                action.append(int(plan.pomdp.action[plan.pomdp.row[state]]))
            arrows.append([node, z, entered[z]])
        plan = PolicyGraph(plan.pomdp, np.array(action, np.int64), plan.begin, np.array(arrows, np.int64))


def _missing_arrows(exploration: _Exploration, limit: int) -> dict[tuple[int, int], int]:
    """(node, observation) without an arrow, each with a state in which it is seen; up to about `limit` pairs."""
    keys, _ = exploration.opening()
    seen, missing = set(keys.tolist()), dict[tuple[int, int], int]()
    while len(keys) and len(seen) <= limit:
        check()
        source, outcome, arrow = exploration.follow(keys, exploration.rows(keys))
        lost, form = arrow < 0, exploration.plan.pomdp
        nodes = keys[source[lost]] // exploration.states
        for node, o in zip(nodes.tolist(), outcome[lost].tolist()):
            missing.setdefault((node, int(form.obs[o])), int(form.next[o]))
        after = exploration.target(arrow[~lost], outcome[~lost])
        keys = np.array([k for k in np.unique(after).tolist() if k not in seen], np.int64)
        seen |= set(keys.tolist())
    return missing


def _solved(plan: PolicyGraph, every: Longs, opening: dict[int, float], rows: Longs, moves: Moves) -> PolicyGraphValue:
    from scipy.sparse import csr_matrix

    form, size = plan.pomdp, len(every)
    column = KeyIndex(every).find(moves.target)
    matrix = csr_matrix((form.discount * moves.prob, (moves.source, column)), shape=(size, size))
    start = np.array([opening.get(key, 0.0) for key in every.tolist()])
    ahead = np.stack([form.reward[rows], np.ones(size)], axis=1)
    try:
        factors = factorised(matrix)
        solved, visits = factors.solve(ahead), factors.solve(start, trans="T")
    except RuntimeError as error:
        raise FormError(f"{form.spec}: with this plan play ends too rarely to be evaluated") from error
    if not np.isfinite(solved).all() or (solved[:, 1] < 1 - 1e-6).any():
        raise FormError(f"{form.spec}: with this plan some play never ends, and with discount 1 it has no value")
    used, which = np.unique(moves.arrow, return_inverse=True)
    follows = np.bincount(which, weights=visits[moves.source] * moves.prob, minlength=len(used)).astype(np.float64)
    pairs = np.stack(np.divmod(every, form.size), axis=1)
    total = float(form.reward[0] + start @ solved[:, 0])
    return PolicyGraphValue(total, pairs, solved[:, 0], solved[:, 1], visits, used, follows)


class _Exploration:
    """Where a plan leads, a whole frontier of pairs at a time; a pair's key is node x states + state."""

    def __init__(self, plan: PolicyGraph) -> None:
        self.plan, form = plan, plan.pomdp
        self.states, self.labels, self.observations = form.size, len(form.actions) + 1, len(form.observations)
        owner = np.repeat(np.arange(form.size), np.diff(form.row))
        self.by_row = KeyIndex(owner * self.labels + form.action[1:] + 1)
        self.by_arrow = KeyIndex(plan.arrow[:, 0] * self.observations + plan.arrow[:, 1])
        self.live = np.diff(form.row) > 0

    def opening(self) -> tuple[Longs, dict[int, float]]:
        """The keys of the pairs in which play may start, and how likely each is."""
        form, begin = self.plan.pomdp, dict(self.plan.begin.tolist())
        chances: dict[int, float] = {}
        for o in range(form.out[0], form.out[1]):
            z, s, p = int(form.obs[o]), int(form.next[o]), float(form.prob[o])
            if self.live[s] and p > 0:
                if z not in begin:
                    raise PolicyError(f"{form.spec}: the plan has no first node after {self._observed(z)}")
                key = begin[z] * self.states + s
                chances[key] = chances.get(key, 0.0) + p
        return np.array(sorted(chances), np.int64), chances

    def rows(self, keys: Longs) -> Longs:
        """The row of each pair's state in which its node's action is taken."""
        form, (node, state) = self.plan.pomdp, np.divmod(keys, self.states)
        row = self.by_row.find(state * self.labels + self.plan.action[node] + 1)
        if (row < 0).any():
            wrong = int(np.argmin(row))
            action = int(self.plan.action[node[wrong]])
            word = "waits" if action < 0 else f"plays {form.actions[action]!r}"
            raise PolicyError(f"{form.spec}: a node {word} in {form.label(int(state[wrong]))!r}, where it cannot")
        return row + 1

    def moves(self, keys: Longs, row: Longs) -> Moves:
        """Everything that may happen next and does not end the play."""
        form = self.plan.pomdp
        source, outcome, arrow = self.follow(keys, row)
        if (arrow < 0).any():
            z = int(form.obs[outcome[int(np.argmin(arrow))]])
            raise PolicyError(f"{form.spec}: a node has no arrow for {self._observed(z)}")
        return Moves(source, self.target(arrow, outcome), arrow, form.prob[outcome])

    def follow(self, keys: Longs, row: Longs) -> tuple[Longs, Longs, Longs]:
        """The pairs that go on, the outcomes with which they do, and the arrow that is followed; -1: there is none."""
        form = self.plan.pomdp
        count = (form.out[row + 1] - form.out[row]).astype(np.int64)
        source = np.repeat(np.arange(len(keys)), count)
        outcome = np.arange(len(source)) - np.repeat(np.cumsum(count) - count, count) + form.out[row][source]
        keep = self.live[form.next[outcome]] & (form.prob[outcome] > 0)
        source, outcome = source[keep], outcome[keep]
        arrow = self.by_arrow.find(keys[source] // self.states * self.observations + form.obs[outcome])
        return source, outcome, arrow

    def target(self, arrow: Longs, outcome: Longs) -> Longs:
        """The key of the pair that follows."""
        keys: Longs = self.plan.arrow[arrow, 2].astype(np.int64) * self.states + self.plan.pomdp.next[outcome]
        return keys

    def _observed(self, z: int) -> str:
        return repr(str(self.plan.pomdp.observations[z][0]))
