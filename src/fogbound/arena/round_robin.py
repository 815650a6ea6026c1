"""Everybody against everybody: the exact outcome of each pair of policies of a two-player game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from fogbound.arena.episode import MOST_STEPS
from fogbound.arena.outcome import ExactOutcome, outcome
from fogbound.core.errors import FormError, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.forms.induced import MOST_POINTS
from fogbound.forms.table import enumerate_table


@dataclass(frozen=True)
class RoundRobin:
    """`outcomes[j][k]` is what comes of the j-th policy in player 0 against the k-th in player 1.

    Attributes
    ----------
    spec
        The spec of the game.
    players
        The names of the two players.
    outcomes
        By the policy of player 0, then that of player 1.
    """

    spec: str
    players: tuple[str, ...]
    outcomes: tuple[tuple[ExactOutcome, ...], ...]

    def table(self) -> list[dict[str, Any]]:
        """One plain row a pair, for JSON."""
        return [
            {"row": j, "column": k, **outcome.plain()}
            for j, row in enumerate(self.outcomes)
            for k, outcome in enumerate(row)
        ]


def round_robin(
    game: AnyGame,
    rows: Sequence[Strategy],
    columns: Sequence[Strategy],
    watch: Callable[[int], None] | None = None,
    most_steps: int = MOST_STEPS,
    limit: int = MOST_POINTS,
) -> RoundRobin:
    """The exact outcome of each of `rows` in player 0 against each of `columns` in player 1.

    The game is enumerated once, and a policy that stands in several places meets each other one once. What is not
    known of a pair is None there; see `exact`.

    Parameters
    ----------
    game
        A game of two players.
    rows, columns
        The policies of player 0 and those of player 1.
    watch
        Called with the number of pairs done, after each.
    most_steps, limit
        As `exact` has them.

    Returns
    -------
    RoundRobin
        One exact outcome a pair; `table()` gives them as plain rows.

    Raises
    ------
    FormError
        Where the game is not for two.
    LimitError
        Where it is larger than `limit`.

    Examples
    --------
    >>> import fogbound as fb
    >>> uniform = fb.policies.Uniform()
    >>> pairs = fb.arena.round_robin(fb.game("king-ace"), [uniform], [uniform])
    >>> round(pairs.outcomes[0][0].returns[0], 6)
    0.25
    """
    if len(game.players) != 2:
        raise FormError(f"{game}: {many(len(game.players), 'player')}, expected 2 for a table of pairs")
    form = cache(lambda: enumerate_table(game, limit))
    known: dict[tuple[int, int], ExactOutcome] = {}
    outcomes: list[tuple[ExactOutcome, ...]] = []
    for row in rows:
        line: list[ExactOutcome] = []
        for column in columns:
            pair = (id(row), id(column))
            if pair not in known:
                known[pair] = outcome(game, (row, column), form, most_steps, limit)
            line.append(known[pair])
            if watch:
                watch(len(outcomes) * len(columns) + len(line))
        outcomes.append(tuple(line))
    return RoundRobin(str(game), tuple(game.players), tuple(outcomes))
