"""The value of every level of a level-k hierarchy: what its own controller earns, and what no reply exceeds.

Level k of a player replies to a mixture of the other player's levels 0 to k - 1 (`form`). Whoever plays the
mixture draws a kind before the first step, and from there on the other player's automaton goes its way; so what a
policy earns against the mixture is the weighted mean of what it earns against each kind, whichever nodes they share.

  below: the level's own controller is one policy, and it earns at least the mean of what is certified for it against
         each kind believed in (`chain.bounds.induced_intervals`): the best reply earns no less.
  above: against the mixture the player plays a partially observable process (`induced`), which is rebuilt here
         from the game and the automaton; no policy earns more in it than `upper` proves. Without discount
         and without 'steps_left' that speaks of policies with which play surely ends, and the level's own is one:
         its value is certified only where it ends against every kind believed in.

So the two bounds hold the best reply's value, and their difference is what the level's controller may lack at most.
Each level also carries the hash of what it was made from (`form`).
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ..arrays import Array, Refused, every_line, floats, shape
from ..chain.bounds import InducedChain, Interval, induced_intervals
from ..chain.table import Table, read_table
from ..pomdp import upper as pomdp_upper
from .form import Hierarchy, link, read_hierarchy, with_legal_actions
from .induced import InducedModel, induced_pomdp

# What kinds of the two players earn against each other, as far as the levels of a hierarchy need it.


@dataclass(frozen=True)
class Matches:
    """Each pair of kinds is certified once, and only when asked: some pairs of no interest may never end."""

    table: Table
    hierarchy: Hierarchy
    certificate: Mapping[str, Array]
    place: dict[tuple[int, ...], int]  # (kind of player 0, kind of player 1) -> its number among the 'pairs'
    intervals: dict[tuple[int, int], list[Interval]] = field(default_factory=dict)

    def least(self, player: int, own: int, other: int) -> Fraction:
        """What the player's kind surely earns against a kind of the other player."""
        pair = (other, own) if player else (own, other)
        if pair not in self.intervals:
            match = f"kind {pair[0]} of player 0 against kind {pair[1]} of player 1"
            if pair not in self.place:
                raise Refused(f"'pairs' lacks {match}")
            induced = InducedChain(
                self.table, [self.hierarchy.controllers[owner, kind] for owner, kind in enumerate(pair)]
            )
            try:
                self.intervals[pair] = induced_intervals(induced, prefixed(self.certificate, f"w{self.place[pair]}_"))
            except Refused as fault:
                raise Refused(f"{match}: {fault}") from None
        return self.intervals[pair][player][0]


def read_matches(table: Table, hierarchy: Hierarchy, certificate: Mapping[str, Array]) -> Matches:
    """The list of pairs; their evidence is looked at when they are asked for."""
    pairs = every_line(certificate, "pairs", 2)
    place = {pair: number for number, pair in enumerate(pairs)}
    if len(place) != len(pairs):
        raise Refused("'pairs' lists a pair twice")
    return Matches(table, hierarchy, certificate, place)


def prefixed(certificate: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """The arrays whose names begin so, without that beginning."""
    return {name.removeprefix(prefix): item for name, item in certificate.items() if name.startswith(prefix)}


Bounds = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class LevelInterval:
    """One level of one player: what is proven about its best reply, and what is claimed."""

    level: int
    player: int
    proven: Bounds
    claimed: Bounds


def level_intervals(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> list[LevelInterval]:
    """Every level of both players, from the lowest upward."""
    table = with_legal_actions(read_table(form), shape(form, "legal_actions", 2)[0])
    if table.players != 2:
        raise Refused(f"levels of a game for {table.players}, expected 2 players")
    hierarchy = read_hierarchy(certificate)
    for level, player in itertools.product(range(1, hierarchy.height + 1), (0, 1)):
        _linked(certificate, level, player)
    matches = read_matches(table, hierarchy, certificate)
    sides = []
    for player in (0, 1):
        kinds = {kind: played for (owner, kind), played in hierarchy.controllers.items() if owner != player}
        sides.append(InducedModel(table, player, hierarchy.automata[1 - player], kinds))
    return [_level_interval(matches, side, level) for level in range(1, hierarchy.height + 1) for side in sides]


def _linked(certificate: Mapping[str, Array], level: int, player: int) -> None:
    """Refuse a level that was made for other levels than those below it."""
    name = f"u{level}_{player}_link"
    shape(certificate, name, 1)
    if certificate[name].data != link(certificate, level, player):
        raise Refused(f"{name!r} is not the hash of the levels, the controllers and the prior that it replies to")


def _level_interval(matches: Matches, model: InducedModel, level: int) -> LevelInterval:
    """One level of the player that faces the other; a Refused says which."""
    try:
        return _judged(matches, model, level)
    except Refused as fault:
        raise Refused(f"level {level} of player {model.player}: {fault}") from None


def _judged(matches: Matches, model: InducedModel, level: int) -> LevelInterval:
    hierarchy, player = matches.hierarchy, model.player
    evidence = prefixed(matches.certificate, f"u{level}_{player}_")
    lower, upper = floats(evidence, "claim", 2)
    believed, own = hierarchy.believed(level, player), hierarchy.kind[level, player]
    earned = [weight * matches.least(player, own, other) for other, weight in believed.items()]
    most = pomdp_upper.upper(induced_pomdp(model, believed, every_line(evidence, "point", 2)), evidence)
    least = sum(earned, Fraction(0)) / sum(believed.values())
    return LevelInterval(level, player, (least, most), (Fraction(lower), Fraction(upper)))
