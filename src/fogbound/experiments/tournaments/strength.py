"""One number for each entrant: how strong it would have to be for wins, or payoffs, to come as they did.

Luce's choice model (1959): whoever sits at a table wins with probability proportional to its strength. For two seats
that is Bradley and Terry's model (1952). The estimate is that of maximum likelihood, and exists only where no entrant,
or group of them, is never beaten by the rest (Ford 1957; Hunter 2004). Games of one block share their deal, so that the
intervals come from how blocks differ (the sandwich estimate), not from the number of games.

Where a game pays more than a win, each seat's share of a win is its payoff on a linear scale: the mean payoff of its
game is an even share, the largest lead over it a whole win. So an entrant that wins rarely and much is stronger than
one that wins often and little, as their scores say. Where payoffs say no more than who won, shares are wins.

Who sits where: the assignments of entrants to seats under which every deal is played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np
from numpy.typing import NDArray

from fogbound.arena.match import Z95
from fogbound.core.errors import SpecError

ALL, GIVEN = "all", "given"
MOST_SEATINGS = 10_000
Seating = tuple[int, ...]  # the entrant in each seat


def seatings(entrants: int, seats: int, rule: str = ALL) -> tuple[Seating, ...]:
    """The seatings of a tournament, in order.

    Where there are enough entrants for all seats, nobody sits twice: as many entrants as seats are seated in every
    order (document 004, Table 4.3), of more of them all that fit. Where there are fewer, some sit in several seats, and
    the seatings in which one sits everywhere are there for comparison (Table 4.2).

    Parameters
    ----------
    entrants
        How many entrants.
    seats
        How many seats the game has.
    rule
        ``"all"`` of them, or only the one ``"given"``: entrant i in seat i.

    Returns
    -------
    tuple of seatings
        The number of the entrant in each seat.

    Raises
    ------
    SpecError
        Where the rule is unknown, or there are too few entrants or too many seatings.

    Examples
    --------
    >>> seatings(2, 2)
    ((0, 1), (1, 0))
    >>> len(seatings(2, 3)), len(seatings(3, 3)), len(seatings(4, 2)), seatings(3, 3, "given")
    (8, 6, 12, ((0, 1, 2),))
    """
    if rule not in (ALL, GIVEN):
        raise SpecError(f"tournament: seatings is {rule!r}, expected all or given")
    if rule == GIVEN and entrants != seats:
        raise SpecError(f"tournament: {entrants} policies in {seats} seats; the given seating needs one for each seat")
    if entrants < 2 and rule == ALL:
        raise SpecError(f"tournament: {entrants} entrant, expected at least 2 to compare")
    many = _count(entrants, seats)
    if rule == ALL and many > MOST_SEATINGS:
        raise SpecError(f"tournament: {many:,} seatings of {entrants} policies, expected at most {MOST_SEATINGS:,}")
    if rule == GIVEN:
        return (tuple(range(seats)),)
    places = range(entrants)
    return tuple(permutations(places, seats) if entrants >= seats else product(places, repeat=seats))


def _count(entrants: int, seats: int) -> int:
    if entrants < seats:
        return int(entrants**seats)
    many = 1
    for k in range(seats):
        many *= entrants - k
    return many


Floats = NDArray[np.float64]
POINTS = 400 / np.log(10)  # Elo's scale: 400 points more are ten times the strength
WHOLE = 9.5  # points from which they are told whole
ROUNDS, CLOSE = 100, 1e-12
SAME = 1e-9  # of the largest payoff: so far from a multiple of wins, payoffs say no more than who won
FURTHEST = 1e4  # points past which nothing is told from being unbeaten


def points_text(points: float, sign: str = "") -> str:
    """Points as text, whole from ten on; edges of payoffs are small beside the largest payoff.

    Examples
    --------
    >>> points_text(-123.4, "+"), points_text(0.66, "+"), points_text(4.25)
    ('−123', '+0.66', '4.2')
    """
    return f"{points:{sign}{'.0f' if abs(points) >= WHOLE else '.2g'}}".replace("-", "−")


@dataclass(frozen=True)
class Strengths:
    """Points on Elo's scale, their mean 0; or why there are none.

    Attributes
    ----------
    points
        One number an entrant; () where there are none.
    half
        Half the width of each 95 % interval, from how blocks differ; 0 where outcomes are exact.
    why_not
        Why there are none; empty where there are.
    """

    points: tuple[float, ...]
    half: tuple[float, ...]
    why_not: str = ""


def payoff_shares(wins: Floats, returns: Floats, lead: float | None = None) -> tuple[Floats, str]:
    """Shares of a win [blocks, seatings, seats] by payoffs, and by what they are: ``payoffs``, or ``wins``.

    Parameters
    ----------
    wins, returns : [blocks, seatings, seats]
        What was won and paid.
    lead
        How far a return can be from the mean of its game; the largest that was seen where it is None.

    Examples
    --------
    >>> payoff_shares(np.array([[[1.0, 0.0]]]), np.array([[[3.0, -3.0]]]))
    (array([[[1., 0.]]]), 'wins')
    >>> shares, by = payoff_shares(np.array([[[1.0, 0.0]], [[0.0, 1.0]]]), np.array([[[1.0, -1.0]], [[-4.0, 4.0]]]))
    >>> shares[0, 0], by
    (array([0.625, 0.375]), 'payoffs')
    """
    apart = returns - returns.mean(axis=2, keepdims=True)
    won = wins - 1 / wins.shape[2]
    slope = float((apart * won).sum() / max((won * won).sum(), 1e-300))
    if np.allclose(apart, slope * won, rtol=0, atol=SAME * max(np.abs(apart).max(initial=0.0), 1e-300)):
        return wins, "wins"
    most = max(lead or 0.0, float(np.abs(apart).max()))
    return (1 + apart / most) / wins.shape[2], "payoffs"


def strengths(wins: Floats, seatings: Sequence[Seating], names: Sequence[str], exact: bool = False) -> Strengths:
    """Strengths from `wins` [blocks, seatings, seats], ties shared or given to one.

    Examples
    --------
    >>> wins = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]]])  # of four games the first wins three
    >>> found = strengths(wins, [(0, 1), (1, 0)], ["strong", "weak"])
    >>> [round(p, 3) for p in found.points]  # 400 log10(3) points apart
    [95.424, -95.424]
    """
    places = np.eye(len(names))[np.array(seatings)]  # [seatings, seats, entrants] 1 where the entrant sits there
    seated = places.sum(axis=1)
    won = np.einsum("brs,rse->bre", wins, places)  # [blocks, seatings, entrants]
    apart = _never_beaten(won.sum(axis=0), seated, names)
    if apart:
        return Strengths((), (), apart)
    blocks, total = len(won), won.sum(axis=(0, 1))
    beta = np.zeros(len(names))
    for _ in range(ROUNDS):  # Newton, on a concave function; what is added to all alike changes nothing
        expected, curvature = _expected(beta, seated)
        step = np.linalg.pinv(blocks * curvature) @ (total - blocks * expected)
        beta = beta + step * min(1.0, 1.0 / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < CLOSE:
            break
    points = POINTS * (beta - beta.mean())
    if np.abs(points).max() > FURTHEST:
        return Strengths((), (), "somebody is hardly ever beaten, which no finite strength tells from unbeaten")
    return Strengths(tuple(points.tolist()), tuple(_half_widths(beta, won, seated, exact).tolist()))


def _expected(beta: Floats, seated: Floats) -> tuple[Floats, Floats]:
    """Expected wins in one block, and how they change with the logarithms of the strengths."""
    share = seated * np.exp(beta - beta.max())
    share /= share.sum(axis=1, keepdims=True)
    return share.sum(axis=0), np.diag(share.sum(axis=0)) - share.T @ share


def _half_widths(beta: Floats, won: Floats, seated: Floats, exact: bool) -> Floats:
    blocks = len(won)
    if exact:
        return np.zeros(len(beta))
    if blocks < 2:
        return np.full(len(beta), np.inf)
    expected, curvature = _expected(beta, seated)
    inverse = np.linalg.pinv(blocks * curvature)
    astray = won.sum(axis=1) - expected  # [blocks, entrants]
    spread = inverse @ (astray.T @ astray * blocks / (blocks - 1)) @ inverse
    return np.asarray(Z95 * POINTS * np.sqrt(np.maximum(np.diag(spread), 0.0)), float)


def _never_beaten(won: Floats, seated: Floats, names: Sequence[str]) -> str:
    """Why there is no estimate: those who are never beaten by the rest; empty where everybody is, somehow."""
    from scipy.sparse.csgraph import connected_components

    sits = seated > 0
    beats = np.einsum("re,rf->ef", won, sits) > 0  # e won where f sat too
    np.fill_diagonal(beats, False)
    groups, part = connected_components(beats, directed=True, connection="strong")
    if groups == 1:
        return ""
    for group in range(groups):
        inside = part == group
        if not beats[np.ix_(~inside, inside)].any():
            who = ", ".join(name for name, within in zip(names, inside) if within)
            return f"{who} never lost to the rest, so that no finite strength fits"
    raise AssertionError("some group of a directed graph is reached from no other")
