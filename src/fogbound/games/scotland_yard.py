"""Scotland Yard: cops who never see the thief hunt him through a town by taxi, bus and underground.

All move at the same time, one edge each, and nobody may stand still. No two cops may end up in one node; where that
leaves no way for all of them to move, as many move as can. When after a step the thief is in the node of a cop he is
caught, which pays the cops `capture` and ends the game; who pass each other on an edge do not meet. The thief sees
everything. The cops see which ticket he used (`tickets=false`: not even that) and whether he is caught. Where
everybody starts is known to all.

The board game as document 002 simplifies it, chapter 3: cops are interchangeable, so a state keeps their nodes in
ascending order, and the cops' own tickets are not counted (its variant B, the one that it solves). It does not say
what a capture pays; 100 and the discount 0.95 fit the values that it reports. `map` is 12, 18 or 24 for games like
its #12, #18 and #24, `random` (rings of six, from `nodes` and `seed`), or the name of a file: see
`scotland_yard_maps` and `scotland_yard_text`. `cops`, `thief` and `discount`, where given, replace those of the map.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from fogbound.core import Board, Dist, Game, Outcome, SpecError, Tile
from fogbound.core.errors import brief
from fogbound.games.scotland_yard_maps import town
from fogbound.games.scotland_yard_town import Cops, Town

COPS, THIEF = 0, 1
State = tuple[Cops, int]  # (the cops, the thief)
Action = Cops | str  # where the cops go; the thief's "bus 4"
CAUGHT: State = ((), -1)
MOST_ACROSS = 12


@dataclass(frozen=True)
class ScotlandYard(Game[State, Action]):
    """A hunt on a map; what is left at its default is as the map says."""

    name = "scotland-yard"

    map: int | str = 18
    cops: Cops = ()
    thief: int = -1
    tickets: bool = True  # the cops see which transport the thief takes
    capture: float = 100.0
    discount: float = 0.0
    nodes: int = 0  # of map=random; 0 = 18
    seed: int = 0  # of map=random
    players = ("cops", "thief")

    def __post_init__(self) -> None:
        place, highest = self.town, self.town.nodes - 1
        self._fill("cops", tuple(sorted(self.cops or place.cops)))
        self._fill("thief", place.thief if self.thief == -1 else self.thief)
        self._fill("discount", self.discount or place.discount)
        known, standing = set(range(place.nodes)), set(self.cops)
        apart = len(self.cops) == len(standing & known) and all(type(cop) is int for cop in self.cops)
        expected = {
            "cops": (apart, f"a list of different nodes from 0 to {highest}"),
            "thief": (self.thief in known - standing, f"a node from 0 to {highest} without a cop"),
            "capture": (0 < self.capture < math.inf, "a finite number above 0"),
            "discount": (0 < self.discount < 1, "above 0 and below 1, or 0 for the map's"),
        }
        for name, (holds, wanted) in expected.items():
            if not holds:
                raise SpecError(f"scotland-yard: {name} is {brief(getattr(self, name))}, expected {wanted}")
        if not place.may_meet(self.cops, self.thief):
            why = f"no walk of an even number of steps leads from a cop in {self.cops} to the thief in {self.thief}"
            what = "while all of them move he cannot be caught; move him, or a cop, to a neighbouring node"
            warnings.warn(f"scotland-yard: {why}, so {what}", stacklevel=3)

    def _fill(self, name: str, value: object) -> None:
        """Settle a parameter that the map may decide, so that the game's spec says all."""
        object.__setattr__(self, name, value)

    @cached_property
    def town(self) -> Town:
        return town(str(self.map), self.nodes, self.seed)

    @cached_property
    def _rounds(self) -> dict[Cops, tuple[Cops, ...]]:
        return {}  # the cops' joint moves, by where they are

    @cached_property
    def _arrivals(self) -> dict[tuple[Action, ...], Dist[Outcome[State]]]:
        return {}  # what follows from a joint action, which says where all go

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome((self.cops, self.thief), public=f"thief {self.thief}"))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state == CAUGHT else (COPS, THIEF)

    def actions(self, state: State, player: int) -> Sequence[Action]:
        cops, thief = state
        if player == THIEF:
            return self.town.ways[thief]
        if cops not in self._rounds:
            self._rounds[cops] = self.town.rounds(cops)
        return self._rounds[cops]

    def step(self, state: State, joint: tuple[Action, ...]) -> Dist[Outcome[State]]:  # noqa: ARG002
        found = self._arrivals.get(joint)
        if found is None:
            found = self._arrivals[joint] = self._arrival(joint)
        return found

    def _arrival(self, joint: tuple[Action, ...]) -> Dist[Outcome[State]]:
        """Each is where its own action says; the thief is told where the cops went."""
        cops, way = cast(tuple[Cops, str], joint)
        transport, node = way.split()
        if int(node) in cops:
            return Dist.sure(Outcome(CAUGHT, (self.capture, -self.capture), "caught"))
        return Dist.sure(Outcome((cops, int(node)), (), transport if self.tickets else None, (None, cops)))

    def describe(self, action: Action) -> str:
        return action.replace(" ", " to ") if isinstance(action, str) else "go to " + " ".join(map(str, action))

    def board(self, state: State, eye: int | None = None) -> Board:
        if state == CAUGHT:
            return Board.of_text("The thief is caught.")
        size = self.town.nodes
        across = next(width for width in range(math.isqrt(size - 1) + 1, size + 1) if size % width == 0)
        tiles = [_tile(state, node, eye) for node in range(size)]
        width = min(across, MOST_ACROSS)
        return Board.grid((tiles[at : at + width] for at in range(0, size, width)), "C: a cop, T: the thief")


def _tile(state: State, node: int, eye: int | None) -> Tile:
    cops, thief = state
    if node in cops:
        return Tile(f"C{node}", "mine")
    if eye == COPS:
        return Tile(str(node), "fog")
    return Tile(f"T{node}", "theirs") if node == thief else Tile(str(node))
