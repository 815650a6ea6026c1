"""Sequential equilibria: an assessment, strategies and beliefs, that is consistent and sequentially rational.

Kreps and Wilson (1982). Consistent beliefs are limits of Bayes's rule under trembles. Here trembles are an *order* and
a *weight* of every move that is not played (Kreps and Wilson's b-labelling): a belief weighs the nodes of an
information set that need trembles of the least order, each by chance, by the moves that are played and by the weights
of its trembles. With consistent beliefs it suffices that no single move can be improved (Hendon, Jacobsen and Sloth
1996).

An assessment is looked for: orders of 1, weights by linear programs, information sets with fewer trembles first; play
where a strategy is silent is tried move by move. What is found is checked once more, as a whole. That there is none is
claimed only where no belief whatever justifies a move that the equilibrium plays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, product

from fogbound.core.cancel import check
from fogbound.forms.tree import CHANCE, END
from fogbound.solvers.all_equilibria.exact_tree import ONE, ZERO, ExactTree, Payoffs, Plan
from fogbound.solvers.all_equilibria.rational_lp import Constraint, feasible

MOST_COMPLETIONS = 256  # ways to play where strategies are silent ...
MOST_NODES = 20_000  # ... times the nodes of the tree
LATER = 1_000  # the order of trembles that a linear program gives no weight
Behaviour = dict[int, tuple[Fraction, ...]]  # by information set, the probability of each move
Tremble = int  # a node's number: the first node of the information set's move, so that nodes of one set share it
Beliefs = dict[int, tuple[Fraction, ...]]  # by information set, the probability of each of its nodes


@dataclass(frozen=True)
class Assessment:
    """A complete behaviour strategy profile and the beliefs that support it, by information set."""

    behaviour: Behaviour
    beliefs: Beliefs


@dataclass(frozen=True, eq=False)
class SequentialCheck:
    """Looks for assessments of equilibria of one tree."""

    tree: ExactTree

    @cached_property
    def sets(self) -> list[int]:
        """The information sets with a choice."""
        return [h for h, size in enumerate(self.tree.set_size) if size > 1]

    def assessment(self, plans: Sequence[Plan]) -> Assessment | None:
        """A consistent and sequentially rational assessment that plays these plans, if one is found."""
        known = self._clear_moves(self.behaviour(plans))
        silent = [h for h in self.sets if h not in known]
        choices = product(*(range(self.tree.set_size[h]) for h in silent))
        for chosen in islice(choices, max(1, min(MOST_COMPLETIONS, MOST_NODES // len(self.tree.mover)))):
            check()
            whole = known | {h: _sure(k, self.tree.set_size[h]) for h, k in zip(silent, chosen)}
            beliefs = Trembles(self.tree, self.sets, whole).beliefs()
            if beliefs is not None:
                return Assessment(whole, beliefs)
        return None

    def _clear_moves(self, known: Behaviour) -> Behaviour:
        """Play with a move at each silent set that is best there whatever is believed, the last sets first."""
        known = dict(known)
        silent = [h for h in self.sets if h not in known]
        for h in reversed(silent):
            values, owner = continuation(self.tree, known), self.tree.set_owner[h]
            rows = [[values[child] for child in self.tree.children[node]] for node in self.tree.set_nodes[h]]
            worth = [[v[owner] for v in row if v is not None] for row in rows]
            size = self.tree.set_size[h]
            clear = [k for k in range(size) if all(len(row) == size and row[k] == max(row) for row in worth)]
            if clear:
                known[h] = _sure(clear[0], size)
        return known

    def behaviour(self, plans: Sequence[Plan]) -> Behaviour:
        """Play at the information sets to which their owners' own moves lead."""
        found = {}
        for h in self.sets:
            plan = plans[self.tree.set_owner[h]]
            before = plan[self.tree.own_sequence(h)]
            if before:
                found[h] = tuple(plan[q] / before for q in self.tree.sequences_at(h))
        return found

    def refuted(self, plans: Sequence[Plan]) -> bool:
        """Whether a move is played that no belief justifies, where all play that follows is determined."""
        known = self.behaviour(plans)
        values = continuation(self.tree, known)
        for h, played in known.items():
            below = [[values[child] for child in self.tree.children[node]] for node in self.tree.set_nodes[h]]
            if any(v is None for row in below for v in row):
                continue
            owner, many = self.tree.set_owner[h], len(below)
            worth = [[v[owner] for v in row if v is not None] for row in below]
            rows = [_advantage(worth, a, b) for a, p in enumerate(played) if p for b in range(len(played)) if b != a]
            if feasible([([1] * many, 1)], [([-v for v in row], 0) for row in rows], many) is None:
                return True
        return False


