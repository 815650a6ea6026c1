"""The beliefs that can occur: a POMDP turned into an ordinary, fully visible decision process.

Where play ends, a player can only ever hold finitely many beliefs, one for each of its information sets,
and dynamic programming over them is exact: Oliehoek, Spaan and Vlassis (2005), section 4. Their equation
(7) for the reward counts the belief twice; here it is the conditional expectation, as it must be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import GameError, LimitError, brief, cut_short, many
from fogbound.core.game import AnyGame
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.mixed_observability import LEGAL_CLASH
from fogbound.forms.pomdp import OVER, POMDP
from fogbound.forms.protocol import OTHERS, Described, Form, Question, canonical_arrays, derive
from fogbound.forms.recurrence import topological_order

MOST_BELIEFS = 200_000
LOOK_UP = 64  # beliefs between two looks at whether to stop
DIGITS = 12
SIGNIFICANT = 14  # in games that end, beliefs are merged only when all of these agree


@dataclass(frozen=True, eq=False, repr=False)
class BeliefMDP(Described):
    """B beliefs, R rows (belief, action), O outcomes. Row 0 is the start; endings are left out of rows.

    Parameters
    ----------
    pomdp
        The POMDP whose beliefs these are.
    states : [B]
        The support of each belief.
    weights : [B]
        The probabilities of these states.
    row : [B+1]
        Where the rows of a belief begin, and the last ones end.
    action : [R]
        The label of the row's action, as in the POMDP.
    out : [R+1]
        Where the outcomes of a row begin, and the last ones end.
    next : [O]
        The belief that follows.
    obs : [O]
        The observation that leads there.
    prob : [O]
        The probability of the outcome.
    reward : [R]
        The expected reward of the row; of row 0, what is paid before the first step.
    drift
        The largest 1-norm distance between beliefs that were taken for one.
    """

    kind: ClassVar[str] = "belief-mdp"
    made_from: ClassVar[str] = "pomdp"
    against: ClassVar[str] = OTHERS
    certified_as: ClassVar[str] = "reply"

    pomdp: POMDP = field(repr=False)
    states: list[tuple[int, ...]] = field(repr=False)  # [B]
    weights: list[tuple[float, ...]] = field(repr=False)  # [B]
    row: Ints  # [B+1]
    action: Ints  # [R]
    out: Ints  # [R+1]
    next: Ints  # [O]
    obs: Ints  # [O]
    prob: Floats  # [O]
    reward: Floats  # [R]
    drift: float = 0.0

    @property
    def spec(self) -> str:
        return self.pomdp.spec

    @property
    def origin(self) -> POMDP:
        return self.pomdp

    @property
    def players(self) -> tuple[str, ...]:
        return self.pomdp.players

    @property
    def constant_sum(self) -> None:
        """Only one player's rewards are here."""

    @property
    def largest(self) -> float:
        return self.pomdp.largest

    def describe(self) -> str:
        return f"belief MDP, {many(self.size, 'belief')} over {many(self.pomdp.size, 'state')}"

    @classmethod
    def derive(cls, source: POMDP, question: Question) -> BeliefMDP:
        return belief_mdp(source, **question.most)

    @property
    def player(self) -> int:
        """The player whose beliefs these are."""
        return self.pomdp.player

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The form in canonical layout, for hashing: with all that decides what a solver finds."""
        ints = ("row", "action", "out", "next", "obs")
        return canonical_arrays(self, ints, ("prob", "reward"), discount=float(self.pomdp.discount))

    @property
    def size(self) -> int:
        return len(self.states)

    @cached_property
    def acyclic(self) -> bool:
        """Whether no belief can come back: then one pass per step of the longest game is exact."""
        return topological_order(self)[1] < 0

    def belief(self, number: int) -> NDArray[np.float64]:
        """A belief as a dense vector over the POMDP's states."""
        dense = np.zeros(self.pomdp.size)
        dense[list(self.states[number])] = self.weights[number]
        return dense


def belief_mdp(pomdp: AnyGame | Form, limit: int = MOST_BELIEFS, digits: int = DIGITS) -> BeliefMDP:
    """Explore the beliefs reachable from the start.

    In games that end the beliefs are finitely many, and only what is equal up to rounding is merged. Where play
    goes on, beliefs equal to `digits` decimals count as one, which is what makes them finite (in the tiger
    problem belief moves on a lattice towards certainty); how far apart merged beliefs were is kept as `drift`,
    and solvers widen their bounds by what that can cost.

    Parameters
    ----------
    pomdp
        The decision process, or a game of one player.
    limit
        How many beliefs there may be.
    digits
        Decimals to which beliefs must agree to be merged where play goes on.

    Returns
    -------
    BeliefMDP

    Raises
    ------
    LimitError
        There are more than `limit` beliefs.
    GameError
        The legal actions depend on what the player does not know.

    Examples
    --------
    >>> from fogbound import forms, games, policies
    >>> forms.belief_mdp(forms.pomdp(games.make("king-ace"), 0, {1: policies.Uniform()}))
    <belief MDP, 4 beliefs over 9 states, of king-ace>
    """
    return _Exploration(derive(pomdp, POMDP), limit, digits).run()


