"""What kinds of the two seats earn against each other, as far as the rungs of a ladder need it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from .array import Array
from .chain import Interval, worth
from .fields import every_line
from .levels_form import Ladder
from .product import Product
from .refused import Refused
from .table import Table


@dataclass(frozen=True)
class Matches:
    """Each pair of kinds is certified once, and only when asked: some pairs of no interest may never end."""

    table: Table
    ladder: Ladder
    certificate: Mapping[str, Array]
    place: dict[tuple[int, ...], int]  # (kind of seat 0, kind of seat 1) -> its number among the 'pairs'
    known: dict[tuple[int, int], list[Interval]] = field(default_factory=dict)

    def least(self, seat: int, own: int, other: int) -> Fraction:
        """What the seat's kind surely earns against a kind of the other seat."""
        pair = (other, own) if seat else (own, other)
        if pair not in self.known:
            told = f"kind {pair[0]} of seat 0 against kind {pair[1]} of seat 1"
            if pair not in self.place:
                raise Refused(f"'pairs' lacks {told}")
            product = Product(self.table, [self.ladder.controllers[owner, kind] for owner, kind in enumerate(pair)])
            try:
                self.known[pair] = worth(product, prefixed(self.certificate, f"w{self.place[pair]}_"))
            except Refused as fault:
                raise Refused(f"{told}: {fault}") from None
        return self.known[pair][seat][0]


def read_matches(table: Table, ladder: Ladder, certificate: Mapping[str, Array]) -> Matches:
    """The list of pairs; their evidence is looked at when they are asked for."""
    pairs = every_line(certificate, "pairs", 2)
    place = {pair: number for number, pair in enumerate(pairs)}
    if len(place) != len(pairs):
        raise Refused("'pairs' lists a pair twice")
    return Matches(table, ladder, certificate, place)


def prefixed(certificate: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """The arrays whose names begin so, without that beginning."""
    return {name.removeprefix(prefix): item for name, item in certificate.items() if name.startswith(prefix)}
