"""The belief panel of a player at the table: what it considers, when it is shown, what it says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fogbound.cli.console import say
from fogbound.cli.progress import working
from fogbound.core.errors import FogboundError, FormError, SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.spec import parse

if TYPE_CHECKING:
    from fogbound.forms.decisions import History
    from fogbound.inference.online import OpponentInference, OwnBelief, ReviewedMove

SOME_LEVEL = "some-level"
LEVELS = 3  # that are considered when the opponent is no level
MOST_BELIEFS = 20_000
LEVEL_K = "level-k"


@dataclass(eq=False)
class BeliefPanel(ABC):
    """What a player may infer from what it did and saw, worked out when it is first asked for."""

    game: AnyGame
    player: int
    always: bool = False  # whether it is shown at every move
    used: bool = False

    @abstractmethod
    def prepare(self) -> None:
        """Make sure that it can be shown; raises what stands against it."""

    @abstractmethod
    def lines(self, history: History) -> list[str]:
        """All that follows from what the player did and saw."""

    @abstractmethod
    def review(self, history: History) -> Sequence[ReviewedMove]:
        """What the player's moves cost."""

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


@dataclass(eq=False)
class OwnPanel(BeliefPanel):
    """For one who plays alone: what may be hidden, and the value of each move."""

    @cached_property
    def inference(self) -> OwnBelief:
        from fogbound.forms.pomdp import pomdp
        from fogbound.inference.online import OwnBelief

        with working(f"enumerating {self.game}"):
            return OwnBelief(pomdp(self.game))

    def prepare(self) -> None:
        self.inference  # noqa: B018

    def lines(self, history: History) -> list[str]:
        from fogbound.cli.play.panel_text import own_lines

        return own_lines(self.game, self.inference, history)

    def review(self, history: History) -> Sequence[ReviewedMove]:
        return self.inference.review(history)


@dataclass(eq=False)
class OpponentPanel(BeliefPanel):
    """What one of two players may infer about the other."""

    levels: int = LEVELS
    options: dict[str, Any] = field(default_factory=dict)  # of the hierarchy: prior, tau, precision
    most: int = MOST_BELIEFS  # of one player, at which a level is left at what was found by then

    @cached_property
    def inference(self) -> OpponentInference:
        from fogbound.inference.online import OpponentInference
        from fogbound.solvers.level_k.hierarchy import solve_levels
        from fogbound.solvers.pomdp.belief_graph.search import SearchLimits

        if len(self.game.players) != 2:
            raise FormError(
                f"{self.game}: players are {len(self.game.players)}, expected 2: the belief panel is about one opponent"
            )
        with working(f"solving levels 0 to {self.levels} of {self.game}"):
            return OpponentInference(
                solve_levels(self.game, self.levels, limits=SearchLimits(most=self.most), **self.options), self.player
            )

    def prepare(self) -> None:
        self.inference  # noqa: B018

    def lines(self, history: History) -> list[str]:
        from fogbound.cli.play.panel_text import panel_lines

        return panel_lines(self.game, self.inference, history)

    def review(self, history: History) -> Sequence[ReviewedMove]:
        from fogbound.inference.online import review

        return review(self.inference, history)

    def some_level(self) -> Strategy:
        """An opponent who is one of the levels considered, drawn from the hierarchy's prior."""
        from fogbound.policies.mixture import Mixture

        inference = self.inference
        weights = inference.hierarchy.weights(inference.hierarchy.levels + 1)
        return Mixture.of([(inference.hierarchy.policy(k, inference.other), p) for k, p in enumerate(weights) if p > 0])


def belief_panel(game: AnyGame, player: int, texts: Sequence[str], levels: int | None, always: bool) -> BeliefPanel:
    """The panel for opponents named so: the hierarchy is theirs where they are levels."""
    from fogbound.solvers import SOLVERS
    from fogbound.solvers.level_k.solver import MOST_LEVELS, LevelK

    if len(game.players) == 1:
        if levels is not None:
            raise SpecError("play: --levels, expected none: you play alone")
        return OwnPanel(game, player, always)
    panel = OpponentPanel(game, player, always)
    named = [text for text in texts if text.partition("(")[0].strip() == LEVEL_K]
    if len(texts) == 1 and named:
        solver = SOLVERS.make(parse(named[0]))
        if isinstance(solver, LevelK):
            panel.levels = (solver.level or solver.height) + 1
            panel.most = solver.most
            panel.options = {"prior": solver.prior, "tau": solver.tau}
            if solver.precision is not None:
                panel.options["precision"] = solver.precision
    if levels is not None:
        if levels > MOST_LEVELS:
            raise SpecError(f"play: --levels {levels:,}, expected 0 to {MOST_LEVELS:,}")
        panel.levels = levels
    return panel
