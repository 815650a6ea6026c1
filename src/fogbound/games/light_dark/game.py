"""Light-dark: a robot on a line looks for the origin, and sees well only near the light.

The state is a position. An action moves by -10, -1, 1 or 10 and costs 1; action 0 ends the episode, and pays 100 within
less than 1 of the origin, else -100. After each step the position is observed with Gaussian noise, whose standard
deviation is the distance from the light at 10. Sunberg and Kochenderfer, "Online algorithms for POMDPs with continuous
state, action, and observation spaces" (2018), as in the code of its experiments: an episode begins at a whole number
from -30 to 30, positions are held within 60 of the origin, and 0.0001 is added to the standard deviation.

With `whole=false` an episode begins at a real number, so that states are continuous as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fogbound.core import Board, Drawing, GameGroup, GameRecord, SpecError, Tile
from fogbound.core.contract import require_discount
from fogbound.simulators.simulator import Simulator

if TYPE_CHECKING:
    from numpy.random import Generator

RADIUS, BEGIN, SHARPEST = 60.0, 30, 0.0001
MOVES = (-10, -1, 0, 1, 10)
PAID, MOVED = 100.0, -1.0


@dataclass(frozen=True)
class LightDark(Simulator):
    """A line with a light at `light`; `whole`: an episode begins at a whole number, else at a real one."""

    name = "light-dark"
    record = GameRecord("Light-dark", GameGroup.ALONE)
    players = ("robot",)
    actions = MOVES

    light: float = 10.0
    whole: bool = True
    discount: float = 0.95

    def __post_init__(self) -> None:
        require_discount("light-dark", self.discount, SpecError)

    def initial(self, rng: Generator) -> float:
        return float(rng.integers(-BEGIN, BEGIN + 1)) if self.whole else float(rng.uniform(-BEGIN, BEGIN))

    def step(self, state: float, action: int, rng: Generator) -> tuple[float, float, float, bool]:
        if action == 0:
            return state, 0.0, PAID if abs(state) < 1 else -PAID, True
        there = min(RADIUS, max(-RADIUS, state + action))
        return there, there + (abs(there - self.light) + SHARPEST) * rng.standard_normal(), MOVED, False

    def observation_density(self, state: float, action: int, next_state: float, observation: float) -> float:  # noqa: ARG002
        if action == 0:
            return 1.0
        spread = abs(next_state - self.light) + SHARPEST
        return math.exp(-0.5 * ((observation - next_state) / spread) ** 2) / spread

    def value(self, state: float) -> float:
        """What one who sees the position gets, by the fewest moves to the origin; it bounds the return from above."""
        moves = self._moves[min(round(abs(state)), int(RADIUS))]
        kept = self.discount**moves
        return kept * PAID + MOVED * (moves if self.discount == 1 else (1 - kept) / (1 - self.discount))

    @cached_property
    def _moves(self) -> tuple[int, ...]:
        """The fewest moves to the origin, by distance."""
        return tuple(far // 10 + min(far % 10, 11 - far % 10) for far in range(int(RADIUS) + 1))

    def upper(self, state: float) -> float:
        return self.value(state)

    def lower(self, state: float) -> float:  # noqa: ARG002
        """What moving for ever is worth; without a discount nothing bounds that, so that one stops at once."""
        return MOVED / (1 - self.discount) if self.discount < 1 else -PAID

    def compiled_rules(self) -> Any:
        from fogbound.games.light_dark.kernels import compiled_rules

        values = [self.value(far) for far in range(int(RADIUS) + 1)]
        return compiled_rules(self, int(RADIUS), BEGIN, [self.light, SHARPEST, PAID, MOVED, *values])

    def describe(self, action: int) -> str:
        return "stop here" if action == 0 else f"move {action:+d}"

    def board(self, state: float, player: int | None = None) -> Board:
        """The line in steps of 5; to the robot's own eye only the light and the origin."""
        row = []
        for place in range(-30, 31, 5):
            here = player is None and abs(state - place) <= 2.5
            mark = "O" if place == 0 else "*" if abs(place - self.light) <= 2.5 else "·"
            row.append(
                Tile("R" + mark.replace("·", ""), "mine") if here else Tile(mark, "lamp" if mark == "*" else "plain")
            )
        where = f"the robot is at {state:.4g}; " if player is None else ""
        return Board.grid([row], caption=f"{where}-30 to 30; O: the origin, *: the light")

    def draw(self, state: float, player: int | None = None) -> Drawing:
        """The line; to the robot's own eye it is not on it."""
        from fogbound.games.scenes.light_dark import shore

        return shore(float(BEGIN), self.light, state if player is None else None, self.board(state, player).text())
