"""Covering what the blind player may believe by claims: what that costs at most, and the tolls it calls for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .one_sided_claims import GRID, Claims
from .refused import Refused

Number = Fraction | int


@dataclass(frozen=True)
class Price:
    """Of covers: values over whole * power, tolls over whole * beat."""

    value: Number
    toll: Number

    def __add__(self, other: Price) -> Price:
        return Price(self.value + other.value, self.toll + other.toll)


def cover(claims: Claims, part: int, tau: Mapping[int, Number], chosen: Sequence[tuple[int, int]]) -> Price:
    """The price of tau (over `whole`) when points are chosen with weights over GRID."""
    value: Number = 0
    toll: Number = 0
    left, unit = dict(tau), claims.whole // (GRID * GRID)
    for point, weight in chosen:
        number = claims.corners + point
        if claims.part[number] != part:
            raise Refused(f"'cover_point' or 'root_point' names point {point} where play is in another partition")
        value += weight * claims.value[number] * GRID * unit
        toll += weight * claims.toll[number] * GRID * unit
        for state, share in claims.belief[point].items():
            left[state] = left.get(state, 0) - weight * share * unit
    for state, rest in left.items():
        if rest > 0:
            value += rest * claims.value[state]
            toll += rest * claims.toll[state]
        else:
            value += rest * claims.least[state]
    return Price(value, toll)
