"""A behaviour strategy: for each of a player's information sets, the probability of each move."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, brief
from fogbound.core.game import Observation
from fogbound.forms.arrays import Floats
from fogbound.forms.decisions import Decisions, History
from fogbound.policies.controller import Arrow, Controller
from fogbound.policies.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Tabular:
    """Move probabilities by sequence, in the information sets they were computed for. Memory is what a player knows.

    Parameters
    ----------
    decisions
        The memories and information sets: a tree, or a sequence form's `decisions`.
    player
        By index.
    behaviour
        [sequences of the player]; entry 0, the empty sequence, is unused.

    Examples
    --------
    >>> import fogbound as fb
    >>> form = fb.forms.sequence(fb.game("king-ace"))
    >>> player = fb.policies.Tabular(form.decisions, 0, form.plexes[0].uniform)
    >>> [choice.pairs for _, choice in player.rows()]
    [(('raise', 0.5), ('check', 0.5)), (('raise', 0.5), ('check', 0.5))]
    """

    decisions: Decisions = field(repr=False)
    player: int
    behaviour: Floats = field(repr=False)  # [sequences of the player]; entry 0, the empty sequence, is unused

    def __post_init__(self) -> None:
        """What is chosen in a game with locks is played in the game itself, with what is forced."""
        decisions, behaviour = self.decisions.played(self.player, self.behaviour)
        object.__setattr__(self, "decisions", decisions)
        object.__setattr__(self, "behaviour", behaviour)

    @cached_property
    def _ids(self) -> tuple[dict[tuple[int, int], int], dict[Hashable, int], dict[Observation, int]]:
        known = self.decisions
        steps = {
            (up, word): m for m, (up, word) in enumerate(zip(known.memory_up.tolist(), known.memory_code.tolist()))
        }
        actions = {action: k for k, action in enumerate(known.actions)}
        return steps, actions, {seen: k for k, seen in enumerate(known.observations[self.player])}

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(tuple(self.decisions.observations[self.player]), tuple(self.decisions.actions))

    def begin(self, observation: Observation) -> int:
        return self.update(self.player, None, observation)

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:
        steps, actions, observations = self._ids
        if observation not in observations or (action is not None and action not in actions):
            words = self._vocabulary
            action, observation = words.action(action), words.observation(observation)
        try:
            word = (0 if action is None else actions[action] + 1) * len(observations) + observations[observation]
            return steps[memory, word]
        except KeyError:
            spec, history = self.decisions.spec, brief(self.decisions.history(self.player, memory))
            raise PolicyError(
                f"a strategy for {spec} saw {brief(observation)} after {history}, which that game never shows"
            ) from None

    def act(self, memory: int, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        infoset = int(self.decisions.memory_infoset[memory])
        if infoset < 0:
            raise PolicyError(f"a strategy for {self.decisions.spec} is asked to move where that game never asks")
        return self.at(infoset)

    def at(self, infoset: int) -> Dist[Hashable]:
        """The distribution over moves at one of the player's information sets."""
        first, size = int(self.decisions.set_first[infoset]), int(self.decisions.set_size[infoset])
        probabilities = self.behaviour[first : first + size].tolist()
        return Dist(tuple((a, p) for a, p in zip(self.decisions.moves(infoset), probabilities) if p > 0))

    def rows(self) -> list[tuple[History, Dist[Hashable]]]:
        """(what the player knows, what it does) for every information set, parents first."""
        known = self.decisions
        return [
            (known.history(self.player, int(known.set_memory[h])), self.at(int(h))) for h in known.sets_of(self.player)
        ]

    def controller(self) -> Controller:
        """The same behaviour as a controller, one node a memory."""
        known = self.decisions
        nodes: dict[int, int] = {}
        first: dict[Observation, int] = {}
        arrows: dict[Arrow, int] = {}
        choices: list[Dist[Hashable] | None] = []
        for m, up in enumerate(known.memory_up.tolist()):
            if up != self.player and up not in nodes:
                continue
            nodes[m] = len(choices)
            action, seen = known.word(self.player, m)
            if up == self.player:
                first[seen] = nodes[m]
            else:
                arrows[nodes[up], action, seen] = nodes[m]
            infoset = int(known.memory_infoset[m])
            choices.append(self.at(infoset) if infoset >= 0 else None)
        return Controller(first, arrows, tuple(choices), vocabulary=self._vocabulary)
