"""Vectorised rules: a game once more, as numpy functions of many states at once, by which its table is enumerated.

A state is a row of integers. `Game.vector_rules` returns an object of this contract, and nothing else changes: the
plain rules still play, and a sample of the table is compared with them. `fogbound.testing.check_vector_rules` compares
all of it. No compiler is needed: where numpy is not enough, see `fogbound.compiled.rules`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fogbound.forms.arrays import Longs

Decision: TypeAlias = Mapping[int, Sequence[Hashable]]  # by actor, in increasing order, its legal actions


@dataclass(frozen=True, eq=False)
class ManyOutcomes:
    """One outcome of one joint action, in each of N states.

    Parameters
    ----------
    states : [N, word]
        The states that follow, as rows.
    probability : [N] or one number
        Of this outcome; 0 where a state does not have it.
    rewards : [N, player], one for each player, or ()
        What is paid; () where nobody gets anything.
    public : [N], one number or None
        The code of what everybody sees.
    private
        For each player the code of what it alone sees: [N], one number or None. () where all see the same.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.forms.ManyOutcomes([[1], [2], [3]], 0.5, rewards=(1.0,), private=([0, 0, 1],)).probability
    0.5
    """

    states: ArrayLike
    probability: ArrayLike = 1.0
    rewards: ArrayLike = ()
    public: ArrayLike | None = None
    private: Sequence[ArrayLike | None] = ()


class VectorRules(ABC):
    """The rules of a game on many states at once.

    `decisions` lists who may have to decide and among which actions: of each actor, in increasing order, its legal
    actions in the author's order. Most games have few different decisions; an empty one is the end of the game.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> class Count(fb.forms.VectorRules):
    ...     decisions = ({}, {0: ("up", "stop")})
    ...     def state_row(self, state):
    ...         return (state,)
    ...     def state(self, row):
    ...         return row[0]
    ...     def decision_of(self, states):
    ...         return np.where(states[:, 0] < 9, 1, 0)
    ...     def step_many(self, states, joint):
    ...         return [fb.forms.ManyOutcomes(states + 1 if joint == ("up",) else np.full_like(states, 9))]
    >>> Count().decision_of(np.array([[0], [9]])).tolist()
    [1, 0]
    """

    decisions: Sequence[Decision]

    @abstractmethod
    def state_row(self, state: Any) -> Sequence[int]:
        """The integers that stand for a state; all rows are equally long."""

    @abstractmethod
    def state(self, row: tuple[int, ...]) -> Hashable:
        """The author's state that a row stands for."""

    @abstractmethod
    def decision_of(self, states: Longs) -> NDArray[np.integer[Any]]:
        """[N] For each row of `states` [N, word], the place of its decision in `decisions`."""

    @abstractmethod
    def step_many(self, states: Longs, joint: tuple[Any, ...]) -> Sequence[ManyOutcomes]:
        """What follows a joint action in each row of `states`, which have one decision: the outcomes of `Game.step`."""

    def public(self, code: int) -> Hashable:
        """What the code of a public observation stands for: the code itself, unless told."""
        return code

    def private(self, player: int, code: int) -> Hashable:  # noqa: ARG002
        """What the code of a private observation stands for: the code itself, unless told."""
        return code
