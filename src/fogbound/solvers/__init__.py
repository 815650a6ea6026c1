"""The algorithms, one a file. `solvers.make("sequence-lp(method=ipm)")` builds one."""

from __future__ import annotations

from typing import Any

from fogbound.core.registry import Registry
from fogbound.core.spec import Spec

SOLVERS: Registry[Any] = Registry(
    "solver",
    {
        "sequence-lp": "fogbound.solvers.sequence_lp:SequenceLP",
        "matrix-lp": "fogbound.solvers.matrix_lp:MatrixLP",
        "lemke-howson": "fogbound.solvers.lemke_howson:LemkeHowson",
        "support-enumeration": "fogbound.solvers.support_enumeration:SupportEnumeration",
        "cfr": "fogbound.solvers.cfr:CFR",
        "cfr-plus": "fogbound.solvers.cfr:CFRPlus",
        "dcfr": "fogbound.solvers.cfr:DCFR",
        "predictive-cfr": "fogbound.solvers.cfr:PredictiveCFR",
        "mccfr": "fogbound.solvers.mccfr:MCCFR",
        "belief-mdp": "fogbound.solvers.belief_dp:BeliefDP",
        "belief-search": "fogbound.solvers.belief_search:BeliefSearch",
        "level-k": "fogbound.solvers.level_k:LevelK",
        "pg-hsvi": "fogbound.solvers.pg_hsvi:PGHSVI",
        "isg": "fogbound.solvers.isg:ISG",
        "hisg": "fogbound.solvers.hisg:HISG",
        "sarsop": "fogbound.solvers.sarsop:SARSOP",
        "hsvi": "fogbound.solvers.hsvi:HSVI",
        "incremental-pruning": "fogbound.solvers.incremental_pruning:IncrementalPruning",
        "pbvi": "fogbound.solvers.point_based:PointBased",
        "qmdp": "fogbound.solvers.informed:QMDP",
        "fib": "fogbound.solvers.informed:FIB",
        "minimax": "fogbound.solvers.minimax:Minimax",
        "alpha-beta": "fogbound.solvers.alpha_beta:AlphaBeta",
        "expectimax": "fogbound.solvers.expectimax:Expectimax",
        "backward-induction": "fogbound.solvers.backward_induction:BackwardInduction",
        "mcts": "fogbound.planners.mcts:MCTS",
        "restricted-nash": "fogbound.solvers.restricted_nash:RestrictedNash",
    },
)


def make(spec: Spec | str) -> Any:
    """The solver that a spec such as `belief-mdp(ties=split)` describes."""
    return SOLVERS.make(spec)
