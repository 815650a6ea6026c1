"""What players know and decide: their memories, and the information sets in which they are asked to move.

A player's *memory* is its own actions and all that it has seen, kept as a trie, so perfect recall holds by
construction. A strategy needs nothing else of a game: whether its histories are written out as a tree
(`forms.tree`) or summed out (`forms.memories`), memories and information sets are these.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.protocol import PlayersForm

# A player's knowledge in words: what it saw first, then (its action or None, what it saw) for each step.
History = tuple[Any, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Decisions(PlayersForm):
    """n players, Q memories, H information sets (numbered over all players, parents first).

    Parameters
    ----------
    spec
        The spec of the game.
    players
        The names of the players.
    memory_up : [Q]
        The memory before; -1 at each player's root, which is the memory of the player's own number.
    memory_code : [Q]
        The last step of the memory: (own action + 1) * observations + seen.
    memory_sequence : [Q]
        The owner's last sequence: a function of memory.
    memory_infoset : [Q]
        The information set of who remembers so; -1 where it is never asked to move.
    set_memory : [H]
        The memory of its owner.
    set_legal : [H]
        Its moves, as an index into `legal_sets`.
    set_owner : [H]
        Who moves there.
    set_first : [H]
        The owner's sequence for the first move here; 0 is the empty sequence.
    set_size : [H]
        How many moves there are.
    legal_sets
        The sets of moves that occur, by their labels.
    actions
        The actions, by label.
    observations
        What each player may see, by number.
    """

    spec: str
    players: tuple[str, ...]
    memory_up: Ints  # [Q]
    memory_code: NDArray[np.int64]  # [Q]
    memory_sequence: Ints  # [Q]
    memory_infoset: Ints  # [Q]
    set_memory: Ints  # [H]
    set_legal: Ints  # [H]
    set_owner: Ints  # [H]
    set_first: Ints  # [H]
    set_size: Ints  # [H]
    legal_sets: tuple[tuple[Hashable, ...], ...] = field(repr=False)
    actions: list[Hashable] = field(repr=False)
    observations: tuple[list[Observation], ...] = field(repr=False)

    def moves(self, infoset: int) -> tuple[Hashable, ...]:
        """The actions at an information set, as the author wrote them."""
        return self.legal_sets[self.set_legal[infoset]]

    def word(self, player: int, memory: int) -> tuple[Hashable | None, Observation]:
        """The last (own action or None, observation) of a memory."""
        action, seen = divmod(int(self.memory_code[memory]), len(self.observations[player]))
        return (self.actions[action - 1] if action else None), self.observations[player][seen]

    def history(self, player: int, memory: int) -> History:
        """What `player` knows at `memory`: (first observation, (action or None, observation), …)."""
        words = []
        while memory >= len(self.players):
            words.append(self.word(player, memory))
            memory = int(self.memory_up[memory])
        return (words[-1][1], *reversed(words[:-1])) if words else ()

    def played(self, player: int, behaviour: Floats) -> tuple[Decisions, Floats]:  # noqa: ARG002
        """A behaviour as one of the game itself: the same, unless these are decisions of a game with locks."""
        return self, behaviour

    def sets_of(self, player: int) -> NDArray[np.int64]:
        """The player's information sets, parents first."""
        return np.flatnonzero(self.set_owner == player)

    @property
    def sets_in_words(self) -> str:
        """How many information sets each player has."""
        return " + ".join(f"{len(self.sets_of(player)):,}" for player in range(len(self.players)))
