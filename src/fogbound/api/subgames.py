"""`subgame`: the rest of a game after what has happened, as a game of its own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from fogbound.core.game import AnyGame
from fogbound.naming.games import GameLike, as_game
from fogbound.transforms.subgame import ProperSubgame


def subgame(game: GameLike, history: Iterable[Hashable]) -> AnyGame:
    """The subgame that begins after `history`.

    Parameters
    ----------
    game
        Whatever `fogbound.game` takes.
    history
        What was done, step by step: an action, or a tuple of actions where several move at once; where chance has
        several outcomes, also at the start, the number of the one that came follows.

    Returns
    -------
    Game
        Its spec is ``subgame(game=…, history=[…])``.

    Raises
    ------
    SpecError
        The history cannot happen.
    GameError
        No subgame begins there: the game is over, or a player who still moves cannot tell the history from another.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.solve(fb.subgame("tic-tac-toe", ["a1", "b1"]), "alpha-beta").value  # the edge is a mistake
    1.0
    """
    return ProperSubgame(as_game(game), tuple(history))
