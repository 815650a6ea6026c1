"""What no careful player plays: pure strategies that another does better than, whatever the others do.

Taking strictly dominated strategies away, again and again, loses no equilibrium, and the order does not
matter. Taking weakly dominated ones away can lose equilibria (never all), and here all that are dominated go
at once, players included, so that the result is still determined. Dominance by mixed strategies needs linear
programs: `fogbound.solvers.matrix.dominance`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from fogbound.core.game import AnyGame
from fogbound.evaluation.strategy_names import strategy_names
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import Form, derive

SLACK = 1e-13  # of the largest payoff: differences below are rounding
GLANCE = 16  # situations that rule most rivals out
MixedStrategy = Mapping[int, float]  # strategy -> probability
# (payoffs of each strategy against all that the others may do, which strategy, strictly?, slack) -> what dominates it
Dominator = Callable[[Floats, int, bool, float], MixedStrategy | None]


@dataclass(frozen=True)
class Removed:
    """A pure strategy that was taken away, and the pure or mixed one that does better: in words, and as it is."""

    player: int
    strategy: int
    label: str
    by: str
    mixture: tuple[tuple[int, float], ...] = ()  # (strategy, probability) of what does better


@dataclass(frozen=True, eq=False)
class Elimination:
    """What iterated dominance leaves of a matrix game: strategies by number, and their payoffs.

    Attributes
    ----------
    strict
        Whether only strictly dominated strategies were removed.
    rounds
        What was removed, round by round.
    kept
        The strategies that are left, of each player.
    payoff : [kept of 0, kept of 1, …, n]
        The payoffs of what is left.
    """

    strict: bool
    rounds: tuple[tuple[Removed, ...], ...]
    kept: tuple[tuple[int, ...], ...]
    payoff: Floats = field(repr=False)  # [kept of 0, kept of 1, …, n]

    @property
    def removed(self) -> dict[tuple[int, int], tuple[int, Removed]]:
        """(player, strategy) -> (round, counted from 1, what was said of it)."""
        numbered = enumerate(self.rounds, 1)
        return {(gone.player, gone.strategy): (number, gone) for number, round_ in numbered for gone in round_}


def pure_dominator(payoff: Floats, strategy: int, strict: bool, slack: float) -> MixedStrategy | None:
    """The first pure strategy that dominates `strategy`."""
    rivals = np.flatnonzero((payoff[:, :GLANCE] >= payoff[strategy, :GLANCE] - slack).all(axis=1))  # few are left
    gain = payoff[rivals] - payoff[strategy]
    if strict:
        better = (gain > slack).all(axis=1)
    else:
        better = (gain > slack).any(axis=1) & (gain >= -slack).all(axis=1)
    return {int(rivals[better.argmax()]): 1.0} if better.any() else None


def iterated_dominance(form: AnyGame | Form, strict: bool = True, dominator: Dominator = pure_dominator) -> Elimination:
    """Take dominated strategies away, round by round, until there are none.

    Parameters
    ----------
    form
        The normal form, or what it can be derived from.
    strict
        Whether a strategy must do worse whatever the others do; otherwise never better and sometimes worse suffices,
        which can lose equilibria (never all).
    dominator
        What finds a strategy that dominates a given one: by default among pure strategies; among mixed ones with
        `fogbound.solvers.matrix.dominance.mixed_dominator`.

    Returns
    -------
    Elimination
        What was removed in each round and by what, what is kept, and its payoffs.

    Examples
    --------
    >>> import fogbound as fb
    >>> left = fb.evaluation.iterated_dominance(fb.forms.normal(fb.game("king-ace")), strict=False)
    >>> left.kept, len(left.rounds)
    (((1,), (1,)), 2)
    """
    form = derive(form, NormalForm)
    labels, payoff, rounds = strategy_names(form).strategies, form.payoff, list[tuple[Removed, ...]]()
    kept = [list(range(len(w))) for w in form.weights]
    slack = SLACK * float(np.abs(payoff).max(initial=0.0))
    while True:
        gone: list[Removed] = []
        for i, mine in enumerate(kept):
            own = np.moveaxis(payoff[..., i], i, 0).reshape(len(mine), -1)
            for k, strategy in enumerate(mine):
                by = dominator(own, k, strict, slack)
                if by is not None:
                    better = _mixed({labels[i][mine[other]]: p for other, p in by.items()})
                    mixture = tuple((mine[other], p) for other, p in by.items())
                    gone.append(Removed(i, strategy, labels[i][strategy], better, mixture))
        if not gone:
            return Elimination(strict, tuple(rounds), tuple(map(tuple, kept)), payoff)
        rounds.append(tuple(gone))
        lost = {(r.player, r.strategy) for r in gone}
        for i, mine in enumerate(kept):
            stays = [k for k, strategy in enumerate(mine) if (i, strategy) not in lost]
            payoff, kept[i] = np.take(payoff, stays, axis=i), [mine[k] for k in stays]


def _mixed(labels: Mapping[str, float]) -> str:
    """A mixed strategy in words, such as `1/2 rk + 1/2 kk`."""
    if len(labels) == 1:
        return next(iter(labels))
    return " + ".join(f"{_share(p)} {label}" for label, p in labels.items())


def _share(p: float) -> str:
    simple = Fraction(p).limit_denominator(60)
    return str(simple) if abs(float(simple) - p) < 1e-9 else f"{p:.3g}"


def pure_equilibria(form: AnyGame | Form) -> list[tuple[int, ...]]:
    """The cells in which every player's strategy is a best reply; saddle points where the sum is constant.

    Parameters
    ----------
    form
        The normal form, or what it can be derived from.

    Returns
    -------
    list of tuples
        The strategies of the players, by number; [] where every equilibrium mixes.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.evaluation.pure_equilibria(fb.forms.normal(fb.game("king-ace")))
    [(1, 1), (3, 1)]
    """
    payoff = derive(form, NormalForm).payoff
    stable = np.ones(payoff.shape[:-1], bool)
    slack = SLACK * float(np.abs(payoff).max(initial=0.0))
    for i in range(payoff.shape[-1]):
        stable &= payoff[..., i] >= payoff[..., i].max(axis=i, keepdims=True) - slack
    return [tuple(cell) for cell in np.argwhere(stable).tolist()]
