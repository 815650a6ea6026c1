"""The lamp that lifts the fog at the table: which levels it considers, when it is lit, what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fogbound.cli.watching import working
from fogbound.cli.words import say
from fogbound.core.errors import FogboundError, FormError, SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Player
from fogbound.core.spec import parse

if TYPE_CHECKING:
    from fogbound.forms.tree import History
    from fogbound.solvers.lifted import Fog

SOME_LEVEL = "some-level"
LEVELS = 3  # that are considered when the opponent is no level
MOST_BELIEFS = 20_000
LADDER = "level-k"


@dataclass(eq=False)
class Lamp:
    """The fog of one seat, made when it is first asked for."""

    game: AnyGame
    me: int
    levels: int = LEVELS
    options: dict[str, Any] = field(default_factory=dict)  # of the ladder: prior, tau, precision
    most: int = MOST_BELIEFS  # of one seat, at which a level is left at what was found by then
    always: bool = False  # whether it is lit at every move
    used: bool = False

    @cached_property
    def fog(self) -> Fog:
        from fogbound.solvers.ladder import climb
        from fogbound.solvers.lifted import Fog
        from fogbound.solvers.reachable.search import Limits

        if len(self.game.players) != 2:
            raise FormError(
                f"{self.game}: players are {len(self.game.players)}, expected 2: the fog is about one opponent"
            )
        with working(f"climbing to level {self.levels} of {self.game}"):
            return Fog(climb(self.game, self.levels, limits=Limits(most=self.most), **self.options), self.me)

    def light(self) -> None:
        """Make sure that it can be lit; raises what stands against it."""
        self.fog.classes  # noqa: B018

    def suspects(self) -> Player:
        """An opponent who is one of the levels considered, drawn from the ladder's prior."""
        from fogbound.policies.mixture import Mixture

        fog = self.fog
        weights = fog.climb.weights(fog.climb.levels + 1)
        return Mixture.of([(fog.climb.policy(k, fog.other), p) for k, p in enumerate(weights) if p > 0])

    def lift(self, history: History) -> None:
        """Say all that follows from what the seat did and saw."""
        from fogbound.cli.play_words import fog_lines

        try:
            lines = fog_lines(self.game, self.fog, history)
        except FogboundError as error:
            say(f"  the fog stays: {error}")
            return
        self.used = True
        for line in lines:
            say("  " + line)


def lamp_for(game: AnyGame, me: int, texts: Sequence[str], levels: int | None, always: bool) -> Lamp:
    """The lamp for opponents named so: the ladder is theirs where they are levels."""
    from fogbound.solvers import SOLVERS
    from fogbound.solvers.level_k import MOST_LEVELS, LevelK

    found = Lamp(game, me, always=always)
    named = [text for text in texts if text.partition("(")[0].strip() == LADDER]
    if len(texts) == 1 and named:
        solver = SOLVERS.make(parse(named[0]))
        if isinstance(solver, LevelK):
            found.levels = (solver.level or solver.height) + 1
            found.most = solver.most
            found.options = {"prior": solver.prior, "tau": solver.tau}
            if solver.precision is not None:
                found.options["precision"] = solver.precision
    if levels is not None:
        if levels > MOST_LEVELS:
            raise SpecError(f"play: --levels {levels:,}, expected 0 to {MOST_LEVELS:,}")
        found.levels = levels
    return found
