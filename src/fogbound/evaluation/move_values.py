"""What each move in an information set is worth when all play on as a profile says, and what is believed there."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from fogbound.core.errors import SpecError
from fogbound.core.profile import Profile
from fogbound.evaluation.exploitability import behaviours
from fogbound.forms.arrays import Floats
from fogbound.forms.protocol import derive
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.tree import CHANCE, Tree


@dataclass(frozen=True)
class MoveValues:
    """One information set under a profile.

    Attributes
    ----------
    moves
        Each move with its probability and what its owner gets after it, on average over what is believed.
    belief
        The nodes of the set with their probabilities, the likeliest first; empty where the others never let play come.
    reached
        How likely play comes there.
    """

    moves: tuple[tuple[Hashable, float, float], ...]
    belief: tuple[tuple[int, float], ...] = field(repr=False)
    reached: float


class ProfileOnTree:
    """Every node of a tree under one profile: how likely play comes there, and what each player then gets.

    Parameters
    ----------
    form
        The tree.
    profile
        How all play.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.evaluation.move_values import ProfileOnTree
    >>> tree = fb.forms.tree(fb.game("king-ace"))
    >>> played = ProfileOnTree(tree, [fb.policies.Uniform()] * 2)
    >>> [(move, round(worth, 3)) for move, _, worth in played.at(0).moves]
    [('raise', 1.167), ('check', 0.667)]
    """

    def __init__(self, form: Tree, profile: Profile) -> None:
        self.form = form
        self.played = behaviours(derive(form, SequenceForm), profile)
        self.edge = self._edges()
        self.reach = np.ones(form.size)
        levels = self._levels()
        for first, last in levels[1:]:
            self.reach[first:last] = self.reach[form.parent[first:last]] * self.edge[first:last]
        self.value: Floats = form.payoff.copy()
        self.value[np.diff(form.child) > 0] = 0.0
        for first, last in reversed(levels[1:]):
            np.add.at(self.value, form.parent[first:last], self.edge[first:last, None] * self.value[first:last])

    def _edges(self) -> Floats:
        """[node] how likely play goes on to it from its parent."""
        form = self.form
        up = form.parent.clip(min=0)
        infoset = form.infoset[up]
        place = form.set_first[infoset.clip(min=0)] + np.arange(form.size) - form.child[up]
        edge = form.prob.copy()
        for player, probabilities in enumerate(self.played):
            own = (form.mover[up] == player) & (form.parent >= 0)
            edge[own] = probabilities[place[own]]
        return edge

    def _levels(self) -> list[tuple[int, int]]:
        """The generations of nodes, each a range."""
        levels, first, last = list[tuple[int, int]](), 0, 1
        while first < last:
            levels.append((first, last))
            first, last = int(self.form.child[first]), int(self.form.child[last])
        return levels

    def at(self, infoset: int) -> MoveValues:
        """What each move of an information set is worth; where its owner's own play excludes it, as if it did not."""
        form = self.form
        if not 0 <= infoset < len(form.set_owner):
            raise SpecError(f"information set {infoset}, expected one of 0 to {len(form.set_owner) - 1:,}")
        nodes, owner = np.flatnonzero(form.infoset == infoset), int(form.set_owner[infoset])
        others = np.array([self._reach_of_others(int(v), owner) for v in nodes])
        total = float(others.sum())
        weights = others / total if total > 0 else np.full(len(nodes), 1 / len(nodes))
        first = int(form.set_first[infoset])
        moves = tuple(
            (move, float(self.played[owner][first + k]), float(weights @ self.value[form.child[nodes] + k, owner]))
            for k, move in enumerate(form.moves(infoset))
        )
        order = np.argsort(-weights, kind="stable") if total > 0 else np.zeros(0, np.int64)
        belief = tuple((int(nodes[k]), float(weights[k])) for k in order if weights[k] > 0)
        return MoveValues(moves, belief, float(self.reach[nodes].sum()))

    def _reach_of_others(self, node: int, owner: int) -> float:
        """How likely chance and the others lead to a node."""
        form, p = self.form, 1.0
        while node > 0:
            up = int(form.parent[node])
            if form.mover[up] == CHANCE or form.mover[up] != owner:
                p *= float(self.edge[node])
            node = up
        return p
