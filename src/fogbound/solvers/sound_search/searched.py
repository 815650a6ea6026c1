"""Strategies from a search: a policy that thinks when it is asked, and a whole strategy, asked for everywhere.

How good a search is shows only in all of it: a match tells what one opponent made of it, exploitability what anybody
could. So a solver that searches is asked at every decision, and what comes of it is evaluated exactly, like any other
profile.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from fogbound.core.cancel import cancelling
from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, Stopped
from fogbound.core.game import Observation
from fogbound.driver.protocol import Context, Progress
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.tree import Tree
from fogbound.policies.tabular import Tabular
from fogbound.solvers.equilibrium import answer

Unit = TypeVar("Unit")
GROWTH = 8  # an answer after every eighth more decisions


def assemble(
    form: SequenceForm,
    first: Callable[[], Iterable[tuple[int, Floats]]],
    units: Sequence[Unit],
    think: Callable[[Unit], Iterable[tuple[int, Floats]]],
    context: Context,
) -> Iterator[Progress]:
    """Answers as more and more of the strategy comes from the search.

    The state of a run is how far it has come: to resume, the same decisions are thought through again.

    Parameters
    ----------
    form
        The sequence form, on which profiles are evaluated.
    first
        What is played before anything was searched, beside every move alike.
    units
        What is searched at a time.
    think
        What comes of it: information sets, and the probability of each of their moves.
    context
        The driver's.
    """
    done = int(context.arrays.setdefault("done", np.zeros(1, np.int64))[0])
    try:
        with cancelling(context):
            played = [plex.uniform.copy() for plex in form.plexes]
            _note_down(form, played, first())
            for unit in units[:done]:
                _note_down(form, played, think(unit))
    except Stopped:
        played = [plex.uniform.copy() for plex in form.plexes]
    while True:
        yield _told(form, played, done, len(units))
        if done == len(units):
            return
        many = int(max(1, min(1 + done // GROWTH, len(units) - done, context.most - done - 1)))
        try:
            with cancelling(context):
                for unit in units[done : done + many]:
                    _note_down(form, played, think(unit))
                    done += 1
        except Stopped:
            context.arrays["done"][0] = done
            yield _told(form, played, done, len(units))
            return
        context.arrays["done"][0] = done


def _note_down(form: SequenceForm, played: list[Floats], found: Iterable[tuple[int, Floats]]) -> None:
    known = form.decisions
    for infoset, behaviour in found:
        first = int(known.set_first[infoset])
        played[known.set_owner[infoset]][first : first + len(behaviour)] = behaviour


def _told(form: SequenceForm, played: list[Floats], done: int, units: int) -> Progress:
    details: dict[str, Any] = {"searched": done, "decisions": units}
    told = answer(form, [part.copy() for part in played], details, iteration=done + 1)
    return replace(told, more=done < units)


@dataclass(frozen=True, eq=False)
class SearchingPolicy:
    """Play what `think` finds at the information set that was reached. Memory is the tree's number of what is known.

    Parameters
    ----------
    tree
        The game tree.
    player
        By index.
    think
        The probability of each move at an information set: a function of the set alone, so that play is too.
    """

    tree: Tree = field(repr=False)
    player: int
    think: Callable[[int], Floats] = field(repr=False)

    thinks: ClassVar[bool] = True

    @cached_property
    def _known(self) -> Tabular:
        """Follows what is seen."""
        return Tabular(self.tree, self.player, np.ones(1))

    def begin(self, observation: Observation) -> int:
        return self._known.begin(observation)

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:
        return self._known.update(memory, action, observation)

    def act(self, memory: int, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        infoset = int(self.tree.memory_infoset[memory])
        if infoset < 0:
            raise PolicyError(f"a strategy for {self.tree.spec} is asked to move where that game never asks")
        found = self.think(infoset).tolist()
        return Dist(tuple((a, p) for a, p in zip(self.tree.moves(infoset), found) if p > 0))
