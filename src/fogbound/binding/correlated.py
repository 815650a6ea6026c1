"""A mediator's draws: judged as the file has them; each stored policy must be its player's own part of them."""

from __future__ import annotations

import numpy as np

import fogbound.verify as checker
from fogbound import evaluate
from fogbound.binding.stored import OTHER_POLICIES
from fogbound.core.errors import PolicyError
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form
from fogbound.policies.recommendations import recommendations
from fogbound.solvers import SOLVERS

KINDS = {"coarse-correlated": "nothing", "correlated": "strategy", "extensive-form-correlated": "moves"}
CLOSE = 1e-9  # what is written down a second time, beside the policies, may differ by so much


def fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """Whether the file names a solver of this kind of equilibrium, and plays each player's part of the draws."""
    told = SOLVERS.make(str(stored.provenance["solver"])).certified_terms.get("told")
    if told != KINDS[report.kind]:
        return f"the file names {stored.provenance['solver']}, its certificate is of the kind {report.kind}"
    try:
        mediator = recommendations(stored, game=game)
    except PolicyError:
        return OTHER_POLICIES
    if not mediator.weight.sum() > 0:
        return OTHER_POLICIES
    weight = mediator.weight / mediator.weight.sum()
    for player, played in enumerate(evaluate.behaviours(mediator.form, stored.profile)):
        plex = mediator.form.plexes[player]
        if (np.abs(plex.weights(played) - weight @ mediator.realised(player)) > CLOSE).any():
            return OTHER_POLICIES
    return None
