"""Subgame perfection of equilibria in reduced strategies: does a completion play an equilibrium of every subgame?

A reduced strategy is silent where its own earlier moves rule an information set out. So the label asks for a
completion: play at those information sets that makes the whole profile an equilibrium of every subgame (Selten 1965).

At the root of a subgame a player is *committed* when its own strategy comes there with positive probability, and *free*
otherwise. Where all are committed the subgame's equilibrium conditions are checked as they are. Where none is, some
subgame-perfect equilibrium exists, and what is chosen there does not matter outside. Otherwise the subgame is
solved from its ends: the largest subgames inside are replaced by what they may pay, and the free players' strategies in
the rest are the solutions of a linear program, or the extreme equilibria of a bimatrix. Of continua of payoffs only the
extreme ones are tried; if none of these works, nothing is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import LimitError
from fogbound.forms.tree import END
from fogbound.solvers.all_equilibria.exact_tree import ONE, ZERO, ExactTree, Payoffs, Plan
from fogbound.solvers.all_equilibria.extreme import extreme_equilibria
from fogbound.solvers.all_equilibria.rational_lp import Constraint, maximise_exactly

MOST_COMBINATIONS = 1_000  # of what the subgames inside a subgame may pay
MOST_STRATEGIES = 200  # of a player in what is left of a subgame
Plans = Mapping[int, Plan]  # of the committed players
Pure = tuple[int, ...]  # the sequences that a pure strategy plays


@dataclass(frozen=True)
class Outcomes:
    """What subgame-perfect play may pay; `complete` where these are all payoffs."""

    payoffs: tuple[Payoffs, ...]
    complete: bool


@dataclass(frozen=True, eq=False)
class NestedSubgame:
    """A subgame: its root, the largest subgames inside, and its information sets with a choice."""

    root: int
    inside: tuple[NestedSubgame, ...]
    sets: tuple[int, ...]

    @property
    def all_inside(self) -> Iterator[NestedSubgame]:
        for one in self.inside:
            yield one
            yield from one.all_inside


def find_subgames(tree: ExactTree) -> NestedSubgame:
    """The whole game as a subgame, with all that are inside of each other. Roots with equal choices count once."""
    below = _choices_below(tree)
    roots = [node for node in range(len(tree.mover)) if tree.mover[node] != END and _closed(tree, node, below)]
    return _nested(tree, 0, set(roots))


def _choices_below(tree: ExactTree) -> list[set[int]]:
    """By node, the information sets with a choice in its subtree."""
    sets: list[set[int]] = [set() for _ in tree.mover]
    for node in range(len(tree.mover) - 1, -1, -1):
        h = tree.infoset[node]
        if h >= 0 and tree.set_size[h] > 1:
            sets[node].add(h)
        if tree.parent[node] >= 0:
            sets[tree.parent[node]] |= sets[node]
    return sets


def _closed(tree: ExactTree, node: int, sets: Sequence[set[int]]) -> bool:
    """Whether no information set below a node has a node elsewhere."""
    if not sets[node]:
        return False
    inside = set(tree.subtree(node))
    return all(n in inside for h in sets[node] for n in tree.set_nodes[h])


def _nested(tree: ExactTree, root: int, roots: set[int]) -> NestedSubgame:
    chosen = tuple(sorted(h for h in {tree.infoset[n] for n in tree.subtree(root)} if h >= 0 and tree.set_size[h] > 1))
    inside, waiting = [], list(tree.children[root])
    while waiting:
        node = waiting.pop(0)
        if node in roots:
            found = _nested(tree, node, roots)
            if found.sets == chosen:  # forced moves and chance alone lie between
                return NestedSubgame(root, found.inside, chosen)
            inside.append(found)
        else:
            waiting += tree.children[node]
    return NestedSubgame(root, tuple(inside), chosen)


@dataclass(frozen=True, eq=False)
class SubgameCheck:
    """Decides whether equilibria of one tree can be completed to subgame-perfect ones."""

    tree: ExactTree

    @cached_property
    def whole(self) -> NestedSubgame:
        return find_subgames(self.tree)

    @cached_property
    def proper(self) -> int:
        """How many subgames there are besides the game itself."""
        return sum(1 for _ in self.whole.all_inside)

    def perfect(self, plans: Sequence[Plan]) -> bool | None:
        """Whether some completion of the plans is subgame-perfect; None where that is not decided."""
        return self._completes(self.whole, dict(enumerate(plans)))

    def _movers(self, part: Sequence[int]) -> list[int]:
        return sorted({self.tree.set_owner[h] for h in part})

    def _committed(self, subgame: NestedSubgame, plans: Plans) -> Plans:
        """The plans of players whose own moves lead to the subgame."""
        at = self.tree.sequence[subgame.root]
        return {i: plan for i, plan in plans.items() if plan[at[i]] > 0}

    def _completes(self, subgame: NestedSubgame, plans: Plans) -> bool | None:
        check()
        plans = self._committed(subgame, plans)
        movers = self._movers(subgame.sets)
        if not any(i in plans for i in movers):
            return True
        if all(i in plans for i in movers):
            rest = Rest(self.tree, subgame.root, subgame.sets, {})
            if not all(rest.is_best_reply(i, plans) for i in movers):
                return False
            verdicts = [self._completes(one, plans) for one in subgame.inside]
            return False if False in verdicts else None if None in verdicts else True
        found = self._outcomes(subgame, plans)
        return True if found.payoffs else False if found.complete else None

    def _outcomes(self, subgame: NestedSubgame, plans: Plans) -> Outcomes:
        """What completions of the plans that are subgame-perfect in a subgame may pay."""
        plans = self._committed(subgame, plans)
        inside = [self._outcomes(one, plans) for one in subgame.inside]
        own = set(subgame.sets).difference(*(one.sets for one in subgame.inside))
        complete = all(one.complete for one in inside)
        if math.prod(len(one.payoffs) for one in inside) > MOST_COMBINATIONS:
            return Outcomes((), False)
        payoffs: dict[Payoffs, None] = {}
        for paid in product(*(one.payoffs for one in inside)):
            ends = {one.root: payoff for one, payoff in zip(subgame.inside, paid)}
            found = Rest(self.tree, subgame.root, tuple(sorted(own)), ends).outcomes(plans)
            complete &= found.complete
            payoffs.update(dict.fromkeys(found.payoffs))
        return Outcomes(tuple(payoffs), complete)


class Rest:
    """What is left of a subgame when some nodes are taken to be ends with given payoffs."""

    def __init__(self, tree: ExactTree, root: int, sets: Sequence[int], ends: Mapping[int, Payoffs]) -> None:
        self.tree, self.root, self.sets = tree, root, sets
        self.movers = sorted({tree.set_owner[h] for h in sets})
        self.ends: list[tuple[int, Fraction, Payoffs]] = []  # (node, probability of chance from the root, payoffs)
        waiting = [(root, ONE)]
        for node, p in waiting:
            if node in ends or tree.mover[node] == END:
                self.ends.append((node, p, ends.get(node, tree.payoff[node])))
            else:
                waiting += [(below, p * tree.chance[below]) for below in tree.children[node]]

    def _share(self, player: int, node: int, plan: Plan) -> Fraction:
        """The probability with which a committed player's own moves lead from the root to a node."""
        if player not in self.movers:
            return ONE
        return plan[self.tree.sequence[node][player]] / plan[self.tree.sequence[self.root][player]]

    def is_best_reply(self, player: int, plans: Plans) -> bool:
        """Whether a player's plan is a best reply to the others' plans from the root on."""
        worth: dict[int, Fraction] = {}
        for node, p, payoff in self.ends:
            for j in self.movers:
                if j != player:
                    p *= self._share(j, node, plans[j])
            q = self.tree.sequence[node][player]
            worth[q] = worth.get(q, ZERO) + p * payoff[player]
        start = self.tree.sequence[self.root][player]
        own = plans[player]
        have = sum((own[q] * v for q, v in worth.items()), ZERO) / own[start]
        for h in reversed([h for h, owner in enumerate(self.tree.set_owner) if owner == player]):
            best = max((worth[q] for q in self.tree.sequences_at(h) if q in worth), default=None)
            if best is not None:
                up = self.tree.own_sequence(h)
                worth[up] = worth.get(up, ZERO) + best
        return worth.get(start, ZERO) == have

    def strategies(self, player: int) -> list[Pure] | None:
        """The reduced pure strategies of a player here; None where there are too many."""
        start = self.tree.sequence[self.root][player]
        plans: dict[int, list[Pure]] = {}
        own = [h for h in self.sets if self.tree.set_owner[h] == player]
        for h in reversed(own):
            here = [(q, *rest) for q in self.tree.sequences_at(h) for rest in plans.get(q, [()])]
            up = self.tree.own_sequence(h)
            plans[up] = [one + beside for one in here for beside in plans.get(up, [()])]
            if len(plans[up]) > MOST_STRATEGIES:
                return None
        return plans.get(start, [()])

    def outcomes(self, plans: Plans) -> Outcomes:
        """What equilibria of the rest pay in which the committed players keep to their plans."""
        free = [i for i in self.movers if i not in plans]
        fixed = [i for i in self.movers if i in plans]
        if not free:
            stable = all(self.is_best_reply(i, plans) for i in fixed)
            return Outcomes((self.payoff({}, plans),) if stable else (), True)
        if len(free) == 1:
            return self._one_free(free[0], fixed, plans)
        if len(free) == 2 and not fixed:
            return self._two_free(free[0], free[1])
        return Outcomes((), False)

    def payoff(self, pure: Mapping[int, Pure], plans: Plans) -> Payoffs:
        """What pure strategies of some players and plans of the others pay from the root on."""
        total = [ZERO] * self.tree.players
        for node, p, payoff in self.ends:
            at, start = self.tree.sequence[node], self.tree.sequence[self.root]
            if any(at[i] != start[i] and at[i] not in own for i, own in pure.items()):
                continue
            for i in self.movers:
                if i not in pure:
                    p *= self._share(i, node, plans[i])
            if p:
                total = [t + p * v for t, v in zip(total, payoff)]
        return tuple(total)

    def _one_free(self, player: int, fixed: Sequence[int], plans: Plans) -> Outcomes:
        """One player chooses best replies such that the committed ones' plans are best replies as well."""
        own = self.strategies(player)
        others = {i: self.strategies(i) for i in fixed}
        if own is None or any(part is None for part in others.values()):
            return Outcomes((), False)
        paid = [self.payoff({player: one}, plans) for one in own]
        best = max(payoff[player] for payoff in paid)
        good = [k for k, payoff in enumerate(paid) if payoff[player] == best]
        rows: list[Constraint] = []
        for i in fixed:
            for other in others[i] or ():
                gain = [self.payoff({player: own[k], i: other}, plans)[i] - paid[k][i] for k in good]
                rows.append((gain, 0))
        whole: list[Constraint] = [([1] * len(good), 1)]
        found: dict[Payoffs, None] = {}
        for i in range(self.tree.players):
            for sign in (1, -1):
                point = maximise_exactly([sign * paid[k][i] for k in good], whole, rows)
                if point is None:
                    return Outcomes((), True)
                mixed = [sum((w * paid[k][j] for w, k in zip(point.point, good)), ZERO) for j in range(len(paid[0]))]
                found.setdefault(tuple(mixed))
        return Outcomes(tuple(found), len(found) == 1)

    def _two_free(self, first: int, second: int) -> Outcomes:
        """The extreme equilibria of two players who are both free."""
        rows, columns = self.strategies(first), self.strategies(second)
        if rows is None or columns is None:
            return Outcomes((), False)
        cells = [[self.payoff({first: a, second: b}, {}) for b in columns] for a in rows]
        whole = []
        for i in (first, second):
            below = math.lcm(*(cell[i].denominator for row in cells for cell in row))
            whole.append(np.array([[int(cell[i] * below) for cell in row] for row in cells], object))
        try:
            extreme = extreme_equilibria(whole[0], whole[1], "a subgame")
        except LimitError:
            return Outcomes((), False)
        found: dict[Payoffs, None] = {}
        for a, b in extreme.pairs:
            x, y = extreme.first[a].weights, extreme.second[b].weights
            total = [ZERO] * self.tree.players
            for p, row in zip(x, cells):
                for q, cell in zip(y, row):
                    total = [t + p * q * v for t, v in zip(total, cell)]
            found.setdefault(tuple(total))
        return Outcomes(tuple(found), _isolated(extreme.pairs))


def _isolated(pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether no two extreme equilibria share a strategy: then these are all equilibria."""
    return all(len({pair[side] for pair in pairs}) == len(pairs) for side in (0, 1))
