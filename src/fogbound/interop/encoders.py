"""What a learner is shown of what its player knows: the remembering half of a policy, and its memory as numbers.

Memory is a value, as a policy's is. So the same encoder stands in an environment and in a policy that is matched,
evaluated and exploited, and a trained agent is shown here exactly what it was trained on.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import PolicyError, many
from fogbound.core.game import Observation
from fogbound.forms.decisions import Decisions, History
from fogbound.forms.pomdp import POMDP
from fogbound.interop.extra import environments_extra
from fogbound.policies.alpha_vectors import BeliefMemory, RemembersBelief
from fogbound.policies.tabular import Tabular
from fogbound.policies.vocabulary import Vocabulary

NumberedHistory = tuple[
    tuple[int, int], ...
]  # by step: the number of the own action and 1, or 0; the number of what was seen
MOST_KEPT = 20_000  # beliefs that were computed, and are looked up when they come again: learners play many games
MOST_NUMBERS = 2_000_000  # in vectors that are kept
WIDEST = 100  # states of a belief that is kept


@runtime_checkable
class Encoder(Protocol):
    """One player's knowledge for a learner. Write one of your own where a game is too large for those here."""

    def begin(self, observation: Observation) -> Any:
        """Memory after the first observation."""
        ...

    def update(self, memory: Any, action: Hashable | None, observation: Observation) -> Any:
        """Memory after a step of the game; `action` is the player's own, None where it was not asked."""
        ...

    def encode(self, memory: Any, asked: bool) -> Any:
        """A new element of `space()`; `asked` says whether the player is to move now."""
        ...

    def space(self) -> Any:
        """The gymnasium space that `encode` gives elements of."""
        ...


@dataclass(frozen=True, eq=False)
class ObservationColumns:
    """Every value as a row.

    Parameters
    ----------
    rows : [values, columns]
        The number of each part among what stands in its column.
    sizes : [columns]
        How many different parts each column has.
    labels
        By column, the part that each number stands for.
    """

    rows: NDArray[np.int64]
    sizes: tuple[int, ...]
    labels: tuple[tuple[Hashable, ...], ...]


def columns(values: Sequence[Hashable]) -> ObservationColumns:
    """Take values apart, one column for each part.

    An observation that is a tuple says several things, and a learner that is told them apart can generalise over each.
    So tuples of one length are taken apart, and what never varies is left out.

    Parameters
    ----------
    values
        Such as the observations of a player, in the order of their numbers.

    Returns
    -------
    ObservationColumns
        0 stands for None wherever that occurs; whole numbers are in their order, all else in that of its appearance.

    Examples
    --------
    >>> found = columns([(None, None), ("raise", (3, "red")), ("call", (1, "red")), ("call", (3, "black"))])
    >>> found.labels
    ((None, 'raise', 'call'), (None, 1, 3), (None, 'red', 'black'))
    >>> found.rows.tolist()
    [[0, 0, 0], [1, 2, 1], [2, 1, 1], [2, 2, 2]]
    """
    parts = [column for column in _apart(list(values)) if len(set(column)) > 1] or [list(values)]
    labels = tuple(_in_order(column) for column in parts)
    numbers = [{part: k for k, part in enumerate(known)} for known in labels]
    rows = [[number[part] for number, part in zip(numbers, row)] for row in zip(*parts)]
    return ObservationColumns(np.array(rows, np.int64), tuple(map(len, labels)), labels)


def _apart(column: list[Hashable]) -> list[list[Hashable]]:
    """A column as its parts, where all that stands in it, None apart, are tuples of one length."""
    kinds = {
        (isinstance(value, tuple), len(value) if isinstance(value, tuple) else 0)
        for value in column
        if value is not None
    }
    if len(kinds) != 1:
        return [column]
    is_tuple, length = next(iter(kinds))
    if not is_tuple or length == 0:
        return [column]
    spread = [value if isinstance(value, tuple) else (None,) * length for value in column]
    return [part for place in range(length) for part in _apart([value[place] for value in spread])]


