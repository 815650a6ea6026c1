"""A policy on the board of its game, drawn as the game draws it."""

from __future__ import annotations

from collections.abc import Hashable

from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.core.profile import Profile, policy_of
from fogbound.evaluation.markov import markov_behaviour
from fogbound.forms.markov import markov


def field(
    profile: Profile, *, game: AnyGame, player: int = 0, other: Hashable | None = None, title: str = ""
) -> Drawing:
    """Draw what a player does in every state of a game that has a picture for it (`Game.draw_policy`).

    Parameters
    ----------
    profile : Solution, dict, list or policy
        How all play; only the player's own policy is drawn.
    game : Game
        The game that it is a policy of, such as soccer.
    player : int
        Whose.
    other : Hashable
        Where the others stand, in the game's own terms: (row, column) in soccer. Where they begin, unless told.
    title : str
        The first line of the picture.

    Returns
    -------
    Drawing
        In soccer one field with the ball at A, one with the ball at B.

    Raises
    ------
    SpecError
        The game has no such picture, or there is no such place.

    Examples
    --------
    >>> import fogbound as fb
    >>> game = fb.game("soccer")
    >>> picture = fb.draw.field([fb.policies.Uniform()] * 2, game=game)
    >>> print(picture.text.splitlines()[0])
    A's moves, B stands on row 2, column 1; A has the ball
    """
    if not game.draws_policies:
        raise SpecError(f"{game} has no field to draw: soccer has one")
    form = markov(game)
    played = markov_behaviour(form, player, policy_of(profile, player))
    live = [number for number in range(form.size) if form.live[number]]
    chances = {form.states[number]: dict(form.at(played, number, player).pairs) for number in live}
    return game.draw_policy(player, chances, other, title)
