"""The exact value interval of a profile of finite-memory controllers, also where play may cycle.

Let R be the points that the profile can reach, P their transitions (to the end: nothing), r the expected pay,
g the discount, V = r + g P V the true values and v the claimed ones. With e = v - (r + g P v), the error
obeys v - V = e + g P (v - V), so v - V is the sum of g^t P^t e over t.

  g < 1: |v - V| <= rho / (1 - g), where rho is the largest |e|.
  g = 1: let w be the claimed steps to go and sigma the largest 1 + P w - w. If sigma < 1, then
         (I - P) w >= 1 - sigma > 0 on R. So R has no closed part (its stationary distribution m would give
         m w - m P w = 0), play ends, and the expected steps are at most w / (1 - sigma):
         |v - V| <= rho w / (1 - sigma).

The start row pays at g^0 and so does the first step: the profile earns sum p (pay + V(point)) over that row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .array import Array
from .controller import read_controller
from .fields import floats, integers, lines, shape
from .product import Move, Point, Product
from .refused import Refused
from .repair import exact
from .table import Table, read_table

MOST_POINTS = 10**6
Figures = list[Fraction]  # one for each player
Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Claim:
    """Claimed values over `unit` and steps over `beat` of the listed points; 0 for all others."""

    value: dict[Point, tuple[int, ...]]
    unit: int
    steps: dict[Point, int]
    beat: int


def intervals(form: Mapping[str, Array], certificate: Mapping[str, Array], limit: int = MOST_POINTS) -> list[Interval]:
    """For each player, an interval that holds the value of the profile."""
    table = read_table(form)
    product = Product(table, [read_controller(certificate, seat) for seat in range(table.players)])
    return worth(product, certificate, limit)


def worth(product: Product, certificate: Mapping[str, Array], limit: int = MOST_POINTS) -> list[Interval]:
    """For each player, an interval that holds what it earns in the product, by the claims 'point', 'value', 'steps'."""
    table = product.table
    claim = _claim(certificate, table)
    moves, total = product.opening()
    rho, sigma = _survey(product, claim, [point for _, point, _ in moves if point], limit)
    pay, later, steps = _expected(table, claim, moves, total)
    if table.discount < 1:
        factor = 1 / (1 - table.discount)
    elif sigma >= 1:
        raise Refused("the play is not certified to end")
    else:
        factor = steps / (1 - sigma)
    middle = [now + then for now, then in zip(pay, later)]
    return [(value - error * factor, value + error * factor) for value, error in zip(middle, rho)]


def _claim(certificate: Mapping[str, Array], table: Table) -> Claim:
    count, width = shape(certificate, "point", 2)[0], 1 + table.players
    points = lines(integers(certificate, "point", count, width), width, count)
    value, unit = exact(floats(certificate, "value", count, table.players))
    steps, beat = exact(floats(certificate, "steps", count)) if table.discount == 1 else ([0] * count, 1)
    claim = Claim(dict(zip(points, lines(value, table.players, count))), unit, dict(zip(points, steps)), beat)
    if len(claim.value) != count:
        raise Refused("'point' lists a point twice")
    return claim


def _survey(product: Product, claim: Claim, fresh: list[Point], limit: int) -> tuple[Figures, Fraction]:
    """Visit every reachable point: the largest residual of each player, and the largest 1 + P w - w."""
    table = product.table
    none = (0,) * table.players
    rho = [Fraction(0)] * table.players
    sigma: Fraction | None = None
    found = dict.fromkeys(fresh)
    fresh = list(found)
    while fresh:
        if len(found) > limit:
            raise Refused(f"more than {limit} points of the product of game and controllers")
        point = fresh.pop()
        moves, total = product.step(point)
        pay, later, steps = _expected(table, claim, moves, total)
        for seat, claimed in enumerate(claim.value.get(point, none)):
            right = pay[seat] + table.discount * later[seat]
            rho[seat] = max(rho[seat], abs(Fraction(claimed, claim.unit) - right))
        drift = 1 + steps - Fraction(claim.steps.get(point, 0), claim.beat)
        sigma = drift if sigma is None else max(sigma, drift)
        for _, after, _ in moves:
            if after is not None and after not in found:
                found[after] = None
                fresh.append(after)
    return rho, sigma or Fraction(0)


def _expected(table: Table, claim: Claim, moves: list[Move], total: int) -> tuple[Figures, Figures, Fraction]:
    """Expected over the moves: each player's pay, its claimed value afterwards, the steps claimed then."""
    none = (0,) * table.players
    pay, later, steps = [0] * table.players, [0] * table.players, 0
    for weight, point, event in moves:
        for seat, amount in enumerate(table.pay[event]):
            pay[seat] += weight * amount
        if point is not None:
            for seat, amount in enumerate(claim.value.get(point, none)):
                later[seat] += weight * amount
            steps += weight * claim.steps.get(point, 0)
    return (
        [Fraction(amount, total * table.unit) for amount in pay],
        [Fraction(amount, total * claim.unit) for amount in later],
        Fraction(steps, total * claim.beat),
    )
