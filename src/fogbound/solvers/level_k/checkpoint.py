"""A hierarchy's state as arrays: what a checkpoint holds, what it must be, and what a resumed run begins with."""

from __future__ import annotations

import math
from collections.abc import Mapping, MutableMapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.driver.checkpoint_schema import Arrays, Schema
from fogbound.driver.kept import LARGEST, Kept, run_sums
from fogbound.forms.kernels.induced import MIXED
from fogbound.solvers.level_k.hierarchy import LevelResult, SolvedHierarchy
from fogbound.solvers.level_k.reply import LevelReply, ReplyProblem
from fogbound.solvers.pomdp.belief_graph.fsc import FSC
from fogbound.solvers.pomdp.belief_graph.graph import declare_graph, restore_graph, save_graph
from fogbound.solvers.pomdp.belief_graph.kernels.policy_evaluation import SCHEMA as PLAN_SCHEMA
from fogbound.solvers.pomdp.belief_graph.search import GraphSearch, SearchLimits

FSC_SCHEMA = Schema.of({"": FSC})


def save_level(hierarchy: SolvedHierarchy, arrays: MutableMapping[str, NDArray[Any]]) -> None:
    """Put the newest level into `arrays`, and all that is known of beliefs by now, which serves the levels to come."""
    for player in hierarchy.players:
        solution = hierarchy.solution(hierarchy.levels, player)
        fsc, name = solution.fsc, _name(solution.level, player)
        arrays.update({f"{name}_{part}": np.asarray(getattr(fsc, part)) for part in FSC_SCHEMA})
        arrays[f"{name}_against"] = np.array(solution.against, np.float64)
        figures = (solution.value, solution.upper, solution.converged, solution.seconds, solution.by == "sarsop")
        arrays[f"{name}_figures"] = np.array(figures, np.float64)
        plan = hierarchy.reply(solution).solved.plan
        arrays.update({f"{name}_{part}": np.asarray(getattr(plan, part)) for part in PLAN_SCHEMA})
        save_graph(hierarchy.sides[player].belief_graph, _beliefs(player), arrays)


def restore_levels(hierarchy: SolvedHierarchy, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Rise to the level that `arrays` remember, without searching anything again."""
    asked = _pose_again(hierarchy, arrays)
    for player in hierarchy.players if asked else ():
        restore_graph(hierarchy.sides[player].belief_graph, _beliefs(player), arrays)
    for (level, player), problem in asked.items():
        solution, name = hierarchy.solution(level, player), _name(level, player)
        search = GraphSearch(problem.belief_graph, problem.problem, SearchLimits())
        solved = search.evaluated(search.plan(*(arrays[f"{name}_{part}"] for part in PLAN_SCHEMA)), solution.converged)
        earned = zip(hierarchy.met(level, player), solution.against)
        against = {kind: value for kind, value in earned if not math.isnan(value)}
        figures = (solution.value, solution.upper, solution.converged)
        reply = LevelReply(problem, solved, solution.fsc, *figures, against, solution.by)
        hierarchy.replies[level, player] = reply


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
    arrays = dict[str, NDArray[Any]]()
    levels = [level for level in range(1, most + 1) if f"{_name(level, 0)}_label" in kept]
    for level in levels:
        for player in hierarchy.players:
            arrays |= _declare_level(hierarchy, level, player, kept)
    _pose_again(hierarchy, arrays)
    for player in hierarchy.players if levels else ():
        found, sizes = declare_graph(hierarchy.sides[player].belief_graph, _beliefs(player), kept)
        for level in levels:
            _declare_plan(kept, f"{_name(level, player)}_", found, sizes)


def _declare_level(hierarchy: SolvedHierarchy, level: int, player: int, kept: Kept) -> dict[str, NDArray[Any]]:
    """A level's controller and what is known of it, by the names in the checkpoint."""
    name, actions = _name(level, player), len(hierarchy.table.actions)
    found = _declare_fsc(kept, f"{name}_", actions, len(hierarchy.automata[player].view.observations))
    found["against"] = kept.reals(f"{name}_against", (level if len(hierarchy.players) == 2 else 0,), missing=True)
    limits = [-LARGEST, -LARGEST, 0, 0, 0], [LARGEST, np.inf, 1, LARGEST, 1]
    figures = found["figures"] = kept.reals(f"{name}_figures", (5,), *limits)
    kept.require(f"{name}_figures", figures[[2, 4]] % 1 == 0, "yes or no")
    listed = found["listed"] = kept.integers(f"{name}_listed", (None,))
    nodes = len(found["label"])
    kept.require(f"{name}_listed", len(listed) > 0 and (figures[4] == 1 or len(listed) == nodes + 1), "its nodes")
    return {f"{name}_{part}": array for part, array in found.items()}


def _declare_plan(kept: Kept, label: str, graph: Arrays, sizes: Mapping[str, int]) -> None:
    """The plan of a level over the beliefs of a graph: from a start on, a belief's own rows at each."""
    plan = PLAN_SCHEMA.read(kept, sizes, label=label)
    listed, take, taken, row = plan["listed"], plan["take"], plan["row"], graph["rows"]
    kept.require(f"{label}listed", len(np.unique(listed)) == len(listed), "each belief once")
    kept.equals(f"{label}listed", np.diff(graph["first"])[listed] == 0, np.arange(len(listed)) == 0)
    count = np.diff(take)
    at = np.repeat(listed, count)
    kept.require(f"{label}row", (taken >= row[at]) & (taken < row[at] + graph["many"][at]), "rows of the belief")
    kept.chances(f"{label}share", run_sums(plan["share"], take[:-1], count)[count > 0])
    kept.require(f"{label}take", count[:1] > 0, "a start that goes on")


def _declare_fsc(kept: Kept, label: str, actions: int, observations: int) -> Arrays:
    """A controller whose arrows, beginnings and actions are there."""
    sizes = {"actions": actions, "observations": observations, "keys": (actions + 1) * observations}
    fsc = FSC_SCHEMA.read(kept, sizes, label=label)
    kept.rising(f"{label}arrow_key", fsc["arrow_key"], fsc["arrow"])
    count = np.diff(fsc["choice"])
    kept.equals(f"{label}label", fsc["label"] == MIXED, count > 0)
    kept.chances(f"{label}choice_prob", run_sums(fsc["choice_prob"], fsc["choice"][:-1], count)[count > 0])
    return fsc


def _name(level: int, player: int) -> str:
    return f"level{level}_{player}"


def _beliefs(player: int) -> str:
    return f"beliefs{player}"


def _result(name: str, arrays: Mapping[str, NDArray[Any]]) -> LevelResult:
    fsc = FSC(**{part: arrays[f"{name}_{part}"] for part in FSC_SCHEMA})
    value, upper, converged, seconds, sarsop = arrays[f"{name}_figures"].tolist()
    against = tuple(arrays[f"{name}_against"].tolist())
    return LevelResult(fsc, value, upper, bool(converged), seconds, "sarsop" if sarsop else "beliefs", against)
