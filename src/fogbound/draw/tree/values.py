"""What a minimax tree shows: values backed up, what alpha-beta sees of them, and the line of best play.

Alpha-beta here is the slides' search (document 003) from left to right on the nodes of the drawn tree, one history a
node; the solver `alpha-beta` searches states. A node that was cut short is known only to be at most or at least
something, and the picture says so instead of showing a value that nobody computed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fogbound.core.errors import FormError, LimitError
from fogbound.forms.tree import CHANCE, END, Tree

inf = math.inf
MAX = 0
DEEPEST = 300  # levels that the search follows
Range = tuple[float, float]  # at least, at most


@dataclass(frozen=True)
class BackedUpValues:
    """By node: its value, what the search knows of it (None where it never came), and whether best play leads there."""

    value: list[float]
    known: list[Range | None]
    best: list[bool]

    @property
    def pruned(self) -> bool:
        return None in self.known


def back_up(form: Tree, pruned: bool) -> BackedUpValues:
    """Back the ends of `form` up, with an alpha-beta search or (not `pruned`) looking at everything."""
    require_minimax(form)
    value = _values(form)
    known: list[Range | None] = [None] * form.size if pruned else [(v, v) for v in value]
    if pruned:
        _Search(form, known).look(0, -inf, inf)
    return BackedUpValues(value, known, _best_line(form, value))


def require_minimax(form: Tree) -> None:
    """Refuse trees that minimax does not back up: hidden moves, three players, payoffs that are not zero-sum."""
    players, spec = len(form.players), form.spec
    if players > 2 or (players == 2 and form.constant_sum is None):
        raise FormError(
            f"{spec}: a minimax tree needs one player, or two whose payoffs are zero-sum; draw it with draw.tree"
        )
    if _hides(form):
        raise FormError(
            f"{spec}: hides something, and a minimax tree needs perfect information; draw it with draw.tree"
        )
    depth = np.zeros(form.size, np.int64)
    for v in range(1, form.size):
        depth[v] = depth[form.parent[v]] + 1
    if depth.max() > DEEPEST:
        raise LimitError(f"{spec}: {int(depth.max())} levels, over the {DEEPEST} that a picture takes")


def _hides(form: Tree) -> bool:
    """Whether somebody moves without knowing the state: sets with two states, or movers at the same one."""
    asked = np.flatnonzero(form.infoset >= 0)
    state, of = form.state[asked], form.infoset[asked]
    low, high = np.full(len(form.set_owner), form.size), np.full(len(form.set_owner), -1)
    np.minimum.at(low, of, state)
    np.maximum.at(high, of, state)
    above = form.parent[asked]
    together = (above >= 0) & (form.infoset[above] >= 0) & (form.state[above] == state)
    return bool((low != high).any() or together.any())


def _values(form: Tree) -> list[float]:
    """Every node's value for player 0, ends first: nodes stand breadth first, so children have higher numbers."""
    value: list[float] = form.payoff[:, MAX].tolist()
    child, prob, player = form.child.tolist(), form.prob.tolist(), form.mover.tolist()
    for v in range(form.size - 1, -1, -1):
        below = range(child[v], child[v + 1])
        if player[v] == CHANCE:
            value[v] = sum(prob[w] * value[w] for w in below)
        elif player[v] != END:
            value[v] = (max if player[v] == MAX else min)(value[w] for w in below)
    return value


def _best_line(form: Tree, value: list[float]) -> list[bool]:
    """The nodes that best play reaches: the first best move of each mover, everything that chance may do."""
    best = [False] * form.size
    best[0] = True
    for v in range(form.size):
        below = range(int(form.child[v]), int(form.child[v + 1]))
        if best[v] and below:
            on = below if form.mover[v] == CHANCE else [next(w for w in below if value[w] == value[v])]
            for w in on:
                best[w] = True
    return best


class _Search:
    def __init__(self, form: Tree, known: list[Range | None]) -> None:
        self.known = known
        self.child, self.player = form.child.tolist(), form.mover.tolist()
        self.prob, self.payoff = form.prob.tolist(), form.payoff[:, MAX].tolist()

    def look(self, v: int, alpha: float, beta: float) -> Range:
        """MAX-VALUE and MIN-VALUE, returning what is known of a node: at least and at most."""
        player, below = self.player[v], range(self.child[v], self.child[v + 1])
        if player == END:
            bounds = (self.payoff[v], self.payoff[v])
        elif player == CHANCE:
            parts = [self.look(w, -inf, inf) for w in below]
            low, high = (sum(self.prob[w] * part[side] for w, part in zip(below, parts)) for side in (0, 1))
            bounds = (low, high)
        else:
            bounds = (self._max if player == MAX else self._min)(below, alpha, beta)
        self.known[v] = bounds
        return bounds

    def _max(self, below: range, alpha: float, beta: float) -> Range:
        low = high = -inf
        for w in below:
            least, most = self.look(w, alpha, beta)
            low, high = max(low, least), max(high, most)
            if low >= beta and w != below[-1]:
                return low, inf
            alpha = max(alpha, low)
        return low, high

    def _min(self, below: range, alpha: float, beta: float) -> Range:
        low = high = inf
        for w in below:
            least, most = self.look(w, alpha, beta)
            low, high = min(low, least), min(high, most)
            if high <= alpha and w != below[-1]:
                return -inf, high
            beta = min(beta, high)
        return low, high
