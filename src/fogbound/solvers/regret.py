"""What the CFR family shares: the sequence form laid out for the kernels, and the loop that learns.

A member of the family says how to `advance` by so many iterations, keeping its state on the desk; the loop
gives an answer now and then: the average strategies, with their exploitability as the gap.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.sequence import SequenceForm
from fogbound.progress import Desk, Progress
from fogbound.solvers.equilibrium import answer

Floats = NDArray[np.float64]
Advance = Callable[[int], None]
GROWTH = 8  # an answer after every eighth more iterations ...
WORK = 100_000_000  # ... but at least every so many steps of the inner loop, for the clock and Ctrl-C


@dataclass(frozen=True)
class Slots:
    """All players' sequences as slots of one array, as `kernels.cfr` wants them."""

    offset: NDArray[np.int64]  # [n+1] the slots of player i
    plex_of: NDArray[np.int64]  # [n+1] its information sets
    parent: NDArray[np.int32]  # [H] slot
    first: NDArray[np.int32]  # [H] slot
    size: NDArray[np.int32]  # [H]
    end_of: NDArray[np.int32]  # [K, n] slot of each player at each combination that ends
    uniform: Floats

    def split(self, flat: Floats) -> list[Floats]:
        """A flat array by player."""
        return [flat[a:b] for a, b in zip(self.offset[:-1], self.offset[1:])]


def slots(form: SequenceForm) -> Slots:
    """Lay out `form` for the kernels."""
    plexes = form.plexes
    offset = np.cumsum([0, *(plex.sequences for plex in plexes)])
    return Slots(
        offset,
        np.cumsum([0, *(len(plex.parent) for plex in plexes)]),
        np.concatenate([plex.parent + o for plex, o in zip(plexes, offset)]).astype(np.int32),
        np.concatenate([plex.first + o for plex, o in zip(plexes, offset)]).astype(np.int32),
        np.concatenate([plex.size for plex in plexes]).astype(np.int32),
        np.ascontiguousarray(form.ends + offset[:-1], np.int32),
        np.concatenate([plex.uniform for plex in plexes]),
    )


def pace(done: int, work: int, most: float) -> int:
    """How many iterations to the next answer: more as the run gets longer, never too long a wait."""
    return int(max(1, min(1 + done // GROWTH, WORK // max(work, 1), most - done)))


class Learner(ABC):
    """A member of the family: its averages approach an equilibrium of a two-player zero-sum game."""

    form: ClassVar[str] = "sequence"
    finds: ClassVar[str] = "equilibrium"

    @abstractmethod
    def advance(self, form: SequenceForm, laid: Slots, desk: Desk) -> Advance:
        """Prepare the desk (unless it is resumed) and return what runs so many more iterations."""

    def cost(self, form: SequenceForm) -> int:
        """About how many steps of the inner loop one iteration takes."""
        return len(form.ends) * len(form.plexes)

    def run(self, form: SequenceForm, desk: Desk) -> Iterator[Progress]:
        laid, arrays = slots(form), desk.arrays
        go = self.advance(form, laid, desk)
        done = int(arrays.setdefault("iteration", np.zeros(1, np.int64))[0])
        while True:
            played = [plex.behaviour(w) for plex, w in zip(form.plexes, laid.split(arrays["average"]))]
            yield answer(form, played, iteration=done)
            many = pace(done, self.cost(form), desk.most)
            go(many)
            done += many
            arrays["iteration"][0] = done


def iteration_of(desk: Desk) -> int:
    """How many iterations the desk has seen."""
    return int(desk.arrays["iteration"][0]) if "iteration" in desk.arrays else 0


def prepare(desk: Desk, **fresh: NDArray[Any]) -> None:
    """Put `fresh` arrays on the desk, unless it holds a resumed run's."""
    for name, array in fresh.items():
        desk.arrays.setdefault(name, array)
