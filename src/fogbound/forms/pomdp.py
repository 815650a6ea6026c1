"""What one player faces when the others' policies are fixed: a partially observable decision process.

One step of the POMDP is one step of the game. In a step in which the player is not asked to move it has a
single action, to wait; so discounts need no care, and nothing is lost, since every step is seen anyway.
Whether one is asked, and with which legal actions, is itself observed, so it is part of the observation: after any
history either every possible state offers the same actions, or none asks.

Oliehoek, Spaan and Vlassis (2005), section 4, with one opponent policy; Rosello, "Fully-nested interactive
POMDPs" (section III), with a mixture of controllers.

A POMDP from a model file: numbered states, actions and observations, every action legal everywhere.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_discount, require_moderate
from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, brief, cut_short, many
from fogbound.core.game import AnyGame, Observation, Outcome
from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Floats, Ints, Longs, heads, largest_total, offsets, summed
from fogbound.forms.induced import MOST_POINTS, WAIT, InducedModel, induced
from fogbound.forms.linear_system import factorised
from fogbound.forms.player_view import NOT_ASKED, OVER, legal_by_state
from fogbound.forms.protocol import OTHERS, Described, Form, FormGame, Question, canonical_arrays, derive
from fogbound.forms.recurrence import endless_states, still_paid, topological_order
from fogbound.forms.table import Table


@dataclass(frozen=True, eq=False)
class ModelGame(FormGame["POMDP", Hashable, Hashable]):
    """One player in a given POMDP. A step pays what the model expects it to pay.

    Parameters
    ----------
    form
        The POMDP to be played.
    """

    name: ClassVar[str] = "model"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "players", ("agent",))

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        return {self.form.label(s): s for s in range(self.form.size)}

    def start(self) -> Dist[Outcome[Hashable]]:
        return self._outcomes(0)

    def actors(self, state: Hashable) -> tuple[int, ...]:
        s = self._number[state]
        return (0,) if self.form.row[s + 1] > self.form.row[s] else ()

    def actions(self, state: Hashable, player: int) -> Sequence[Hashable]:  # noqa: ARG002
        s = self._number[state]
        return [self.form.actions[a] for a in self.form.action[self.form.row[s] : self.form.row[s + 1]]]

    def step(self, state: Hashable, joint: tuple[Hashable, ...]) -> Dist[Outcome[Hashable]]:
        s = self._number[state]
        return self._outcomes(int(self.form.row[s]) + list(self.actions(state, 0)).index(joint[0]))

    def _outcomes(self, row: int) -> Dist[Outcome[Hashable]]:
        form, rewards = self.form, (float(self.form.reward[row]),)
        weights: dict[Outcome[Hashable], float] = {}
        for o in range(form.out[row], form.out[row + 1]):
            seen, _ = form.observations[form.obs[o]]
            outcome = Outcome(form.label(int(form.next[o])), rewards, seen.public, (seen.private,))
            weights[outcome] = weights.get(outcome, 0.0) + float(form.prob[o])
        return Dist.of(weights)


@dataclass(frozen=True, eq=False, repr=False)
class POMDP(Described):
    """S states, R rows (state, action), O outcomes, Z observations. Row 0 is the start.

    Parameters
    ----------
    spec
        The spec of the game, or the name of the model.
    discount
        Step t counts discount**t.
    row : [S+1]
        Where the rows of a state begin, and the last ones end; a state without rows is an end.
    action : [R]
        The label of the row's action; WAIT where it is not the player's move.
    out : [R+1]
        Where the outcomes of a row begin, and the last ones end.
    next : [O]
        The state that follows.
    obs : [O]
        The observation, as an index into `observations`.
    prob : [O]
        The probability of the outcome.
    reward : [R]
        The expected reward of the row; of row 0, what is paid before the first step.
    actions
        The actions, by label.
    observations
        By number: what the player sees, and its legal actions then, as an index into `legal_sets` (or NOT_ASKED,
        OVER).
    legal_sets
        The sets of legal actions that occur.
    player
        The player who decides, of the game's.
    product
        The induced model that it came from, when from a game.
    names
        The names of the states, when from a model file.
    """

    kind: ClassVar[str] = "pomdp"
    made_from: ClassVar[str] = "table"
    against: ClassVar[str] = OTHERS
    certified_as: ClassVar[str] = "pomdp"

    spec: str
    discount: float
    row: Ints  # [S+1]
    action: Ints  # [R]
    out: Ints  # [R+1]
    next: Ints  # [O]
    obs: Ints  # [O]
    prob: Floats  # [O]
    reward: Floats  # [R]
    actions: list[Hashable] = field(repr=False)
    observations: list[tuple[Observation, int]] = field(repr=False)
    legal_sets: tuple[tuple[Hashable, ...], ...] = field(repr=False)
    player: int = 0
    product: InducedModel | None = field(default=None, repr=False)
    names: tuple[Hashable, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        require_discount(self.spec, self.discount, zero=True)
        require_moderate(self.spec, float(np.abs(self.reward).max(initial=0.0)))

    @property
    def size(self) -> int:
        return len(self.row) - 1

    @property
    def origin(self) -> Table | None:
        """The table of the game, when it came from one."""
        return None if self.product is None else self.product.table

    @property
    def players(self) -> tuple[str, ...]:
        """The players of the game that it came from; a model file has one agent."""
        return ("agent",) if self.origin is None else self.origin.players

    @property
    def constant_sum(self) -> None:
        """Only one player's rewards are here."""

    @property
    def largest(self) -> float:
        return largest_total(self.reward, self.discount)

    def describe(self) -> str:
        seen = many(len(self.observations), "observation")
        return f"POMDP, {many(self.size, 'state')}, {many(len(self.actions), 'action')}, {seen}"

    @classmethod
    def derive(cls, source: Table, question: Question) -> POMDP:
        return pomdp(source, question.player, question.others, **question.most)

    def as_game(self) -> AnyGame:
        """The model as a game of one player."""
        return ModelGame(self)

    @cached_property
    def ends(self) -> bool:
        """Whether play surely ends within a bounded number of steps, whatever is done."""
        return topological_order(self)[1] < 0

    @cached_property
    def endless(self) -> Longs:
        """States from which some choice of actions keeps play going for ever."""
        return endless_states(self.row, self.out, self.next, self.prob)

    def label(self, state: int) -> Any:
        """The game's state; with fixed players, (the game's state, (type, memory) of each of them)."""
        if self.product is None:
            return self.names[state] if self.names else state
        point = self.product.point[state]
        others = [self.product.fixed[i].memories[m] for i, m in enumerate(point[1:].tolist()) if m >= 0]
        own = self.product.table.states[point[0]]
        return (own, *((memory.type, memory.value) for memory in others)) if others else own

    def value_range(self) -> tuple[float, float] | None:
        """The least and the most that any policies can earn, from the rewards alone; None where nothing bounds it."""
        from fogbound.forms.path_totals import reward_sums

        found = reward_sums(self.reward[1:], self.discount)  # row 0 is paid before the first step
        return None if found is None else (float(found[0] + self.reward[0]), float(found[1] + self.reward[0]))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The POMDP in the canonical layout that certificates are hashed over."""
        ints = ("row", "action", "out", "next", "obs")
        return canonical_arrays(self, ints, ("prob", "reward"), discount=float(self.discount))


def pomdp(
    source: AnyGame | Form, player: int = 0, others: Mapping[int, Strategy] | None = None, limit: int = MOST_POINTS
) -> POMDP:
    """The POMDP that `player` faces when the others play as given.

    Parameters
    ----------
    source
        The game, or a form of it.
    player
        Whose decisions are open, by index.
    others
        The policies, or mixtures of them, of everybody else, by player; none in a game of one.
    limit
        How many pairs of a state and the others' memories there may be.

    Returns
    -------
    POMDP

    Raises
    ------
    FormError
        There is no such player, or one of the others has no policy.
    LimitError
        There are more than `limit` pairs.

    Examples
    --------
    >>> from fogbound import forms, games, policies
    >>> forms.pomdp(games.make("king-ace"), 0, {1: policies.Uniform()})
    <POMDP, 9 states, 4 actions, 6 observations, of king-ace>
    """
    if isinstance(source, ModelGame):
        return source.form
    game = derive(source, Table)
    if not 0 <= player < len(game.players):
        raise FormError(f"{game.spec}: player {player}, expected a player from 0 to {len(game.players) - 1}")
    fixed = dict(others or {})
    missing = [i for i in range(len(game.players)) if i != player and i not in fixed]
    if missing or player in fixed:
        which, wrong = (missing[0], "has no policy") if missing else (player, "is the player itself")
        raise FormError(
            f"{game.spec}: player {which} ({game.players[which]}) {wrong}; give a policy for each other player"
        )
    paired = induced(game, fixed, limit)
    legal_sets = legal_by_state(game, player)[paired.point[:, 0]]
    obs, observations = _observations(game, player, paired, legal_sets)
    return POMDP(
        spec=game.spec,
        discount=game.discount,
        row=paired.row,
        action=paired.action,
        out=paired.out,
        next=paired.next,
        obs=obs,
        prob=paired.prob,
        reward=np.ascontiguousarray(paired.reward[:, player]),
        actions=game.actions,
        observations=observations,
        legal_sets=tuple(game.legal_labels(m) for m in range(len(game.legal_size))),
        player=player,
        product=paired,
    )


def _observations(
    game: Table, player: int, paired: InducedModel, legal_sets: NDArray[np.int64]
) -> tuple[Ints, list[tuple[Observation, int]]]:
    """Number the pairs (observation, legal actions of the state arrived at)."""
    spread = len(game.legal_size) + 2
    keys = paired.seen.astype(np.int64) * spread + legal_sets[paired.next] + 2
    kept, obs = np.unique(keys, return_inverse=True)
    labels = [(game.observations[player][int(k // spread)], int(k % spread) - 2) for k in kept]
    return obs.astype(np.int32), labels


def check_ends(pomdp: POMDP, solver: str) -> None:
    """With discount 1, play must end with probability 1 under every policy; otherwise say where it need not."""
    if pomdp.discount < 1 or pomdp.ends:
        return
    stuck = pomdp.endless
    if len(stuck):
        raise FormError(
            f"{solver}: {pomdp.spec} is not discounted and need not end: play can go on for ever from "
            f"{brief(pomdp.label(int(stuck[0])))} (and {many(len(stuck) - 1, 'more state')}). Cut it, such as "
            f"{cut_short(pomdp.spec)}, give it a discount below 1, or use a solver of undiscounted POMDPs"
        )


def steps_left(pomdp: POMDP) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """[S] the most steps that can be expected to remain (undiscounted; play must surely end).

    Policy iteration on a decision process that pays 1 a step.
    """
    from scipy.sparse import csr_matrix

    live = np.flatnonzero(np.diff(pomdp.row) > 0)
    source = np.repeat(np.arange(len(pomdp.action)), np.diff(pomdp.out))
    moves = csr_matrix((pomdp.prob, (source, pomdp.next)), shape=(len(pomdp.action), pomdp.size))
    chosen, steps = pomdp.row[live].copy(), np.zeros(pomdp.size)
    while True:
        steps[live] = factorised(moves[chosen][:, live]).solve(np.ones(len(live)))
        ahead = 1 + np.asarray(moves @ steps)
        best = np.maximum.reduceat(ahead, pomdp.row[live])
        better = best > ahead[chosen] * (1 + 1e-9)
        if not better.any():
            steps[live] = np.maximum(steps[live], best)
            return steps
        first, last = pomdp.row[live], pomdp.row[live + 1]
        for k in np.flatnonzero(better):
            chosen[k] = first[k] + int(np.argmax(ahead[first[k] : last[k]]))


Outcomes = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Floats]
MOST_OUTCOMES = 50_000_000  # what readers of large models may ask for
ALL_LEGAL = 0  # the one list of legal actions of such a model: all of them


def pomdp_from_arrays(
    spec: str,
    discount: float,
    states: Sequence[Hashable],
    actions: Sequence[Hashable],
    observations: Sequence[Hashable],
    start: Floats,  # [S]
    outcomes: Outcomes,
    reward: Floats,  # [S, A] expected
    first: tuple[Sequence[Hashable], NDArray[np.int64]] | None = None,
) -> POMDP:
    """The form of a model given as lists; every action is legal everywhere.

    Parameters
    ----------
    spec
        What the model is called in messages and provenance.
    discount
        From 0 to 1. With 1, states that lead nowhere and pay nothing are taken for ends, which they stand for; so are
        all from which nothing can be paid any more, where play would go on for ever otherwise.
    states, actions, observations
        Their labels, in the order in which the arrays number them.
    start
        [S] how likely play begins in each state.
    outcomes
        Columns (state, action, next state, observation, probability of both), in any order; equal ones are added up,
        impossible ones dropped.
    reward
        [S, A] the expected reward of each action.
    first
        What is seen before the first action, where that is anything: the observations, and which of them each state
        shows.

    Returns
    -------
    POMDP

    Raises
    ------
    FormError
        Nothing follows some state and action, or there is no start.

    Examples
    --------
    >>> import numpy as np
    >>> from fogbound import forms
    >>> labels = ["a", "b"], ["go"], ["to b", "to a"]
    >>> columns = np.array([0, 1]), np.array([0, 0]), np.array([1, 0]), np.array([0, 1]), np.ones(2)
    >>> start, reward = np.array([1.0, 0.0]), np.array([[1.0], [0.0]])
    >>> forms.pomdp_from_arrays("turn", 0.5, *labels, start, columns, reward)
    <POMDP, 2 states, 1 action, 3 observations, of turn>
    """
    require_discount(spec, discount, zero=True)
    size, wide = len(states), len(actions)
    row, next_, obs, prob = _rows(wide, len(observations), outcomes)
    begun = np.flatnonzero(start > 0)
    labels = [Observation(None, label) for label in observations]
    shown = first[0] if first else [None]
    opening = first[1][begun] if first else np.zeros(len(begun), np.int64)
    labels += [Observation(None, label) for label in shown]
    counts = np.bincount(row, minlength=size * wide)
    if not counts.all() or not len(begun):
        missing = int(np.argmin(counts))
        where = f"state {states[missing // wide]!r}, action {actions[missing % wide]!r}" if len(begun) else "the start"
        raise FormError(f"{spec}: nothing follows {where}")
    form = POMDP(
        spec=spec,
        discount=discount,
        row=(1 + wide * np.arange(size + 1)).astype(np.int32),
        action=np.concatenate([[WAIT], np.tile(np.arange(wide), size)]).astype(np.int32),
        out=offsets(np.append(len(begun), counts)).astype(np.int32),
        next=np.concatenate([begun, next_]).astype(np.int32),
        obs=np.concatenate([len(observations) + opening, obs]).astype(np.int32),
        prob=np.concatenate([start[begun], prob]),
        reward=np.concatenate([[0.0], np.asarray(reward, np.float64).ravel()]),
        actions=list(actions),
        observations=[(label, ALL_LEGAL) for label in labels],
        legal_sets=(tuple(actions),),
        names=tuple(states),
    )
    return _ended(form) if discount == 1 else form


def _ended(form: POMDP) -> POMDP:
    """An undiscounted model in which states that lead nowhere and pay nothing are ends, which is what they stand for.

    With a discount it makes no difference, and the model is left alone. Where play would go on for ever all the same,
    every state from which nothing can be paid any more is one: states may stand for the end together.
    """
    owner = np.concatenate([[-1], np.repeat(np.arange(form.size), np.diff(form.row))])  # [R]
    begun = int(form.out[1])
    source, to = np.repeat(owner, np.diff(form.out))[begun:], form.next[begun:]
    paying = np.zeros(form.size, bool)
    paying[owner[1:][form.reward[1:] != 0]] = True
    moving = paying.copy()
    moving[source[to != source]] = True
    ended = _only(form, moving, owner)
    return _only(form, still_paid(paying, source, to), owner) if len(ended.endless) else ended


def _only(form: POMDP, moving: NDArray[np.bool_], owner: Ints) -> POMDP:
    """The model in which play goes on in these states only; `owner` [R] is the state of each row."""
    if moving.all():
        return form
    stay = np.append(True, moving[owner[1:]])  # [R] rows that remain
    kept = np.repeat(stay, np.diff(form.out))
    over = ~moving[form.next[kept]]
    obs, observations = form.obs[kept].astype(np.int64), len(form.observations)
    ends = np.unique(obs[over])
    obs[over] = observations + np.searchsorted(ends, obs[over])
    return replace(
        form,
        row=(1 + offsets(np.where(moving, np.diff(form.row), 0))).astype(np.int32),
        action=form.action[stay],
        out=offsets(np.diff(form.out)[stay]).astype(np.int32),
        next=form.next[kept],
        obs=obs.astype(np.int32),
        prob=form.prob[kept],
        reward=form.reward[stay],
        observations=form.observations + [(form.observations[z][0], OVER) for z in ends],
    )


def _rows(wide: int, observations: int, outcomes: Outcomes) -> tuple[Ints, Ints, Ints, Floats]:
    """Outcomes in the order of (state, action, next, observation), equal ones added, none impossible."""
    state, action, after, seen, prob = outcomes
    keep = prob > 0
    row = state[keep].astype(np.int64) * wide + action[keep]
    tail = after[keep].astype(np.int64) * observations + seen[keep]
    order = np.lexsort((tail, row))
    row, tail, prob = row[order], tail[order], prob[keep][order]
    fresh = heads(row, tail)
    total = summed(np.cumsum(fresh) - 1, prob)
    row, tail = row[fresh], tail[fresh]
    return row, tail // observations, tail % observations, total


__all__ = ["NOT_ASKED", "OVER", "POMDP", "WAIT", "pomdp"]
