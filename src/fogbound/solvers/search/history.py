"""What a player has done and seen, as one value: all that a planner needs to remember.

Particles could be remembered instead, but they are many, they cannot be compared cheaply, and two players who lived
through the same would differ by the luck of their draws. A history is small and hashable, fits into another player's
particles, and everything else (particles, search) is rebuilt from it by generators that it seeds itself: the answer is
a function of the seed and of what happened, whatever was asked in between.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from hashlib import blake2b
from random import Random
from typing import Any

import numpy as np

from fogbound.core.game import Observation
from fogbound.solvers.search.sampled import stable_text

Steps = Sequence[tuple[Hashable | None, Observation]]  # own actions (None: did not move) and what was seen then


class ActionObservationHistory:
    """A step behind another: own action (None: did not move) and what was seen. It shares its past: growing is O(1)."""

    __slots__ = ("_hash", "_mark", "action", "before", "length", "seen")

    def __init__(
        self, before: ActionObservationHistory | None, action: Hashable | None, observation: Observation
    ) -> None:
        self.before, self.action, self.seen = before, action, observation
        self.length: int = before.length + 1 if before else 1
        self._hash: int = hash((before._hash if before else 0, action, observation))
        self._mark: bytes | None = None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ActionObservationHistory) or self._hash != other._hash or self.length != other.length:
            return self is other
        mine: ActionObservationHistory | None = self
        theirs: ActionObservationHistory | None = other
        while mine is not theirs and mine is not None and theirs is not None:
            if mine.action != theirs.action or mine.seen != theirs.seen:
                return False
            mine, theirs = mine.before, theirs.before
        return True

    def __repr__(self) -> str:
        return f"History({', '.join(f'{action!r}: {seen}' for action, seen in self.steps())})"

    def __reduce__(self) -> Any:
        return _history_of, (tuple(self.steps()),)  # flat: a long chain would exhaust the stack of pickle

    def chain(self) -> list[ActionObservationHistory]:
        """Every history from the first observation to this one."""
        prefixes, here = [], self
        while True:
            prefixes.append(here)
            if here.before is None:
                return prefixes[::-1]
            here = here.before

    def steps(self) -> list[tuple[Hashable | None, Observation]]:
        """(own action or None, what was seen), from the first observation on."""
        return [(part.action, part.seen) for part in self.chain()]

    def since(self, before: ActionObservationHistory) -> list[tuple[Hashable | None, Observation]]:
        """The steps after another history, which this one continues."""
        return self.steps()[before.length :]

    def generator(self, *words: object) -> Random:
        """A generator of its own for this history and these words: the same in every process. For single draws."""
        return Random(self._seed(words))

    def array_generator(self, *words: object) -> np.random.Generator:
        """The same for many draws at a time."""
        seed = blake2b(self._seed(words).encode(), digest_size=16).digest()
        return np.random.default_rng(int.from_bytes(seed, "little"))

    def _seed(self, words: tuple[object, ...]) -> str:
        return f"{self._fingerprint().hex()} {words}"

    def _fingerprint(self) -> bytes:
        """A digest of all the steps, kept at each of them, and made only when somebody asks."""
        if self._mark is None:
            mark = b""
            for part in self.chain():
                if part._mark is None:
                    part._mark = blake2b(mark + stable_text((part.action, part.seen)).encode(), digest_size=16).digest()
                mark = part._mark
        assert self._mark is not None
        return self._mark


def _history_of(steps: tuple[tuple[Hashable | None, Observation], ...]) -> ActionObservationHistory:
    """The history of these steps."""
    (action, seen), *rest = steps
    history = ActionObservationHistory(None, action, seen)
    for action, seen in rest:
        history = ActionObservationHistory(history, action, seen)
    return history


class RemembersHistory:
    """A policy whose memory is all that it did and saw."""

    def begin(self, observation: Observation) -> ActionObservationHistory:
        return ActionObservationHistory(None, None, observation)

    def update(
        self, memory: ActionObservationHistory, action: Hashable | None, observation: Observation
    ) -> ActionObservationHistory:
        return ActionObservationHistory(memory, action, observation)
