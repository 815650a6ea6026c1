"""A profile of ours where OpenSpiel's algorithms in Python want a policy: asked at its states, by replay."""

from __future__ import annotations

from typing import Any

from open_spiel.python.policy import Policy as SpielPolicy

from fogbound.core.profile import Profile
from fogbound.interop.openspiel.game import OpenSpielGame
from fogbound.interop.openspiel.imported import asked_at, behaving, require_imported
from fogbound.interop.openspiel.in_python import FogboundGame


class ReplayingPolicy(SpielPolicy):  # type: ignore[misc]
    """What each player of ours does, at any state of OpenSpiel's: also where equal strings stand for different pasts.

    Parameters
    ----------
    game
        A game that came from OpenSpiel, or one of ours that went there as a game in Python.
    profile
        How every player plays: a solution, a dict by player, a list.
    """

    def __init__(self, game: OpenSpielGame | FogboundGame, profile: Profile) -> None:
        if not isinstance(game, FogboundGame):
            require_imported(game)
        source, players = (game, game.ours.players) if isinstance(game, FogboundGame) else (game.source, game.players)
        super().__init__(source, list(range(len(players))))
        self.ours, self.policies = game, behaving(profile)

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """The probability of every legal action, zeros too.

        Parameters
        ----------
        state
            A state of OpenSpiel's game, or of the same in turns.
        player_id
            Who is asked; whose turn it is unless given.
        """
        player = state.current_player() if player_id is None else player_id
        policy = self.policies[player]
        if isinstance(self.ours, FogboundGame):
            return state.asked(policy, player)  # type: ignore[no-any-return]
        return asked_at(self.ours, policy, player, state)
