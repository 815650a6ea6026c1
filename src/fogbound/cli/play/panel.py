"""The belief panel of a player at the terminal: when it is shown, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fogbound.cli.console import say
from fogbound.cli.progress import working
from fogbound.core.errors import FogboundError, SpecError
from fogbound.core.game import AnyGame

if TYPE_CHECKING:
    from fogbound.forms.decisions import History
    from fogbound.inference.fog import Fog

SOME_LEVEL = "some-level"


@dataclass(eq=False)
class BeliefPanel:
    """What a player may infer from what it did and saw, worked out when it is first asked for."""

    fog: Fog
    always: bool = False  # whether it is shown at every move
    used: bool = False

    def lines(self, history: History) -> list[str]:
        """All that follows from what the player did and saw."""
        from fogbound.cli.play.panel_text import own_lines, panel_lines
        from fogbound.inference.fog import OpponentFog, OwnFog

        if isinstance(self.fog, OwnFog):
            return own_lines(self.fog.game, self.fog.inference, history)
        assert isinstance(self.fog, OpponentFog)
        return panel_lines(self.fog.game, self.fog.inference, history)

    def lift(self, history: History) -> None:
        """Say all that follows from what the player did and saw."""
        try:
            lines = self.lines(history)
        except FogboundError as error:
            say(f"  the fog stays: {error}")
            return
        self.used = True
        for line in lines:
            say("  " + line)


def belief_panel(game: AnyGame, player: int, texts: Sequence[str], levels: int | None, always: bool) -> BeliefPanel:
    """The panel for opponents named so: the hierarchy is theirs where they are levels."""
    from fogbound.inference.fog import fog_for
    from fogbound.solvers.level_k.solver import MOST_LEVELS

    if levels is not None and len(game.players) == 1:
        raise SpecError("play: --levels, expected none: you play alone")
    if levels is not None and levels > MOST_LEVELS:
        raise SpecError(f"play: --levels {levels:,}, expected 0 to {MOST_LEVELS:,}")
    return BeliefPanel(fog_for(game, player, texts, levels, working), always)
