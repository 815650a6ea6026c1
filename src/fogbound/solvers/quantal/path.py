"""The logit path of a tree or a matrix from uniform play, in the logarithms of probabilities.

At rationality 0 everybody plays uniformly. The path from there, the *principal branch*, is one curve in almost all
games, and tends to an equilibrium (McKelvey and Palfrey 1995, 1998); it may turn back, so that rationality is not what
is counted along it (Turocy 2005, 2010). `solvers/homotopy` follows it, as it does that of a Markov game, where
values are unknowns too; here what a choice is worth depends on how likely its set is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fogbound.forms.arrays import Floats
from fogbound.solvers.homotopy.follower import Equations, Factors, Position, advanced, beginning, between
from fogbound.solvers.homotopy.logit import logit_derivatives, logit_residual
from fogbound.solvers.quantal.choices import LogitChoices

CONTRACTS = 0.3  # how much of itself a correction may leave
FARTHEST = 1e7  # rationality at which to give up


def logit_equations(game: LogitChoices) -> Equations:
    """What logit responses leave at a point: the logarithms b of all choices, then the rationality."""
    head = game.first[game.place]

    def equations(point: Floats) -> tuple[Floats, Callable[[], Floats]]:
        b, rationality = point[:-1], float(point[-1])
        worth, slope = game.values(b)
        left = logit_residual(b, rationality, head, worth)
        return left, lambda: logit_derivatives(b, rationality, head, worth, slope)

    return equations


def principal_branch(game: LogitChoices) -> Iterator[Position]:
    """The positions of the path, uniform play first; it ends where it cannot be followed, or far enough out."""
    equations = logit_equations(game)
    here: Position | None = beginning(np.append(np.log(game.uniform), 0.0))
    while here is not None and here.point[-1] >= 0:
        yield here
        if here.point[-1] >= FARTHEST:
            return
        here = advanced(equations, here, CONTRACTS)


def at(game: LogitChoices, before: Position, after: Position, rationality: float) -> Floats | None:
    """The point between two positions that has this rationality, by Newton's method; None where it is not found."""
    share = (rationality - before.point[-1]) / (after.point[-1] - before.point[-1])
    point, equations = between(before, after, np.array([share]))[0], logit_equations(game)
    point[-1] = rationality
    for _ in range(50):
        left, derivatives = equations(point)
        factors = Factors.of(np.ascontiguousarray(derivatives()[:, :-1]))
        if factors is None:
            return None
        move = factors.solve(left)
        point[:-1] -= move
        if not np.isfinite(point).all() or float(np.abs(move).max()) > 1e6:
            return None
        if float(np.abs(move).max()) < 1e-13 * (1.0 + float(np.abs(point[:-1]).max())):
            break
    return np.asarray(point)


def residual(game: LogitChoices, point: Floats) -> float:
    """How far the choices are from logit responses to each other: the largest difference of a probability."""
    b, rationality = point[:-1], float(point[-1])
    worth, _ = game.values(b)
    better = rationality * worth
    top = np.maximum.reduceat(better, game.first)
    weight = np.exp(better - top[game.place])
    response = weight / np.bincount(game.place, weight)[game.place]
    return float(np.abs(np.exp(b) - response).max(initial=0.0))
