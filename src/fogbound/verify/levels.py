"""The value of every rung of a ladder of levels: what its own controller earns, and what no reply exceeds.

Level k of a seat replies to a mixture of the other seat's levels 0 to k - 1 (`levels_form`). Whoever plays the
mixture draws a kind before the first step, and from there on the other seat's automaton goes its way; so what a
policy earns against the mixture is the weighted mean of what it earns against each kind, whichever nodes they share.

  below: the rung's own controller is one policy, and it earns at least the mean of what is certified for it against
         each kind believed in (`chain.worth`): the best reply earns no less.
  above: against the mixture the seat plays a partially observable process (`levels_product`), which is rebuilt here
         from the game and the automaton; no policy earns more in it than `pomdp_upper` proves. Without discount
         and without 'steps_left' that speaks of policies with which play surely ends, and the rung's own is one:
         its worth is certified only where it ends against every kind believed in.

So the two bounds hold the best reply's value, and their difference is what the rung's controller may lack at most.
Each rung also carries the hash of what it was made from (`levels_link`).
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from . import pomdp_upper
from .array import Array
from .fields import every_line, floats, shape
from .levels_facing import Facing
from .levels_form import read_ladder
from .levels_link import link
from .levels_matches import Matches, prefixed, read_matches
from .levels_product import process
from .levels_told import with_menus
from .refused import Refused
from .table import read_table

Interval = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Rung:
    """One level of one seat: what is proven about its best reply, and what is claimed."""

    level: int
    seat: int
    proven: Interval
    claimed: Interval


def rungs(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> list[Rung]:
    """Every level of both seats, from the lowest upward."""
    table = with_menus(read_table(form), shape(form, "menu_actions", 2)[0])
    if table.players != 2:
        raise Refused(f"levels of a game for {table.players}, expected 2 players")
    ladder = read_ladder(certificate)
    for level, seat in itertools.product(range(1, ladder.height + 1), (0, 1)):
        _linked(certificate, level, seat)
    matches = read_matches(table, ladder, certificate)
    sides = []
    for seat in (0, 1):
        kinds = {kind: played for (owner, kind), played in ladder.controllers.items() if owner != seat}
        sides.append(Facing(table, seat, ladder.automata[1 - seat], kinds))
    return [_rung(matches, side, level) for level in range(1, ladder.height + 1) for side in sides]


def _linked(certificate: Mapping[str, Array], level: int, seat: int) -> None:
    """Refuse a rung that was made for other levels than those below it."""
    name = f"u{level}_{seat}_link"
    shape(certificate, name, 1)
    if certificate[name].data != link(certificate, level, seat):
        raise Refused(f"{name!r} is not the hash of the levels, the controllers and the prior that it replies to")


def _rung(matches: Matches, facing: Facing, level: int) -> Rung:
    """One level of the seat that faces the other; a Refused says which."""
    try:
        return _judged(matches, facing, level)
    except Refused as fault:
        raise Refused(f"level {level} of seat {facing.seat}: {fault}") from None


def _judged(matches: Matches, facing: Facing, level: int) -> Rung:
    ladder, seat = matches.ladder, facing.seat
    evidence = prefixed(matches.certificate, f"u{level}_{seat}_")
    lower, upper = floats(evidence, "claim", 2)
    believed, own = ladder.believed(level, seat), ladder.kind[level, seat]
    earned = [weight * matches.least(seat, own, other) for other, weight in believed.items()]
    most = pomdp_upper.upper(process(facing, believed, every_line(evidence, "point", 2)), evidence)
    least = sum(earned, Fraction(0)) / sum(believed.values())
    return Rung(level, seat, (least, most), (Fraction(lower), Fraction(upper)))