def _in_order(column: list[Hashable]) -> tuple[Hashable, ...]:
    known = [part for part in dict.fromkeys(column) if part is not None]
    numbers = [part for part in known if isinstance(part, int) and not isinstance(part, bool)]
    ordered: list[Hashable] = [*sorted(numbers)] if len(numbers) == len(known) else known
    return (None, *ordered) if None in column else tuple(ordered)


@dataclass(frozen=True, eq=False)
class LastObservation:
    """The last observation, a column for each of its parts. Memory is its number.

    Parameters
    ----------
    observations
        All that the player may see.
    """

    observations: Sequence[Observation] = field(repr=False)

    @cached_property
    def columns(self) -> ObservationColumns:
        """The observations taken apart."""
        return columns(list(self.observations))

    @cached_property
    def _numbers(self) -> dict[Observation, int]:
        return {seen: k for k, seen in enumerate(self.observations)}

    def number(self, observation: Observation) -> int:
        """The number of an observation; PolicyError where the game never shows it."""
        found = self._numbers.get(observation)
        if found is None:
            return self._numbers[Vocabulary(tuple(self.observations), ()).observation(observation)]
        return found

    def begin(self, observation: Observation) -> int:
        return self.number(observation)

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:  # noqa: ARG002
        return self.number(observation)

    def encode(self, memory: int, asked: bool) -> NDArray[np.int64]:  # noqa: ARG002
        row: NDArray[np.int64] = self.columns.rows[memory].copy()
        return row

    def space(self) -> Any:
        with environments_extra():
            from gymnasium.spaces import MultiDiscrete
        return MultiDiscrete(list(self.columns.sizes))


