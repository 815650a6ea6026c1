"""`agent`: a policy in a control loop."""

from __future__ import annotations

import os
from collections.abc import Mapping

from fogbound import files
from fogbound.arena.agent import Agent
from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.core.profile import HasProfile
from fogbound.driver.solution import Solution
from fogbound.forms.protocol import Form
from fogbound.naming.games import GameLike, player_index, problem, require_seed
from fogbound.naming.policies import PolicyLike, policy
from fogbound.naming.solved import game_solved


def agent(
    source: PolicyLike,
    game: GameLike | Form | None = None,
    player: int | str | None = None,
    *,
    others: Mapping[int, Strategy] | None = None,
    seed: int = 0,
) -> Agent:
    """An agent that plays one player, for control loops.

    Parameters
    ----------
    source
        Whatever `fogbound.policy` takes: a solution, the file of one, a policy, a solver's spec.
    game
        Whatever `fogbound.game` takes; of a solution, what it was solved for unless given.
    player
        By index or name; of a solution, the one that it is about unless given.
    others
        How the others are thought to play, by player; of a solution, as they do in it.
    seed
        For policies that draw.

    Returns
    -------
    Agent

    Raises
    ------
    SpecError
        It is not said of which game, or there is no such player or policy.

    Examples
    --------
    >>> import fogbound as fb
    >>> dealer = fb.agent("sequence-lp", "card-poker(ranks=3)", "dealer")
    >>> dealer.observe(3)  # its card; the gambler moves first
    >>> dealer.act("bet"), dealer.actions
    ('call', ('fold', 'call'))
    """
    require_seed(seed)
    if isinstance(source, str | os.PathLike) and os.fspath(source).endswith(".npz"):
        source = files.load(source)
    if game is None and isinstance(source, Solution):
        game = game_solved(source)
    if game is None:
        raise SpecError("which game the agent plays must be said: agent(policy, game)")
    played = problem(game)
    index = player_index(source.player if player is None and isinstance(source, Solution) else player or 0, played)
    profile = source.profile if isinstance(source, HasProfile) else {}
    if others is None:
        others = {i: policy(source, played, i, seed) for i in profile if i != index}
    vectors = source.alpha_vectors if isinstance(source, Solution) and source.player == index else None
    return Agent(played, index, policy(source, played, index, seed), others, seed, vectors)
