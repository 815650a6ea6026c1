"""The front door: hand over a game and ask. `import fogbound as fb` offers all of this.

`game` makes a game from whatever names it, `solve` answers a question about it, `policy` makes a policy from whatever
names one, `match`, `tournament` and `play_out` let policies play, `local_best_response` exploits them, `verify` lets
the independent checker judge an answer, `convert` writes other programs' formats, `load` and `save` keep answers.
`games` and `solvers` list what there is, `rules` tells how a game is played.
"""

from fogbound.api.agents import Agent, agent
from fogbound.api.choosing import choose
from fogbound.api.converting import convert
from fogbound.api.evaluating import Evaluation, evaluate
from fogbound.api.exploiting import local_best_response
from fogbound.api.listing import Catalogue, Entry, games, rules, solvers
from fogbound.api.maxmin import maxmin
from fogbound.api.naming import GameLike, PolicyLike, bound, game, player_index, policy
from fogbound.api.playing import match, play_out
from fogbound.api.solving import form_for, opponents, solve
from fogbound.api.stopping import stop_rules, why_stopped
from fogbound.api.subgames import subgame
from fogbound.api.tables import StrategyTable, table
from fogbound.api.tournaments import tournament
from fogbound.api.verifying import STATISTICAL, Verification, export_form, verify
from fogbound.files import load, save
from fogbound.solvers import make as solver

__all__ = [
    "STATISTICAL",
    "Agent",
    "Catalogue",
    "Entry",
    "Evaluation",
    "GameLike",
    "PolicyLike",
    "StrategyTable",
    "Verification",
    "agent",
    "bound",
    "choose",
    "convert",
    "evaluate",
    "export_form",
    "form_for",
    "game",
    "games",
    "load",
    "local_best_response",
    "match",
    "maxmin",
    "opponents",
    "play_out",
    "player_index",
    "policy",
    "rules",
    "save",
    "solve",
    "solver",
    "solvers",
    "stop_rules",
    "subgame",
    "table",
    "tournament",
    "verify",
    "why_stopped",
]
