"""What a profile of behaviour strategies proves about a game tree: its value, and each player's best reply.

Exact, or where `reach` had to round, rounded outward: payoffs are shifted to be nonnegative first, so that
probabilities that are never too small can only raise a sum, and never too large only lower it.
"""

from collections.abc import Mapping
from fractions import Fraction

from .array import Array
from .reach import NOBODY, Play, play, reach
from .refused import Refused
from .tree_form import Tree, read_tree


def zero_sum(form: Mapping[str, Array], strategy: Array) -> tuple[Fraction, Fraction]:
    """Bounds on player 0's value of a tree for two: what each strategy guarantees."""
    return guarantees(play(read_tree(form), strategy), 0)


def profile(form: Mapping[str, Array], strategy: Array) -> list[tuple[Fraction, Fraction]]:
    """For each player: the value of the repaired profile, and of a best reply to it."""
    return replies(play(read_tree(form), strategy))


def guarantees(game: Play, seat: int) -> tuple[Fraction, Fraction]:
    """The least that the seat's own strategy earns it, the most that the other's strategy allows it.

    Both are bounds on the value, to this seat, of the game in which the other only tries to hold it down: the
    minimax value of its own pay. Where pay adds up to a constant that is the value of the game; nothing here
    needs it to, so sums that are constant only up to rounding do no harm.
    """
    if game.tree.players != 2:
        raise Refused(f"a zero-sum certificate needs 2 players, the form has {game.tree.players}")
    pay = game.tree.pay[seat]
    return -best(game, 1 - seat, [-value for value in pay]), best(game, seat, pay)


def replies(game: Play) -> list[tuple[Fraction, Fraction]]:
    """(value of the profile, value of a best reply) for each player; if not exact, rounded down and up."""
    weights, scale = reach(game, NOBODY, upward=False)
    found = []
    for seat, pay in enumerate(game.tree.pay):
        low = min(pay)
        total = sum(weight * (value - low) for weight, value in zip(weights, pay))
        found.append((Fraction(total + low * scale, scale * game.tree.unit), best(game, seat, pay)))
    return found


def best(game: Play, seat: int, pay: list[int]) -> Fraction:
    """The most that `seat` can get when `pay` (over the tree's unit) is handed out at the ends.

    Each end adds chance x others x pay to the seat's last move before it. Then, from the latest information
    sets to the earliest, the best move's sum passes to the move before: by perfect recall that is one move.
    """
    return _best(game.tree, seat, pay, *reach(game, seat, upward=True))


def restricted(game: Play, free: Play, trust: Fraction, seat: int) -> tuple[Fraction, Fraction]:
    """Bounds on the game in which the other plays its part of `game` with probability `trust`, else as it likes.

    Below: what the seat's own strategy is worth against that part, and against whoever hurts it most, weighted.
    Above: its best reply when the other is free in one particular way, `free`, which can only help the seat.
    """
    own = replies(game)[seat][0]
    lower = trust * own + (1 - trust) * guarantees(game, seat)[0]
    (one, one_scale), (two, two_scale) = reach(game, seat, upward=True), reach(free, seat, upward=True)
    part, whole = trust.numerator, trust.denominator
    mixed = [part * a * two_scale + (whole - part) * b * one_scale for a, b in zip(one, two)]
    return lower, _best(game.tree, seat, game.tree.pay[seat], mixed, whole * one_scale * two_scale)


def _best(tree: Tree, seat: int, pay: list[int], weights: list[int], scale: int) -> Fraction:
    """The backward pass of `best`, given how likely the others make each end."""
    low = min(pay)
    gain = [0] * (tree.slots + 1)
    last = tree.last[seat]
    for node, weight, value in zip(tree.ends, weights, pay):
        if weight:
            gain[last[node]] += weight * (value - low)
    for row in reversed(tree.order):
        if tree.owner[row] == seat:
            gain[tree.before[row]] += max(gain[tree.start[row] : tree.start[row + 1]])
    return Fraction(gain[tree.slots] + low * scale, scale * tree.unit)