def _sure(move: int, size: int) -> tuple[Fraction, ...]:
    return tuple(ONE if k == move else ZERO for k in range(size))


def _advantage(worth: Sequence[Sequence[Fraction]], one: int, other: int) -> list[Fraction]:
    """By node, by how much a move is better than another."""
    return [row[one] - row[other] for row in worth]


def continuation(tree: ExactTree, behaviour: Behaviour) -> list[Payoffs | None]:
    """By node, what play from there on pays; None where it depends on play that is not given."""
    values: list[Payoffs | None] = [None] * len(tree.mover)
    for node in range(len(values) - 1, -1, -1):
        if tree.mover[node] == END:
            values[node] = tree.payoff[node]
            continue
        shares = _shares(tree, node, behaviour)
        if shares is None:
            continue
        total: list[Fraction] | None = [ZERO] * tree.players
        for child, p in zip(tree.children[node], shares):
            below = values[child]
            if p and total is not None:
                total = None if below is None else [t + p * v for t, v in zip(total, below)]
        values[node] = None if total is None else tuple(total)
    return values


def _shares(tree: ExactTree, node: int, behaviour: Behaviour) -> Sequence[Fraction] | None:
    """The probabilities of what follows a node."""
    if tree.mover[node] == CHANCE:
        return [tree.chance[child] for child in tree.children[node]]
    return [ONE] if len(tree.children[node]) == 1 else behaviour.get(tree.infoset[node])


