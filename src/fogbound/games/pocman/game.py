"""Pocman: eat the food of a maze, of which one smells, hears and sees little, and be eaten by no ghost.

Pocman knows the maze and where in it he stands. In every cell with a dot food lies or not, evenly. Each step costs 1,
food pays 10, the last of it 1,000 instead and ends the game. A ghost costs 100 and ends it too, unless a power pill
(food, which surely lies there) was eaten in the 14 steps before: then it pays 25, and the ghost goes home. After a step
four things are sensed: in which directions a ghost is in sight, where there are walls, whether a ghost is heard (at
most 2 away, both axes together), and whether food is smelt (here, before it is eaten, or in the eight cells around).
Before the first step nothing is sensed.

A ghost moves after Pocman, and does not turn back as long as it knows which way it came. One that is far goes anywhere.
One that is near hunts with 3/4: it goes where it is most behind along an axis, and forgets which way it came; else it
goes anywhere. Under a pill it flees where its lead is largest, forgetting that too; or, with 1/4, if it still knew the
way, it stays. Of equal directions the last counts, in the order north, east, south, west; the passage is no short cut
for eyes, ears and hunters. Whoever comes to a cell that a ghost is just leaving meets it; of several, the last counts.

Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010), section 5. What words leave open is as in the code of
its authors, which DESPOT's release (Ye et al. 2017) repeats: the pay for the last food, the 14 steps (a pill counts 15,
and one is spent before anybody moves), forgetting, ties. There a step into a wall is legal and costs 25 more:
`bumps=true`. By default only open ways are offered, as their search does with legal moves. Where there is no other way
a ghost turns back; the published mazes have no such place.

Food is drawn when something first depends on it. Each cell that may hold food does so with 1/2, whatever the others
hold, so it makes no difference when that is drawn. What Pocman comes to is drawn first; whether food is smelt, then,
cell by cell until there is some, and the rest stays undrawn. So a particle of a belief holds little more than what was
smelt says, and the maze begins in one state instead of 2^153. When nothing is left of what was drawn, it is drawn
whether there is any among the rest; and if so, `more` says that from then on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Literal

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.core.contract import require_discount
from fogbound.core.record import listed
from fogbound.games.pocman.mazes import DIRECTIONS, MAZES, NOWHERE, Maze
from fogbound.games.pocman.state import (
    CAUGHT,
    CLEARED,
    EMPTY,
    SMELL,
    Ghost,
    Meal,
    State,
    cell_name,
    first_food,
    ghost_moves,
    in_words,
    meals,
    senses,
    state_words,
)

ENDS = {CAUGHT: "A ghost has caught Pocman.", CLEARED: "The maze is cleared."}


def _maze_board(maze: Maze, state: State, player: int | None) -> Board:
    """The maze as tiles: all of it, or what Pocman knows for sure."""
    if state in ENDS:
        return Board.of_text(ENDS[state])
    every = player is None
    rows = [
        [_tile(maze, state, maze.number.get((x, y)), every) for x in range(maze.width)]
        for y in reversed(range(maze.height))
    ]
    words = "C: Pocman, o: power pill" + (", G: ghost, .: food, ?: not drawn yet" if every else "")
    left = _pill_left(state)
    return Board.grid(rows, caption=words + (f"; the pill works for {left} more" if left else ""))


def _pill_left(state: State) -> int:
    """The steps in which a ghost can still be eaten."""
    return max(state.power - 1, 0)


def _pills_left(maze: Maze, state: State) -> list[int]:
    """The cells of the pills that are not yet eaten."""
    return [cell for cell in maze.larder if maze.bit[cell] & maze.pills & state.food.there]


def _tile(maze: Maze, state: State, cell: int | None, every: bool) -> Tile:
    if cell is None:
        return Tile("#", "fog")
    if cell == state.pocman:
        return Tile("C", "mine")
    if every and any(cell == ghost for ghost, _ in state.ghosts):
        return Tile("G", "theirs")
    bit = maze.bit[cell]
    if bit & maze.pills & state.food.there:
        return Tile("o", "lamp")
    return Tile(("." if bit & state.food.there else "?" if bit & state.food.undrawn else "") if every else "")


def _ghost_chances(belief: Iterable[tuple[State, float]]) -> dict[int, float]:
    """How likely a ghost is to be in each cell."""
    chances: dict[int, float] = {}
    for state, p in belief:
        for cell in {cell for cell, _ in state.ghosts}:
            chances[cell] = chances.get(cell, 0.0) + p
    return dict(sorted(chances.items()))


def _food_chances(maze: Maze, belief: Iterable[tuple[State, float]]) -> dict[int, float]:
    """How likely food is to lie in each cell; pills are food."""
    chances = dict.fromkeys(maze.larder, 0.0)
    for state, p in belief:
        for cell in maze.larder:
            if maze.bit[cell] & (state.food.there | state.food.undrawn):
                chances[cell] += p if maze.bit[cell] & state.food.there else (1 - EMPTY) * p
    return {cell: p for cell, p in chances.items() if p > 0}


STEP, FOOD, GHOST, DEATH, LAST, BUMP = -1.0, 10.0, 25.0, -100.0, 1000.0, -25.0
POWER = 15  # steps that a pill counts
ACTIONS = tuple(DIRECTIONS)


@dataclass(frozen=True)
class Pocman(Game[State, str]):
    """The published maze by default; `mini` and `micro` are smaller, and every state of `ring` can be listed."""

    name = "pocman"
    record = GameRecord("Pocman", GameGroup.ALONE)

    maze: Literal["full", "mini", "micro", "ring"] = "full"
    bumps: bool = False  # whether steps into walls are offered
    discount: float = 0.95
    players = ("pocman",)

    def __post_init__(self) -> None:
        if self.maze not in MAZES:
            raise SpecError(f"pocman: maze is {self.maze!r}, expected {', '.join(MAZES)}")
        require_discount("pocman", self.discount, SpecError)

    @property
    def map(self) -> Maze:
        return MAZES[self.maze]

    def start(self) -> Dist[Outcome[State]]:
        ghosts = tuple((self.map.number[cell], NOWHERE) for cell in self.map.ghosts)
        return Dist.sure(Outcome(State(self.map.number[self.map.home], ghosts, 0, first_food(self.map))))

    def actors(self, state: State) -> tuple[int, ...]:
        return (0,) if state.pocman >= 0 else ()

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return ACTIONS if self.bumps else tuple(ACTIONS[d] for d in self.map.open[state.pocman])

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:
        way = self.map.ways[state.pocman][ACTIONS.index(joint[0])]
        cell, cost = (way, STEP) if way != NOWHERE else (state.pocman, STEP + BUMP)
        power = max(state.power - 1, 0)
        others = [ghost_moves(self.map, ghost, cell, power) for ghost in state.ghosts]
        return Dist.of(
            (
                self._arrived(state, cell, cost, power, [move for move, _ in moved], meal),
                prod((p, *(q for _, q in moved))),
            )
            for meal, p in meals(self.map, state.food, cell)
            for moved in product(*others)
        )

    def _arrived(
        self, before: State, cell: int, reward: float, power: int, ghosts: list[Ghost], meal: Meal
    ) -> Outcome[State]:
        """What comes of it, once everybody has moved."""
        met = [g for g, ghost in enumerate(ghosts) if cell in (before.ghosts[g][0], ghost[0])]
        if met and power == 0:
            return Outcome(CAUGHT, (reward + DEATH,), "caught")
        if met:
            ghosts[met[-1]] = self.map.number[self.map.ghosts[0]], NOWHERE
            reward += GHOST
        if meal.last:
            return Outcome(CLEARED, (reward + LAST,), "cleared")
        if meal.eaten:
            reward += FOOD
        after = State(cell, tuple(ghosts), POWER if meal.eaten & self.map.pills else power, meal.left)
        return Outcome(after, (reward,), in_words(senses(self.map, cell, after.ghosts) | meal.smelt << SMELL))

    def compiled_rules(self) -> Any:
        from fogbound.games.pocman.compiled_rules import compiled_rules

        return compiled_rules(self)

    def describe(self, action: str) -> str:
        return f"go {action}"

    def describe_state(self, state: State) -> str:
        if state in ENDS:
            return ENDS[state][0].lower() + ENDS[state][1:-1]
        return state_words(self.map, state)

    def hidden_words(self, state: State, player: int) -> str:  # noqa: ARG002
        return f"ghosts at {listed(cell_name(self.map, cell) for cell, _ in state.ghosts)}" if state.ghosts else ""

    def board(self, state: State, player: int | None = None) -> Board:
        return _maze_board(self.map, state, player)

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        board = self.board(state, player)
        if state.pocman < 0:
            return board.draw()
        from fogbound.games.scenes.pocman import maze

        held = Dist.sure(state) if player is None else belief
        ghosts = _ghost_chances(held) if held else None
        food = _food_chances(self.map, held) if held else dict.fromkeys(_pills_left(self.map, state), 1.0)
        return maze(self.map, state.pocman, _pill_left(state), ghosts, food, board.text())
