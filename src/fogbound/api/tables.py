"""`table`: an answer as a table that travels."""

from __future__ import annotations

from fogbound.core.errors import SpecError
from fogbound.driver.solution import Solution
from fogbound.files.strategy_table import StrategyTable, strategy_rows
from fogbound.forms.protocol import Form, title
from fogbound.naming.games import GameLike, player_index
from fogbound.naming.policies import bound
from fogbound.naming.solved import game_solved


def table(solution: Solution, player: int | str | None = None, game: GameLike | Form | None = None) -> StrategyTable:
    """A solution's strategies as a table: player, information set, action, probability, reached.

    Parameters
    ----------
    solution
        The answer, solved or loaded.
    player
        Whose strategy, by index or name; of all that it has policies for unless given.
    game
        Whatever `fogbound.game` takes; what was solved unless given.

    Returns
    -------
    StrategyTable

    Raises
    ------
    PolicyError
        A policy has no finite list of situations: it plays by vectors, searches, or is drawn from several.

    Examples
    --------
    >>> import fogbound as fb
    >>> answer = fb.solve("king-ace", "sequence-lp")
    >>> for row in fb.api.table(answer, "second"):
    ...     print(row.information_set, row.action, round(row.probability, 3))
    A · raise call 1.0
    A · raise fold 0.0
    K · raise call 0.0
    K · raise fold 1.0
    """
    played = game_solved(solution, game)
    profile = {i: bound(one, played, i, solution.profile) for i, one in solution.profile.items()}
    wanted = sorted(profile) if player is None else [player_index(player, played)]
    for index in wanted:
        if index not in profile:
            raise SpecError(f"the answer has no policy for player {index} ({played.players[index]})")
    rows = [row for index in wanted for row in strategy_rows(played, index, profile)]
    return StrategyTable(title(played), tuple(rows))
