"""Scotland Yard: cops who never see the thief hunt him through a town by taxi, bus and underground.

All move at the same time, one edge each, and nobody may stand still. No two cops may end up in one node; where that
leaves no way for all of them to move, as many move as can. When after a step the thief is in the node of a cop he is
caught, which pays the cops `capture` and ends the game; who pass each other on an edge do not meet. The thief sees
everything. The cops see which transport he takes (`transport_seen=false`: not even that) and whether he is caught.
Where everybody starts is known to all.

With `tickets=[4, 2, 1]` each cop starts with that many for taxi, bus and underground, and rides an edge only with a
ticket for it, which it loses. Who has none for any edge from its node stays, and still catches a thief who comes.
When no cop can move any more the thief has escaped, and nobody is paid; so the game ends by itself, and may do
without a discount (`discount=1`): its value is then `capture` times the chance of a capture. The thief's rides are
not counted, and nobody hands on a ticket.

The board game as document 002 simplifies it, chapter 3: `tickets` given is its variant A, `tickets=[]` its variant B,
the one that it solves. Cops are interchangeable, so a state keeps their nodes in ascending order, the tickets of each
beside them. The document says neither how many tickets there are of each kind (map 12 with 4, 2 and 1 has the 600,000
states and 15 million steps of its example, most of them out of reach), nor what a cop does who cannot move while
another can, nor what a capture pays; 100 and the discount 0.95 fit the values that it reports. `map` is 12, 18 or 24
for games like its #12, #18 and #24, `random` (rings of six, from `nodes` and `seed`), or the name of a file: see
`maps`; that format has no place for tickets. `cops`, `thief` and `discount`,
where given, replace those of the map.

How Scotland Yard looks: the nodes in rows, the cops, the thief to those who see him, and the tickets left.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, Outcome, Tile
from fogbound.core.record import listed
from fogbound.games.parameters import require_parameters
from fogbound.games.scotland_yard.maps import town
from fogbound.games.scotland_yard.town import TRANSPORTS, Cops, Force, Purse, Purses, Rides, Town, hopeless, rounds

MOST_ACROSS = 12


def _town_board(nodes: int, cops: Cops, thief: int | None, purses: Purses) -> Board:
    """All nodes in order, as many a row as make it even; `thief` None: who looks does not see him."""
    across = next(width for width in range(math.isqrt(nodes - 1) + 1, nodes + 1) if nodes % width == 0)
    width = min(across, MOST_ACROSS)
    tiles = [_tile(node, cops, thief) for node in range(nodes)]
    left = [f"tickets of C{cop}: {_tickets_in_words(purse)}" for cop, purse in zip(cops, purses)]
    rows = (tiles[at : at + width] for at in range(0, nodes, width))
    return Board.grid(rows, "\n".join(["C: a cop, T: the thief", *left]))


def _tickets_in_words(purse: tuple[int, ...]) -> str:
    """Tickets in words."""
    return ", ".join(f"{count} {transport}" for count, transport in zip(purse, TRANSPORTS))


def _cops_in_words(cops: Cops, purses: Purses) -> str:
    """Where the cops are, with their tickets where these count."""
    left = [f"tickets of the one in {cop}: {_tickets_in_words(purse)}" for cop, purse in zip(cops, purses)]
    return "; ".join([f"cops in {listed(cops)}", *left])


def _tile(node: int, cops: Cops, thief: int | None) -> Tile:
    if node in cops:
        return Tile(f"C{node}", "mine")
    if thief is None:
        return Tile(str(node), "fog")
    return Tile(f"T{node}", "theirs") if node == thief else Tile(str(node))


COPS, THIEF = 0, 1
State = tuple[Cops, int] | tuple[Cops, int, Purses]  # (the cops, the thief), and the cops' tickets where they count
Action = Cops | Rides | str  # where the cops go, or how where tickets count; the thief's "bus 4"
CAUGHT: State = ((), -1)
ESCAPED: State = ((), -2)


@dataclass(frozen=True)
class ScotlandYard(Game[State, Action]):
    """A hunt on a map; what is left at its default is as the map says."""

    name = "scotland-yard"
    record = GameRecord("Scotland Yard", GameGroup.HUNTS)

    map: int | str = 18
    cops: Cops = ()
    thief: int = -1
    tickets: Purse = ()  # each cop's for taxi, bus and underground; () = nobody counts them
    transport_seen: bool = True  # the cops see which transport the thief takes
    capture: float = 100.0
    discount: float = 0.0
    nodes: int = 0  # of map=random; 0 = 18
    seed: int = 0  # of map=random
    players = ("cops", "thief")

    def __post_init__(self) -> None:
        self._fill("cops", tuple(sorted(self.cops or self.town.cops)))
        self._fill("thief", self.town.thief if self.thief == -1 else self.thief)
        self._fill("discount", self.discount or self.town.discount)
        require_parameters(self.name, vars(self), self._expected())
        reason = hopeless(self.town, self.cops, self.thief, self.tickets)
        if reason:
            warnings.warn(f"scotland-yard: {reason}", stacklevel=3)

    def _fill(self, name: str, value: object) -> None:
        """Settle a parameter that the map may decide, so that the game's spec says all."""
        object.__setattr__(self, name, value)

    def _expected(self) -> dict[str, tuple[bool, str]]:
        """For each parameter whether it is as it should be, and how that is."""
        highest, standing, nodes = self.town.nodes - 1, set(self.cops), set(range(self.town.nodes))
        apart = len(self.cops) == len(standing & nodes) and all(type(cop) is int for cop in self.cops)
        whole = all(type(count) is int and count >= 0 for count in self.tickets)
        ends, kinds = bool(self.tickets), ", ".join(TRANSPORTS)
        return {
            "cops": (apart, f"a list of different nodes from 0 to {highest}"),
            "thief": (self.thief in nodes - standing, f"a node from 0 to {highest} without a cop"),
            "tickets": (
                whole and len(self.tickets) in (0, len(TRANSPORTS)),
                f"how many each cop has for {kinds}, such as [4, 2, 1], or [] where they are not counted",
            ),
            "capture": (0 < self.capture < math.inf, "a finite number above 0"),
            "discount": (
                0 < self.discount < 1 or (ends and self.discount == 1),
                f"above 0 and {'at most' if ends else 'below'} 1, or 0 for the map's",
            ),
        }

    @cached_property
    def town(self) -> Town:
        return town(str(self.map), self.nodes, self.seed)

    @property
    def _force(self) -> Force:
        return self.cops, (self.tickets,) * len(self.cops)

    @cached_property
    def _rounds(self) -> dict[Cops, tuple[Cops, ...]]:
        return {}  # the cops' joint moves, by where they are

    @cached_property
    def _rides(self) -> dict[Force, dict[Rides, Force]]:
        return {}  # the cops' joint moves and what they lead to, by where the cops are and what tickets they have

    @cached_property
    def _arrivals(self) -> dict[Action | Force, dict[Action, Dist[Outcome[State]]]]:
        return {}  # what follows, by where the cops get and then by what the thief does

    @cached_property
    def _capture(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome(CAUGHT, (self.capture, -self.capture), "caught"))

    def start(self) -> Dist[Outcome[State]]:
        if not self.tickets:
            return Dist.sure(Outcome((self.cops, self.thief), public=f"thief {self.thief}"))
        if not self._riding(self._force):
            return Dist.sure(Outcome(ESCAPED, public="escaped"))
        cops, purses = self._force
        return Dist.sure(Outcome((cops, self.thief, purses), public=f"thief {self.thief}"))

    def actors(self, state: State) -> tuple[int, ...]:
        return (COPS, THIEF) if state[0] else ()

    def actions(self, state: State, player: int) -> Sequence[Action]:
        if player == THIEF:
            return self.town.ways[state[1]]
        if len(state) == 3:
            return tuple(self._riding((state[0], state[2])))
        cops = state[0]
        if cops not in self._rounds:
            self._rounds[cops] = self.town.rounds(cops)
        return self._rounds[cops]

    def _riding(self, force: Force) -> dict[Rides, Force]:
        riding = self._rides.get(force)
        if riding is None:
            riding = self._rides[force] = rounds(self.town, force)
        return riding

    def step(self, state: State, joint: tuple[Action, ...]) -> Dist[Outcome[State]]:
        after: Action | Force
        after, way = joint  # without tickets the cops' action says where they get
        if len(state) == 3:
            after = self._riding((state[0], state[2]))[cast(Rides, after)]
        try:
            return self._arrivals[after][way]
        except KeyError:
            arrival = self._arrivals.setdefault(after, {})[way] = self._arrival(after, way)
            return arrival

    def _arrival(self, after: Action | Force, way: Action) -> Dist[Outcome[State]]:
        """Each is where its own action says; the thief is told where the cops are, and their tickets."""
        cops, purses = cast(Force, after) if self.tickets else (cast(Cops, after), ())
        transport, word = cast(str, way).split()
        node = int(word)
        if node in cops:
            return self._capture
        if self.tickets and not self._riding((cops, purses)):
            return Dist.sure(Outcome(ESCAPED, public="escaped"))
        state: State = (cops, node, purses) if self.tickets else (cops, node)
        return Dist.sure(Outcome(state, (), transport if self.transport_seen else None, (None, after)))

    def describe(self, action: Action) -> str:
        if isinstance(action, str):
            return action.replace("stay ", "stay in ") if action.startswith("stay") else action.replace(" ", " to ")
        if self.tickets:
            return " and ".join(map(self.describe, cast(Rides, action)))
        return "go to " + " ".join(map(str, action))

    def describe_state(self, state: State) -> str:
        if not state[0]:
            return "the thief is caught" if state == CAUGHT else "the thief has escaped"
        return f"{_cops_in_words(state[0], state[2] if len(state) == 3 else ())}; the thief is in {state[1]}"

    def describe_public(self, seen: Hashable) -> str:
        if seen in ("caught", "escaped"):
            return f"the thief {'is' if seen == 'caught' else 'has'} {seen}"
        word, _, node = str(seen).partition(" ")
        return f"the thief is in {node}" if node else f"the thief goes by {word}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        cops, purses = cast(Force, seen) if self.tickets else (cast(Cops, seen), ())
        return _cops_in_words(cops, purses)

    def hidden_words(self, state: State, player: int) -> str:
        return f"the thief is in {state[1]}" if state[0] and player == COPS else ""

    def board(self, state: State, player: int | None = None) -> Board:
        if not state[0]:
            return Board.of_text("The thief is caught." if state == CAUGHT else "The thief has escaped.")
        purses = state[2] if len(state) == 3 else ()
        return _town_board(self.town.nodes, state[0], None if player == COPS else state[1], purses)

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        shown = self.board(state, player)
        if not state[0]:
            return shown.draw()
        from fogbound.games.scotland_yard.picture import picture

        hidden = player == COPS
        chances = dict(belief.map(lambda held: held[1])) if belief and hidden else {}
        return picture(self.town, state[0], None if hidden else state[1], chances, player, shown)
