"""Stratego on a small board: two armies whose ranks the other cannot see, and a flag to capture.

Each player sets up the pieces of `army` on the squares nearest to its own corner, row by row: in secret and at the
same time (`deal=chosen`), or as chance has it (`deal=random`). Then they move in turn, one piece to a neighbouring
square, never diagonally, a scout any way along a free line; flag and bomb stay where they are. Moving onto an enemy
attacks it: both ranks are shown, the lower piece leaves the board, equal ones both do. The spy beats the marshal it
attacks, a bomb all but a miner; whoever takes the flag wins. So does whoever leaves the other without a
move; when neither could move it is a draw. Pieces are turned back after a fight, as on the table: who remembers knows.

Play may go back and forth. After `most` moves it is a draw; `most=0` sets no end, and then `cost`, which the mover
pays to nobody, or the discount makes dallying dear. There are no lakes, and the rule against repeating moves is
left out. Named in document 000's outlook; the rules, on 10 x 10 squares with 40 pieces each, as in Perolat and
others, "Mastering the game of Stratego with model-free multiagent reinforcement learning" (2022).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import Literal

from fogbound.core import Board, Dist, Game, GameGroup, GameRecord, Outcome, Tile
from fogbound.core.contract import DISCOUNT, is_discount
from fogbound.core.errors import many
from fogbound.core.record import listed
from fogbound.games.parameters import require_parameters

FIRST, SECOND = 0, 1
DRAW = TO_SET_UP = 2
ACTORS = ((FIRST,), (SECOND,), (FIRST, SECOND), (), (), ())  # by the second part of a state
RANKS: tuple[str, ...] = ("flag", "spy", "scout", "miner", "sergeant", "lieutenant")
RANKS += ("captain", "major", "colonel", "general", "marshal", "bomb")  # from low to high
SYMBOLS = dict(zip(RANKS, ("F", "S", *map(str, range(2, 11)), "B")))
UPSETS = (("spy", "marshal"), ("miner", "bomb"))  # attacks that a lower rank wins
FIXED = ("flag", "bomb")
MOST_PIECES = 6
Piece = tuple[int, str]  # (whose it is, its rank)
Squares = tuple[Piece | None, ...]
State = tuple[Squares, int, int]  # (the board, who moves: an index of ACTORS, moves left or 0 when nobody counts)
ENDS: tuple[State, ...] = (((), 3, 0), ((), 4, 0), ((), 5, 0))  # by the winner, and a draw
WORDS = {TO_SET_UP: "both set up their armies", 3: "first has won", 4: "second has won", 5: "a draw"}


@dataclass(frozen=True)
class Stratego(Game[State, str]):
    """An army each on `rows` x `columns` squares, the first player's from a1 on, the second's from the far corner."""

    name = "stratego"
    record = GameRecord("Stratego", GameGroup.BOARDS)

    rows: int = 3
    columns: int = 3
    army: tuple[str, ...] = ("flag", "spy", "marshal")
    deal: Literal["chosen", "random"] = "chosen"
    most: int = 8
    win: float = 1.0
    cost: float = 0.0
    discount: float = 1.0
    players = ("first", "second")

    def __post_init__(self) -> None:
        others = [rank for rank in self.army if rank in RANKS and rank != "flag"]
        fits = 2 <= len(self.army) == len(others) + 1 <= min(MOST_PIECES, self.rows * self.columns // 2)
        words = f"one flag and up to {MOST_PIECES - 1} of {', '.join(RANKS[1:])}, on at most half of the squares"
        expected = {
            "rows": (1 <= self.rows <= 10, "1 to 10"),
            "columns": (1 <= self.columns <= 10, "1 to 10"),
            "army": (fits and "flag" in self.army, words),
            "deal": (self.deal in ("chosen", "random"), "chosen or random"),
            "most": (self.most >= 0, "a number of moves, or 0 for no end"),
            "win": (0 < self.win < math.inf, "a finite number above 0"),
            "cost": (0 <= self.cost < math.inf, "a finite number of at least 0"),
            "discount": (is_discount(self.discount), DISCOUNT),
        }
        require_parameters(self.name, vars(self), expected)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The squares by name, a1 first: a letter for the row, a number for the column."""
        return tuple(f"{'abcdefghij'[r]}{c + 1}" for r, c in product(range(self.rows), range(self.columns)))

    @cached_property
    def setups(self) -> tuple[str, ...]:
        """The orders in which an army can stand, as actions: the ranks from the own corner on."""
        return tuple(" ".join(ranks) for ranks in dict.fromkeys(permutations(self.army)))

    @cached_property
    def lines(self) -> tuple[tuple[range, ...], ...]:
        """From each square the squares down, right, left and up of it, the nearest first."""
        size, width, rays = len(self.names), self.columns, []
        for at in range(size):
            left, right = at - at % width, at - at % width + width
            sideways = range(at + 1, right), range(at - 1, left - 1, -1)
            rays.append((range(at + width, size, width), *sideways, range(at - width, -1, -width)))
        return tuple(rays)

    def moves(self, squares: Squares, player: int) -> Iterator[tuple[int, int]]:
        """Where the pieces of a player can go: up to a piece of its own, onto one of the other's."""
        for origin, piece in enumerate(squares):
            if piece is None or piece[0] != player or piece[1] in FIXED:
                continue
            for line in self.lines[origin]:
                for goal in line if piece[1] == "scout" else line[:1]:
                    met = squares[goal]
                    if met is None or met[0] != player:
                        yield origin, goal
                    if met is not None:
                        break

    def start(self) -> Dist[Outcome[State]]:
        if self.deal == "chosen":
            return Dist.sure(Outcome(((), TO_SET_UP, self.most)))
        return Dist.uniform(self._armed(both, both) for both in product(self.setups, self.setups))

    def _armed(self, setups: tuple[str, ...], private: tuple[str, ...] = ()) -> Outcome[State]:
        squares: list[Piece | None] = [None] * len(self.names)
        for place, (mine, theirs) in enumerate(zip(*(setup.split() for setup in setups))):
            squares[place], squares[-1 - place] = (FIRST, mine), (SECOND, theirs)
        state = self._turn(tuple(squares), FIRST, self.most)
        return Outcome(state, self._rewards(state), None, private)

    def actors(self, state: State) -> tuple[int, ...]:
        return ACTORS[state[1]]

    def actions(self, state: State, player: int) -> tuple[str, ...]:
        squares, mover, _ = state
        if mover == TO_SET_UP:
            return self.setups
        return tuple([f"{self.names[a]}-{self.names[b]}" for a, b in self.moves(squares, player)])

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        squares, mover, left = state
        if mover == TO_SET_UP:
            return Dist.sure(self._armed(joint))
        (seen,) = joint
        origin, goal = map(self.names.index, seen.split("-"))
        attacker, met, after = squares[origin], squares[goal], list(squares)
        after[origin], after[goal] = None, attacker
        if attacker and met:
            seen = f"{seen} {attacker[1]} meets {met[1]}"
            after[goal] = survivor(attacker, met)
        taken = met is not None and met[1] == "flag"
        following = ENDS[mover] if taken else self._turn(tuple(after), 1 - mover, max(left - 1, 0))
        return Dist.sure(Outcome(following, self._rewards(following, mover), seen))

    def _turn(self, squares: Squares, player: int, left: int) -> State:
        """The state in which a player is to move, or the end when it cannot or may not any more."""
        if not any(self.moves(squares, player)):
            return ENDS[1 - player if any(self.moves(squares, 1 - player)) else DRAW]
        return ENDS[DRAW] if self.most and not left else (squares, player, left)

    def _rewards(self, state: State, mover: int | None = None) -> tuple[float, ...]:
        """What is won where the game has ended, less what the move cost."""
        gain = {ENDS[FIRST]: self.win, ENDS[SECOND]: -self.win}.get(state, 0.0)
        costs = [self.cost if mover == player else 0.0 for player in (FIRST, SECOND)]
        return (gain - costs[FIRST], -gain - costs[SECOND]) if gain or any(costs) else ()

    def describe(self, action: str) -> str:
        return f"set up {action}" if " " in action else action.replace("-", " to ")

    def describe_state(self, state: State) -> str:
        squares, mover, _ = state
        if not squares:
            return WORDS[mover]
        return "; ".join([self._army(squares, FIRST), self._army(squares, SECOND), self._caption(state)])

    def describe_public(self, seen: Hashable) -> str:
        move, _, fight = str(seen).partition(" ")
        return f"{move.replace('-', ' to ')}, {fight}" if fight else move.replace("-", " to ")

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"the army {listed(str(seen).split())}"

    def _caption(self, state: State) -> str:
        _, mover, left = state
        return f"{self.players[mover]} to move" + (f", {many(left, 'move')} before a draw" if self.most else "")

    def hidden_words(self, state: State, player: int) -> str:
        return self._army(state[0], 1 - player) if state[0] else ""

    def _army(self, squares: Squares, player: int) -> str:
        """The pieces of a player and where they stand."""
        placed = ((piece, name) for piece, name in zip(squares, self.names) if piece is not None)
        return f"{self.players[player]} has {listed(f'{rank} on {at}' for (own, rank), at in placed if own == player)}"

    def board(self, state: State, player: int | None = None) -> Board:
        squares, mover, _ = state
        if not squares:
            return Board.of_text(WORDS[mover])
        tiles = [_tile(piece, player) for piece in squares]
        rows = [tiles[at : at + self.columns] for at in range(0, len(tiles), self.columns)]
        return Board.grid(rows, self._caption(state), "abcdefghij"[: self.rows])


def survivor(attacker: Piece, met: Piece) -> Piece | None:
    """Who is left on the square after an attack: one of the two, or nobody."""
    pair = (attacker[1], met[1])
    if pair[0] == pair[1]:
        return None
    return attacker if pair in UPSETS or RANKS.index(pair[0]) > RANKS.index(pair[1]) else met


def _tile(piece: Piece | None, player: int | None) -> Tile:
    if piece is None:
        return Tile()
    owner, rank = piece
    return Tile(SYMBOLS[rank], ("mine", "theirs")[owner]) if player in (None, owner) else Tile("?", "fog")
