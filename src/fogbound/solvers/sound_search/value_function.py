"""Where a subgame is cut off: a value function over public states and ranges stands for the rest.

What a memory is worth depends on how likely the other's memories are, so a value function must be given both ranges
(Moravčík et al. 2017): it takes a public state and, for each player, with which weight it comes to each of its memories
there, and gives the counterfactual value of each memory: the payoffs of the histories in it, each times chance's part
and the *other* player's weight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from fogbound.core.errors import PolicyError
from fogbound.core.policy import Strategy
from fogbound.evaluation.exploitability import behaviours
from fogbound.forms.arrays import Floats, Longs, summed
from fogbound.forms.tree import Tree
from fogbound.solvers.sound_search.layout import Subgame
from fogbound.solvers.sound_search.public_states import PublicStates

Ranges: TypeAlias = tuple[Floats, Floats]
ValueFunction: TypeAlias = Callable[[PublicStates, int, Ranges], Ranges]


@dataclass(frozen=True, eq=False)
class ProfileValues:
    """The value function of a profile: both go on as it says.

    Parameters
    ----------
    tree
        The game tree.
    played
        Each player's behaviour by sequence.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.solvers.sound_search.resolve import Resolve
    >>> form = fb.forms.sequence(fb.game("card-poker(ranks=3)"))
    >>> values = ProfileValues(form.tree, [plex.uniform for plex in form.plexes])
    >>> fb.solve(form.tree, Resolve(budget=500, depth=1, value=values)).stopped
    'finished'
    """

    tree: Tree = field(repr=False)
    played: Sequence[Floats] = field(repr=False)

    @cached_property
    def expected(self) -> Floats:
        """[N, n] what each player can expect at each node."""
        tree = self.tree
        value = np.where(np.diff(tree.child)[:, None] > 0, 0.0, tree.payoff)
        chance = self._chance()
        for node in range(tree.size - 1, 0, -1):
            value[tree.parent[node]] += chance[node] * value[node]
        return value

    def _chance(self) -> Floats:
        """[N] how likely each node is when its parent was reached."""
        tree, chance = self.tree, self.tree.prob.copy()
        for player, played in enumerate(self.played):
            own = 1 + np.flatnonzero(tree.mover[tree.parent[1:]] == player)
            up = tree.parent[own]
            chance[own] = played[tree.set_first[tree.infoset[up]] + own - tree.child[up]]
        return chance

    @cached_property
    def _leaves(self) -> dict[int, Leaf]:
        return {}

    def __call__(self, public: PublicStates, state: int, ranges: Ranges) -> Ranges:
        if state not in self._leaves:
            self._leaves[state] = Leaf.of(public, state)
        leaf, (mine, theirs) = self._leaves[state], ranges
        return (
            summed(leaf.place[0], leaf.reach * theirs[leaf.place[1]] * self.expected[leaf.nodes, 0], len(mine)),
            summed(leaf.place[1], leaf.reach * mine[leaf.place[0]] * self.expected[leaf.nodes, 1], len(theirs)),
        )


@dataclass(frozen=True, eq=False)
class SolutionValues:
    """The value function of a saved solution: that of its profile, on whichever tree of its game is searched.

    Parameters
    ----------
    file
        Its name, by which a spec names it.
    profile
        How both players go on.

    Examples
    --------
    >>> from fogbound.policies.uniform import Uniform
    >>> str(SolutionValues("nash.npz", {0: Uniform(), 1: Uniform()}))
    '"nash.npz"'
    """

    file: str
    profile: Mapping[int, Strategy] = field(repr=False)

    def __str__(self) -> str:
        return f'"{self.file}"'

    @cached_property
    def _on(self) -> dict[Tree, ProfileValues]:
        return {}

    def __call__(self, public: PublicStates, state: int, ranges: Ranges) -> Ranges:
        tree = public.tree
        if tree not in self._on:
            self._on[tree] = ProfileValues(tree, behaviours(tree, self.profile))
        return self._on[tree](public, state, ranges)


@dataclass(frozen=True, eq=False)
class Leaf:
    """A public state at the limit: its first nodes, and the place of each one's memories among their owner's."""

    state: int
    nodes: Longs
    reach: Floats
    memories: tuple[Longs, Longs]
    place: tuple[Longs, Longs]

    @classmethod
    def of(cls, public: PublicStates, state: int) -> Leaf:
        tree, nodes = public.tree, public.first_nodes(state)
        memories = public.memories(state, 0), public.memories(state, 1)
        place = tuple(np.searchsorted(known, tree.memory[nodes, i]) for i, known in enumerate(memories))
        return cls(state, nodes, tree.reach[nodes], memories, (place[0], place[1]))


class Limit:
    """The value function at the limit of a subgame: estimates for whoever learns next, by the weights of now."""

    def __init__(self, game: Subgame, value: ValueFunction) -> None:
        layout = game.layout
        at_limit = layout.moment[layout.their_state[game.their_sets]] == game.limit
        states = np.unique(layout.their_state[game.their_sets[at_limit]]).tolist()
        self.game, self.value = game, value
        self.leaves = [Leaf.of(layout.public, state) for state in states]
        self.sequence = (layout.my_sequence, layout.their_sequence)
        self.half = (layout.public.tree.constant_sum or 0.0) / 2

    def estimate(self, mine: bool) -> None:
        """Write what the value function says into the learner's fixed values."""
        me = self.game.layout.me
        learner = self.game.me if mine else self.game.they
        player = me if mine else 1 - me
        fresh: dict[int, Any] = {}
        for leaf in self.leaves:
            weights = self._ranges(leaf)
            told = self.value(self.game.layout.public, leaf.state, weights)[player]
            if np.shape(told) != (len(leaf.memories[player]),) or not np.isfinite(told).all():
                raise PolicyError(
                    f"the value function gave an array of shape {np.shape(told)} for player {player} in public state "
                    f"{leaf.state}, expected {len(leaf.memories[player])} numbers, one a memory"
                )
            met = leaf.reach * weights[1 - player][leaf.place[1 - player]]
            won = told - self.half * summed(leaf.place[player], met, len(told))
            for q, each in zip(self._sequences(leaf, player).tolist(), won.tolist()):
                fresh[q] = fresh.get(q, 0.0) + each
        for q, each in fresh.items():
            learner.fixed[q] = each

    def _ranges(self, leaf: Leaf) -> Ranges:
        mine, theirs = self.game.me.weight, self.game.they.weight
        first, second = (mine, theirs) if self.game.layout.me == 0 else (theirs, mine)
        return first[self._sequences(leaf, 0)], second[self._sequences(leaf, 1)]

    def _sequences(self, leaf: Leaf, player: int) -> Longs:
        return self.sequence[player != self.game.layout.me][leaf.memories[player]]
