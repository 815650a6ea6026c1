"""The game of a solution: the one that was solved, whatever its name and place; another is refused."""

from __future__ import annotations

from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.driver.solution import Solution
from fogbound.files.lookup import of_another_game
from fogbound.forms.protocol import Form
from fogbound.naming.games import GameLike, game_named_in_a_file, problem

THE_SOLUTION = "the solution"


def game_solved(solution: Solution, game: GameLike | None = None, where: str = THE_SOLUTION) -> AnyGame | Form:
    """The game or form that a solution is of.

    Parameters
    ----------
    solution
        The solution.
    game
        Whatever `fogbound.game` takes; unless given, what was handed over to `solve`, or the game that a file names.
    where
        What an error calls the solution.

    Returns
    -------
    Game or Form

    Raises
    ------
    SpecError
        The solution is of another game, or of other rules than the game has now: what changed.
    """
    if game is None and solution.asked is not None:
        return problem(solution.asked)
    played = problem(game if game is not None else game_named_in_a_file(str(solution.provenance["game"])))
    require_solved(solution, played, where)
    return played


def require_solved(solution: Solution, played: AnyGame | Form, where: str = THE_SOLUTION) -> None:
    """Refuse a solution of another game, or of rules that have changed since."""
    why = of_another_game(solution, played)
    if why:
        raise SpecError(f"{where}: {why}")
