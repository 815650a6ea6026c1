"""A plan over beliefs as a machine of its seat, in the observations of the table: what others can be made to face."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogbound.kernels.meeting import MIXED, UNIFORM
from fogbound.kernels.policy_graph import Plan
from fogbound.solvers.reachable.nodes import Machine
from fogbound.solvers.reachable.survey import Survey

Longs = NDArray[np.int64]


def machine(
    survey: Survey, plan: Plan, action: Longs, observation: Longs, many: int, forgiving: bool = False
) -> Machine:
    """One node for each belief of the plan but the first, which is the start.

    `action` labels the rows of the survey's process, `observation` says which of the table's `many` observations
    each of the survey's is. A belief at which the plan stops becomes a node that plays at random for ever. With
    `forgiving` a node also goes on after actions that it does not take, wherever the plan covers what follows.
    """
    graph = survey.graph
    labels, arrows = [], [0]
    keys: list[tuple[int, int]] = []
    choice, weights = [0], []

    def follow(row: int, label: int) -> list[tuple[int, int]]:
        outcomes = range(graph.out[row], graph.out[row + 1])
        after = [(int(observation[graph.obs[o]]), int(plan.number[graph.child[o]]) - 1) for o in outcomes]
        return [((label + 1) * many + seen, node) for seen, node in after if node >= 0]

    for k, belief in enumerate(plan.listed[1:].tolist(), 1):
        first = int(survey.process.row[graph.state[graph.first[belief]]])
        taken = range(plan.take[k], plan.take[k + 1])
        own = [(int(action[first + plan.row[t] - graph.rows[belief]]), t) for t in taken]
        labels.append(UNIFORM if not own else own[0][0] if len(own) == 1 else MIXED)
        if len(own) > 1:
            weights += [(label, float(plan.share[t])) for label, t in own]
        choice.append(len(weights))
        walked = [(label, int(plan.row[t])) for label, t in own]
        if forgiving and own:
            walked = [(int(action[first + a]), int(graph.rows[belief]) + a) for a in range(graph.many[belief])]
        keys += sorted(pair for label, row in walked for pair in follow(row, label))
        arrows.append(len(keys))
    begin = np.full(many, -1, np.int64)
    for seen, node in follow(int(plan.row[0]), -1):
        begin[seen] = node
    key, to = np.array(keys, np.int64).reshape(-1, 2).T.copy()
    return Machine(
        np.array(labels, np.int64),
        np.array(arrows, np.int64),
        key,
        to,
        begin,
        np.array(choice, np.int64),
        np.array([label for label, _ in weights], np.int64),
        np.array([share for _, share in weights], np.float64),
    )
