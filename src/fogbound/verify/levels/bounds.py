"""The value of every level of a level-k hierarchy: what its own controller earns, and what no reply exceeds.

Level k of a player replies to mixtures of each other player's levels 0 to k - 1 (`form`). Whoever plays a mixture
draws a kind before the first step, one apart from the other, and from there on the automata go their ways; so what a
policy earns against the mixtures is the mean of what it earns against each combination of kinds, weighted by the
product of their weights, whichever nodes they share.

  below: the level's own controller is one policy, and it earns at least the mean of what is certified for it against
         each combination believed in (`chain.induced_intervals`): the best reply earns no less.
  above: against the mixtures the player plays a partially observable process (`InducedModel`), which is rebuilt here
         from the game and the automata; no policy earns more in it than `upper` proves. Without discount
         and without 'steps_left' that speaks of policies with which play surely ends, and the level's own is one:
         its value is certified only where it ends against every combination believed in.

So the two bounds hold the best reply's value, and their difference is what the level's controller may lack at most.
Each level also carries the hash of what it was made from (`form.Links`).

A level may refer to the evidence that a lower one of its player brings for the bound above ('same'). What is proven is
about the level's own process all the same: evidence proves a true bound of whatever process it is held against. Where
both believe the same, that is the lower one's bound, and is not worked out again: a hierarchy that repeats itself
costs no more than its first round.

The process: a point is a state of the table and the node of each other player, which is all that what happens next
depends on: of which kind the others are matters only to where they begin. The others' moves have their exact
proportions.

The kinds of the others are drawn with the start, independently, and say in which nodes their automata begin; all that
happens later depends on the state of the table and the nodes alone, so the process has these for states, and the
weights of kinds that are in the same nodes add up. It is the game that the player plays against the mixtures, with
two changes that can only raise its best value. The player is informed after each step whether it is asked next, with
which legal actions, or that play is over (`form.with_legal_actions`): that is no less than what it sees in the game.
And the reward of a row, an expectation, is rounded up to a float: policies and what happens stay the same, and each
step brings at least what it did. So a number that the value of this process is not above, the best reply is not
above either.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from ..arithmetic import up
from ..arrays import Array, Reading, Refused, every_line, floats, integers, shape, within
from ..chain import IDLE, Controller, FreePlayer, InducedChain, Interval, Move, Table, induced_intervals, read_table
from ..pomdp.form import POMDP
from ..pomdp.upper import upper as no_more_than
from .form import Hierarchy, Links, Mixtures, read_hierarchy, with_legal_actions

Point = tuple[int, ...]  # state of the table, the nodes of the other players in their order
Follow = dict[tuple[int, Point | None], int]  # (observation, where to; None = over) -> weight


@dataclass(frozen=True)
class Row:
    """One action of a point: what may happen, in the shortest integers, and the reward, rounded up."""

    label: int
    follow: Follow
    total: int
    reward: float


@dataclass(frozen=True)
class InducedModel:
    """A table as one player faces it; what is worked out for a point serves every mixture that has it."""

    table: Table
    player: int
    automata: Sequence[Controller]  # [player] what all its kinds share
    kinds: Mapping[tuple[int, int], Controller]  # (player, kind)
    worked_out: dict[Point, list[Row]] = field(default_factory=dict)

    @cached_property
    def others(self) -> list[int]:
        """The players that move by their automata."""
        return [player for player in range(self.table.players) if player != self.player]

    @cached_property
    def _going(self) -> InducedChain:
        return self._chain({other: self.automata[other] for other in self.others})

    def _chain(self, played: Mapping[int, Controller]) -> InducedChain:
        """The game in which the others play so, and I am free."""
        free = FreePlayer(self.player, {}, {}, {})
        return InducedChain(self.table, [played.get(player, free) for player in range(self.table.players)])

    def opening(self, believed: Mixtures) -> Row:
        """The start row, with the kind of each other player drawn by its weight, one apart from the other."""
        ways, total = list[Move](), 1
        for drawn in itertools.product(*(believed[other].items() for other in self.others)):
            weight = math.prod(weight for _, weight in drawn)
            played = {other: self.kinds[other, kind] for other, (kind, _) in zip(self.others, drawn)}
            moves, total = self._chain(played).opening()
            ways += [(weight * part, point, outcome) for part, point, outcome in moves]
        return self._row(IDLE, ways, total * math.prod(sum(believed[other].values()) for other in self.others))

    def rows(self, point: Point) -> list[Row]:
        """One row for each of my legal actions, or one in which I wait."""
        if point not in self.worked_out:
            state, me = point[0], self.player
            asked = self.table.actors[state]
            mine = self.table.legal_sets[state][asked.index(me)] if me in asked else (IDLE,)
            whole = (*point[: 1 + me], 0, *point[1 + me :])
            self.worked_out[point] = [
                self._row(label, *self._going.step(whole, (me, place))) for place, label in enumerate(mine)
            ]
        return self.worked_out[point]

    def _row(self, label: int, ways: Iterable[Move], total: int) -> Row:
        """Ways put together: what I observe, where that leads, with which reward."""
        table, me, reward, follow = self.table, self.player, 0, Follow()
        for weight, point, outcome in ways:
            reward += weight * table.reward[table.event[outcome]][me]
            to = None if point is None else (*point[: 1 + me], *point[2 + me :])
            key = (table.observation[outcome][me], to)
            follow[key] = follow.get(key, 0) + weight
        shared = math.gcd(total, *follow.values())
        shortest = {key: weight // shared for key, weight in follow.items()}
        return Row(label, shortest, total // shared, up(Fraction(reward, total * table.unit)))


def induced_pomdp(model: InducedModel, believed: Mixtures, points: Sequence[Point]) -> POMDP:
    """The process on the listed points and, after them, a state in which play is over.

    All that follows the start or a listed point must be listed, so by induction all that can be reached is.
    """
    table, over = model.table, len(points)
    for state, *nodes in points:
        if not (0 <= state < len(table.actors) and table.actors[state]):
            raise Refused(f"'point' lists state {state} with nodes {nodes}, expected a state in which play goes on")
    place: dict[Point | None, int] = {point: number for number, point in enumerate(points)} | {None: over}
    if len(place) != over + 1:
        raise Refused("'point' lists a point twice")
    own = [model.rows(point) for point in points]
    every = [model.opening(believed), *(row for rows in own for row in rows)]
    pointers = [1]
    for rows in [*own, []]:
        pointers.append(pointers[-1] + len(rows))
    try:
        outcomes = [[(seen, place[to], weight) for (seen, to), weight in row.follow.items()] for row in every]
    except KeyError as missing:
        raise Refused(f"'point' does not list {missing.args[0]} (state, nodes), which can be reached") from None
    labels = [tuple(row.label for row in rows) for rows in own]
    totals, rewards = [row.total for row in every], [row.reward for row in every]
    return POMDP(table.discount, pointers, [*labels, ()], outcomes, totals, rewards)


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
            self.known[key] = no_more_than(process, evidence)
        return self.known[key]


def _level_interval(side: Side, level: int) -> LevelInterval:
    """One level of a player; a Refused says which."""
    try:
        return side.judged(level)
    except Refused as fault:
        raise Refused(f"level {level} of player {side.model.player}: {fault}") from None
