"""What a mediator's recommendations earn, and what nobody earns by disobeying them, in exact arithmetic.

The evidence is a list of joint pure strategies, `plan` [K, information sets], and how likely the mediator draws each,
`weight` [K]: repaired (negative weights are 0, divided by their exact sum) it is a mediator, whatever it was meant to
be. What a player knows when it disobeys is what makes the three kinds:

coarse: nothing. It gives its promise before the mediator speaks, so it deviates to one strategy for all draws.
normal form: its whole strategy. So it deviates apart for each of its strategies that the mediator may name (Aumann
1974). extensive form: the move at an information set once it comes there, as long as it has obeyed (von Stengel and
Forges 2008). So it deviates, apart for each of its own sequences of recommended moves, from there on and without being
told more.

Two lines of the plan that name the same strategy of a player are told apart by nobody; lines that name it differently
only where its own moves never lead would be, which can only widen what is proven.
"""

from collections.abc import Mapping
from fractions import Fraction

from .arithmetic import shares
from .arrays import Array, Refused, floats, integers, lines, shape, within
from .tree import NOBODY, Play, Tree, reach, read_tree, reply_gain

Interval = tuple[Fraction, Fraction]
Weighted = tuple[int, list[int]]  # (which plan, how likely its draw and the others make each end)
NORMAL, COARSE, EXTENSIVE = "correlated", "coarse-correlated", "extensive-form-correlated"  # kinds of certificates
MOST_PLANS = 1_000_000


def gains(form: Mapping[str, Array], certificate: Mapping[str, Array], told: str) -> tuple[list[Interval], Fraction]:
    """For each player, from what obedience earns to the best it can do by what it is told; and the largest gain.

    Parameters
    ----------
    form, certificate
        The tree, and the plans with their weights.
    told
        Nothing (COARSE), the whole strategy before the game (NORMAL), or each move where it is made (EXTENSIVE).
    """
    tree = read_tree(form)
    plans, weights, total = _read(tree, certificate)
    intervals = []
    for player, payoff in enumerate(tree.payoff):
        low = min(payoff)
        paid = [value - low for value in payoff]  # never negative, so that rounding has one direction
        earned, unit = _earned(tree, plans, weights, paid)
        facing, scale = _facing(tree, plans, weights, player)
        best = _disobeyed(tree, plans, facing, player, paid, told)
        obeying = Fraction(earned + low * unit * total, unit * total * tree.unit)
        alone = Fraction(best + low * scale * total, scale * total * tree.unit)
        intervals.append((obeying, max(obeying, alone)))  # whoever loses by breaking a promise keeps it
    return intervals, max(high - low for low, high in intervals)


def _read(tree: Tree, certificate: Mapping[str, Array]) -> tuple[list[tuple[int, ...]], list[int], int]:
    """(the plans, their weights as integers, the sum of these), repaired."""
    count, _ = shape(certificate, "plan", 2)
    if not 1 <= count <= MOST_PLANS:
        raise Refused(f"{count} plans, expected 1 to {MOST_PLANS:,}")
    plans = lines(integers(certificate, "plan", count, tree.sets), tree.sets, count)
    for row in range(tree.sets):
        within([plan[row] for plan in plans], 0, tree.start[row + 1] - tree.start[row], "plan")
    parts, total = shares(floats(certificate, "weight", count))
    return plans, parts, total


def _drawn(tree: Tree, plan: tuple[int, ...]) -> Play:
    """The tree in which everybody obeys one plan."""
    wide = [tree.start[row + 1] - tree.start[row] for row in range(tree.sets)]
    rows = [([int(k == move) for k in range(size)], 1) for move, size in zip(plan, wide)] + tree.chance
    return Play(tree, [parts for parts, _ in rows], [total for _, total in rows])


