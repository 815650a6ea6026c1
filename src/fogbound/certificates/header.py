"""What a file says about itself: of which game, for whom, against whom, what kind of answer.

Whom an answer is against is read off the stored policies, never off what the file says of them.
"""

from __future__ import annotations

import numpy as np

from fogbound import evaluation
from fogbound.certificates.held import HeldSolution, Lookup, StoredSolution, solved_form
from fogbound.certificates.wording import EQUILIBRIUM, LOWER, REPLY, TEAM
from fogbound.core.errors import FileError, FormError, LimitError, brief, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.forms.protocol import OTHERS, Form, derive
from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Table
from fogbound.policies import Controller, Mixture, Uniform, equivalent

UNIFORM = "uniform"


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
    asked, kind = solved_form(held.stored, held.lookup), held.proof.kind
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


def against(stored: StoredSolution, lookup: Lookup) -> tuple[tuple[int, str], ...]:
    """By player, how the others play in the answer; nothing where it is not an answer to given opponents."""
    if solved_form(stored, lookup).against != OTHERS:
        return ()
    return tuple((i, described(policy)) for i, policy in sorted(stored.profile.items()) if i != stored.player)


def described(policy: Strategy) -> str:
    """A stored policy in a few words."""
    if isinstance(policy, Uniform):
        return "uniform play"
    if isinstance(policy, Controller):
        return f"a stored controller of {many(policy.size, 'node')}"
    if isinstance(policy, Mixture):
        return f"a mixture of {many(len(policy.policies), 'stored policy')}"
    return f"stored {type(policy).__name__}"


def opponents_fault(held: HeldSolution) -> str | None:
    """Whether the file says that the others play uniformly where they do not: other names are only claimed."""
    stored, game, said = held.stored, held.game, held.stored.provenance.get("against")
    if not said or set(said) != {UNIFORM} or not against(stored, held.lookup):
        return None
    for player, policy in sorted(stored.profile.items()):
        if player != stored.player and not _uniform(policy, game, player):
            return f"the file says that {game.players[player]} plays uniformly, its stored policy does not"
    return None


def _uniform(policy: Strategy, game: AnyGame | Form, player: int) -> bool:
    """Whether a policy is uniform play, however it is written down.

    A controller that chooses evenly is seen to be at a glance. What only comes to the same when it is played is
    compared in the sequence form; where the game has none, nobody can say, and what is not seen to be uniform is not.
    """
    if isinstance(policy, Uniform) or (isinstance(policy, Controller) and equivalent(policy, Uniform())):
        return True
    try:
        sequence = derive(game, SequenceForm)
    except (FormError, LimitError):
        return False
    plex = sequence.plexes[player]
    mine, even = (plex.weights(evaluation.behaviour(sequence, player, p)) for p in (policy, Uniform()))
    return bool(np.allclose(mine, even, rtol=0, atol=1e-9))
