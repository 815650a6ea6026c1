"""What everything else is written in: distributions, outcomes, games, policies, specs, errors."""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.core.board import Board, Tile
    from fogbound.core.dist import Dist
    from fogbound.core.drawing import Drawing
    from fogbound.core.errors import FileError, FogboundError, FormError, GameError, LimitError, PolicyError, SpecError
    from fogbound.core.game import AnyGame, Game, Observation, Outcome
    from fogbound.core.policy import AnyPolicy, Mixed, Policy, Strategy, kinds
    from fogbound.core.record import GameGroup, GameRecord, KnownValue

__all__ = [
    "AnyGame",
    "AnyPolicy",
    "Board",
    "Dist",
    "Drawing",
    "FileError",
    "FogboundError",
    "FormError",
    "Game",
    "GameError",
    "GameGroup",
    "GameRecord",
    "KnownValue",
    "LimitError",
    "Mixed",
    "Observation",
    "Outcome",
    "Policy",
    "PolicyError",
    "SpecError",
    "Strategy",
    "Tile",
    "kinds",
]

lazy(__name__)
