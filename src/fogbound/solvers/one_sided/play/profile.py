"""Strategies of both players of a one-sided game, from the bounds on it, that keep what the bounds say.

The blind player keeps its promises (`blind`), the seeing player its opponent's beliefs (`seeing`). Against
any opponent the first is paid at least the lower bound, the second pays at most the upper one, but for rounding.
Horak, Bosansky, Kovarik and Kiekintveld (2023).
"""

from __future__ import annotations

from fogbound.core.errors import FormError
from fogbound.core.policy import Player
from fogbound.solvers.one_sided.bounded import Bounded
from fogbound.solvers.one_sided.play.blind import Promising
from fogbound.solvers.one_sided.play.seeing import Watching


def profile(bounded: Bounded) -> dict[int, Player]:
    """Both players' strategies; the blind one's alone where the game shows the other less than the form grants it."""
    known, seat = _as_it_is(bounded), bounded.form.blind
    players: dict[int, Player] = {seat: Promising(known)}
    if not bounded.form.relaxed:
        players[1 - seat] = Watching(known)
    return players


def blind_player(bounded: Bounded) -> Promising:
    """The blind player's strategy: at least the lower bound, whatever the other does."""
    return Promising(_as_it_is(bounded))


def seeing_player(bounded: Bounded) -> Watching:
    """The seeing player's strategy: at most the upper bound. FormError where the game does not let it see enough."""
    form = bounded.form
    if form.relaxed:
        raise FormError(
            f"{form.spec}: {form.relaxed}; a strategy that uses such sight cannot be played, the other seat's can"
        )
    return Watching(_as_it_is(bounded))


def _as_it_is(bounded: Bounded) -> Bounded:
    """A copy that later exploration leaves alone: a policy must answer the same whenever it is asked."""
    arrays = {name: array.copy() for name, array in bounded.arrays.items()}
    return Bounded(bounded.form, bounded.mask.copy(), arrays)