@dataclass(frozen=True, eq=False)
class FullHistory:
    """Step after step the own action and what was seen of it; 0 everywhere in steps that are yet to come.

    Parameters
    ----------
    observations
        All that the player may see.
    actions
        All that it may do.
    steps
        How many steps there is room for, the start apart.
    """

    observations: Sequence[Observation] = field(repr=False)
    actions: tuple[Hashable, ...] = field(repr=False)
    steps: int

    @cached_property
    def seen(self) -> LastObservation:
        """What was seen in one step."""
        return LastObservation(self.observations)

    @cached_property
    def _numbers(self) -> dict[Hashable | None, int]:
        return {None: 0} | {action: k + 1 for k, action in enumerate(self.actions)}

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Of each column of a step: the own action, then the parts of what was seen."""
        return len(self.actions) + 1, *(size + 1 for size in self.seen.columns.sizes)

    def begin(self, observation: Observation) -> NumberedHistory:
        return ((0, self.seen.number(observation)),)

    def update(self, memory: NumberedHistory, action: Hashable | None, observation: Observation) -> NumberedHistory:
        if len(memory) > self.steps:
            raise PolicyError(f"a history of more than {many(self.steps, 'step')}, which is all there is room for")
        did = self._numbers.get(action)
        if did is None:
            did = self._numbers[Vocabulary((), self.actions).action(action)]
        return (*memory, (did, self.seen.number(observation)))

    def encode(self, memory: NumberedHistory, asked: bool) -> NDArray[np.int64]:  # noqa: ARG002
        whole = np.zeros((self.steps + 1, len(self.sizes)), np.int64)
        steps = np.array(memory)
        whole[: len(steps), 0] = steps[:, 0]
        whole[: len(steps), 1:] = self.seen.columns.rows[steps[:, 1]] + 1
        return whole.ravel()

    def space(self) -> Any:
        with environments_extra():
            from gymnasium.spaces import MultiDiscrete
        return MultiDiscrete(list(self.sizes) * (self.steps + 1))


@dataclass(frozen=True, eq=False)
class InformationSetNumber:
    """From 1 on, parents first; 0 wherever the player is not asked. Memory is what the player knows, by number.

    Parameters
    ----------
    decisions
        The memories and information sets of the game.
    player
        By index.
    """

    decisions: Decisions = field(repr=False)
    player: int

    @cached_property
    def _follower(self) -> Tabular:
        """Finds memories; what it would do is not asked."""
        return Tabular(self.decisions, self.player, np.zeros(0))

    @cached_property
    def numbers(self) -> list[int]:
        """[memories] what each is shown as."""
        number = {int(infoset): k + 1 for k, infoset in enumerate(self.decisions.sets_of(self.player))}
        return [number.get(infoset, 0) for infoset in self.decisions.memory_infoset.tolist()]

    def begin(self, observation: Observation) -> int:
        return self._follower.begin(observation)

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:
        return self._follower.update(memory, action, observation)

    def encode(self, memory: int, asked: bool) -> np.int64:
        return np.int64(self.numbers[memory] if asked else 0)

    def history(self, number: int) -> History:
        """What the player knows in the information set that is shown as `number`: all it saw and did, in words."""
        infoset = self.decisions.sets_of(self.player)[number - 1]
        return self.decisions.history(self.player, int(self.decisions.set_memory[infoset]))

    def space(self) -> Any:
        with environments_extra():
            from gymnasium.spaces import Discrete
        return Discrete(len(self.decisions.sets_of(self.player)) + 1)


@dataclass(frozen=True, eq=False)
class BeliefVector(RemembersBelief):
    """The probability of each state of the POMDP that the player faces.

    That is all it needs to know to play well, and nothing less is: where the others remember something, a state is the
    game's with their memories. Memory is the belief.

    Parameters
    ----------
    pomdp
        The game against the others, as they are said to play.
    """

    pomdp: POMDP = field(repr=False)

    @cached_property
    def _updates(self) -> dict[tuple[BeliefMemory, Hashable | None, Observation], BeliefMemory]:
        return {}

    @cached_property
    def _encoded(self) -> dict[tuple[BeliefMemory, bool], NDArray[np.float32]]:
        return {}

    def update(self, memory: BeliefMemory, action: Hashable | None, observation: Observation) -> BeliefMemory:
        if len(memory) > WIDEST:
            return super().update(memory, action, observation)
        step = memory, action, observation
        after = self._updates.get(step)
        if after is None:
            after = super().update(memory, action, observation)
            _keep(self._updates, step, after, MOST_KEPT)
        return after

    def encode(self, memory: BeliefMemory, asked: bool) -> NDArray[np.float32]:
        if not memory:
            raise PolicyError(
                f"{self.pomdp.spec}: what was seen has probability 0 if the others play as they are said to, so that "
                "nothing is believed: say how they play, such as others='uniform', or observe the history"
            )
        believed = self._encoded.get((memory, asked)) if len(memory) <= WIDEST else None
        if believed is None:
            believed = self._dense(memory, asked)
            if len(memory) <= WIDEST:
                _keep(self._encoded, (memory, asked), believed, MOST_NUMBERS // self.pomdp.size)
        return believed.copy()

    def _dense(self, memory: BeliefMemory, asked: bool) -> NDArray[np.float32]:
        believed = np.zeros(self.pomdp.size, np.float32)
        held = self.asked(memory) if asked else None
        states, weights = (held.states, held.weights) if held is not None else map(np.array, zip(*memory))
        believed[states] = np.clip(weights, 0.0, 1.0)
        return believed

    def label(self, place: int) -> Hashable:
        """The state whose probability stands at a place."""
        state: Hashable = self.pomdp.label(place)
        return state

    def space(self) -> Any:
        with environments_extra():
            from gymnasium.spaces import Box
        return Box(0.0, 1.0, (self.pomdp.size,), np.float32)


def _keep(kept: dict[Any, Any], key: Any, value: Any, most: int) -> None:
    """Remember, and forget all when that is too much."""
    if len(kept) >= most:
        kept.clear()
    kept[key] = value
