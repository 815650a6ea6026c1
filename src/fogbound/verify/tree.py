"""What a profile of behaviour strategies proves about a game tree: its value, and each player's best reply.

Exact, or where `reach` had to round, rounded outward: payoffs are shifted to be nonnegative first, so that
probabilities that are never too small can only raise a sum, and never too large only lower it.
"""

from collections.abc import Mapping
from fractions import Fraction

from .array import Array
from .reach import NOBODY, Play, play, reach
from .refused import Refused
from .repair import down, up
from .tree_form import Tree, read_tree


def zero_sum(form: Mapping[str, Array], strategy: Array) -> tuple[Fraction, Fraction]:
    """Bounds on player 0's value of a constant-sum tree: what each strategy guarantees."""
    tree = read_tree(form)
    constant(tree)
    return guarantees(play(tree, strategy))


def profile(form: Mapping[str, Array], strategy: Array) -> list[tuple[Fraction, Fraction]]:
    """For each player: the value of the repaired profile, and of a best reply to it."""
    return replies(play(read_tree(form), strategy))


def constant(tree: Tree) -> Fraction:
    """The sum of the two players' payoffs; Refused unless it is exactly the same at every end."""
    if tree.players != 2:
        raise Refused(f"a zero-sum certificate needs 2 players, the form has {tree.players}")
    sums = {mine + other for mine, other in zip(*tree.pay)}
    if len(sums) != 1:
        low, high = down(Fraction(min(sums), tree.unit)), up(Fraction(max(sums), tree.unit))
        raise Refused(f"not constant-sum: payoffs add up to {low!r} at one end and to {high!r} at another")
    return Fraction(sums.pop(), tree.unit)


def guarantees(game: Play) -> tuple[Fraction, Fraction]:
    """The least that player 0's strategy earns, the most that player 1's strategy allows."""
    pay = game.tree.pay[0]
    return -best(game, 1, [-value for value in pay]), best(game, 0, pay)


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
    tree, low = game.tree, min(pay)
    weights, scale = reach(game, seat, upward=True)
    gain = [0] * (tree.slots + 1)
    last = tree.last[seat]
    for node, weight, value in zip(tree.ends, weights, pay):
        if weight:
            gain[last[node]] += weight * (value - low)
    for row in reversed(tree.order):
        if tree.owner[row] == seat:
            gain[tree.before[row]] += max(gain[tree.start[row] : tree.start[row + 1]])
    return Fraction(gain[tree.slots] + low * scale, scale * tree.unit)
