"""A table of payoffs from a file as a game: everybody chooses a strategy once, at the same time.

An `.nfg` file is one. So is a tree whose players forget what they did: behaviour at its information sets cannot stand
for every mixture of its strategies (Kuhn 1953), so it is played, and solved, by its pure strategies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from fogbound.core.dist import Dist
from fogbound.core.errors import many
from fogbound.core.game import Game, Outcome

if TYPE_CHECKING:  # every call that names a policy asks whether its game is one of these
    from fogbound.files.gambit.nfg import StrategicFile

State = tuple[str, ...]  # what everybody did; () before


@dataclass(frozen=True, eq=False)
class StrategicGame(Game[State, str]):
    """The game in an `.nfg` file.

    Parameters
    ----------
    file
        The table of payoffs.
    imperfect_recall
        How the players forget, where it is the table of a tree of imperfect recall.
    visits
        By absent-minded player, the information set that a play can visit more than once.
    behaviour
        What uniform behaviour pays each player, where somebody is absent-minded: no mixture of strategies need pay it.
    """

    file: StrategicFile = field(repr=False)
    imperfect_recall: str = ""
    visits: Mapping[int, str] = field(default_factory=dict, repr=False)
    behaviour: tuple[float, ...] = field(default=(), repr=False)

    name: ClassVar[str] = "nfg"

    def __post_init__(self) -> None:
        from fogbound.files.gambit.game import distinct

        object.__setattr__(self, "players", distinct(self.file.players))

    def __str__(self) -> str:
        return self.file.path

    def uniform_means(self, player: int) -> str:
        """Which uniform strategy of a player is meant, in words; nothing where there is only one."""
        if player not in self.visits:
            return ""
        earned = ", ".join(f"{name} {paid:.6g}" for name, paid in zip(self.players, self.behaviour))
        return (
            f"uniform for {self.players[player]} is a mixed strategy, uniform over pure strategies; uniform behaviour, "
            f"which draws anew at every visit of {self.visits[player]}, is another (if all behave so: {earned})"
        )

    @cached_property
    def _menus(self) -> tuple[tuple[str, ...], ...]:
        from fogbound.files.gambit.structure import menu

        return tuple(menu(names) for names in self.file.strategies)

    @cached_property
    def _places(self) -> tuple[dict[str, int], ...]:
        return tuple({name: k for k, name in enumerate(names)} for names in self._menus)

    def counted(self) -> dict[str, str]:
        """The size of the forms that this table of payoffs is, before anything is enumerated."""
        sizes, cells = [len(names) for names in self._menus], len(self.file.payoffs)
        sequences = " + ".join(f"{size + 1:,}" for size in sizes)
        return {
            "sequence": f"{many(sequences, 'sequence')}, {many(cells, 'payoff')}",
            "normal": many(" x ".join(f"{size:,}" for size in sizes), "pure strategy"),
        }

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome(()))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if state else tuple(range(len(self.players)))

    def actions(self, state: State, player: int) -> tuple[str, ...]:  # noqa: ARG002
        return self._menus[player]

    def step(self, state: State, joint: tuple[str, ...]) -> Dist[Outcome[State]]:  # noqa: ARG002
        cell, wide = 0, 1
        for places, chosen in zip(self._places, joint):
            cell, wide = cell + wide * places[chosen], wide * len(places)
        return Dist.sure(Outcome(joint, tuple(map(float, self.file.payoffs[cell])), public=joint))
