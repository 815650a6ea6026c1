"""Pocman as compiled rules: the maze as numbers, and the words for its codes and states."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod
from typing import Any

from fogbound.compiled.rules import CompiledRules
from fogbound.core import Observation
from fogbound.games.pocman import kernels
from fogbound.games.pocman.mazes import DIRECTIONS, Maze
from fogbound.games.pocman.state import WALL, Food, State, in_words, sensed_of

MASK = (1 << kernels.BITS) - 1


class PocmanWords:
    """What the numbers of a game's compiled rules stand for."""

    def __init__(self, game: Any) -> None:
        self.actions, self.words = tuple(DIRECTIONS), -(-len(game.map.larder) // kernels.BITS)
        self.width = kernels.FOOD + 2 * self.words + 2 * len(game.map.ghosts)
        self.seen: dict[Hashable, int] = {in_words(bits): bits for bits in range(kernels.CAUGHT)}
        self.seen |= {"caught": kernels.CAUGHT, "cleared": kernels.CLEARED, None: kernels.NOTHING}

    def action(self, code: int) -> str:
        return self.actions[code]

    def action_code(self, action: Hashable) -> int:
        return self.actions.index(str(action))

    def observation_code(self, _player: int, seen: Observation) -> int:
        return self.seen.get(seen.public, -1)

    def state(self, row: Sequence[int]) -> State:
        pocman, power, more, *rest = (int(word) for word in row)
        if pocman < 0:
            return State(pocman)
        there, undrawn = (
            sum(word << (kernels.BITS * k) for k, word in enumerate(rest[first : first + self.words]))
            for first in (0, self.words)
        )
        cells = rest[2 * self.words :]
        half = len(cells) // 2
        return State(pocman, tuple(zip(cells[:half], cells[half:])), power, Food(there, undrawn, bool(more)))

    def state_row(self, state: State) -> list[int]:
        if state.pocman < 0:
            return [state.pocman, *[0] * (self.width - 1)]
        food = state.food
        sets = [bits >> (kernels.BITS * k) & MASK for bits in (food.there, food.undrawn) for k in range(self.words)]
        ghosts = [part for parts in zip(*state.ghosts) for part in parts]
        return [state.pocman, state.power, int(food.more), *sets, *ghosts]


def compiled_rules(game: Any) -> CompiledRules:
    """The compiled rules of `Pocman`."""
    words = PocmanWords(game)
    return CompiledRules.of(
        game,
        vars(kernels),
        words,
        width=words.width,
        most_actions=4,
        most_outcomes=most_successors(game.map),
        integers=_numbers(game, words),
    )


def most_successors(maze: Maze) -> int:
    """No step has more: ghosts go anywhere or hunt; the first food found is any near one, none, or the last of all."""
    busiest = max(map(len, maze.open)) + 1
    return prod([busiest] * len(maze.ghosts)) * (max(map(len, maze.near)) + 2)


def _numbers(game: Any, words: PocmanWords) -> list[int]:
    """The maze as numbers: `kernels` says in which order."""
    maze: Maze = game.map
    count = len(maze.cells)
    place = {cell: k for k, cell in enumerate(maze.larder)}
    first = next(iter(game.start()))[0].state
    near = [[bit.bit_length() - 1 for bit in bits] for bits in maze.near]
    tables = {
        kernels.HOME: words.state_row(first),
        kernels.COLUMN: [x for x, _ in maze.cells],
        kernels.ROW: [y for _, y in maze.cells],
        kernels.WAYS: [to for ways in maze.ways for to in ways],
        kernels.WALLS: [sum(1 << (WALL + d) for d, to in enumerate(ways) if to < 0) for ways in maze.ways],
        kernels.NEARBY: [spot for spots in near for spot in (*spots, *[-1] * (kernels.NEAR - len(spots)))],
        kernels.OWN: [place.get(cell, -1) for cell in range(count)],
        kernels.SENSES: [sensed_of(maze, cell, ghost) for cell in range(count) for ghost in range(count)],
        kernels.PILLS: [maze.pills >> (kernels.BITS * k) & MASK for k in range(words.words)],
    }
    head = [0] * kernels.MAP
    head[kernels.GHOSTS], head[kernels.WORDS], head[kernels.CELLS] = len(maze.ghosts), words.words, count
    head[kernels.REACH], head[kernels.BUMPS] = maze.reach, int(game.bumps)
    numbers = head
    for name, table in tables.items():
        numbers[name] = len(numbers)
        numbers += table
    return numbers
