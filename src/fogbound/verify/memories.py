"""What a profile of behaviour strategies proves where histories are summed out: values, and best replies.

The game is its players' information sets and what combinations of their sequences are paid, checked before use.
Realisation weights are exact while their denominator fits in 4096 bits. Beyond they are kept over 2**256, once rounded
up and once down, so that whatever is paid is counted with the one that cannot flatter: nothing is lost but some 1e-70
of the width, and the strategy judged is the one that was stored.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from .arithmetic import exact, shares
from .arrays import Array, Refused, floats, integers, lines, shape, within


@dataclass(frozen=True)
class Plex:
    """One player's information sets, in an order in which none leads to an earlier one.

    Set h is reached by the sequence before[h] and has the sequences first[h] to first[h] + size[h] - 1; its moves have
    as many places in a flat strategy from slot[h] on.
    """

    before: list[int]
    first: list[int]
    size: list[int]
    slot: list[int]

    @property
    def sequences(self) -> int:
        """How many there are; number 0 is the empty one."""
        return 1 + sum(self.size)


@dataclass(frozen=True)
class Memories:
    """A checked form; payoff[player][k] / unit is what the combination ends[k] of sequences is paid."""

    plexes: list[Plex]
    slots: int
    ends: list[tuple[int, ...]]
    payoff: list[list[int]]
    unit: int


def read_memories(form: Mapping[str, Array]) -> Memories:
    """Check every array; Refused at the first fault. Whatever passes is a game of perfect recall."""
    (players,) = integers(form, "players", 1)
    (sets,) = shape(form, "set_owner", 1)
    count, _ = shape(form, "ends", 2)
    if not 1 <= players <= 1000:
        raise Refused(f"a game for {players} players")
    owner, before = integers(form, "set_owner", sets), integers(form, "set_parent", sets)
    size = integers(form, "set_size", sets)
    within(owner, 0, players, "set_owner")
    within(size, 1, 2**31, "set_size")
    slot = list(itertools.accumulate(size, initial=0))
    plexes = [_plex([h for h in range(sets) if owner[h] == i], before, size, slot) for i in range(players)]
    flat = integers(form, "ends", count, players)
    for player, plex in enumerate(plexes):
        within(flat[player::players], 0, plex.sequences, "ends")
    numerators, unit = exact(floats(form, "payoff", count, players))
    payoff = [numerators[player::players] for player in range(players)]
    return Memories(plexes, slot[-1], lines(flat, players, count), payoff, unit)


def _plex(own: list[int], before: list[int], size: list[int], slot: list[int]) -> Plex:
    sizes = [size[h] for h in own]
    first = list(itertools.accumulate(sizes, initial=1))[:-1]
    for h, start in zip(own, first):
        if not 0 <= before[h] < start:
            raise Refused(f"information set {h} is reached by sequence {before[h]}, expected an earlier one")
    return Plex([before[h] for h in own], first, sizes, [slot[h] for h in own])


EXACT_BITS, FIXED_BITS = 4096, 256
Interval = tuple[Fraction, Fraction]


class Weights(NamedTuple):
    """How likely a player itself makes each of its sequences, over `one`: never too large, never too small."""

    low: list[int]
    high: list[int]
    one: int


@dataclass(frozen=True)
class Play:
    """A form, and how likely each player itself makes each of its sequences."""

    form: Memories
    weights: list[Weights]


def play(form: Memories, strategy: Array) -> Play:
    """Repair the strategy, set by set: clipped, and each row divided by its own exact sum."""
    flat = floats({"strategy": strategy}, "strategy", form.slots)
    return Play(form, [_realised(plex, flat) for plex in form.plexes])


def _realised(plex: Plex, flat: Sequence[float]) -> Weights:
    rows = [shares(flat[slot : slot + size]) for slot, size in zip(plex.slot, plex.size)]
    depth = [0] * plex.sequences  # how many sets of its own lead to a sequence
    for before, first, size in zip(plex.before, plex.first, plex.size):
        depth[first : first + size] = [depth[before] + 1] * size
    factors = _factors(plex, depth, [total for _, total in rows])
    if factors is None:
        return _fixed(plex, rows)
    scale = [math.prod(factors[d:]) for d in range(len(factors) + 1)]  # what is missing to the whole denominator
    weight = [0] * plex.sequences
    weight[0] = 1
    for before, first, size, (parts, total) in zip(plex.before, plex.first, plex.size, rows):
        base = weight[before] * (factors[depth[before]] // total)
        weight[first : first + size] = [base * part for part in parts]
    exact = [w * scale[d] for w, d in zip(weight, depth)]
    return Weights(exact, exact, scale[0])


def _factors(plex: Plex, depth: list[int], totals: list[int]) -> list[int] | None:
    """For each depth the least common denominator of its sets, or None when their product is too long."""
    factors = [1] * max(depth)
    for before, total in zip(plex.before, totals):
        factors[depth[before]] = math.lcm(factors[depth[before]], total)
        if factors[depth[before]].bit_length() > EXACT_BITS:
            return None
    return factors if sum(factor.bit_length() for factor in factors) <= EXACT_BITS else None


def _fixed(plex: Plex, rows: list[tuple[list[int], int]]) -> Weights:
    low, high = [0] * plex.sequences, [0] * plex.sequences
    low[0] = high[0] = 1 << FIXED_BITS
    for before, first, size, (parts, total) in zip(plex.before, plex.first, plex.size, rows):
        low[first : first + size] = [low[before] * part // total for part in parts]
        high[first : first + size] = [-(-high[before] * part // total) for part in parts]
    return Weights(low, high, 1 << FIXED_BITS)


def guarantees(game: Play, player: int) -> Interval:
    """The least that the player's own strategy earns it, the most that the other's strategy allows it."""
    if len(game.form.plexes) != 2:
        raise Refused(f"a zero-sum certificate needs 2 players, the form has {len(game.form.plexes)}")
    payoff = game.form.payoff[player]
    hurt = [-value for value in payoff]
    return -best(game.form, 1 - player, hurt, game.weights), best(game.form, player, payoff, game.weights)


def replies(game: Play) -> list[Interval]:
    """(value of the profile, value of a best reply) for each player, rounded down and up."""
    return [
        (_value(game, payoff), best(game.form, i, payoff, game.weights)) for i, payoff in enumerate(game.form.payoff)
    ]


def restricted(game: Play, free: Play, trust: Fraction, player: int) -> Interval:
    """Bounds on the game in which the other plays its part of `game` with probability `trust`, else as it likes."""
    form = game.form
    lower = trust * _value(game, form.payoff[player]) + (1 - trust) * guarantees(game, player)[0]
    part, whole, other = trust.numerator, trust.denominator, 1 - player
    one, two = game.weights[other], free.weights[other]
    low, high = (
        [part * a * two.one + (whole - part) * b * one.one for a, b in zip(*sides)]
        for sides in ((one.low, two.low), (one.high, two.high))
    )
    mixed = list(game.weights)
    mixed[other] = Weights(low, high, whole * one.one * two.one)
    return lower, best(form, player, form.payoff[player], mixed)


def best(form: Memories, player: int, payoff: list[int], weights: list[Weights]) -> Fraction:
    """At least the most that `player` can get when `payoff` (over the form's unit) is handed out.

    From the latest information sets to the earliest, the best move's sum passes to the sequence before.
    """
    plex = form.plexes[player]
    others = [i for i in range(len(form.plexes)) if i != player]
    gain = [0] * plex.sequences
    for end, value in zip(form.ends, payoff):
        if value:
            gain[end[player]] += _counted(value, end, others, weights)
    for before, first, size in zip(reversed(plex.before), reversed(plex.first), reversed(plex.size)):
        gain[before] += max(gain[first : first + size])
    return Fraction(gain[0], form.unit * math.prod(weights[i].one for i in others))


def _value(game: Play, payoff: list[int]) -> Fraction:
    """At most what the profile pays."""
    form, everyone = game.form, range(len(game.form.plexes))
    lost = sum(_counted(-value, end, everyone, game.weights) for end, value in zip(form.ends, payoff) if value)
    return Fraction(-lost, form.unit * math.prod(weights.one for weights in game.weights))


def _counted(value: int, end: Sequence[int], who: Sequence[int], weights: list[Weights]) -> int:
    """At least value * the probability that these players play their sequences of `end`, over all their `one`s."""
    for i in who:
        value *= weights[i].high[end[i]] if value > 0 else weights[i].low[end[i]]
    return value
