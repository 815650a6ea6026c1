"""What a file says about itself: of which game, for whom, by what kind of proof. The rest is claimed.

Every field of a solution file's header is in one of three classes: proven or compared (`figures`, the binders and
here), derived (what `show` and `verify` read off the stored policies), or listed in `CLAIMED`. A test holds the three
against the files that are written, so that a new field cannot be forgotten.
"""

from __future__ import annotations

import fogbound.verify as checker
from fogbound.binding.same_game import solves
from fogbound.core.errors import brief
from fogbound.core.game import AnyGame
from fogbound.driver.provenance import EQUILIBRIUM, REPLY, TEAM, VALUE
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import OTHERS, Form
from fogbound.solvers import SOLVERS

CLAIMED = (  # how an answer was come by is nobody's to prove: printed as claimed, used for nothing
    "iterations",
    "seconds",
    "stopped",
    "details",
    "provenance.against",
    "provenance.chosen",
    "provenance.finds",
    "provenance.form",
    "provenance.form_sha256",
    "provenance.inputs",
    "provenance.problem",
    "provenance.seed",
    "provenance.solver",
    "provenance.until",
    "provenance.versions",
    "certificate.checked",
    "certificate.checked_seconds",
    "policies.*.notes",
)


ANSWERS = {  # by kind of certificate; of a profile it depends on what was asked
    "zero-sum-tree": VALUE,
    "zero-sum-memories": VALUE,
    "one-sided": VALUE,
    "zero-sum-markov": VALUE,
    "restricted-tree": REPLY,
    "restricted-memories": REPLY,
    "chain-profile": REPLY,
    "pomdp": REPLY,
    "team": TEAM,
    "level-k": REPLY,
}


def _answer(stored: Solution, report: checker.Report) -> str:
    """What the proven bounds mean; whoever asked about a reply said how the others play."""
    asked = SOLVERS.make(str(stored.provenance["solver"])).form
    if report.kind == "chain-profile" and asked.certified_as == "team":
        return TEAM
    if report.kind in ANSWERS:
        return ANSWERS[report.kind]
    return REPLY if asked.against == OTHERS or len(stored.provenance["players"]) == 1 else EQUILIBRIUM


def header_fault(stored: Solution, game: AnyGame | Form, report: checker.Report) -> str | None:
    """The first thing that the file says of itself and that is not so."""
    provenance = stored.provenance
    if report.player != stored.player:
        return f"the certificate speaks of player {report.player}, the file of player {stored.player}"
    if provenance.get("player", stored.player) != stored.player:
        return f"the file is about player {stored.player}, its provenance about {brief(provenance['player'])}"
    if report.player not in stored.profile:
        return f"the certificate speaks of player {report.player}, for which the file has no policy"
    if list(provenance.get("players", game.players)) != list(game.players):
        return f"the file names the players {brief(provenance['players'])}, the game has {', '.join(game.players)}"
    answer = _answer(stored, report)
    if stored.answer != answer:
        return f"the file calls its answer a {brief(stored.answer)}, its certificate is about a {answer!r}"
    if not solves(provenance, game):
        return f"the file names the game {brief(provenance.get('game'))}, which is not the one that was checked"
    return None
