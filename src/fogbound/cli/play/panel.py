"""The belief panel of a player at the terminal: when it is shown, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fogbound.cli.console import say
from fogbound.cli.progress import working
from fogbound.core.errors import FogboundError, SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.driver.clock import Deadline

if TYPE_CHECKING:
    from fogbound.forms.decisions import History
    from fogbound.inference.fog import Fog, OpponentFog

SOME_LEVEL = "some-level"
UNIFORM = "random play"
ENUMERATING = 5.0  # seconds to enumerate a game before a search is made instead


@dataclass(eq=False)
class BeliefPanel:
    """What a player may infer from what it did and saw, worked out when it is first asked for."""

    made: Callable[[], Fog]
    always: bool = False  # whether it is shown at every move
    used: bool = False

    @cached_property
    def fog(self) -> Fog:
        return self.made()

    def lines(self, history: History, actions: Sequence[Hashable]) -> list[str]:
        """All that follows from what the player did and saw, and what it assumes of the others."""
        from fogbound.cli.play.panel_text import own_lines, panel_lines, searched_lines
        from fogbound.inference.fog import OpponentFog, OwnFog

        if isinstance(self.fog, OwnFog):
            return own_lines(self.fog, history)
        if isinstance(self.fog, OpponentFog):
            return panel_lines(self.fog, history)
        return searched_lines(self.fog.game, self.fog.player, self.fog.inferred(history, actions))

    def lift(self, history: History, actions: Sequence[Hashable]) -> None:
        """Say all that follows from what the player did and saw."""
        try:
            lines = self.lines(history, actions)
        except FogboundError as error:
            say(f"  the fog stays: {error}")
            return
        self.used = True
        for line in lines:
            say("  " + line)


def chosen_levels(game: AnyGame, player: int, texts: Sequence[str], levels: int | None) -> OpponentFog | None:
    """The fog of one who chose levels of reasoning, by an opponent that is drawn from them or by --levels."""
    from fogbound.inference.fog import levels_fog
    from fogbound.solvers.level_k.solver import MOST_LEVELS

    if levels is not None and len(game.players) == 1:
        raise SpecError("play: --levels, expected none: you play alone")
    if levels is not None and levels > MOST_LEVELS:
        raise SpecError(f"play: --levels {levels:,}, expected 0 to {MOST_LEVELS:,}")
    if levels is None and SOME_LEVEL not in texts:
        return None
    return levels_fog(game, player, texts[0], levels, working)


def known_fog(game: AnyGame, player: int, texts: Mapping[int, str], against: Mapping[int, Strategy]) -> Fog:
    """The fog against the policies that sit there, under the names by which they were asked for.

    Where the game is too large to be enumerated for this, a search gives estimates and says what they assume.
    """
    from fogbound.inference.fog import ready_fog
    from fogbound.inference.opponent import Opponent

    opponents = {i: Opponent(UNIFORM if text == "uniform" else text, against[i]) for i, text in texts.items()}
    return ready_fog(game, player, opponents, Deadline(ENUMERATING), working)
