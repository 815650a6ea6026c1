"""A table straight from the outcomes of a partially observable stochastic game, in columns.

All players move in every step, each with the same actions in every state unless a mask says otherwise, and each sees
an observation of its own. That is what the literature calls a POSG, and a Dec-POMDP where all rewards are equal; files
of such games and the arrays of `fogbound.posg` become such columns, and nothing here calls Python for an outcome.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_discount, require_moderate
from fogbound.core.dist import SUM_TOLERANCE
from fogbound.core.errors import FormError, brief, many
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats, Longs, heads, offsets, summed
from fogbound.forms.columns import padded_lists, reached
from fogbound.forms.enumeration import most_outcomes
from fogbound.forms.table import MOST_STATES, Table

Labels = Sequence[Hashable]
Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True)
class ModelLabels:
    """What a model calls its parts; joint actions and joint observations are numbers, the last player's fastest.

    Parameters
    ----------
    players
        The names of the players.
    states
        The states, by number.
    actions
        The actions of each player, by number.
    observations
        What each player may see after a step, by number.
    """

    players: Sequence[str]
    states: Labels
    actions: Sequence[Labels]
    observations: Sequence[Labels]

    @property
    def joint_actions(self) -> int:
        return math.prod(map(len, self.actions))

    @property
    def joint_observations(self) -> int:
        return math.prod(map(len, self.observations))

    def row(self, row: int) -> str:
        """A row `state * joint actions + joint action`, for messages."""
        state, joint = divmod(row, self.joint_actions)
        chosen = np.unravel_index(joint, [len(listed) for listed in self.actions])
        words = " ".join(str(listed[int(k)]) for listed, k in zip(self.actions, chosen))
        return f"state {brief(self.states[state])}, joint action {words}"


@dataclass(frozen=True)
class JointOutcomes:
    """What can follow what, in columns.

    Parameters
    ----------
    state, action, next, observation : [O]
        State, joint action, next state, joint observation.
    prob : [O]
        The probability of next state and observation, given the other two.
    reward : [O, n]
        The reward of each player.
    """

    state: Longs
    action: Longs
    next: Longs
    observation: Longs
    prob: Floats
    reward: Floats


def table_from_outcomes(
    spec: str,
    discount: float,
    labels: ModelLabels,
    start: Floats,  # [S]
    outcomes: JointOutcomes,
    limit: int = MOST_STATES,
    *,
    legal: Sequence[Mask] | None = None,  # of each player [S, A]
    first: Longs | None = None,  # [S]
) -> Table:
    """The table of a game given as a list of all that can follow.

    Parameters
    ----------
    spec
        What the game is called in messages and provenance.
    discount
        Above 0 and at most 1.
    labels
        Players, states, actions and observations, in the order in which the columns number them.
    start
        [S] how likely play begins in each state.
    outcomes
        In any order; equal ones are added up, impossible ones dropped. A state that leads nowhere else and pays
        nothing is taken for an end, which it stands for.
    limit
        How many states there may be.
    legal
        [S, A] of each player: which actions are legal in each state; all by default. A player without any does not
        move there, and counts as taking its first action; a state in which nobody moves is an end.
    first
        [S] the joint observation that each state shows before the first move; none by default.

    Returns
    -------
    Table
        States that can be reached, numbered breadth first; `as_game()` makes it playable.

    Raises
    ------
    FormError
        Probabilities do not sum to 1.
    LimitError
        There are more than `limit` states.

    Examples
    --------
    >>> import numpy as np
    >>> from fogbound import forms
    >>> labels = forms.ModelLabels(("one",), ("on",), (("wait",),), (("tick",),))
    >>> zero = np.zeros(1, np.int64)
    >>> clock = forms.JointOutcomes(zero, zero, zero, zero, np.ones(1), np.ones((1, 1)))
    >>> forms.table_from_outcomes("clock", 0.5, labels, np.ones(1), clock).reward.tolist()
    [[0.0], [1.0]]
    """
    _require_labels(spec, labels)
    require_discount(spec, discount)
    require_moderate(spec, float(np.abs(outcomes.reward).max(initial=0.0)))
    size, wide = len(labels.states), labels.joint_actions
    given = _Legal.of(labels, legal)
    cells = _sorted(outcomes, given.joint, labels.joint_observations)
    row = cells.state * wide + cells.action
    total = summed(row, cells.prob, size * wide)
    _require_sums(spec, labels, start, total, given.joint.ravel())
    allowed = given.among(_live(cells, size))
    possible = allowed.joint.ravel()
    kept = possible[row]
    count = np.bincount(row[kept], minlength=size * wide)[possible]
    begun = np.flatnonzero(start > 0)
    shown = None if first is None else first[begun]
    seen, observations = _views(labels, len(begun), cells.observation[kept], shown)
    reward = np.concatenate([np.zeros((len(begun), len(labels.players))), cells.reward[kept] + 0.0])  # no -0.0
    event, one = _different([*seen.T, *reward.T])
    whole = Table(
        spec=spec,
        players=tuple(labels.players),
        discount=float(discount),
        **allowed.columns(),
        out=offsets(np.concatenate([[len(begun)], count])).astype(np.int32),
        next=np.concatenate([begun, cells.next[kept]]).astype(np.int32),
        event=event.astype(np.int32),
        prob=np.concatenate([start[begun] / start.sum(), (cells.prob / total[row])[kept]]),
        reward=reward[one],
        seen=seen[one].astype(np.int32),
        states=list(labels.states),
        observations=observations,
    )
    return _in_its_own_order(reached(whole, limit, most_outcomes(limit)))


@dataclass(frozen=True)
class _Legal:
    """Which actions each player may take in each state."""

    labels: ModelLabels
    masks: tuple[Mask, ...]  # of each player [S, A]; no action: it does not move

    @classmethod
    def of(cls, labels: ModelLabels, legal: Sequence[Mask] | None) -> _Legal:
        size = len(labels.states)
        every = (np.ones((size, len(listed)), bool) for listed in labels.actions)
        return cls(labels, tuple(every) if legal is None else tuple(legal))

    def among(self, live: Mask) -> _Legal:
        """The same where play goes on, and nothing elsewhere."""
        return replace(self, masks=tuple(mask & live[:, None] for mask in self.masks))

    @cached_property
    def moves(self) -> Mask:
        """[S, n] whether a player moves in a state."""
        return np.stack([mask.any(axis=1) for mask in self.masks], axis=1)

    @cached_property
    def joint(self) -> Mask:
        """[S, A] which joint actions are possible; players who do not move take their first action."""
        found = np.asarray(self.moves.any(axis=1))[:, None]
        for mask, moves in zip(self.masks, self.moves.T):
            own = mask.copy()
            own[~moves, 0] = True
            found = (found[:, :, None] & own[:, None, :]).reshape(len(found), -1)
        return found

    def columns(self) -> dict[str, Any]:
        """The columns of a table that say who moves, with which actions, and where the rows of a state begin."""
        n = len(self.masks)
        movers, actor_set = np.unique(self.moves, axis=0, return_inverse=True)
        if movers[0].any():  # the first is always that nobody moves
            movers, actor_set = np.concatenate([np.zeros((1, n), bool), movers]), actor_set + 1
        actions: dict[Hashable, int] = {}
        lists: dict[tuple[int, ...], int] = {}
        legal = np.full((len(self.moves), n), -1, np.int32)
        place = np.cumsum(self.moves, axis=1) - 1  # among those who move in the state
        for player, (mask, labels) in enumerate(zip(self.masks, self.labels.actions)):
            different, number = np.unique(mask, axis=0, return_inverse=True)
            listed = [
                tuple(actions.setdefault(labels[k], len(actions)) for k in np.flatnonzero(own).tolist())
                for own in different
            ]
            numbers = np.array([lists.setdefault(own, len(lists)) if own else -1 for own in listed])
            where = np.flatnonzero(self.moves[:, player])
            legal[where, place[where, player]] = numbers[number.ravel()[where]]
        sets = [tuple(np.flatnonzero(own).tolist()) for own in movers]
        return {
            "actor_set": actor_set.ravel().astype(np.int32),
            "actor_set_players": padded_lists([tuple(range(n)), *sets])[1:],
            "actor_set_size": np.array([len(own) for own in sets], np.int32),
            "legal": legal,
            "legal_actions": padded_lists(list(lists)),
            "legal_size": np.array([len(listed) for listed in lists], np.int32),
            "row": (1 + offsets(self.joint.sum(axis=1))).astype(np.int32),
            "actions": list(actions),
        }


def _in_its_own_order(form: Table) -> Table:
    """The table whose rows list what follows in the order of its own numbers, whatever the order of the arrays was.

    So a table that is written and read again is the same. Numbers come from the order and the order from the numbers;
    states are settled after one round, what the first player sees after another, and so on.
    """
    for _ in range(1 + len(form.players)):
        row = np.repeat(np.arange(len(form.out) - 1), np.diff(form.out))
        order = np.lexsort((*form.seen[form.event].T[::-1], form.next, row))
        if (order == np.arange(len(order))).all():
            break
        moved = replace(form, next=form.next[order], event=form.event[order], prob=form.prob[order])
        form = reached(moved, len(form.states), len(order))
    return form


def _require_labels(spec: str, labels: ModelLabels) -> None:
    for name in ("actions", "observations"):
        if len(listed := getattr(labels, name)) != len(labels.players):
            raise FormError(f"{spec}: found {name} of {many(len(listed), 'player')}, expected {len(labels.players)}")
    for listed in (labels.players, labels.states, *labels.actions, *labels.observations):
        if not listed or len(set(listed)) < len(listed):
            raise FormError(f"{spec}: found the names {brief(tuple(listed))}, expected at least one, all different")


def _sorted(outcomes: JointOutcomes, possible: Mask, shown: int) -> JointOutcomes:
    """Of possible joint actions, by state, action, next state and observation; equal ones, equally paid, added up."""
    wide = possible.shape[1]
    keep = (outcomes.prob > 0) & possible[outcomes.state, outcomes.action]
    state, action, after, seen = (
        np.asarray(column)[keep].astype(np.int64)
        for column in (outcomes.state, outcomes.action, outcomes.next, outcomes.observation)
    )
    prob, reward = outcomes.prob[keep], outcomes.reward[keep]
    paid, _ = _different(list(reward.T))
    columns = (state * wide + action, after * shown + seen, paid)
    order = np.lexsort(columns[::-1])
    fresh = heads(*(column[order] for column in columns))
    total = summed(np.cumsum(fresh) - 1, prob[order])
    one = order[fresh]
    return JointOutcomes(state[one], action[one], after[one], seen[one], total, reward[one])


def _require_sums(spec: str, labels: ModelLabels, start: Floats, total: Floats, possible: Mask) -> None:
    if abs(float(start.sum()) - 1) > SUM_TOLERANCE or (start < 0).any():
        raise FormError(f"{spec}: found a start that sums to {start.sum():.12g}, expected probabilities that sum to 1")
    if len(far := np.flatnonzero((np.abs(total - 1) > SUM_TOLERANCE) & possible)):
        where = labels.row(int(far[0]))
        raise FormError(f"{spec}: found probabilities that sum to {total[far[0]]:.12g} after {where}, expected 1")


def _live(cells: JointOutcomes, size: int) -> NDArray[np.bool_]:
    """[S] whether play goes on: the state leads elsewhere, or pays."""
    live = np.zeros(size, bool)
    live[cells.state[(cells.next != cells.state) | cells.reward.any(axis=1)]] = True
    return live


def _views(
    labels: ModelLabels, begun: int, joint: Longs, first: Longs | None
) -> tuple[Longs, tuple[list[Observation], ...]]:
    """[O, n] what each player sees, and what those numbers mean; nothing at the start, unless it is given."""
    columns, observations = [], []
    sizes = [len(listed) for listed in labels.observations]
    parts = np.unravel_index(joint if first is None else np.concatenate([first, joint]), sizes)
    for listed, part in zip(labels.observations, parts):
        views = [Observation(None, label) for label in listed]
        nothing = Observation(None, None)
        views += [] if first is not None or nothing in views else [nothing]
        columns.append(part if first is not None else np.concatenate([np.full(begun, views.index(nothing)), part]))
        observations.append(views)
    return np.stack(columns, axis=1), tuple(observations)


def _different(columns: Sequence[NDArray[np.int64] | Floats]) -> tuple[Longs, Longs]:
    """The lines of some columns numbered, equal ones alike, and one line for each number."""
    number, first = np.zeros(len(columns[0]), np.int64), np.zeros(1, np.int64)
    for column in columns:
        _, inverse = np.unique(column, return_inverse=True)
        _, first, number = np.unique(number * len(column) + inverse.ravel(), return_index=True, return_inverse=True)
    return number, first
