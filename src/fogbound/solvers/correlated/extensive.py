"""Extensive-form correlated equilibria of two players without chance, by one linear program.

Von Stengel and Forges, "Extensive-form correlated equilibrium: definition and computational complexity" (2008). A
mediator draws a joint strategy and tells each player a move only where it is to be made; who disobeys is told nothing
more. What matters of the draw is the *correlation plan* z: how likely two sequences, one of each player, are both
recommended, for pairs that can meet on a path of the tree. Without chance these are exactly the solutions of the linear
equations that a realisation plan of each player has, for each sequence of the other. With chance the equations hold as
well, and in general admit more than can be drawn (theorem 4.1 there).

Games with chance are refused because no method for them is implemented here, not because none is known. Where all
moves of chance are public, and more generally in triangle-free games, the same program is still exact (Farina and
Sandholm, "Polynomial-time computation of optimal correlated equilibria in two-player extensive-form games with public
chance moves and beyond", 2020). One equilibrium of any game, with any number of players and with chance, is found in
polynomial time by the ellipsoid method (Huang and von Stengel, "Computing an extensive-form correlated equilibrium in
polynomial time", 2008); an optimal one is NP-hard to find with chance in general (von Stengel and Forges 2008).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import FormError, LimitError, many
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.tree import Tree
from fogbound.policies.recommendations import Recommendations
from fogbound.solvers.linear_programs import highs

MOST_PAIRS = 200_000
LEFT = 1e-9  # what rounding may leave of a plan that was taken apart
FAINT = 1e-12  # how likely a pair must be to be recommended at all
Pair = tuple[int, int]  # sequences of the first and of the second player


def require_two_without_chance(form: SequenceForm) -> None:
    """Refuse games whose correlation plans have no such description."""
    who = "correlated(extensive=true)"
    if len(form.players) != 2:
        raise FormError(
            f"{who}: {form.spec} has {many(len(form.players), 'player')}, expected 2; use correlated, on the matrix"
        )
    tree = form.tree
    if (tree.prob < 1.0).any():
        node = int(tree.parent[int(np.flatnonzero(tree.prob < 1.0)[0])])
        raise FormError(
            f"{who}: {form.spec} has chance (node {node} of its tree), and only the linear program of von Stengel and "
            "Forges (2008) for two players without chance is implemented here; use correlated, on the matrix"
        )


@dataclass(frozen=True)
class CorrelationPlans:
    """The pairs of sequences that can meet, numbered: the columns of the program."""

    form: SequenceForm

    @cached_property
    def set_of(self) -> tuple[Longs, Longs]:
        """For each player, [sequences] the player's own set in which a sequence ends; -1 for the empty one."""
        first, second = (np.concatenate([[-1], np.repeat(np.arange(len(p.sets)), p.size)]) for p in self.form.plexes)
        return first, second

    @cached_property
    def meeting(self) -> tuple[list[list[int]], list[list[int]]]:
        """For each player and each of its sets, the other's sets that some path of the tree goes through as well."""
        tree = self.form.tree
        own = {int(h): (i, k) for i, plex in enumerate(self.form.plexes) for k, h in enumerate(plex.sets.tolist())}
        above: list[tuple[tuple[int, int], ...]] = [()] * tree.size
        found: tuple[list[set[int]], list[set[int]]] = tuple([set() for _ in p.sets] for p in self.form.plexes)  # type: ignore[assignment]
        infoset, parent = tree.infoset.tolist(), tree.parent.tolist()
        for node in range(tree.size):
            path = above[parent[node]] if node else ()
            if infoset[node] >= 0:
                player, place = own[infoset[node]]
                for other, there in path:
                    if other != player:
                        found[player][place].add(there)
                        found[other][there].add(place)
                path = (*path, (player, place))
            above[node] = path
        return [sorted(one) for one in found[0]], [sorted(one) for one in found[1]]

    def facing(self, player: int, place: int) -> list[int]:
        """The other's sequences that a set of the player can meet, the empty one first."""
        other = self.form.plexes[1 - player]
        sets = self.meeting[player][place]
        return [0, *(q for k in sets for q in range(int(other.first[k]), int(other.first[k] + other.size[k])))]

    @cached_property
    def columns(self) -> dict[Pair, int]:
        """The pairs by number."""
        first, second = self.form.plexes
        pairs = [(0, q) for q in range(second.sequences)]
        for place in range(len(first.sets)):
            check()
            against = self.facing(0, place)
            own = range(int(first.first[place]), int(first.first[place] + first.size[place]))
            pairs += [(p, q) for p in own for q in against]
            if len(pairs) > MOST_PAIRS:
                raise LimitError(
                    f"correlated(extensive=true): {self.form.spec} has over {MOST_PAIRS:,} pairs of sequences that can "
                    "meet; use a smaller game"
                )
        return {pair: k for k, pair in enumerate(pairs)}

    def column(self, player: int, own: int, other: int) -> int:
        """The pair of a player's own sequence with one of the other."""
        return self.columns[(own, other) if player == 0 else (other, own)]


