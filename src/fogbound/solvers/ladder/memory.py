"""A ladder's state as arrays: what a checkpoint holds, and what a resumed run begins with."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.solvers.ladder.climb import Climb, Result
from fogbound.solvers.reachable.nodes import Machine

PARTS = ("label", "arrow", "arrow_key", "arrow_to", "begin", "choice", "choice_action", "choice_prob")


def remember(climb: Climb, arrays: MutableMapping[str, NDArray[Any]]) -> None:
    """Put the newest level into `arrays`."""
    for seat in climb.seats:
        rung = climb.rung(climb.levels, seat)
        machine, name = rung.machine, f"level{rung.level}_{seat}"
        for part, array in zip(PARTS, (*_parts(machine), *machine.choices)):
            arrays[f"{name}_{part}"] = np.asarray(array)
        arrays[f"{name}_against"] = np.array(rung.against, np.float64)
        figures = (rung.value, rung.upper, rung.settled, rung.seconds, rung.by == "sarsop")
        arrays[f"{name}_figures"] = np.array(figures, np.float64)


def _parts(machine: Machine) -> tuple[NDArray[np.int64], ...]:
    return machine.label, machine.arrow, machine.arrow_key, machine.arrow_to, machine.begin


def recall(climb: Climb, arrays: MutableMapping[str, NDArray[Any]]) -> None:
    """Rise to the level that `arrays` remember, without solving anything again."""
    while f"level{climb.levels + 1}_0_label" in arrays:
        climb.resume([_result(f"level{climb.levels + 1}_{seat}", arrays) for seat in climb.seats])


def _result(name: str, arrays: Mapping[str, NDArray[Any]]) -> Result:
    machine = Machine(*(arrays[f"{name}_{part}"] for part in PARTS))
    value, upper, settled, seconds, sarsop = arrays[f"{name}_figures"].tolist()
    against = tuple(arrays[f"{name}_against"].tolist())
    return Result(machine, value, upper, bool(settled), seconds, "sarsop" if sarsop else "beliefs", against)
