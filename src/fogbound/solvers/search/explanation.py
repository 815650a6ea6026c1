"""Why this move: what a search found, as data and in words."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from fogbound.core.errors import many
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.core.q_value import QValue
from fogbound.forms.words import hidden_texts
from fogbound.solvers.search.decision_values import decision_values
from fogbound.solvers.search.enumerated_belief import trial_of
from fogbound.solvers.search.kernels import pool
from fogbound.solvers.search.kernels.simulation import mark
from fogbound.solvers.search.tree_search import Decision, TreeSearch

MOST_STATES = 8
MOST_STEPS = 40
NOBODY = np.int64(-1)
UNTRIED = QValue(nan, nan, 0)


@dataclass(frozen=True)
class ActionFound:
    """One legal action: how often it was tried, and what that brought.

    Attributes
    ----------
    action
        The action.
    visits
        How often it was tried.
    mean
        What it brought the player on average, with half of the 95% interval; nan where it was never tried.
    chance
        How likely it is played in the end.
    """

    action: Hashable
    visits: int
    mean: QValue
    chance: float


@dataclass(frozen=True)
class ExpectedMove:
    """A move of the principal line: what its mover tried most, from what it knew.

    Attributes
    ----------
    step
        The step of the line, from 0; those who move at once share it.
    player
        Who moves.
    action
        What it tried most.
    visits
        How often.
    mean
        What that brought the mover on average.
    """

    step: int
    player: int
    action: Hashable
    visits: int
    mean: float


@dataclass(frozen=True)
class Explanation:
    """What a search found at a decision. Nothing in it is a bound.

    Attributes
    ----------
    player
        Who searched.
    simulations, nodes
        How much was searched, and how many nodes the tree has.
    actions
        Every legal action, in the author's order.
    values
        [player] mean return of all simulations, exploration included.
    line
        The principal line: from the likeliest state, what each mover tried most, by the likeliest outcomes.
    belief
        The likeliest states of the belief, with their probabilities.
    states
        How many there were.
    exact
        Whether they are all that is possible.
    """

    player: int
    simulations: int
    nodes: int
    actions: tuple[ActionFound, ...]
    values: tuple[float, ...]
    line: tuple[ExpectedMove, ...]
    belief: tuple[tuple[Hashable, float], ...]
    states: int
    exact: bool

    @property
    def depth(self) -> int:
        """Steps of the principal line."""
        return self.line[-1].step + 1 if self.line else 0

    def words(self, game: AnyGame) -> list[str]:
        """The same in lines of text.

        Parameters
        ----------
        game
            The game, for its words.

        Returns
        -------
        list of str
        """
        lines = [
            f"{many(self.simulations, 'simulation')}, {many(self.nodes, 'node')}; mean return "
            f"{number(self.values[self.player], 4)} (no guarantee)"
        ]
        texts = [game.describe(found.action) for found in self.actions]
        wide = max(map(len, texts))
        for text, found in zip(texts, self.actions):
            mean = f"mean {found.mean.text()}" if found.visits else "never tried"
            lines.append(f"  {text:<{wide}}  {found.visits:>9,} visits  {mean:<24}  played {found.chance:.2f}")
        if self.line:
            lines.append(f"  expected: {', then '.join(line_words(self.line, game))}")
        known = "all that may be true" if self.exact else "a sample of what may be true"
        lines.append(f"  belief: {many(self.states, 'state')}, {known}")
        texts = hidden_texts(game, [state for state, _ in self.belief], self.player) if self.states > 1 else []
        return lines + [f"    {p:6.2%}  {text}" for text, (_, p) in zip(texts, self.belief)]


def line_words(line: Sequence[ExpectedMove], game: AnyGame) -> list[str]:
    """A principal line in words, one text a step.

    Parameters
    ----------
    line
        The line.
    game
        The game, for its words.

    Returns
    -------
    list of str
    """
    steps: dict[int, list[str]] = {}
    for move in line:
        steps.setdefault(move.step, []).append(f"{game.players[move.player]} {game.describe(move.action)}")
    return [" and ".join(moves) for moves in steps.values()]


def explained(
    search: TreeSearch, found: Decision, actions: Sequence[Hashable], chances: Sequence[float], exact: bool
) -> Explanation:
    """What a search found, as an explanation.

    Parameters
    ----------
    search
        The search.
    found
        Its decision.
    actions
        The legal actions at the root.
    chances
        How likely each of them is played.
    exact
        Whether the root holds all that is possible.

    Returns
    -------
    Explanation
    """
    values = decision_values(found, actions, search.me)
    shares: dict[Hashable, float] = {}
    for row, share in zip(search.root.rows, np.diff(search.root.upto, prepend=0.0)):
        state = search.compiled.state(row)
        shares[state] = shares.get(state, 0.0) + float(share)
    likeliest = sorted(shares.items(), key=lambda pair: -round(pair[1], 12))[:MOST_STATES]
    return Explanation(
        search.me,
        found.simulations,
        found.nodes,
        tuple(
            ActionFound(action, int(visits), values.get(action, UNTRIED), float(p))
            for action, visits, p in zip(actions, found.visits.tolist(), chances)
        ),
        tuple(found.values.tolist()),
        tuple(principal_line(search)),
        tuple(likeliest),
        len(shares),
        exact,
    )


def principal_line(search: TreeSearch) -> list[ExpectedMove]:
    """From the likeliest state at the root: what each mover tried most, by the likeliest outcomes.

    It ends where the game does, or with the first mover who has not learnt anything.

    Parameters
    ----------
    search
        The search, after its simulations.

    Returns
    -------
    list of ExpectedMove
    """
    compiled, line = search.compiled, list[ExpectedMove]()
    likeliest = int(np.argmax(np.diff(search.root.upto, prepend=0.0).round(12)))  # of equals the first
    state, marks = search.root.rows[likeliest].copy(), search.root.marks[likeliest].copy()
    room = trial_of(compiled)
    joint, places, weights, seen = room.joint, room.places, room.weights, room.seen
    for step in range(MOST_STEPS):
        movers = int(compiled.actors(compiled.rules, state, room.actors))
        moves = []
        for j in range(movers):
            player, legal = int(room.actors[j]), room.legal[j]
            size = int(compiled.legal(compiled.rules, state, player, legal))
            edge = _most_tried(search, state, marks, player, legal[:size])
            if edge < 0:
                return line
            tree = search.tree
            joint[j] = tree.code[edge]
            places[j] = int(np.flatnonzero(legal[:size] == joint[j])[0])
            tried = int(tree.tried[edge])
            mean = float(tree.total[edge] / tried)
            moves.append(ExpectedMove(step, player, compiled.action(int(joint[j])), tried, mean))
        if not moves:
            return line
        line += moves
        outcomes = int(compiled.chances(compiled.rules, state, joint, places, weights))
        compiled.follow(compiled.rules, state, joint, places, int(np.argmax(weights[:outcomes])), room.rewards, seen)
        done = {int(room.actors[j]): joint[j] for j in range(movers)}
        with np.errstate(over="ignore"):
            marks = np.array([mark(marks[i], done.get(i, NOBODY), seen[i]) for i in range(len(marks))])
    return line


def _most_tried(search: TreeSearch, state: Any, marks: Any, player: int, legal: Any) -> int:
    """The edge that a mover tried most; -1 where it has tried nothing."""
    tree = search.tree
    node = int(pool.lookup_node(tree, search.key(state, marks, player)))
    if node < 0:
        return -1
    edges, more = list(range(tree.first[node], tree.first[node] + tree.size[node])), int(tree.more[node])
    while more >= 0:  # only looked up: an explanation adds no edges
        edges.append(more)
        more = int(tree.next[more])
    tried = [edge for edge in edges if tree.code[edge] in legal and tree.tried[edge]]
    return max(tried, key=lambda edge: tree.tried[edge], default=-1)
