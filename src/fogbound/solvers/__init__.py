"""The algorithms, one folder a family. `solvers.make("sequence-lp(method=ipm)")` builds one."""

from __future__ import annotations

from fogbound.core.registry import Registry
from fogbound.core.spec import Spec

TYPE_CHECKING = False  # as type checkers see it, without importing `typing`
if TYPE_CHECKING:
    from fogbound.driver.solver import AnySolver

__all__ = ["SOLVERS", "make"]

SOLVERS: Registry[AnySolver] = Registry(
    "solver",
    {
        "sequence-lp": "fogbound.solvers.linear_programs.sequence_lp:SequenceLP",
        "matrix-lp": "fogbound.solvers.linear_programs.sequence_lp:MatrixLP",
        "sequence-lcp": "fogbound.solvers.complementarity.sequence_lcp:SequenceLCP",
        "lemke-howson": "fogbound.solvers.matrix.lemke_howson:LemkeHowson",
        "support-enumeration": "fogbound.solvers.matrix.support_enumeration:SupportEnumeration",
        "correlated": "fogbound.solvers.correlated.solver:Correlated",
        "quantal-response": "fogbound.solvers.quantal.solver:QuantalResponse",
        "fictitious-play": "fogbound.solvers.best_response.fictitious_play:FictitiousPlay",
        "double-oracle": "fogbound.solvers.best_response.double_oracle:StrategyOracle",
        "posg-dp": "fogbound.solvers.posg.posg_dp:PosgDP",
        "cfr": "fogbound.solvers.regret.cfr:CFR",
        "cfr-plus": "fogbound.solvers.regret.cfr:CFRPlus",
        "dcfr": "fogbound.solvers.regret.cfr:DCFR",
        "predictive-cfr": "fogbound.solvers.regret.cfr:PredictiveCFR",
        "pdcfr-plus": "fogbound.solvers.regret.cfr:PDCFRPlus",
        "cfr-br": "fogbound.solvers.regret.cfr:CFRBR",
        "mccfr": "fogbound.solvers.regret.cfr:MCCFR",
        "mmd": "fogbound.solvers.mirror_descent.mmd:MMD",
        "belief-mdp": "fogbound.solvers.pomdp.belief_dp:BeliefDP",
        "belief-search": "fogbound.solvers.pomdp.belief_graph.belief_search:BeliefSearch",
        "level-k": "fogbound.solvers.level_k.solver:LevelK",
        "pg-hsvi": "fogbound.solvers.one_sided.pg_hsvi:PGHSVI",
        "isg": "fogbound.solvers.one_sided.isg:ISG",
        "hisg": "fogbound.solvers.one_sided.isg:HISG",
        "sarsop": "fogbound.solvers.pomdp.hsvi.sarsop:SARSOP",
        "hsvi": "fogbound.solvers.pomdp.hsvi.sarsop:HSVI",
        "average-reward": "fogbound.solvers.pomdp.average_reward.solver:AverageRewardSearch",
        "incremental-pruning": "fogbound.solvers.pomdp.vectors.incremental_pruning:IncrementalPruning",
        "pbvi": "fogbound.solvers.pomdp.vectors.pbvi:PointBased",
        "qmdp": "fogbound.solvers.pomdp.vectors.qmdp:QMDP",
        "fib": "fogbound.solvers.pomdp.vectors.qmdp:FIB",
        "team-search": "fogbound.solvers.teams.team_search:TeamSearch",
        "minimax": "fogbound.solvers.perfect_information.minimax:Minimax",
        "alpha-beta": "fogbound.solvers.perfect_information.alpha_beta:AlphaBeta",
        "expectimax": "fogbound.solvers.perfect_information.minimax:Expectimax",
        "backward-induction": "fogbound.solvers.perfect_information.backward_induction:BackwardInduction",
        "shapley": "fogbound.solvers.markov.zero_sum:Shapley",
        "hoffman-karp": "fogbound.solvers.markov.zero_sum:HoffmanKarp",
        "markov-nash": "fogbound.solvers.markov.nash:MarkovNash",
        "stochastic-nlp": "fogbound.solvers.markov.nonlinear_program:StochasticNLP",
        "markov-backward-induction": "fogbound.solvers.markov.backward:MarkovBackwardInduction",
        "markov-correlated": "fogbound.solvers.markov.backward:MarkovCorrelated",
        "markov-fictitious-play": "fogbound.solvers.markov.fictitious_play:MarkovFictitiousPlay",
        "value-iteration": "fogbound.solvers.markov.decision_process:ValueIteration",
        "policy-iteration": "fogbound.solvers.markov.decision_process:PolicyIteration",
        "lookahead": "fogbound.solvers.search.lookahead:Lookahead",
        "mcts": "fogbound.solvers.search.mcts:MCTS",
        "is-mcts": "fogbound.solvers.search.is_mcts:ISMCTS",
        "pomcp": "fogbound.solvers.search.pomcp:POMCP",
        "pomcpow": "fogbound.solvers.search.pomcpow:POMCPOW",
        "pft-dpw": "fogbound.solvers.search.pft_dpw:PFTDPW",
        "despot": "fogbound.solvers.search.despot:DESPOT",
        "pomcp-pgt": "fogbound.solvers.search.pomcp_pgt:POMCPPGT",
        "resolve": "fogbound.solvers.sound_search.resolve:Resolve",
        "oos": "fogbound.solvers.sound_search.oos:OOS",
        "restricted-nash": "fogbound.solvers.linear_programs.restricted_nash:RestrictedNash",
    },
    group="fogbound.solvers",
)


def make(spec: Spec | str) -> AnySolver:
    """The solver that a spec such as `belief-mdp(ties=split)` describes.

    Parameters
    ----------
    spec
        A name of `SOLVERS`, with parameters in parentheses.

    Returns
    -------
    Solver
        Ready to be run by `fogbound.driver.solve.run_solver`, or handed to `fogbound.solve`.

    Raises
    ------
    SpecError
        There is no such solver, or it has no such parameter; the message lists what there is.

    Examples
    --------
    >>> from fogbound import solvers
    >>> solvers.make("belief-mdp(ties=split)").ties
    'split'
    """
    return SOLVERS.make(spec)
