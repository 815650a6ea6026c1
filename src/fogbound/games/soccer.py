"""Soccer on a grid: two players, one ball, moves chosen at once and executed in the order of a coin flip.

Littman, "Markov games as a framework for multi-agent reinforcement learning" (1994): four rows, five columns. Each
player goes north, south, east or west, or stands. A step off the board does nothing. A step onto the other's square
fails, and the ball goes to whoever stood there. A scores by stepping west off the two middle rows with the ball, B
east; once there is a goal the other's move lapses. A goal pays 1 to the scorer, by the other. Where the players begin
is ours: A in row 1, column 3, B in row 2, column 1, counted from 0 at the top left.

Its value is 0.2184844404 to A where A begins with the ball, as much to B where B does, and 0 by a coin flip; and it is
the same whether a goal ends the game or puts both back with the ball given by a coin flip, which is worth 0.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Literal, cast

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, KnownValue, Outcome, SpecError, Tile
from fogbound.core.contract import require_discount

ROWS, COLUMNS = 4, 5
MOVES = {"north": (-1, 0), "south": (1, 0), "east": (0, 1), "west": (0, -1), "stand": (0, 0)}
GOAL_ROWS = (1, 2)
GOAL_COLUMN = (-1, COLUMNS)  # where A scores, where B does
KICK_OFF = ((1, 3), (2, 1))  # where A begins, where B does
A, B, NOBODY = 0, 1, 2

Square = tuple[int, int]  # (row, column)
State = tuple[Square, Square, int]  # where A is, where B is, who has the ball
OVER: State = (*KICK_OFF, NOBODY)


@dataclass(frozen=True)
class Soccer(Game[State, str]):
    """Littman's soccer on four rows and five columns, both players moving at once.

    Parameters
    ----------
    ball
        Who begins with it: "a", "b", or "coin".
    goal
        Whether a goal "ends" the game, or "resets" it: both begin again, with the ball given by a coin flip.
    discount
        Step t counts discount**t.
    """

    name = "soccer"
    record = GameRecord(
        "Soccer",
        GameGroup.BOARDS,
        (
            KnownValue(
                "soccer",
                0.2184844404,
                "exact certificate [.218484440226, .218484440618], found elsewhere",
                "shapley",
                1e-9,
            ),
            KnownValue("soccer(goal=resets)", 0.2184844404, "what follows a goal is worth 0", "shapley", 1e-9),
            KnownValue("soccer(ball=coin)", 0.0, "symmetric", "shapley", 1e-9),
        ),
    )

    ball: Literal["a", "b", "coin"] = "a"
    goal: Literal["ends", "resets"] = "ends"
    discount: float = 0.9
    players = ("A", "B")

    def __post_init__(self) -> None:
        if self.ball not in ("a", "b", "coin"):
            raise SpecError(f"soccer: ball is {self.ball!r}, expected a, b or coin")
        if self.goal not in ("ends", "resets"):
            raise SpecError(f"soccer: goal is {self.goal!r}, expected ends or resets")
        require_discount("soccer", self.discount, SpecError)

    def start(self) -> Dist[Outcome[State]]:
        return Dist.uniform(_seen((*KICK_OFF, holder)) for holder in {"a": (A,), "b": (B,), "coin": (A, B)}[self.ball])

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == OVER else (A, B)

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return tuple(MOVES)

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        outcomes: dict[Outcome[State], float] = {}
        for order in ((A, B), (B, A)):
            for outcome, p in self._in_order(state, joint, order):
                outcomes[outcome] = outcomes.get(outcome, 0.0) + p / 2
        return Dist.of(outcomes)

    def _in_order(self, state: State, joint: tuple[str, ...], order: tuple[int, int]) -> Dist[Outcome[State]]:
        """What follows when the players move in this order."""
        for player in order:
            if _scores(state, player, MOVES[joint[player]]):
                return self._scored(player)
            state = _moved(state, player, MOVES[joint[player]])
        return Dist.sure(_seen(state))

    def _scored(self, player: int) -> Dist[Outcome[State]]:
        rewards = (1.0, -1.0) if player == A else (-1.0, 1.0)
        if self.goal == "ends":
            return Dist.sure(_seen(OVER, rewards))
        return Dist.uniform(_seen((*KICK_OFF, holder), rewards) for holder in (A, B))

    def describe(self, action: str) -> str:
        return "stand still" if action == "stand" else f"go {action}"

    def describe_state(self, state: State) -> str:
        if state == OVER:
            return "a goal, and the game is over"
        squares = (f"{name} is in row {row}, column {column}" for name, (row, column) in zip(self.players, state[:2]))
        return f"{', '.join(squares)}; {self.players[state[2]]} has the ball"

    def describe_public(self, seen: Hashable) -> str:
        return self.describe_state(cast(State, seen))

    def board(self, state: State, player: int | None = None) -> Board:  # noqa: ARG002
        """The field, the player with the ball marked."""
        if state == OVER:
            return Board.of_text("A goal: the game is over.")
        rows = [[_tile(state, (row, column)) for column in range(COLUMNS)] for row in range(ROWS)]
        return Board.grid(rows, f"{self.players[state[2]]} has the ball; A scores in the west, B in the east")

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:  # noqa: ARG002
        """The field; nothing is hidden in this game."""
        board = self.board(state, player)
        if state == OVER:
            return board.draw()
        from fogbound.games.scenes.soccer import soccer_field

        a, b, holder = state
        return soccer_field((a, b), holder, (ROWS, COLUMNS), GOAL_ROWS, self.players, player, board.text())

    def draw_policy(
        self, player: int, chances: Mapping[State, Mapping[str, float]], other: Hashable | None, title: str
    ) -> Drawing:
        """A field for each who has the ball; `other` is the square of the other player."""
        from fogbound.games.scenes.soccer import Pitch, policy_field

        row, column = KICK_OFF[1 - player] if other is None else cast(Square, other)
        pitch = Pitch(ROWS, COLUMNS, GOAL_ROWS, MOVES)
        return policy_field(pitch, player, chances, self.players, (int(row), int(column)), title)


def _scores(state: State, player: int, step: Square) -> bool:
    """Whether a player's move is a goal."""
    row, column = _ahead(state, player, step)
    return state[2] == player and row in GOAL_ROWS and column == GOAL_COLUMN[player]


def _moved(state: State, player: int, step: Square) -> State:
    """The state after one player's move, which is no goal."""
    a, b, holder = state
    row, column = square = _ahead(state, player, step)
    if square == (b if player == A else a):
        return a, b, 1 - player
    if not (0 <= row < ROWS and 0 <= column < COLUMNS):
        return state
    return (square, b, holder) if player == A else (a, square, holder)


def _ahead(state: State, player: int, step: Square) -> Square:
    """The square that a step leads to, on the field or off it."""
    row, column = state[0] if player == A else state[1]
    return row + step[0], column + step[1]


def _seen(state: State, rewards: tuple[float, ...] = ()) -> Outcome[State]:
    """Everybody sees everything."""
    return Outcome(state, rewards, public=state)


def _tile(state: State, square: Square) -> Tile:
    for player, tone in ((A, "mine"), (B, "theirs")):
        if state[player] == square:
            return Tile("AB"[player] + ("•" if state[2] == player else ""), tone)
    return Tile("", "plain")