class Trembles:
    """The search for trembles that make a behaviour strategy profile sequentially rational."""

    def __init__(self, tree: ExactTree, sets: Sequence[int], behaviour: Behaviour) -> None:
        self.tree, self.sets, self.behaviour = tree, sets, behaviour
        self.values = continuation(tree, behaviour)
        self.likely: list[Fraction] = [ONE] * len(tree.mover)  # by node, chance and moves that are played
        self.needs: list[tuple[Tremble, ...]] = [()] * len(tree.mover)  # by node, the moves that are not
        for node in range(len(tree.mover)):
            shares = _shares(tree, node, behaviour) if tree.mover[node] != END else ()
            for place, (child, p) in enumerate(zip(tree.children[node], shares or ())):
                self.likely[child] = self.likely[node] * (p or ONE)
                self.needs[child] = self.needs[node]
                if not p:
                    self.needs[child] += (self._tremble(node, place),)
        self.order: dict[Tremble, int] = {}
        self.weight: dict[Tremble, Fraction] = {}

    def _tremble(self, node: int, place: int) -> Tremble:
        if self.tree.mover[node] == CHANCE:  # chance of probability 0: never a tremble that is given weight
            return -self.tree.children[node][place]
        return self.tree.children[self.tree.set_nodes[self.tree.infoset[node]][0]][place]

    def beliefs(self) -> Beliefs | None:
        """Beliefs at all information sets, or None where this search finds no trembles."""
        waiting = [h for h in self.sets if self._least(h)]
        while waiting:
            check()
            least = min(self._least(h) for h in waiting)
            now = [h for h in waiting if self._least(h) == least]
            if not self._weigh(now):
                return None
            waiting = [h for h in waiting if h not in now]
        found = {h: self._belief(h) for h in self.sets}
        return found if all(self._rational(h, found[h]) for h in self.sets) else None

    def _orders(self, infoset: int) -> list[int]:
        nodes = self.tree.set_nodes[infoset]
        return [sum(self.order.get(t, 1 if t > 0 else LATER**3) for t in self.needs[node]) for node in nodes]

    def _least(self, infoset: int) -> int:
        return min(self._orders(infoset))

    def _nearest(self, infoset: int) -> list[int]:
        """The places of the nodes that need trembles of the least order."""
        orders = self._orders(infoset)
        return [k for k, order in enumerate(orders) if order == min(orders)]

    def _weigh(self, sets: Sequence[int]) -> bool:
        """Choose the weights of trembles that are still open so that the played moves at `sets` are best."""
        rows: list[tuple[dict[Tremble | None, Fraction], bool]] = []
        for h in sets:
            parts = self._linear(h)
            if parts is None:
                return False
            total: dict[Tremble | None, Fraction] = {}
            for _, t, c in parts:
                total[t] = total.get(t, ZERO) + c
            rows.append((total, True))
            rows += [(row, False) for row in self._rational_rows(h, parts)]
        free = sorted({t for row, _ in rows for t in row if t is not None})
        column = {t: k for k, t in enumerate(free)}
        most: list[Constraint] = []
        for row, whole in rows:
            cells = [ZERO] * len(free)
            for t, c in row.items():
                if t is not None:
                    cells[column[t]] -= c
            known = row.get(None, ZERO)
            most.append((cells, known - (1 if whole and not known else 0)))
        point = feasible([], most, len(free))
        if point is None:
            return False
        for t, w in zip(free, point):
            self.order[t], self.weight[t] = (1, w) if w else (LATER * self._largest(), ONE)
        return True

    def _largest(self) -> int:
        return max((order for order in self.order.values()), default=1)

    def _linear(self, infoset: int) -> list[tuple[int, Tremble | None, Fraction]] | None:
        """(place of a node, its one open tremble if any, its weight without that); None where a node has several."""
        parts = []
        for place in self._nearest(infoset):
            node = self.tree.set_nodes[infoset][place]
            free = [t for t in self.needs[node] if t not in self.order]
            if len(free) > 1:
                return None
            parts.append((place, free[0] if free else None, self._known_weight(node)))
        return parts

    def _known_weight(self, node: int) -> Fraction:
        weight = self.likely[node]
        for t in self.needs[node]:
            weight *= self.weight.get(t, ONE)
        return weight

    def _rational_rows(
        self, infoset: int, parts: Sequence[tuple[int, Tremble | None, Fraction]]
    ) -> Iterator[dict[Tremble | None, Fraction]]:
        """For each move and each that is played, the weighted advantage of the latter by open tremble."""
        worth, played = self._worth(infoset), self.behaviour[infoset]
        for a in (k for k, p in enumerate(played) if p):
            for b in range(len(played)):
                if b != a:
                    gain, row = _advantage(worth, a, b), dict[Tremble | None, Fraction]()
                    for place, t, c in parts:
                        row[t] = row.get(t, ZERO) + c * gain[place]
                    yield row

    def _worth(self, infoset: int) -> list[list[Fraction]]:
        owner, rows = self.tree.set_owner[infoset], []
        for node in self.tree.set_nodes[infoset]:
            values = [self.values[child] for child in self.tree.children[node]]
            rows.append([ZERO if v is None else v[owner] for v in values])
        return rows

    def _belief(self, infoset: int) -> tuple[Fraction, ...]:
        """The belief that the trembles make."""
        nodes, near = self.tree.set_nodes[infoset], self._nearest(infoset)
        weights = [self._known_weight(node) if k in near else ZERO for k, node in enumerate(nodes)]
        total = sum(weights, ZERO)
        return tuple(w / total for w in weights)

    def _rational(self, infoset: int, belief: Sequence[Fraction]) -> bool:
        """Whether every move that is played is best under a belief."""
        worth = self._worth(infoset)
        values = [sum((p * row[k] for p, row in zip(belief, worth)), ZERO) for k in range(self.tree.set_size[infoset])]
        best = max(values)
        return all(v == best for v, p in zip(values, self.behaviour[infoset]) if p)


def multiple(tree: ExactTree, beliefs: Mapping[int, tuple[Fraction, ...]]) -> list[int]:
    """The information sets of beliefs that have several nodes."""
    return [h for h in beliefs if len(tree.set_nodes[h]) > 1]
