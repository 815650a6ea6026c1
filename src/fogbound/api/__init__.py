"""The front door: hand over a game and ask. `import fogbound as fb` offers all of this.

`game` makes a game from whatever names it, `pomdp`, `mdp`, `markov_game`, `posg`, `matrix_game` and `tree` from
arrays, `solve` answers a question about it, `policy` makes a policy from whatever names one, `match`, `tournament`
and `play_out` let policies play, `local_best_response` exploits them, `sweep` solves games by solvers by seeds,
`merge` puts shares of it together, `verify` lets the independent checker judge an answer, `convert` writes other
programs' formats, `load` and `save` keep answers. `games` and `solvers` list what there is, `rules` tells how a game
is played.

What answers is imported when it is first asked, so that a command loads what it needs and no more.
"""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.api.agents import agent
    from fogbound.api.checking import GameCheck, check
    from fogbound.api.converting import convert
    from fogbound.api.dominance import Dominance, dominance
    from fogbound.api.equilibria import equilibria
    from fogbound.api.evaluation import evaluate, local_best_response
    from fogbound.api.experiments import merge, sweep, tournament
    from fogbound.api.guaranteeing import maxmin
    from fogbound.api.listing import Catalogue, Entry, games, rules, solvers
    from fogbound.api.looking import Look, look
    from fogbound.api.playing import match, play_out
    from fogbound.api.solving import form_for, opponents, solve
    from fogbound.api.subgames import subgame
    from fogbound.api.tables import table
    from fogbound.api.verifying import export_form, verify
    from fogbound.arena.agent import Agent
    from fogbound.arena.evaluation import Evaluation
    from fogbound.certificates.statistical import STATISTICAL
    from fogbound.certificates.verification import Verification
    from fogbound.driver.telling import kept, trust
    from fogbound.experiments.sweeps.result import SweepResult
    from fogbound.files.solution import load_solution as load
    from fogbound.files.solution import save_solution as save
    from fogbound.files.strategy_table import StrategyTable
    from fogbound.naming.arrays import markov_game, mdp, pomdp, posg
    from fogbound.naming.games import GameLike, game, player_index
    from fogbound.naming.limits import stop_rules, why_stopped
    from fogbound.naming.policies import PolicyLike, bound, policy
    from fogbound.naming.solvers import solver
    from fogbound.naming.strategic import matrix_game, tree
    from fogbound.solvers.all_equilibria.answer import EquilibriumSet
    from fogbound.solvers.choosing import choose_solver
    from fogbound.solvers.fitting import Fit, Survey, survey

__all__ = [
    "STATISTICAL",
    "Agent",
    "Catalogue",
    "Dominance",
    "Entry",
    "EquilibriumSet",
    "Evaluation",
    "Fit",
    "GameCheck",
    "GameLike",
    "Look",
    "PolicyLike",
    "StrategyTable",
    "Survey",
    "SweepResult",
    "Verification",
    "agent",
    "bound",
    "check",
    "choose_solver",
    "convert",
    "dominance",
    "equilibria",
    "evaluate",
    "export_form",
    "form_for",
    "game",
    "games",
    "kept",
    "load",
    "local_best_response",
    "look",
    "markov_game",
    "match",
    "matrix_game",
    "maxmin",
    "mdp",
    "merge",
    "opponents",
    "play_out",
    "player_index",
    "policy",
    "pomdp",
    "posg",
    "rules",
    "save",
    "solve",
    "solver",
    "solvers",
    "stop_rules",
    "subgame",
    "survey",
    "sweep",
    "table",
    "tournament",
    "tree",
    "trust",
    "verify",
    "why_stopped",
]

lazy(__name__)
