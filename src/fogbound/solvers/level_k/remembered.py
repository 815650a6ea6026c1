"""A hierarchy's state as arrays: what a checkpoint holds, what it must be, and what a resumed run begins with."""

from __future__ import annotations

import math
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.driver.kept import LARGEST, Kept, run_sums
from fogbound.forms.arrays import Longs
from fogbound.forms.kernels.induced import MIXED
from fogbound.forms.table import Table
from fogbound.solvers.level_k.hierarchy import LevelResult, SolvedHierarchy
from fogbound.solvers.level_k.reply import LevelReply, ReplyProblem
from fogbound.solvers.pomdp.belief_graph.fsc import FSC
from fogbound.solvers.pomdp.belief_graph.remembered import declare_graph, restore_graph, save_graph
from fogbound.solvers.pomdp.belief_graph.search import GraphSearch, SearchLimits

PLAN_PARTS = ("listed", "take", "row", "share")
FSC_PARTS = ("label", "arrow", "arrow_key", "arrow_to", "begin", "choice", "choice_action", "choice_prob")


def save_level(hierarchy: SolvedHierarchy, arrays: MutableMapping[str, NDArray[Any]]) -> None:
    """Put the newest level into `arrays`, and all that is known of beliefs by now, which serves the levels to come."""
    for player in hierarchy.players:
        solution = hierarchy.solution(hierarchy.levels, player)
        fsc, name = solution.fsc, _name(solution.level, player)
        for part, array in zip(FSC_PARTS, (*_parts(fsc), *fsc.choices)):
            arrays[f"{name}_{part}"] = np.asarray(array)
        arrays[f"{name}_against"] = np.array(solution.against, np.float64)
        figures = (solution.value, solution.upper, solution.converged, solution.seconds, solution.by == "sarsop")
        arrays[f"{name}_figures"] = np.array(figures, np.float64)
        plan = hierarchy.reply(solution).solved.plan
        arrays.update({f"{name}_{part}": np.asarray(getattr(plan, part)) for part in PLAN_PARTS})
        save_graph(hierarchy.sides[player].belief_graph, _beliefs(player), arrays)


def restore_levels(hierarchy: SolvedHierarchy, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Rise to the level that `arrays` remember, without searching anything again."""
    asked = _pose_again(hierarchy, arrays)
    for player in hierarchy.players if asked else ():
        restore_graph(hierarchy.sides[player].belief_graph, _beliefs(player), arrays)
    for (level, player), problem in asked.items():
        solution, name = hierarchy.solution(level, player), _name(level, player)
        search = GraphSearch(problem.belief_graph, problem.problem, SearchLimits())
        solved = search.evaluated(search.plan(*(arrays[f"{name}_{part}"] for part in PLAN_PARTS)), solution.converged)
        earned = zip(hierarchy.met(level, player), solution.against)
        against = {kind: value for kind, value in earned if not math.isnan(value)}
        figures = (solution.value, solution.upper, solution.converged)
        hierarchy.recall(level, player, LevelReply(problem, solved, solution.fsc, *figures, against, solution.by))


def _pose_again(hierarchy: SolvedHierarchy, arrays: Mapping[str, NDArray[Any]]) -> dict[tuple[int, int], ReplyProblem]:
    """Rise to the levels that `arrays` remember and pose their problems; graphs of beliefs stay as they are."""
    asked: dict[tuple[int, int], ReplyProblem] = {}
    while f"{_name(level := hierarchy.levels + 1, 0)}_label" in arrays:
        for player in hierarchy.players:
            asked[level, player] = hierarchy.posed(level, player, int(arrays[f"{_name(level, player)}_listed"][0]))
        hierarchy.resume([_result(_name(level, player), arrays) for player in hierarchy.players])
    return asked


def declare_levels(hierarchy: SolvedHierarchy, most: int, kept: Kept) -> None:
    """Declare what `save_level` wrote, of up to `most` levels of every player; `hierarchy` rises to them."""
    many, arrays = [len(own.view.observations) for own in hierarchy.automata], dict[str, NDArray[Any]]()
    levels = [level for level in range(1, most + 1) if f"{_name(level, 0)}_label" in kept]
    for level in levels:
        _declare_level(hierarchy.table, level, many, kept, arrays)
    _pose_again(hierarchy, arrays)
    for player in hierarchy.players if levels else ():
        declare_graph(hierarchy.sides[player].belief_graph, _beliefs(player), kept)
        for level in levels:
            _declare_plan(kept, _name(level, player), _beliefs(player))


def _declare_level(
    table: Table, level: int, many: Sequence[int], kept: Kept, arrays: MutableMapping[str, NDArray[Any]]
) -> None:
    """The controllers of a level and what is known of them; what was declared is put into `arrays`."""
    for player, observations in enumerate(many):
        name = _name(level, player)
        _declare_fsc(kept, name, len(table.actions), observations)
        kept.reals(f"{name}_against", (level if len(many) == 2 else 0,), missing=True)
        figures = kept.reals(f"{name}_figures", (5,), [-LARGEST, -LARGEST, 0, 0, 0], [LARGEST, np.inf, 1, LARGEST, 1])
        kept.require(f"{name}_figures", figures[[2, 4]] % 1 == 0, "yes or no")
        listed = kept.integers(f"{name}_listed", (None,))
        nodes = len(kept.declared(f"{name}_label"))
        kept.require(f"{name}_listed", len(listed) > 0 and (figures[4] == 1 or len(listed) == nodes + 1), "its nodes")
        for part in (*FSC_PARTS, "against", "figures", "listed"):
            arrays[f"{name}_{part}"] = kept.declared(f"{name}_{part}")


def _declare_plan(kept: Kept, name: str, beliefs: str) -> None:
    """The plan of a level over the beliefs that were declared: from a start on, a belief's own rows at each."""
    first, row, many = (kept.declared(f"{beliefs}_{part}") for part in ("first", "rows", "many"))
    listed = kept.integers(f"{name}_listed", (None,), high=len(row) - 1)
    kept.require(f"{name}_listed", len(np.unique(listed)) == len(listed), "each belief once")
    kept.equals(f"{name}_listed", np.diff(first)[listed] == 0, np.arange(len(listed)) == 0)
    share = kept.reals(f"{name}_share", (None,), 0.0, 1.0)
    take = kept.offsets(f"{name}_take", len(listed), len(share))
    count = np.diff(take)
    taken, at = kept.integers(f"{name}_row", (len(share),)), np.repeat(listed, count)
    kept.require(f"{name}_row", (taken >= row[at]) & (taken < row[at] + many[at]), "rows of the belief")
    kept.chances(f"{name}_share", run_sums(share, take[:-1], count)[count > 0])
    kept.require(f"{name}_take", count[:1] > 0, "a start that goes on")


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


def _beliefs(player: int) -> str:
    return f"beliefs{player}"


def _parts(fsc: FSC) -> tuple[Longs, ...]:
    return fsc.label, fsc.arrow, fsc.arrow_key, fsc.arrow_to, fsc.begin


def _result(name: str, arrays: Mapping[str, NDArray[Any]]) -> LevelResult:
    fsc = FSC(*(arrays[f"{name}_{part}"] for part in FSC_PARTS))
    value, upper, converged, seconds, sarsop = arrays[f"{name}_figures"].tolist()
    against = tuple(arrays[f"{name}_against"].tolist())
    return LevelResult(fsc, value, upper, bool(converged), seconds, "sarsop" if sarsop else "beliefs", against)