class _Exploration:
    def __init__(self, pomdp: POMDP, limit: int, digits: int) -> None:
        self.pomdp, self.limit, self.digits = pomdp, limit, digits
        self.states: list[tuple[int, ...]] = []
        self.weights: list[tuple[float, ...]] = []
        self.ids: dict[tuple[object, ...], int] = {}
        self.next: list[int] = []
        self.obs: list[int] = []
        self.prob: list[float] = []
        self.out = [0]
        # plain lists, as in `product`: many single look-ups
        self.rows, self.outs = pomdp.row.tolist(), pomdp.out.tolist()
        self.p_next, self.p_obs = pomdp.next.tolist(), pomdp.obs.tolist()
        self.p_prob, self.p_reward = pomdp.prob.tolist(), pomdp.reward.tolist()
        self.over = [legal == OVER for _, legal in pomdp.observations]
        self.drift = 0.0

    def run(self) -> BeliefMDP:
        row, action, reward = [1], [-1], [self.p_reward[0]]
        self._successors([(0, 1.0)])
        at = 0
        while at < len(self.states):
            if not at % LOOK_UP:
                check()
            states, weights = self.states[at], self.weights[at]
            at += 1
            first = self.rows[states[0]]
            for k in range(self.rows[states[0] + 1] - first):
                pairs = [(self.rows[s] + k, w) for s, w in zip(states, weights)]
                action.append(int(self.pomdp.action[first + k]))
                reward.append(sum(w * self.p_reward[r] for r, w in pairs))
                self._successors(pairs)
            row.append(len(action))
        return BeliefMDP(
            pomdp=self.pomdp,
            states=self.states,
            weights=self.weights,
            row=np.array(row, np.int32),
            action=np.array(action, np.int32),
            out=np.array(self.out, np.int32),
            next=np.array(self.next, np.int32),
            obs=np.array(self.obs, np.int32),
            prob=np.array(self.prob),
            reward=np.array(reward),
            drift=self.drift,
        )

    def _successors(self, pairs: list[tuple[int, float]]) -> None:
        """Bayes' rule: where weighted POMDP rows lead, split by what is observed."""
        split: dict[int, dict[int, float]] = {}
        for r, w in pairs:
            for o in range(self.outs[r], self.outs[r + 1]):
                z = self.p_obs[o]
                if not self.over[z]:
                    part = split.setdefault(z, {})
                    s = self.p_next[o]
                    part[s] = part.get(s, 0.0) + w * self.p_prob[o]
        self._check_legal(split)
        for z in sorted(split):
            total = sum(split[z].values())
            if total > 0:
                self.next.append(self._belief(split[z], total))
                self.obs.append(z)
                self.prob.append(total)
        self.out.append(len(self.next))

    def _rounded(self, weight: float) -> float:
        return float(f"{weight:.{SIGNIFICANT}g}") if self.pomdp.ends else round(weight, self.digits)

    def _check_legal(self, split: dict[int, dict[int, float]]) -> None:
        """What is seen may come with one list of legal actions only, or with none: the player cannot see more."""
        legal_sets: dict[Any, tuple[int, int]] = {}
        for z, part in split.items():
            seen, legal = self.pomdp.observations[z]
            if legal >= 0:
                other = legal_sets.setdefault(seen, (legal, next(iter(part))))
                if other[0] != legal:
                    one, two = brief(self.pomdp.label(other[1])), brief(self.pomdp.label(next(iter(part))))
                    offers = (brief(self.pomdp.legal_sets[number]) for number in (other[0], legal))
                    raise GameError(f"{self.pomdp.spec}: " + LEGAL_CLASH.format(one, two, *offers))

    def _belief(self, part: dict[int, float], total: float) -> int:
        states = tuple(sorted(part))
        weights = tuple(part[s] / total for s in states)
        key = (states, tuple(map(self._rounded, weights)))
        number = self.ids.get(key)
        if number is not None and not self.pomdp.ends:
            apart = sum(abs(a - b) for a, b in zip(weights, self.weights[number]))
            self.drift = max(self.drift, apart)
        if number is None:
            number = self.ids[key] = len(self.states)
            self.states.append(states)
            self.weights.append(weights)
            if number >= self.limit:
                raise LimitError(
                    f"{self.pomdp.spec}: more than {self.limit:,} reachable beliefs. Raise limit=, or cut "
                    f"it, such as {cut_short(self.pomdp.spec)}"
                )
        return number