class _Rows:
    """A sparse matrix that grows row by row."""

    def __init__(self) -> None:
        self.at: list[tuple[int, int, float]] = []
        self.low: list[float] = []
        self.high: list[float] = []

    def add(self, entries: list[tuple[int, float]], low: float, high: float) -> None:
        self.at += [(len(self.low), column, value) for column, value in entries]
        self.low.append(low)
        self.high.append(high)


def extensive_form(form: SequenceForm, worth: Floats, stopping: Callable[[], bool]) -> tuple[Recommendations, float]:
    """The mediator that is best by `worth` [ends], and what the program says that this is; `Cancelled` if stopped."""
    from scipy.sparse import csr_matrix

    plans, rows = CorrelationPlans(form), _Rows()
    scale = highs.power_of_two(form.payoff)
    _flows(plans, rows)
    columns = len(plans.columns)
    for player in (0, 1):
        columns = _incentives(plans, rows, player, form.payoff[:, player] / scale, columns)
    cost = np.zeros(columns)
    for end, paid in zip(form.ends.tolist(), (worth / highs.power_of_two(worth)).tolist()):
        cost[plans.columns[end[0], end[1]]] += paid
    low = np.full(columns, -np.inf)
    low[: len(plans.columns)] = 0.0
    at, places, values = zip(*rows.at)
    matrix = csr_matrix((values, (at, places)), shape=(len(rows.low), columns))
    bounds = np.array(rows.low), np.array(rows.high)
    found = highs.maximise(cost, low, np.full(columns, np.inf), matrix, *bounds, stopping=stopping)
    return taken_apart(plans, found.primal[: len(plans.columns)]), found.value * highs.power_of_two(worth)


def _flows(plans: CorrelationPlans, rows: _Rows) -> None:
    """What makes z a correlation plan: it passes on, for each sequence of the other, as a realisation plan does."""
    rows.add([(plans.columns[0, 0], 1.0)], 1.0, 1.0)
    for player, plex in enumerate(plans.form.plexes):
        for place in range(len(plex.sets)):
            check()
            first = int(plex.first[place])
            for other in plans.facing(player, place):
                moves = [(plans.column(player, first + k, other), 1.0) for k in range(int(plex.size[place]))]
                rows.add([*moves, (plans.column(player, int(plex.parent[place]), other), -1.0)], 0.0, 0.0)


