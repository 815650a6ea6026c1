"""The value of every level of a level-k hierarchy: what its own controller earns, and what no reply exceeds.

Level k of a player replies to mixtures of each other player's levels 0 to k - 1 (`form`). Whoever plays a mixture
draws a kind before the first step, one apart from the other, and from there on the automata go their ways; so what a
policy earns against the mixtures is the mean of what it earns against each combination of kinds, weighted by the
product of their weights, whichever nodes they share.

  below: the level's own controller is one policy, and it earns at least the mean of what is certified for it against
         each combination believed in (`chain.bounds.induced_intervals`): the best reply earns no less.
  above: against the mixtures the player plays a partially observable process (`induced`), which is rebuilt here
         from the game and the automata; no policy earns more in it than `upper` proves. Without discount
         and without 'steps_left' that speaks of policies with which play surely ends, and the level's own is one:
         its value is certified only where it ends against every combination believed in.

So the two bounds hold the best reply's value, and their difference is what the level's controller may lack at most.
Each level also carries the hash of what it was made from (`links`).

A level may refer to the evidence that a lower one of its player brings for the bound above ('same'). What is proven is
about the level's own process all the same: evidence proves a true bound of whatever process it is held against. Where
both believe the same, that is the lower one's bound, and is not worked out again: a hierarchy that repeats itself
costs no more than its first round.

What kinds of all players earn against each other, as far as the levels of a hierarchy need it.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from ..arrays import Array, Reading, Refused, every_line, floats, integers, shape, within
from ..chain.bounds import InducedChain, Interval, induced_intervals
from ..chain.table import Table, read_table
from ..pomdp import upper as pomdp_upper
from .form import Hierarchy, Mixtures, read_hierarchy, with_legal_actions
from .induced import InducedModel, induced_pomdp
from .links import Links

Kinds = tuple[int, ...]  # one of each player


@dataclass(frozen=True)
class Matches:
    """Each combination of kinds is certified once, and only when asked: some of no interest may never end."""

    table: Table
    hierarchy: Hierarchy
    certificate: Reading
    place: dict[Kinds, int]  # its number among the 'pairs'
    intervals: dict[Kinds, list[Interval]] = field(default_factory=dict)

    def least(self, player: int, kinds: Kinds) -> Fraction:
        """What the player surely earns when these kinds play."""
        if kinds not in self.intervals:
            match = " against ".join(f"kind {kind} of player {owner}" for owner, kind in enumerate(kinds))
            if kinds not in self.place:
                raise Refused(f"'pairs' lacks {match}")
            induced = InducedChain(self.table, [self.hierarchy.controllers[own] for own in enumerate(kinds)])
            try:
                self.intervals[kinds] = induced_intervals(induced, self.certificate.beginning(f"w{self.place[kinds]}_"))
            except Refused as fault:
                raise Refused(f"{match}: {fault}") from None
        return self.intervals[kinds][player][0]

    def mean(self, player: int, own: int, believed: Mixtures) -> Fraction:
        """What a kind of the player surely earns when each other player draws its kind from a mixture."""
        earned, total = Fraction(0), 0
        for drawn in itertools.product(*(believed.get(owner, {own: 1}).items() for owner in range(self.table.players))):
            weight = math.prod(weight for _, weight in drawn)
            earned += weight * self.least(player, tuple(kind for kind, _ in drawn))
            total += weight
        return earned / total


def read_matches(table: Table, hierarchy: Hierarchy, certificate: Mapping[str, Array]) -> Matches:
    """The list of combinations; their evidence is looked at when they are asked for."""
    pairs = every_line(certificate, "pairs", table.players)
    place = {pair: number for number, pair in enumerate(pairs)}
    if len(place) != len(pairs):
        raise Refused("'pairs' lists a pair twice")
    reading = certificate if isinstance(certificate, Reading) else Reading(certificate)
    return Matches(table, hierarchy, reading, place)


Bounds = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class LevelInterval:
    """One level of one player: what is proven about its best reply, and what is claimed."""

    level: int
    player: int
    proven: Bounds
    claimed: Bounds


def level_intervals(form: Mapping[str, Array], certificate: Mapping[str, Array]) -> list[LevelInterval]:
    """Every level of all players, from the lowest upward."""
    table = with_legal_actions(read_table(form), shape(form, "legal_actions", 2)[0])
    hierarchy, links = read_hierarchy(certificate), Links(certificate)
    if table.players != hierarchy.players:
        raise Refused(f"levels of {hierarchy.players} players, expected those of the {table.players} of the game")
    every = list(itertools.product(range(1, hierarchy.height + 1), range(table.players)))
    for level, player in every:
        _linked(certificate, links, level, player)
    matches = read_matches(table, hierarchy, certificate)
    sides = [
        Side(matches, InducedModel(table, player, hierarchy.automata, hierarchy.controllers))
        for player in range(table.players)
    ]
    return [_level_interval(sides[player], level) for level, player in every]


def _linked(certificate: Mapping[str, Array], links: Links, level: int, player: int) -> None:
    """Refuse a level that was made for other levels than those below it."""
    name = f"u{level}_{player}_link"
    shape(certificate, name, 1)
    if certificate[name].data != links.of(level, player):
        raise Refused(f"{name!r} is not the hash of the levels, the controllers and the prior that it replies to")


@dataclass(frozen=True)
class Side:
    """One player; what is proven from above is kept by the evidence and by what is believed."""

    matches: Matches
    model: InducedModel
    known: dict[tuple[int, str], Fraction] = field(default_factory=dict)

    def judged(self, level: int) -> LevelInterval:
        """What is proven about a level of the player."""
        hierarchy, player = self.matches.hierarchy, self.model.player
        lower, upper = floats(self._evidence(level), "claim", 2)
        believed, own = hierarchy.believed(level, player), hierarchy.kind[level, player]
        least = self.matches.mean(player, own, believed)
        return LevelInterval(level, player, (least, self._most(level, believed)), (Fraction(lower), Fraction(upper)))

    def _evidence(self, level: int) -> Reading:
        return self.matches.certificate.beginning(f"u{level}_{self.model.player}_")

    def _most(self, level: int, believed: Mixtures) -> Fraction:
        """What no reply to the mixtures earns more than, by the level's evidence or that of a lower one."""
        shown = level
        if "same" in self._evidence(level):
            (shown,) = integers(self._evidence(level), "same", 1)
            within([shown], 1, level, "same")
        key = shown, str(believed)
        if key not in self.known:
            evidence = self._evidence(shown)
            process = induced_pomdp(self.model, believed, every_line(evidence, "point", self.model.table.players))
            self.known[key] = pomdp_upper.upper(process, evidence)
        return self.known[key]


def _level_interval(side: Side, level: int) -> LevelInterval:
    """One level of a player; a Refused says which."""
    try:
        return side.judged(level)
    except Refused as fault:
        raise Refused(f"level {level} of player {side.model.player}: {fault}") from None
