"""What an `.efg` file says, as it says it: nodes from the root on, each before what is below it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

END, CHANCE = -2, -1

Payoffs = tuple[Fraction, ...]


class MoveSet(NamedTuple):
    """An information set, or a lottery: nodes at which the same moves are possible.

    Parameters
    ----------
    player
        Whose it is, from 0; CHANCE for a lottery.
    number
        Its number in the file, among those of its player.
    label
        What the file calls it.
    moves
        The labels of its moves.
    chances
        Of a lottery: how likely each of them is.
    """

    player: int
    number: int
    label: str
    moves: tuple[str, ...]
    chances: tuple[Fraction, ...] = ()


@dataclass
class ExtensiveFile:
    """A game tree with information sets.

    Parameters
    ----------
    path
        The file, as it is called in messages and specs.
    title, comment
        What it says of itself.
    players
        The names of the players.
    sets
        Information sets and lotteries.
    outcomes
        By number in the file: its name and what it pays; inner nodes may have one, and those of a path add up.
    set_of : [N]
        The index of each node's set; -1 at an end.
    outcome : [N]
        The outcome at each node; 0 for none.
    parent : [N]
        The node above; -1 at the root.
    labels
        By node, the names of those that have one.
    """

    path: str
    title: str
    players: tuple[str, ...]
    comment: str = ""
    sets: list[MoveSet] = field(default_factory=list)
    outcomes: dict[int, tuple[str, Payoffs]] = field(default_factory=dict)
    set_of: list[int] = field(default_factory=list)
    outcome: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    labels: dict[int, str] = field(default_factory=dict)

    def content(self) -> tuple[Any, ...]:
        """What it says, its titles and comments apart."""
        return self.players, self.sets, sorted(self.outcomes.items()), self.set_of, self.outcome, self.parent

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.set_of)

    def mover(self, node: int) -> int:
        """Who moves at a node: a player, CHANCE or END."""
        return self.sets[self.set_of[node]].player if self.set_of[node] >= 0 else END

    def children(self) -> list[list[int]]:
        """The nodes below each node, in the order of its moves."""
        below: list[list[int]] = [[] for _ in range(self.size)]
        for node, up in enumerate(self.parent):
            if up >= 0:
                below[up].append(node)
        return below