def _incentives(plans: CorrelationPlans, rows: _Rows, player: int, payoff: Floats, columns: int) -> int:
    """Obeying a recommended sequence brings as much as the best way to go on alone; how many columns there are then.

    More columns: u(q), what obeying brings from the recommendation of q on; v(h, q), the most that whoever was
    recommended q and disobeys gets from its set h on, which lies at or below the set of q.
    """
    plex = plans.form.plexes[player]
    ends: dict[int, list[tuple[int, float]]] = {}
    for end, paid in zip(plans.form.ends.tolist(), payoff.tolist()):
        ends.setdefault(end[player], []).append((end[1 - player], paid))
    below: dict[int, list[int]] = {}
    for place, parent in enumerate(plex.parent.tolist()):
        below.setdefault(parent, []).append(place)
    moves = [range(int(f), int(f + s)) for f, s in zip(plex.first, plex.size)]
    obeys = {q: columns + q - 1 for q in range(1, plex.sequences)}
    columns += plex.sequences - 1
    for q in range(1, plex.sequences):
        check()
        entries = [(obeys[q], 1.0)]
        entries += [(plans.column(player, q, other), -paid) for other, paid in ends.get(q, ())]
        entries += [(obeys[r], -1.0) for h in below.get(q, ()) for r in moves[h]]
        rows.add(entries, 0.0, 0.0)
        top = int(plans.set_of[player][q])
        alone = {h: columns + k for k, h in enumerate(_under(top, moves, below))}
        columns += len(alone)
        for h, value in alone.items():
            for r in moves[h]:
                deviating = [(value, 1.0)]
                deviating += [(plans.column(player, q, other), -paid) for other, paid in ends.get(r, ())]
                deviating += [(alone[lower], -1.0) for lower in below.get(r, ())]
                rows.add(deviating, 0.0, np.inf)
        rows.add([(obeys[q], 1.0), (alone[top], -1.0)], 0.0, np.inf)
    return columns


def _under(top: int, moves: list[range], below: dict[int, list[int]]) -> list[int]:
    """A set and all sets below it."""
    found = [top]
    for place in found:
        found += [h for q in moves[place] for h in below.get(q, ())]
    return found


def taken_apart(plans: CorrelationPlans, z: Floats) -> Recommendations:
    """A correlation plan as joint pure strategies and how likely each is drawn.

    As long as something is left, a joint strategy all of whose pairs of sequences are still likely is taken away as
    often as it can be; each uses up a pair.
    """
    form, left, drawn, weights = plans.form, np.maximum(z, 0.0), list[Longs](), list[float]()
    while left[plans.columns[0, 0]] > LEFT:
        check()
        found = next(_joint(plans, left), None)
        if found is None:
            break  # rounding: what is left is nobody's strategy
        plan, pairs = found
        share = float(left[pairs].min())
        left[pairs] -= share
        drawn.append(plan)
        weights.append(share)
    return Recommendations(form, np.array(drawn, np.int64), np.array(weights) / sum(weights))


def _joint(plans: CorrelationPlans, left: Floats) -> Iterator[tuple[Longs, Longs]]:
    """(a joint pure strategy, its pairs of sequences), all of them left over: sets in the order of the tree."""
    form, tree = plans.form, plans.form.tree
    order = _by_depth(form, tree)
    plan, realised = np.zeros(len(form.decisions.set_size), np.int64), ([0], [0])
    pairs = [plans.columns[0, 0]]

    def chosen(at: int) -> Iterator[tuple[Longs, Longs]]:
        while at < len(order) and _parent(form, order[at]) not in realised[order[at][0]]:
            at += 1
        if at == len(order):
            yield plan.copy(), np.array(pairs)
            return
        player, place = order[at]
        plex = form.plexes[player]
        others = [q for q in plans.facing(player, place) if q in realised[1 - player]]
        moves = []
        for k in range(int(plex.size[place])):
            new = [plans.column(player, int(plex.first[place]) + k, q) for q in others]
            moves.append((float(left[new].min()), k, new))
        for likely, k, new in sorted(moves, key=lambda move: -move[0]):
            if likely <= FAINT:
                return
            plan[plex.sets[place]] = k
            realised[player].append(int(plex.first[place]) + k)
            pairs.extend(new)
            yield from chosen(at + 1)
            del pairs[-len(new) :], realised[player][-1]
            plan[plex.sets[place]] = 0

    return chosen(0)


def _parent(form: SequenceForm, at: tuple[int, int]) -> int:
    return int(form.plexes[at[0]].parent[at[1]])


def _by_depth(form: SequenceForm, tree: Tree) -> list[tuple[int, int]]:
    """(player, set) of all, by the first node of each: breadth first, so that what comes before has been chosen."""
    first: dict[int, int] = {}
    for node, h in enumerate(tree.infoset.tolist()):
        first.setdefault(h, node)
    sets = [(first[int(h)], i, k) for i, plex in enumerate(form.plexes) for k, h in enumerate(plex.sets.tolist())]
    return [(i, k) for _, i, k in sorted(sets)]
