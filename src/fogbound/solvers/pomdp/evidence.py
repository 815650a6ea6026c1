"""The lower half of a POMDP's certificate, in the checker's layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.forms.arrays import Floats, Ints
from fogbound.policies.policy_graph import PolicyGraph


def policy_graph_evidence(plan: PolicyGraph, pair: Ints, value: Floats, steps: Floats) -> dict[str, NDArray[Any]]:
    """A plan with its value, and the steps expected to remain, at every pair [P, 2] of a node and a state."""
    return {
        "node_action": plan.action.astype(np.int64),
        "begin": plan.begin.astype(np.int64),
        "arrow": plan.arrow.astype(np.int64),
        "pair": pair.astype(np.int64),
        "value": value,
        "steps": steps,
    }
