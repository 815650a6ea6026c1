"""The front door: hand over a game and ask. `import fogbound as fb` offers all of this.

`game` makes a game from whatever names it, `solve` answers a question about it, `policy` makes a policy from whatever
names one, `match`, `tournament` and `play_out` let policies play, `local_best_response` exploits them, `sweep` solves
games by solvers by seeds, `merge` puts shares of it together, `verify` lets the independent checker judge an answer,
`convert` writes other programs' formats, `load` and `save` keep answers.
`games` and `solvers` list what there is, `rules` tells how a game is played.

What answers is imported when it is first asked, so that a command loads what it needs and no more.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fogbound.api.agents import Agent, agent
    from fogbound.api.choosing import choose
    from fogbound.api.converting import convert
    from fogbound.api.evaluating import Evaluation, evaluate
    from fogbound.api.exploiting import local_best_response
    from fogbound.api.fitting import Fit, Survey, survey
    from fogbound.api.guaranteeing import maxmin
    from fogbound.api.listing import Catalogue, Entry, games, rules, solvers
    from fogbound.api.looking import Look, look
    from fogbound.api.merging import merge
    from fogbound.api.naming import GameLike, game, player_index
    from fogbound.api.playing import match, play_out
    from fogbound.api.policy_naming import PolicyLike, bound, policy
    from fogbound.api.solving import form_for, opponents, solve
    from fogbound.api.stopping import stop_rules, why_stopped
    from fogbound.api.subgames import subgame
    from fogbound.api.sweeps.result import SweepResult
    from fogbound.api.sweeps.run import sweep
    from fogbound.api.tables import StrategyTable, table
    from fogbound.api.telling import kept, trust
    from fogbound.api.tournaments import tournament
    from fogbound.api.verifying import export_form, verify
    from fogbound.certificates.statistical import STATISTICAL
    from fogbound.certificates.verification import Verification
    from fogbound.files import load, save
    from fogbound.solvers import make as solver

__all__ = [
    "STATISTICAL",
    "Agent",
    "Catalogue",
    "Entry",
    "Evaluation",
    "Fit",
    "GameLike",
    "Look",
    "PolicyLike",
    "StrategyTable",
    "Survey",
    "SweepResult",
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
    "kept",
    "load",
    "local_best_response",
    "look",
    "match",
    "maxmin",
    "merge",
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
    "survey",
    "sweep",
    "table",
    "tournament",
    "trust",
    "verify",
    "why_stopped",
]

_PLACES = {  # by name, the module below `fogbound` that has it
    **dict.fromkeys(("Agent", "agent"), "api.agents"),
    "choose": "api.choosing",
    "convert": "api.converting",
    **dict.fromkeys(("Evaluation", "evaluate"), "api.evaluating"),
    "local_best_response": "api.exploiting",
    **dict.fromkeys(("Catalogue", "Entry", "games", "rules", "solvers"), "api.listing"),
    **dict.fromkeys(("Look", "look"), "api.looking"),
    **dict.fromkeys(("Fit", "Survey", "survey"), "api.fitting"),
    "maxmin": "api.guaranteeing",
    "merge": "api.merging",
    **dict.fromkeys(("GameLike", "game", "player_index"), "api.naming"),
    **dict.fromkeys(("PolicyLike", "bound", "policy"), "api.policy_naming"),
    **dict.fromkeys(("match", "play_out"), "api.playing"),
    **dict.fromkeys(("form_for", "opponents", "solve"), "api.solving"),
    **dict.fromkeys(("stop_rules", "why_stopped"), "api.stopping"),
    "subgame": "api.subgames",
    "SweepResult": "api.sweeps.result",
    "sweep": "api.sweeps.run",
    **dict.fromkeys(("StrategyTable", "table"), "api.tables"),
    **dict.fromkeys(("kept", "trust"), "api.telling"),
    "tournament": "api.tournaments",
    **dict.fromkeys(("export_form", "verify"), "api.verifying"),
    "STATISTICAL": "certificates.statistical",
    "Verification": "certificates.verification",
    **dict.fromkeys(("load", "save"), "files"),
}


def __getattr__(name: str) -> Any:
    if name == "solver":
        return importlib.import_module("fogbound.solvers").make
    if name in _PLACES:
        return getattr(importlib.import_module(f"fogbound.{_PLACES[name]}"), name)
    raise AttributeError(f"module 'fogbound.api' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
