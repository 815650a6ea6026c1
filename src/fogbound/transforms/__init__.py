"""Games made from games: cut off, in turns, begun elsewhere, narrowed, in teams, one against all.

A transform is itself a game, so it nests and has a spec: `horizon(game=tiger(), steps=3)`. The games inside a
spec come from another catalogue: `TRANSFORMS.make(spec, nested=games.make)`.
"""

from __future__ import annotations

from fogbound.core.game import AnyGame
from fogbound.core.registry import Registry

__all__ = ["TRANSFORMS"]

TRANSFORMS: Registry[AnyGame] = Registry(
    "transform",
    {
        "horizon": "fogbound.transforms.horizon:Horizon",
        "turn-based": "fogbound.transforms.turn_based:TurnBased",
        "start-at": "fogbound.transforms.subgame:StartAt",
        "subgame": "fogbound.transforms.subgame:ProperSubgame",
        "restrict": "fogbound.transforms.restrict:Restrict",
        "team": "fogbound.transforms.team:Team",
        "opposed": "fogbound.transforms.team:Opposed",
    },
)
