"""Equilibria in words: numbers of strategies, information sets and nodes by the names that a game has for them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fogbound.core.game import AnyGame, Game
from fogbound.draw.matrix.payoffs import strategy_meanings
from fogbound.evaluation.dominance import strategy_names
from fogbound.forms import words
from fogbound.forms.protocol import Form
from fogbound.forms.tree import CHANCE, Tree
from fogbound.solvers.all_equilibria.answer import (
    MOST_LISTED,
    Component,
    Equilibrium,
    EquilibriumSet,
    SupportingBelief,
)
from fogbound.solvers.all_equilibria.exact_game import ExactGame
from fogbound.solvers.all_equilibria.labels import AllEquilibria, Label, LabelledEquilibrium, NashComponent
from fogbound.solvers.all_equilibria.sequential import SequentialCheck, multiple


class EquilibriaInWords:
    """From numbers to names: strategies, information sets and histories in the game's words.

    Parameters
    ----------
    source
        The game, or a form of it.
    tree, exact
        Its tree, and the numbers of that in fractions.
    """

    def __init__(self, source: AnyGame | Form, tree: Tree, exact: ExactGame) -> None:
        self.game = source if isinstance(source, Game) else None
        self.describe: words.Describe = source.describe if isinstance(source, Game) else str
        self.spec, self.tree, self.exact = str(source) if self.game else tree.spec, tree, exact
        self.names = strategy_names(exact.form, self.describe)

    def answer(self, found: AllEquilibria) -> EquilibriumSet:
        """The equilibria by their names."""
        listed = tuple(self._named(one) for one in found.equilibria)
        used = [{name for one in listed[:MOST_LISTED] for name in one.strategies[i]} for i in range(self.exact.players)]
        legend = strategy_meanings(self.exact.form, self.names, self.describe, MOST_LISTED, used) if listed else []
        return EquilibriumSet(
            self.spec,
            self.tree.players,
            self.names.strategies,
            listed,
            tuple(_numbered(one) for one in found.components),
            found.complete,
            found.statement,
            found.proper_subgames,
            tuple(legend),
        )

    def _named(self, one: LabelledEquilibrium) -> Equilibrium:
        strategies = tuple(
            {self.names.strategies[i][k]: p for k, p in enumerate(own) if p} for i, own in enumerate(one.profile)
        )
        labels = {str(label): one.labels[label] for label in Label if label in one.labels}
        behaviour = {} if self.exact.tree.simultaneous else self._behaviour(one)
        return Equilibrium(strategies, one.payoffs, labels, one.index, one.regret, behaviour, self._beliefs(one))

    def _behaviour(self, one: LabelledEquilibrium) -> dict[str, dict[str, dict[str, Fraction]]]:
        plans = [self.exact.plan(i, own) for i, own in enumerate(one.profile)]
        found: dict[str, dict[str, dict[str, Fraction]]] = {name: {} for name in self.tree.players}
        for h, played in SequentialCheck(self.exact.tree).behaviour(plans).items():
            moves = [words.action(self.describe, move) for move in self.tree.moves(h)]
            own = found[self.tree.players[self.exact.tree.set_owner[h]]]
            own[self._knows(h)] = {move: p for move, p in zip(moves, played) if p}
        return found

    def _knows(self, infoset: int) -> str:
        owner = self.exact.tree.set_owner[infoset]
        known = words.history_text(self.describe, self.tree.history(owner, int(self.tree.set_memory[infoset])))
        return known if any(c.isalnum() for c in known) else ""

    def _beliefs(self, one: LabelledEquilibrium) -> tuple[SupportingBelief, ...]:
        if one.assessment is None:
            return ()
        beliefs, tree = one.assessment.beliefs, self.exact.tree
        found = []
        for h in multiple(tree, beliefs):
            owner = tree.set_owner[h]
            histories = dict(zip(self._histories(tree.set_nodes[h], owner), beliefs[h]))
            found.append(SupportingBelief(self.tree.players[owner], self._knows(h), histories))
        return tuple(found)

    def _histories(self, nodes: Sequence[int], player: int) -> tuple[str, ...]:
        """The nodes of an information set in words: what is hidden there, or else the moves that lead there."""
        numbers = [int(self.tree.state[node]) for node in nodes]
        if self.game is not None and min(numbers) >= 0:
            told = words.hidden_texts(self.game, [self.tree.states[k] for k in numbers], player)
            if len(set(told)) == len(told):
                return tuple(told)
        return words.apart(self._moves_to(node) for node in nodes)

    def _moves_to(self, node: int) -> str:
        said: list[str] = []
        while node:
            up = int(self.tree.parent[node])
            place = node - int(self.tree.child[up])
            if self.tree.mover[up] == CHANCE:
                said.append(f"chance {place + 1}")
            elif self.tree.set_size[self.tree.infoset[up]] > 1:
                said.append(words.move_into(self.describe, self.tree, node))
            node = up
        return " → ".join(reversed(said)) or words.START


def _numbered(one: NashComponent) -> Component:
    """Numbers of equilibria as people count."""
    subsets = tuple(tuple(k + 1 for k in part) for part in one.subsets)
    return Component(tuple(k + 1 for k in one.equilibria), subsets, one.index)
