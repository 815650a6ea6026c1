"""What a profile of behaviour strategies proves where histories are summed out: values, and best replies.

Realisation weights are kept over 2**256, once rounded up and once down, so that whatever is paid is counted with the
one that cannot flatter: nothing is lost but some 1e-70 of the width, and the strategy judged is the one stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..arithmetic import shares
from ..arrays import Array, Refused, floats
from .form import Memories, Plex, read_memories

BITS = 256
ONE = 1 << BITS
Interval = tuple[Fraction, Fraction]
Weights = tuple[list[int], list[int]]  # by sequence, over ONE: never too large, never too small


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
    low, high = [0] * plex.sequences, [0] * plex.sequences
    low[0] = high[0] = ONE
    for before, first, size, slot in zip(plex.before, plex.first, plex.size, plex.slot):
        parts, total = shares(flat[slot : slot + size])
        low[first : first + size] = [low[before] * part // total for part in parts]
        high[first : first + size] = [-(-high[before] * part // total) for part in parts]
    return low, high


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
    mixed = list(game.weights)
    pairs = zip(game.weights[other], free.weights[other])
    low, high = ([part * a + (whole - part) * b for a, b in zip(one, two)] for one, two in pairs)
    mixed[other] = [value // whole for value in low], [-(-value // whole) for value in high]
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
    return Fraction(gain[0], ONE * form.unit)


def _value(game: Play, payoff: list[int]) -> Fraction:
    """At most what the profile pays."""
    everyone = range(len(game.form.plexes))
    lost = sum(_counted(-value, end, everyone, game.weights) for end, value in zip(game.form.ends, payoff) if value)
    return Fraction(-lost, ONE * game.form.unit)


def _counted(value: int, end: Sequence[int], who: Sequence[int], weights: list[Weights]) -> int:
    """At least value * ONE * the probability that these players play their sequences of `end`."""
    up = value > 0
    total = ONE
    for i in who:
        product = total * weights[i][up][end[i]]
        total = -(-product >> BITS) if up else product >> BITS
    return value * total


def zero_sum(form: Mapping[str, Array], strategy: Array) -> Interval:
    """Bounds on player 0's value of a game for two: what each strategy guarantees."""
    return guarantees(play(read_memories(form), strategy), 0)
