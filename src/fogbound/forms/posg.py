"""Games whose players see different things: what each does and sees, side by side, without anybody's tree.

A partially observable stochastic game (POSG; with one reward for all a Dec-POMDP) is the table read from the side of
its players: in every state each has a list of actions (one who does not move has the one action None), and every
outcome shows each its own observation. Nothing is unrolled, so the states may come back for ever; where they hold the
clock, as those of `horizon(game, steps)` do, play goes through them layer by layer.

Bernstein, Givan, Immerman and Zilberstein (2002); Hansen, Bernstein and Zilberstein (2004).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_discount
from fogbound.core.errors import many
from fogbound.core.game import AnyGame, Observation
from fogbound.forms.arrays import Floats, Longs, largest_total, summed
from fogbound.forms.player_view import player_view
from fogbound.forms.protocol import Form, PlayersForm, Question, derive
from fogbound.forms.table import MOST_STATES, START, Table


@dataclass(frozen=True, eq=False, repr=False)
class POSG(PlayersForm):
    """S states, R rows (joint actions), O outcomes, n players. Row 0 is the start, as in the table.

    Joint actions are rows of their state: `row[s] + sum(place[i] * stride[s, i])`, where place[i] is the place of
    player i's action in its list of legal ones. An observation is what is seen together with the legal actions that
    follow, since being asked is news as well: after any observation all possible states offer a player the same.

    Parameters
    ----------
    spec
        The spec of the game.
    players
        The names of the players.
    discount
        Step t counts discount**t.
    legal : [S, n]
        The list of legal actions of each player; NOT_ASKED (-1) or OVER (-2) where it has none.
    places : [S, n]
        How many actions there are: one, None, for a player who does not move.
    stride : [S, n]
        How many rows an action's place is worth.
    row : [S+1]
        Where the rows of a state begin.
    out : [R+1]
        Where the outcomes of a row begin.
    next : [O]
        The state that follows.
    seen : [O, n]
        What each player observes, by number.
    prob : [O]
        The probability of the outcome.
    reward : [R, n]
        The expected reward of each player.
    over : [S]
        Where play has ended.
    observations
        What each player may observe, by number: what is seen, and the list of legal actions that follows.
    table
        The table that it is a view of, which has the labels.
    """

    kind: ClassVar[str] = "posg"
    made_from: ClassVar[str] = "table"
    certified_as: ClassVar[str] = "team"

    spec: str
    players: tuple[str, ...]
    discount: float
    legal: Longs  # [S, n]
    places: Longs  # [S, n]
    stride: Longs  # [S, n]
    row: Longs  # [S+1]
    out: Longs  # [R+1]
    next: Longs  # [O]
    seen: Longs  # [O, n]
    prob: Floats  # [O]
    reward: Floats  # [R, n]
    over: NDArray[np.bool_]  # [S]
    observations: tuple[list[tuple[Observation, int]], ...] = field(repr=False)
    table: Table = field(repr=False)

    def __post_init__(self) -> None:
        require_discount(self.spec, self.discount)

    @property
    def origin(self) -> Form:
        return self.table

    @property
    def size(self) -> int:
        return len(self.over)

    @property
    def constant_sum(self) -> float | None:
        """0 where every step's rewards add up to 0."""
        return self.table.constant_sum

    @cached_property
    def common_reward(self) -> bool:
        """Whether whatever is paid is paid to everybody alike: a team, whose problem is a Dec-POMDP."""
        return bool((self.table.reward == self.table.reward[:, :1]).all())

    @property
    def largest(self) -> float:
        return largest_total(self.reward, self.discount)

    def describe(self) -> str:
        team = ", one reward" if self.common_reward and len(self.players) > 1 else ""
        sizes = f"{many(self.size, 'state')}, {many(len(self.players), 'player')}"
        return f"partially observable stochastic game, {sizes}{team}"

    @classmethod
    def derive(cls, source: Table, question: Question) -> POSG:
        return posg(source, **question.most)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The table's: what a certificate is about is what the players can do and see there."""
        return self.table.arrays()

    def action(self, state: int, player: int, place: int) -> Hashable | None:
        """The label of a player's action; None where it does not move."""
        legal = int(self.legal[state, player])
        return self.table.actions[self.table.legal_actions[legal, place]] if legal >= 0 else None


def posg(game: AnyGame | Form, limit: int = MOST_STATES) -> POSG:
    """The game as its players meet it: private observations, joint actions, everybody's rewards.

    Parameters
    ----------
    game
        The game, or its table.
    limit
        How many states there may be.

    Returns
    -------
    POSG

    Raises
    ------
    LimitError
        There are more than `limit` states.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> form = forms.posg(games.make("multi-tiger"))
    >>> form
    <partially observable stochastic game, 2 states, 2 players, one reward, of multi-tiger(accuracy=0.85, discount=1)>
    >>> form.places.tolist(), form.common_reward
    ([[3, 3], [3, 3]], True)
    """
    table = derive(game, Table, Question(limit=limit))
    views = [player_view(table, player) for player in range(len(table.players))]
    places, stride = _places(table)
    rows = np.repeat(np.arange(len(table.out) - 1), np.diff(table.out))
    paid = [summed(rows, table.prob * table.reward[table.event, i], len(table.out) - 1) for i in range(len(views))]
    return POSG(
        spec=table.spec,
        players=table.players,
        discount=table.discount,
        legal=np.stack([view.legal for view in views], axis=1),
        places=places,
        stride=stride,
        row=table.row.astype(np.int64),
        out=table.out.astype(np.int64),
        next=table.next.astype(np.int64),
        seen=np.stack([view.obs for view in views], axis=1).astype(np.int64),
        prob=table.prob.astype(np.float64),
        reward=np.stack(paid, axis=1),
        over=table.actor_set == 0,
        observations=tuple(view.observations for view in views),
        table=table,
    )


def _places(table: Table) -> tuple[Longs, Longs]:
    """[S, n] how many actions each player has, and how many rows one is worth: the last actor's is the fastest."""
    states, players = table.size, len(table.players)
    places, stride = np.ones((states, players), np.int64), np.zeros((states, players), np.int64)
    movers = table.actor_set_players[table.actor_set]  # [S, W]
    worth = np.ones(states, np.int64)
    for k in range(movers.shape[1] - 1, -1, -1):
        at = np.flatnonzero(movers[:, k] >= 0)
        who, size = movers[at, k], table.legal_size[table.legal[at, k]]
        places[at, who], stride[at, who] = size, worth[at]
        worth[at] *= size
    return places, stride


__all__ = ["POSG", "START", "posg"]
