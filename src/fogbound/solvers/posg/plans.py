"""Plans: what a player does from some step on, as a tree of actions by what it sees, and what they are worth together.

All plans of a step are made from those that are kept of the next one: an action, and for each observation that may
follow it one of those plans (Hansen, Bernstein and Zilberstein 2004, the full backup). What a combination of plans is
worth depends on the state, which nobody knows, so it is kept state by state.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, LimitError, brief
from fogbound.forms.arrays import Floats, Ints, Longs
from fogbound.forms.table import START, Table

NOBODY = -1  # the list of legal actions of a player who does not move, and the state before the first


@dataclass(frozen=True)
class Plans:
    """One player's plans from one step on: P plans, Z observations.

    Parameters
    ----------
    action : [P]
        The place of the first action among the legal ones.
    after : [P, Z]
        The plan of the next step after each observation; -1 where that cannot be seen.
    legal
        The list of legal actions; NOBODY where the player does not move.
    """

    action: Longs
    after: Longs
    legal: int

    def __len__(self) -> int:
        return len(self.action)

    def only(self, kept: Longs) -> Plans:
        """Those with these numbers."""
        return Plans(self.action[kept], self.after[kept], self.legal)


@dataclass(frozen=True)
class PlanStep:
    """The states in which a step may begin, and what every player may do in all of them alike.

    Parameters
    ----------
    states
        Table states in which somebody moves; (NOBODY,) stands for the moment before the game begins.
    legal : [n]
        Each player's list of legal actions; NOBODY where it does not move.
    """

    states: tuple[int, ...]
    legal: tuple[int, ...]

    def rows(self, game: Table, state: int) -> range:
        """The rows of a state's joint actions, in mixed radix, the last player's action fastest."""
        return range(START, START + 1) if state == NOBODY else range(int(game.row[state]), int(game.row[state + 1]))


def steps(game: Table) -> list[PlanStep]:
    """The steps of a game, the one before it begins first; FormError where legal actions differ within a step."""
    found = [PlanStep((NOBODY,), (NOBODY,) * len(game.players))]
    begun = game.next[: game.out[START + 1]]
    states = np.unique(begun[game.actor_set[begun] != 0])
    while len(states):
        found.append(PlanStep(tuple(states.tolist()), _legal(game, states)))
        outcomes = np.concatenate([np.arange(game.out[game.row[s]], game.out[game.row[s + 1]]) for s in states])
        after = np.unique(game.next[outcomes])
        states = after[game.actor_set[after] != 0]
    return found


def _legal(game: Table, states: Ints) -> tuple[int, ...]:
    listed = []
    for player, name in enumerate(game.players):
        mine = game.actor_set_players[game.actor_set[states]] == player  # [states, W]
        lists = np.where(mine, game.legal[states], NOBODY).max(axis=1)
        unlike = np.flatnonzero(lists != lists[0])
        if len(unlike):
            one, other = game.states[states[0]], game.states[states[unlike[0]]]
            raise FormError(
                f"posg-dp: {game.spec} offers {name} other actions in state {brief(one)} than in {brief(other)} of the "
                "same step; plans need the same in all. sequence-lp has no such limit"
            )
        listed.append(int(lists[0]))
    return tuple(listed)


def all_plans(game: Table, step: PlanStep, player: int, later: int, most: int) -> Plans:
    """Every plan of a player that begins at `step` and goes on with one of `later` plans of the next."""
    legal, shown = step.legal[player], len(game.observations[player])
    size = 1 if legal == NOBODY else int(game.legal_size[legal])
    actions: list[int] = []
    after: list[Longs] = []
    for k in range(size):
        seen = _seen(game, step, player, k)
        made = max(later, 1) ** len(seen)
        if len(actions) + made > most:
            raise LimitError(
                f"posg-dp: {game.spec} has {made:,} plans of {game.players[player]} that begin with one action, over "
                f"the limit of {most:,}. Raise most=, take a shorter horizon, or use sequence-lp or team-search"
            )
        for chosen in itertools.product(range(max(later, 1)), repeat=len(seen)):
            line = np.full(shown, -1)
            line[seen] = chosen
            actions.append(k)
            after.append(line)
    return Plans(np.array(actions), np.array(after).reshape(len(actions), shown), legal)


def _seen(game: Table, step: PlanStep, player: int, place: int) -> list[int]:
    """What the player may see after its own action, whatever the others do."""
    sizes = [1 if legal == NOBODY else int(game.legal_size[legal]) for legal in step.legal]
    found: set[int] = set()
    for state in step.states:
        for joint, row in zip(np.ndindex(*sizes), step.rows(game, state)):
            if joint[player] == place:
                outcomes = slice(game.out[row], game.out[row + 1])
                found.update(game.seen[game.event[outcomes], player].tolist())
    return sorted(found)


def worth(
    game: Table, step: PlanStep, plans: Sequence[Plans], next_step: PlanStep | None, next_worth: Floats
) -> Floats:
    """[plans of 0, plans of 1, …, states, n] what every combination of plans earns each player from each state."""
    number = {state: k for k, state in enumerate(next_step.states)} if next_step else {}
    sizes = [1 if legal == NOBODY else int(game.legal_size[legal]) for legal in step.legal]
    n, discount = len(plans), 1.0 if step.states == (NOBODY,) else game.discount
    total = np.zeros((*map(len, plans), len(step.states), n))
    for joint in np.ndindex(*sizes):
        own = [np.flatnonzero(plan.action == k) for plan, k in zip(plans, joint)]
        place = int(np.ravel_multi_index(joint, sizes))
        for k, state in enumerate(step.states):
            check()
            row = step.rows(game, state)[place]
            here = np.zeros((*map(len, own), n))
            for o in range(int(game.out[row]), int(game.out[row + 1])):
                here += game.prob[o] * game.reward[game.event[o]]
                after = number.get(int(game.next[o]))
                if after is not None:
                    seen = game.seen[game.event[o]]
                    chosen = [plan.after[rows, seen[i]] for i, (plan, rows) in enumerate(zip(plans, own))]
                    here += game.prob[o] * discount * next_worth[..., after, :][np.ix_(*chosen)]
            total[(*np.ix_(*own), np.array(k))] = here
    return total
