"""Equilibria of three and more players, support by support (Porter, Nudelman and Shoham 2008).

With two players a pair of supports is a linear system; with more the condition that all strategies of a support are
equally good is polynomial: no formula lists its solutions, and a support may hold several. Newton's method from many
starts finds what it finds, so nothing is claimed about those that are not found. Supports with a strategy that is
dominated as long as the others keep to theirs are skipped. Where the equations leave a direction free the support is
*degenerate*: its equilibria may form continua, one point of which is given, and the support is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.forms.arrays import Floats

NEWTON, SETTLED = 60, 1e-12
PLAYED = 1e-7  # below, a strategy is not of the support
BETTER = 1e-9  # of the range of payoffs: what a strategy outside of the support may gain by rounding
SAME = 1e-6  # two solutions that differ by less are one
FREE = 1e-9  # singular values, of the largest, that leave a direction free
Supports = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class SupportEquilibrium:
    """Mixed strategies of all players on a support, and whether the equations determine them."""

    mixed: tuple[Floats, ...]
    degenerate: bool


def support_profiles(widths: Sequence[int]) -> Iterator[Supports]:
    """All combinations of supports, those with few strategies first, and alike in size before unlike."""
    sizes = product(*(range(1, wide + 1) for wide in widths))
    for size in sorted(sizes, key=lambda s: (sum(s), max(s) - min(s), s)):
        yield from product(*(combinations(range(wide), k) for wide, k in zip(widths, size)))


def equilibria_on(
    payoff: Floats, supports: Supports, starts: int, rng: np.random.Generator
) -> list[SupportEquilibrium]:
    """The equilibria with these supports that Newton's method finds; `payoff` [J0, …, n] has a range of about 1."""
    if _conditionally_dominated(payoff, supports):
        return []
    inner = payoff[np.ix_(*supports, range(payoff.shape[-1]))]
    if all(len(part) == 1 for part in supports):
        candidates = [(np.ones(len(supports)), False)]
    else:
        candidates = _solutions(inner, starts, rng)
    found: list[SupportEquilibrium] = []
    for x, degenerate in candidates:
        mixed = _placed(payoff.shape[:-1], supports, x)
        distinct = all(max(_distance(mixed, one.mixed)) > SAME for one in found)
        if distinct and not (degenerate and found) and _stable(payoff, mixed):
            found.append(SupportEquilibrium(mixed, degenerate))
    return found


def _distance(one: tuple[Floats, ...], other: tuple[Floats, ...]) -> list[float]:
    return [float(np.abs(a - b).max()) for a, b in zip(one, other)]


def worth(payoff: Floats, mixed: Sequence[Floats], player: int) -> Floats:
    """[strategies of the player] what each is worth against the others' mixed strategies."""
    left = payoff[..., player]
    for i in reversed(range(len(mixed))):
        if i != player:
            left = np.tensordot(left, mixed[i], axes=(i, 0))
    return left


def _conditionally_dominated(payoff: Floats, supports: Supports) -> bool:
    """Whether somebody has a strategy that always does better than one of its support, given the others' supports."""
    for i, own in enumerate(supports):
        others = tuple(range(wide) if i == j else supports[j] for j, wide in enumerate(payoff.shape[:-1]))
        rows = np.moveaxis(payoff[..., i][np.ix_(*others)], i, 0).reshape(payoff.shape[i], -1)
        for k in own:
            if (rows > rows[k] + BETTER).all(axis=1).any():
                return True
    return False


def _solutions(inner: Floats, starts: int, rng: np.random.Generator) -> list[tuple[Floats, bool]]:
    """(probabilities of all players' strategies, one after the other; whether a direction is free) of each solution."""
    widths = inner.shape[:-1]
    solved = []
    for start in range(starts):
        check()
        x = np.concatenate([rng.dirichlet(np.ones(wide)) if start else np.full(wide, 1 / wide) for wide in widths])
        end = _newton(inner, widths, x)
        if end is not None:
            solved.append(end)
    return solved


def _newton(inner: Floats, widths: tuple[int, ...], x: Floats) -> tuple[Floats, bool] | None:
    """Where Newton's method goes from a start, if that is a strategy of everybody with all of the support."""
    values = np.concatenate([x, np.zeros(len(widths))])
    for _ in range(NEWTON):
        left, matrix = _system(inner, widths, values)
        size = float(np.abs(left).max())
        if size < SETTLED:
            break
        move = np.linalg.lstsq(matrix, left, rcond=FREE)[0]
        values = values - move
        if not np.isfinite(values).all() or float(np.abs(values).max()) > 1e3:
            return None
    else:
        return None
    if values[: len(x)].min() < PLAYED:
        return None
    scales = np.linalg.svd(matrix, compute_uv=False)
    return values[: len(x)], bool(scales[-1] < FREE * scales[0])


def _system(inner: Floats, widths: tuple[int, ...], values: Floats) -> tuple[Floats, Floats]:
    """What is left of "all strategies of a support are worth the same, and probabilities sum to 1"; derivatives."""
    places = np.cumsum([0, *widths])
    parts = [values[a:b] for a, b in pairwise(places.tolist())]
    n, many = len(widths), int(places[-1])
    left, matrix = np.zeros(many + n), np.zeros((many + n, many + n))
    for i in range(n):
        own = slice(places[i], places[i + 1])
        left[own] = worth(inner, parts, i) - values[many + i]
        matrix[own, many + i] = -1.0
        left[many + i] = parts[i].sum() - 1.0
        matrix[many + i, own] = 1.0
        for j in range(n):
            if j != i:
                slope = inner[..., i]
                for k in reversed(range(n)):
                    if k not in (i, j):
                        slope = np.tensordot(slope, parts[k], axes=(k, 0))
                matrix[own, places[j] : places[j + 1]] = slope if i < j else slope.T
    return left, matrix


def _placed(widths: tuple[int, ...], supports: Supports, x: Floats) -> tuple[Floats, ...]:
    """Probabilities on supports as mixed strategies."""
    mixed, at = [], 0
    for wide, own in zip(widths, supports):
        whole: NDArray[np.float64] = np.zeros(wide)
        whole[list(own)] = x[at : at + len(own)]
        mixed.append(whole / whole.sum())
        at += len(own)
    return tuple(mixed)


def _stable(payoff: Floats, mixed: tuple[Floats, ...]) -> bool:
    """Whether nobody gains by anything else."""
    for i, own in enumerate(mixed):
        value = worth(payoff, mixed, i)
        if value.max() > float(own @ value) + BETTER:
            return False
    return True
