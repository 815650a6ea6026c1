"""What an engine is: one ordered map. Who computes is the caller's affair, and never changes what is computed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from fogbound.core.errors import FogboundError

Item = TypeVar("Item")
Result = TypeVar("Result")
Done = Callable[[int, Any], None]  # called with an item's number and its result


class LostJob(FogboundError):
    """A job that ended its worker every time it was tried; `number` is the item's."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(number, message)  # both are kept by a pickle
        self.number = number

    def __str__(self) -> str:
        return str(self.args[1])


class Engine(Protocol):
    """Somewhere to compute."""

    @property
    def sends(self) -> bool:
        """Whether items travel to other processes, so that each should be worth the way."""

    def map(
        self,
        function: Callable[[Any, Item], Result],
        items: Sequence[Item],
        shared: Any = None,
        done: Done | None = None,
    ) -> Generator[Result, None, None]:
        """`function(shared, item)` of each item, in their order, as soon as it is there.

        Closing the generator ends what is still being computed: functions that take long call `core.cancel.check`.

        Parameters
        ----------
        function
            Of a module, so that other processes find it. Randomness comes from the item, or from its number (`rng_of`).
        items
            What it is called with, once each.
        shared
            What all calls have in common; it reaches each worker once.
        done
            Called with the number of an item and its result as soon as that is there, in whatever order: for journals,
            which keep what is done although an earlier item is not. Also when the map is left early.
        """


class Here:
    """One call after the other, in the thread that asks; each only when its result is wanted.

    Examples
    --------
    >>> from fogbound.parallel import here
    >>> list(here.map(lambda shared, item: shared + item, [1, 2], shared=10))
    [11, 12]
    """

    sends = False

    def map(
        self,
        function: Callable[[Any, Item], Result],
        items: Sequence[Item],
        shared: Any = None,
        done: Done | None = None,
    ) -> Generator[Result, None, None]:
        for number, item in enumerate(items):
            result = function(shared, item)
            if done:
                done(number, result)
            yield result

    def __repr__(self) -> str:
        return "here"


here = Here()


def rng_of(seed: int, number: int) -> np.random.Generator:
    """The random numbers of one item among many: the same whoever computes it, and in whatever company.

    Parameters
    ----------
    seed
        Of all items together.
    number
        Which item.

    Returns
    -------
    numpy.random.Generator

    Examples
    --------
    >>> from fogbound.parallel import rng_of
    >>> rng_of(7, 3).random() == rng_of(7, 3).random() != rng_of(7, 4).random()
    True
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
