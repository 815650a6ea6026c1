"""What to do after a slip of one's own hand: a plan that also covers actions it would not have taken.

A controller says how to go on after what it does. A player whose hand trembles sometimes does something else, knows
it, and believes accordingly; from that belief it plays as well as it can. Only as many slips as are asked for are
covered, since there is no end to them.
"""

from __future__ import annotations

import numpy as np

from fogbound.kernels.policy_graph import Plan
from fogbound.solvers.reachable.search import Search


def forgiving(search: Search, plan: Plan, slips: int) -> Plan:
    """A plan of single rows with the beliefs that up to `slips` slips lead to, each played on as well as can be."""
    listed, fresh = plan.listed, 0
    rows = np.full(len(listed), -1, np.int64)  # one row at each belief, or none
    rows[np.diff(plan.take) > 0] = plan.row
    for _ in range(slips):
        graph, known = search.survey.graph, dict.fromkeys(listed.tolist())
        for belief in listed[fresh:].tolist():
            search.look(belief)
            graph = search.survey.graph
            first, many = int(graph.rows[belief]), int(graph.many[belief])
            for child in graph.child[graph.out[first] : graph.out[first + many]].tolist():
                known.setdefault(child)
        fresh = len(listed)
        listed, rows, _ = search.settled(np.array(list(known)), rows)
    return search.pure(listed, rows)
