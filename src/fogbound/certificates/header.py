"""What a file says about itself: of which game, for whom, what kind of answer."""

from __future__ import annotations

import numpy as np

from fogbound.certificates.held import HeldSolution, StoredSolution, solved_form
from fogbound.certificates.wording import EQUILIBRIUM, LOWER, REPLY, TEAM
from fogbound.core.errors import FileError, brief
from fogbound.core.game import AnyGame
from fogbound.forms.protocol import OTHERS, Form
from fogbound.forms.table import Table


def require_players(stored: StoredSolution, game: AnyGame | Form) -> None:
    """Refuse a file about, or with a policy for, somebody who is not a player of the game."""
    strange = [player for player in (stored.player, *sorted(stored.profile)) if not 0 <= player < len(game.players)]
    if strange:
        raise FileError(f"holds a policy for player {strange[0]}, expected players from 0 to {len(game.players) - 1}")


def require_profile(stored: StoredSolution, game: AnyGame | Form, everyone: bool) -> None:
    """Refuse a file that lacks the policy of a player whom its certificate is about."""
    require_players(stored, game)
    for player, name in enumerate(game.players):
        if player not in stored.profile and (everyone or player == stored.player):
            raise FileError(f"holds no policy for player {player} ({name}), of whom its certificate speaks")


def player_fault(held: HeldSolution) -> str | None:
    """Whether file, provenance and certificate are about one player."""
    stored, named = held.stored, held.stored.provenance["player"]
    if held.report.player != stored.player:
        return f"the certificate speaks of player {held.report.player}, the file of player {stored.player}"
    if named != stored.player:
        return f"the file is about player {stored.player}, its provenance about {brief(named)}"
    return None


def players_fault(held: HeldSolution) -> str | None:
    """Whether the players are the game's."""
    named = held.stored.provenance["players"]
    if list(named) == list(held.game.players):
        return None
    return f"the file names the players {brief(named)}, the game has {', '.join(held.game.players)}"


def game_fault(held: HeldSolution) -> str | None:
    """Whether the file is of the game that it was compared with."""
    provenance = held.stored.provenance
    if held.lookup.solves(provenance, held.game):
        return None
    return f"the file names the game {brief(provenance['game'])}, which is not the one that was checked"


def answer_fault(held: HeldSolution) -> str | None:
    """Whether the answer is of the kind that the certificate is about."""
    answer = _answer(held)
    if held.stored.answer == answer:
        return _team_fault(held) if answer == TEAM else None
    return f"the file calls its answer a {brief(held.stored.answer)}, its certificate is about a {answer!r}"


def _answer(held: HeldSolution) -> str:
    """What the proven bounds mean: an answer to given opponents is a reply."""
    asked, kind = solved_form(held.stored), held.proof.kind
    if kind.proves == LOWER and asked.certified_as == TEAM:  # plans of a team, of which only the value is proven
        return TEAM
    if kind.answer:
        return kind.answer
    return REPLY if asked.against == OTHERS or len(held.game.players) == 1 else EQUILIBRIUM


def _team_fault(held: HeldSolution) -> str | None:
    """Whether the players are a team at all: they are all paid alike."""
    form = held.form
    if isinstance(form, Table) and bool(np.all(form.reward == form.reward[:, :1])):
        return None
    return "the file calls its answer that of a team, but the players of this game are not paid alike"


def finds_fault(held: HeldSolution) -> str | None:
    """Whether the named solver looks for what the file says, on the form that the file says."""
    solver, provenance = held.solver, held.stored.provenance
    if solver is None:
        return None
    if provenance.get("finds") != solver.finds:
        return f"the file says that {provenance['solver']} finds {brief(provenance.get('finds'))}, which it does not"
    kinds = [form.kind for form in solver.forms]
    if provenance["form"] in kinds:
        return None
    return f"the file says that {provenance['solver']} solved a {brief(provenance['form'])} form, expected {kinds[0]}"