def _earned(tree: Tree, plans: list[tuple[int, ...]], weights: list[int], paid: list[int]) -> tuple[int, int]:
    """What obedience earns, times the sum of the weights and the scale; and the scale."""
    earned, scale = 0, 1
    for plan, weight in zip(plans, weights):
        if weight:
            likely, scale = reach(_drawn(tree, plan), NOBODY, upward=False)
            earned += weight * sum(map(int.__mul__, likely, paid))
    return earned, scale


def _facing(tree: Tree, plans: list[tuple[int, ...]], weights: list[int], player: int) -> tuple[list[Weighted], int]:
    """For each plan how likely its draw, chance and the others make each end; and the scale, the same for all."""
    facing, scale = [], 1
    for k, (plan, weight) in enumerate(zip(plans, weights)):
        if weight:
            likely, scale = reach(_drawn(tree, plan), player, upward=True)
            facing.append((k, [weight * part for part in likely]))
    return facing, scale


def _disobeyed(
    tree: Tree, plans: list[tuple[int, ...]], facing: list[Weighted], player: int, paid: list[int], told: str
) -> int:
    """The most that a player gets who may disobey, over the sum of the weights and the scale."""
    if told == EXTENSIVE:
        return _triggered(tree, plans, facing, player, paid)
    mine = [row for row in range(tree.sets) if tree.owner[row] == player]
    groups: dict[tuple[int, ...], list[int]] = {}
    for k, likely in facing:
        name = tuple(plans[k][row] for row in mine) if told == NORMAL else ()
        known = groups.get(name)
        groups[name] = likely if known is None else list(map(int.__add__, known, likely))
    return sum(reply_gain(tree, player, paid, likely) for likely in groups.values())


def _triggered(tree: Tree, plans: list[tuple[int, ...]], facing: list[Weighted], player: int, paid: list[int]) -> int:
    """The best of a player who is told move by move, and may at each stop listening and go on alone.

    followed[slot] is what ends right after the slot bring when everything up to it was recommended; alone[slot] the
    gains by own slot of all plans that recommend the slot (and what leads there), with the player free from its set on.
    """
    rows = [row for row in tree.order if tree.owner[row] == player]
    owner = {slot: row for row in rows for slot in range(tree.start[row], tree.start[row + 1])}
    followed = [0] * (tree.slots + 1)
    alone: dict[int, dict[int, int]] = {}
    last = tree.last[player]
    for k, likely in facing:
        told = {tree.slots}
        for row in rows:
            if tree.before[row] in told:
                told.add(tree.start[row] + plans[k][row])
        for node, weight, value in zip(tree.ends, likely, paid):
            if weight and value:
                end = slot = last[node]
                if end in told:
                    followed[end] += weight * value
                while slot != tree.slots:
                    row = owner[slot]
                    slot = tree.before[row]
                    if slot in told:
                        gains = alone.setdefault(tree.start[row] + plans[k][row], {})
                        gains[end] = gains.get(end, 0) + weight * value
    value_of = [0] * (tree.slots + 1)  # of being told a slot; at the end, of the game
    below: dict[int, list[int]] = {}
    for row in rows:
        below.setdefault(tree.before[row], []).append(row)
    for row in reversed(rows):
        for slot in range(tree.start[row], tree.start[row + 1]):
            obeying = followed[slot] + value_of[slot]
            value_of[tree.before[row]] += max(obeying, _alone(tree, below, row, alone.get(slot, {})))
    return followed[tree.slots] + value_of[tree.slots]


def _alone(tree: Tree, below: dict[int, list[int]], row: int, gains: dict[int, int]) -> int:
    """The best that a player gets from one of its sets on, when ending after a slot brings `gains`."""
    if not gains:
        return 0
    reached, order = [row], []
    while reached:
        one = reached.pop()
        order.append(one)
        for slot in range(tree.start[one], tree.start[one + 1]):
            reached += below.get(slot, ())
    passed = dict(gains)
    for one in reversed(order):
        best = max(passed.get(slot, 0) for slot in range(tree.start[one], tree.start[one + 1]))
        if one == row:
            return best
        passed[tree.before[one]] = passed.get(tree.before[one], 0) + best
    raise AssertionError("the set itself comes last")
