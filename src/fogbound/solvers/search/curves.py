"""What a search holds a position to be worth, as it goes on: document 004's curves of Q by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogbound.solvers.search.tree_search import TreeSearch


@dataclass(frozen=True)
class ValuePoint:
    """The mean return of one player after some simulations.

    Attributes
    ----------
    simulations
        How many there were.
    player
        Whose return.
    value
        Its mean.
    lower, upper
        Two standard errors below and above: statistical, no bounds.
    """

    simulations: int
    player: int
    value: float
    lower: float
    upper: float


def value_curves(search: TreeSearch, counts: Sequence[int]) -> list[ValuePoint]:
    """Go on with a search, and write down what every player got on average at some counts of simulations.

    `fogbound.draw.sweep(points, x="simulations")` draws them.

    Parameters
    ----------
    search
        A search, as `Planner.search` gives it.
    counts
        Numbers of simulations, rising.

    Returns
    -------
    list of ValuePoint

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.solvers.search.curves import value_curves
    >>> game = fb.game("rock-paper-scissors")
    >>> planner = fb.policy("is-mcts", game, 0)
    >>> search = planner.search(planner.begin(next(iter(game.start()))[0].observation(0)), game.actions((), 0))
    >>> points = value_curves(search, [100, 1000])
    >>> [(point.simulations, point.player) for point in points]
    [(100, 0), (100, 1), (1000, 0), (1000, 1)]
    >>> fb.draw.sweep(points, x="simulations", lower="lower", upper="upper", log_x=True).label[:38]
    'value over simulations: 2 lines, 4 poi'
    """
    points = []
    for count in counts:
        search.run(count - search.done)
        values, errors = search.returns()
        points += [
            ValuePoint(search.done, player, float(value), float(value - 2 * error), float(value + 2 * error))
            for player, (value, error) in enumerate(zip(values, errors))
        ]
    return points
