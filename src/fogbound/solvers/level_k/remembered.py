"""A hierarchy's state as arrays: what a checkpoint holds, what it must be, and what a resumed run begins with."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.driver.kept import LARGEST, Kept, run_sums
from fogbound.forms.arrays import Longs
from fogbound.forms.kernels.induced import MIXED
from fogbound.forms.player_view import player_view
from fogbound.forms.table import Table
from fogbound.solvers.level_k.hierarchy import LevelResult, SolvedHierarchy
from fogbound.solvers.pomdp.belief_graph.fsc import FSC

FSC_PARTS = ("label", "arrow", "arrow_key", "arrow_to", "begin", "choice", "choice_action", "choice_prob")


def save_level(hierarchy: SolvedHierarchy, arrays: MutableMapping[str, NDArray[Any]]) -> None:
    """Put the newest level into `arrays`."""
    for player in hierarchy.players:
        solution = hierarchy.solution(hierarchy.levels, player)
        fsc, name = solution.fsc, _name(solution.level, player)
        for part, array in zip(FSC_PARTS, (*_parts(fsc), *fsc.choices)):
            arrays[f"{name}_{part}"] = np.asarray(array)
        arrays[f"{name}_against"] = np.array(solution.against, np.float64)
        figures = (solution.value, solution.upper, solution.converged, solution.seconds, solution.by == "sarsop")
        arrays[f"{name}_figures"] = np.array(figures, np.float64)


def restore_levels(hierarchy: SolvedHierarchy, arrays: MutableMapping[str, NDArray[Any]]) -> None:
    """Rise to the level that `arrays` remember, without solving anything again."""
    while f"{_name(hierarchy.levels + 1, 0)}_label" in arrays:
        hierarchy.resume([_result(_name(hierarchy.levels + 1, player), arrays) for player in hierarchy.players])


def declare_levels(table: Table, most: int, kept: Kept) -> None:
    """Declare what `save_level` wrote, of up to `most` levels of every player."""
    many = [len(player_view(table, player).observations) for player in range(len(table.players))]
    for level in range(1, most + 1):
        if f"{_name(level, 0)}_label" not in kept:
            return
        for player, observations in enumerate(many):
            name = _name(level, player)
            _declare_fsc(kept, name, len(table.actions), observations)
            kept.reals(f"{name}_against", (level if len(many) == 2 else 0,), missing=True)
            figures = kept.reals(
                f"{name}_figures", (5,), [-LARGEST, -LARGEST, 0, 0, 0], [LARGEST, np.inf, 1, LARGEST, 1]
            )
            kept.require(f"{name}_figures", figures[[2, 4]] % 1 == 0, "yes or no")


def _declare_fsc(kept: Kept, name: str, actions: int, observations: int) -> None:
    """A controller whose arrows, beginnings and actions are there."""
    label = kept.integers(f"{name}_label", (None,), MIXED, actions - 1)
    nodes = len(label)
    kept.integers(f"{name}_begin", (observations,), -1, nodes - 1)
    key = kept.integers(f"{name}_arrow_key", (None,), high=(actions + 1) * observations - 1)
    kept.integers(f"{name}_arrow_to", (len(key),), high=nodes - 1)
    arrow = kept.offsets(f"{name}_arrow", nodes, len(key))
    node = np.repeat(np.arange(nodes), np.diff(arrow))
    rising = (np.diff(key) > 0) | (np.diff(node) > 0)
    kept.require(f"{name}_arrow_key", rising, "keys that rise within a node")
    prob = kept.reals(f"{name}_choice_prob", (None,), 0.0, 1.0)
    kept.integers(f"{name}_choice_action", (len(prob),), high=actions - 1)
    choice = kept.offsets(f"{name}_choice", nodes, len(prob))
    count = np.diff(choice)
    kept.equals(f"{name}_label", label == MIXED, count > 0)
    kept.chances(f"{name}_choice_prob", run_sums(prob, choice[:-1], count)[count > 0])


def _name(level: int, player: int) -> str:
    return f"level{level}_{player}"


def _parts(fsc: FSC) -> tuple[Longs, ...]:
    return fsc.label, fsc.arrow, fsc.arrow_key, fsc.arrow_to, fsc.begin


def _result(name: str, arrays: Mapping[str, NDArray[Any]]) -> LevelResult:
    fsc = FSC(*(arrays[f"{name}_{part}"] for part in FSC_PARTS))
    value, upper, converged, seconds, sarsop = arrays[f"{name}_figures"].tolist()
    against = tuple(arrays[f"{name}_against"].tolist())
    return LevelResult(fsc, value, upper, bool(converged), seconds, "sarsop" if sarsop else "beliefs", against)
