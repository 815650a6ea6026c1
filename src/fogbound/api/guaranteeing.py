"""What a player can guarantee itself, beside what it has in an equilibrium: two figures that need not be near.

In Battle of the Sexes an equilibrium gives her 3, and whatever he does she can have no more than 6/5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict

from fogbound.certificates.wording import EQUILIBRIUM
from fogbound.core.errors import FormError, GameError, LimitError, Stopped
from fogbound.core.game import AnyGame
from fogbound.driver.options import RunOptions
from fogbound.driver.protocol import Until
from fogbound.driver.solution import Solution
from fogbound.driver.solve import run_solver
from fogbound.forms.protocol import Form
from fogbound.forms.sequence import sequence
from fogbound.solvers import make

CHEAP = 5_000  # nodes of a tree up to which it is said unasked
ANYONE = "anyone"
COALITION = "the others together, as if they shared what they see"


class Maxmin(TypedDict):
    """What a player can guarantee itself, against whom, and whether that is certified."""

    value: float
    against: str
    certified: bool


def maxmin(game: AnyGame, player: int, limit: int = CHEAP) -> Maxmin | None:
    """What `player` can have whatever the others do, by one linear program; None where that is not cheap, or the others
    together make no player.

    Parameters
    ----------
    game
        The game, of two players or more.
    player
        Whose.
    limit
        How many nodes its tree may have.

    Returns
    -------
    dict or None
        `value`: rounded down, and certified where `certified` says so; `against`: anyone, or all the others together as
        if they shared what they see, who can do more than they could apart.

    Examples
    --------
    >>> import fogbound as fb
    >>> round(fb.api.maxmin(fb.game("card-poker(ranks=3)"), 0)["value"], 6)
    -0.055556
    """
    if len(game.players) < 2:
        return None
    from fogbound.transforms.team import Opposed

    opposed = Opposed(game, player)
    try:
        form = sequence(opposed, limit)
        solution = run_solver(make("sequence-lp"), form, RunOptions(Until(seconds=2.0), player=opposed.place))
    except (FormError, LimitError, Stopped):
        return None
    except GameError:  # together the others may not know which of them is asked, so that they make no player
        return None
    against = ANYONE if len(game.players) == 2 else COALITION
    return {"value": solution.lower, "against": against, "certified": solution.certified == "both"}


def with_maxmin(solution: Solution, source: AnyGame | Form) -> Solution:
    """An equilibrium with what its player can guarantee itself beside it, where that is cheap; others as they are.

    Parameters
    ----------
    solution
        An answer.
    source
        The game that it is of.

    Returns
    -------
    Solution
    """
    if solution.answer != EQUILIBRIUM or isinstance(source, Form):  # which has no rules to ask
        return solution
    guaranteed = maxmin(source, solution.player)
    return solution if guaranteed is None else replace(solution, details={**solution.details, "maxmin": guaranteed})
