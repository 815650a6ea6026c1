"""Level-k play by sampling, for games too large to enumerate: every level searches against models of the lower ones.

Level 0 plays uniformly. Level k of a player is POMCP against the others at levels 0 to k-1, all equally likely, as in
Rosello's fully nested I-POMDPs (document 000). A modelled player thinks too, with fewer simulations (`shrink` times
fewer for each nesting, at least `least`), and only inside the tree of the one who models it: beyond it all play at
random. So a level here is the level of a bounded mind, not the exact best reply of `solvers.level_k`.

What it costs: every new node of a search, and every particle of a belief, may ask a modelled player for a decision that
nobody asked for before, so the price of a decision at level k is at worst the product of the budgets of all nestings;
less what is remembered (answers are kept by history: in a small game most questions come again). Measured with the
default `shrink`, the first decision at levels 1, 2 and 3: .05, .4 and .7 s in po-nim(n=8) with 1,000 simulations; .2,
1.5 and 2.4 s in battleship(rows=4, columns=4) with 300. The step from 1 to 2 is the dear one, the next only doubles,
because its models are down to `least`: from level 3 on it is their quality that gives out, not the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.policies.mixture import uniform_mixture
from fogbound.policies.uniform import Uniform
from fogbound.solvers.search.pomcp import POMCP

SHRINK, LEAST = 10, 20
ZERO = Uniform()


def sampled_levels(
    game: AnyGame,
    levels: int,
    simulations: int = 1000,
    particles: int = 1000,
    shrink: int = SHRINK,
    least: int = LEAST,
    zero: Mapping[int, Strategy] | None = None,
    seed: int = 0,
    exploration: float = POMCP.exploration,
    depth: int = POMCP.depth,
) -> tuple[dict[int, Strategy], ...]:
    """Levels 0 to `levels`, each a player for every player. `zero` says how level 0 plays where it is not uniform."""
    if levels < 0 or simulations < 1 or shrink < 1 or least < 1:
        raise SpecError(
            f"sampled_levels: levels {levels}, simulations {simulations}, shrink {shrink} and least {least}, "
            "expected 0 or more, and 1 or more for the others"
        )
    nest = NestedPlanners(game, shrink, least, dict(zero or {}), seed, exploration, depth)
    seats = range(len(game.players))
    return tuple(
        {player: nest.player(k, player, simulations, particles) for player in seats} for k in range(levels + 1)
    )


@dataclass
class NestedPlanners:
    """Players who model players; those that are alike are one object, which remembers its answers for all."""

    game: AnyGame
    shrink: int
    least: int
    zero: dict[int, Strategy]
    seed: int
    exploration: float
    depth: int
    made: dict[tuple[int, int, int, int], Strategy] = field(default_factory=dict)

    def player(self, level: int, player: int, simulations: int, particles: int) -> Strategy:
        """Seat `player` at `level`, with so many simulations and particles for a decision."""
        if level == 0:
            return self.zero.get(player, ZERO)
        key = (level, player, simulations, particles)
        if key not in self.made:
            less = [max(self.least, many // self.shrink) for many in (simulations, particles)]
            others = {
                other: uniform_mixture([self.player(k, other, *less) for k in range(level)])
                for other in range(len(self.game.players))
                if other != player
            }
            solver = POMCP(
                simulations, exploration=self.exploration, depth=self.depth, particles=particles, reuse=False
            )
            faithful = level == 1  # level 0 costs nothing to ask
            self.made[key] = solver.policy(self.game, player, self.seed, others, by_rules=True, faithful=faithful)
        return self.made[key]
