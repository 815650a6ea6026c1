"""First bounds of a one-sided game: the blind player sees everything; it plays at random."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fogbound.core.errors import FormError
from fogbound.forms.arrays import Floats, Ints, ranges
from fogbound.forms.one_sided.form import OneSided
from fogbound.solvers.one_sided.kernels.initial_bounds import rising_sweep, seen_sweep
from fogbound.solvers.one_sided.kernels.model import GameArrays
from fogbound.solvers.one_sided.shaping import ShapedGame

CLOSE = 1e-5  # share of the scale up to which they are swept
SWEEPS = 2_000


def initial_bounds(scaled: ShapedGame, game: GameArrays) -> tuple[Floats, Floats]:
    """([S] at most, [S] at least) what the blind player has in a state with allowed actions, shifted and scaled."""
    form, work = scaled.form, scaled.work()
    high, low, parts = scaled.sweep(), scaled.sweep(), len(game.state_start) - 1
    change = _swept(form, lambda: rising_sweep(game, high, parts, True))
    if form.discount < 1:
        high.values[:] += change * form.discount / (1 - form.discount)
    _swept(form, lambda: seen_sweep(game, work, high, parts))
    _swept(form, lambda: rising_sweep(game, low, parts, False))
    return high.values, low.values


def seeing_all(scaled: ShapedGame) -> Floats:
    """[S] what the blind player could have at most if it saw the state, with all its actions."""
    corner, _ = initial_bounds(scaled, scaled.game)
    return corner


def _swept(form: OneSided, sweep: Callable[[], float]) -> float:
    """Sweep until little changes: the last change. Without a discount, until nothing does."""
    change, undiscounted = np.inf, form.discount == 1
    for _ in range(form.size + 2 if undiscounted else SWEEPS):
        change = sweep()
        if change <= (0.0 if undiscounted else CLOSE):
            return float(change)
    if undiscounted:
        raise FormError(f"{form.spec}: without a discount play must end within a bounded number of steps")
    return float(change)


def playing_evenly(game: GameArrays, vector: int) -> tuple[Ints, Ints, Floats]:
    """The derivations of vectors, numbered by partition from `vector` on, of one who always plays evenly.

    ([P] where each begins, links, weights) as `kernels.model.BoundArrays` has them.
    """
    actions, parts = np.flatnonzero(game.allowed), len(game.action_start) - 1
    part = np.repeat(np.arange(parts), np.diff(game.action_start))[actions]
    count, ways = np.bincount(part, minlength=parts), np.diff(game.successor_start)[actions]
    first = np.cumsum(1 + ways) - (1 + ways) + part + 1  # one link says how many columns a partition has
    heads = np.searchsorted(part, np.arange(parts))
    derivation = first[heads] - 1
    link = np.zeros(int(ways.sum()) + len(actions) + parts, np.int64)
    weight = np.zeros(len(link))
    link[derivation], link[first], weight[first] = count, actions, 1.0 / count[part]
    link[ranges(first + 1, ways)] = vector + game.target[ranges(game.successor_start[actions], ways)]
    return derivation, link, weight
