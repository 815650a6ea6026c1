"""What a player has done and seen, as one value: all that a planner needs to remember.

A particle cloud could be remembered instead, but it is large, it cannot be compared cheaply, and two players who lived
through the same would differ by the luck of their draws. A history is small and hashable, fits into another player's
particles, and everything else (particles, search) is rebuilt from it by generators that it seeds itself: the answer is
a function of the seed and of what happened, whatever was asked in between.
"""

from __future__ import annotations

from collections.abc import Hashable
from hashlib import blake2b
from random import Random
from typing import Any

from fogbound.core.game import Seen
from fogbound.planners.sampled import lasting


class History:
    """A step behind another: own action (None: did not move) and what was seen. It shares its past: growing is O(1)."""

    __slots__ = ("_hash", "_mark", "action", "before", "length", "seen")

    def __init__(self, before: History | None, action: Hashable | None, seen: Seen) -> None:
        self.before, self.action, self.seen = before, action, seen
        self.length: int = before.length + 1 if before else 1
        self._hash: int = hash((before._hash if before else 0, action, seen))
        self._mark: bytes | None = None

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History) or self._hash != other._hash or self.length != other.length:
            return self is other
        mine: History | None = self
        theirs: History | None = other
        while mine is not theirs and mine is not None and theirs is not None:
            if mine.action != theirs.action or mine.seen != theirs.seen:
                return False
            mine, theirs = mine.before, theirs.before
        return True

    def __repr__(self) -> str:
        return f"History({', '.join(f'{action!r}: {seen}' for action, seen in self.steps())})"

    def __reduce__(self) -> Any:
        return _told, (tuple(self.steps()),)  # flat: a long chain would exhaust the stack of pickle

    def chain(self) -> list[History]:
        """Every history from the first sight to this one."""
        found, here = [], self
        while True:
            found.append(here)
            if here.before is None:
                return found[::-1]
            here = here.before

    def steps(self) -> list[tuple[Hashable | None, Seen]]:
        """(own action or None, what was seen), from the first sight on."""
        return [(part.action, part.seen) for part in self.chain()]

    def generator(self, *words: object) -> Random:
        """A generator of its own for this history and these words: the same in every process."""
        return Random(f"{self._fingerprint().hex()} {words}")

    def _fingerprint(self) -> bytes:
        """A digest of all the steps, kept at each of them, and made only when somebody asks."""
        if self._mark is None:
            mark = b""
            for part in self.chain():
                if part._mark is None:
                    part._mark = blake2b(mark + lasting((part.action, part.seen)).encode(), digest_size=16).digest()
                mark = part._mark
        assert self._mark is not None
        return self._mark


def _told(steps: tuple[tuple[Hashable | None, Seen], ...]) -> History:
    """The history of these steps."""
    (action, seen), *rest = steps
    history = History(None, action, seen)
    for action, seen in rest:
        history = History(history, action, seen)
    return history
