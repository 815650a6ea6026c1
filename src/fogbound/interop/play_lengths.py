"""What the shape of a game asks of an environment: how long plays are, who waits, and who may never be asked."""

from __future__ import annotations

import numpy as np

from fogbound.core.errors import FormError
from fogbound.forms.recurrence import topological_order
from fogbound.forms.table import Table


def longest(form: Table) -> int:
    """How many steps the longest play has; more than can be counted where states can recur."""
    order, recurring = topological_order(form)
    if recurring >= 0:
        return int(np.iinfo(np.int64).max)
    steps = np.zeros(form.size, np.int64)
    for state in order.tolist():
        first, last = form.out[form.row[state]], form.out[form.row[state + 1]]
        if last > first:
            steps[state] = 1 + steps[form.next[first:last]].max()
    return int(steps.max(initial=0))


def may_end_unasked(form: Table | None, player: int) -> bool:
    """Whether a play may be over before a player is asked; not ruled out where the game was not enumerated."""
    if form is None:
        return True
    asked = (form.actor_set_players[form.actor_set] == player).any(axis=1)  # [S]
    frontier = np.unique(form.next[form.out[0] : form.out[1]]).tolist()
    met = set(frontier)
    while frontier:
        state = frontier.pop()
        if form.actor_set[state] == 0:
            return True
        if not asked[state]:
            follows = set(form.next[form.out[form.row[state]] : form.out[form.row[state + 1]]].tolist()) - met
            met |= follows
            frontier.extend(follows)
    return False


def is_ever_idle(form: Table | None, player: int) -> bool:
    """Whether there is a state in which others move and this player does not."""
    if form is None:
        return True
    asked = (form.actor_set_players[form.actor_set] == player).any(axis=1)
    return bool((~asked & (form.actor_set != 0)).any())


def require_start(form: Table | None) -> None:
    """Refuse a game that may be over before anybody moves: an environment begins with a decision."""
    if form is not None and (form.actor_set[form.next[form.out[0] : form.out[1]]] == 0).any():
        raise over_at_start(form.spec)


def over_at_start(spec: str) -> FormError:
    """The error for a game, perhaps one that was not enumerated, that is over before anybody moves."""
    return FormError(f"{spec} may be over at its start, before anybody moves: there is nothing to step")
