"""POMCP: the best reply to given opponents by sampling, where a game is too large to enumerate.

Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010), for one player of any game. The others are fixed
policies, or mixtures of them, and are sampled with the state: what they are and what they remember is part of the
particle, which is how document 000 turns an opponent of unknown level into a hidden state. Nothing it says is a bound:
what a policy is worth is measured by `arena.match`.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import ceil, inf, log
from typing import Any, ClassVar

from fogbound.core.dist import Dist
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame, Seen
from fogbound.core.policy import AnyPolicy, Player
from fogbound.planners.pomcp_belief import BLIND, Filter
from fogbound.planners.pomcp_cloud import Cloud, cloud_of
from fogbound.planners.pomcp_history import History
from fogbound.planners.pomcp_search import Node, Search
from fogbound.planners.pomcp_world import World

FADED, MOST_DEPTH = 0.01, 200  # a simulation is as long as a discount counts, but no longer than this
MOST_KEPT = 500_000  # particles in clouds that are kept; other clouds are made again when they are needed
MOST_ANSWERS = 100_000  # decisions whose answer is kept
UNASKED = "no particle is asked to move as the player is: rebuilt from the start with more of them"


@dataclass(frozen=True, eq=False)
class POMCP:
    """Search for a best reply of seat `me` to `others`, one policy or mixture for each other seat, at every decision.

    Memory is the own history (see `History`). Every decision is searched anew, without the statistics of the one
    before: so what is played depends on the seed and the history alone. `tally` counts what happened, deprivation by
    its reason; with processes, each has its own. A history never comes back, so play that cycles is not noticed: in
    games that may, let the arena stop after `most_steps`.

    `beyond` matters where random play ruins everything: in the tiger problem (19.37) 1,000 simulations come to about 14
    when they listen beyond the tree (30 games), and to -23 ± 29 when they do anything (16 games).
    """

    game: AnyGame
    me: int
    others: Mapping[int, Player] = field(repr=False)
    simulations: int = 1000  # for a decision
    exploration: float = 0.5  # how much UCB1 favours moves seldom tried, in units of `spread`
    depth: int = 0  # steps of one simulation; 0 = until the discount has faded to 0.01, at most 200
    particles: int = 1000
    seed: int = 0
    spread: float = 0.0  # best minus worst return, to which UCB1 is scaled; 0 = as met so far in the search
    beyond: AnyPolicy | None = field(default=None, repr=False)  # how I play beyond the tree; None = at random
    faithful: bool = True  # beyond the tree the others play as they do; False: at random, which costs no thinking

    thinks: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, least in (("simulations", 1), ("particles", 1), ("depth", 0)):
            if getattr(self, name) < least:
                raise SpecError(f"pomcp: {name} is {getattr(self, name)}, expected {least} or more")
        for name in ("exploration", "spread"):
            if not 0 <= getattr(self, name) < inf:
                raise SpecError(f"pomcp: {name} is {getattr(self, name)}, expected a number of 0 or more")
        World(self.game, self.me, self.others)  # refuses seats that do not fit

    def begin(self, seen: Seen) -> History:
        return History(None, None, seen)

    def update(self, memory: History, action: Hashable | None, seen: Seen) -> History:
        return History(memory, action, seen)

    def act(self, memory: History, actions: Sequence[Hashable]) -> Dist[Hashable]:
        """The move tried most, surely. Where no belief is left, any legal move: the tally says so."""
        menu = tuple(actions)
        if len(menu) == 1:
            return Dist.sure(menu[0])
        key = (memory, menu)
        found = self._answers.get(key)
        if found is None:
            node = self.look(memory, menu)
            found = Dist.uniform(menu) if node is None else Dist.sure(menu[node.best])
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            self._answers[key] = found
        return found

    def look(self, memory: History, actions: Sequence[Hashable]) -> Node | None:
        """The searched root: how often each action was tried and what it brought; None without a belief."""
        menu, rng = tuple(actions), memory.generator(self.seed, "search")
        cloud = self._asked(memory, menu)
        if not cloud.points:
            return None
        self._world.trim()
        search = Search(self._world, rng, self.exploration, self.horizon, self.spread, self.beyond, self.faithful)
        self.tally.update(decisions=1, simulations=self.simulations)
        root = Node(menu, self._guide(memory))
        search.run(cloud, root, self.simulations)
        return root

    def cloud(self, memory: History) -> Cloud:
        """What may be true: kept for the latest histories, and made again, the same, for any other."""
        kept, missing, part = self._clouds, [], memory
        while part not in kept and part.before is not None:
            missing.append(part)
            part = part.before
        found = kept.get(part)
        if found is None:
            found = self._filter.begin(part, part.generator(self.seed, "begin"))
            self._keep(part, found, 0, 0)
        for part in reversed(missing):
            before = found
            self._world.trim()
            found = self._filter.update(before, part, part.generator(self.seed, "update"))
            self._keep(part, found, before.deprived, before.revived)
        return found

    @cached_property
    def horizon(self) -> int:
        """The steps of one simulation."""
        discount = self.game.discount
        return self.depth or (min(MOST_DEPTH, ceil(log(FADED) / log(discount))) if discount < 1 else MOST_DEPTH)

    @cached_property
    def tally(self) -> Counter[str]:
        """How many decisions, simulations, reinvigorations; how often nothing was left, by what was done about it."""
        return Counter()

    def _asked(self, memory: History, menu: tuple[Hashable, ...]) -> Cloud:
        """The cloud at a decision between `menu`; when none of it is asked that, it is rebuilt."""
        cloud = self.cloud(memory).asked(menu)
        if cloud.points:
            return cloud
        self.tally[UNASKED] += 1
        for slips in (False, True):
            found = self._filter.rebuilt(memory, memory.generator(self.seed, "again", slips), slips)
            again = cloud_of(found, cloud.deprived + 1, UNASKED, cloud.revived).asked(menu)
            if again.points:
                return again
        self.tally[BLIND] += 1
        return cloud

    def _keep(self, part: History, cloud: Cloud, deprived: int, revived: int) -> None:
        if cloud.deprived > deprived:
            self.tally[cloud.reason] += 1
        if cloud.revived > revived:
            self.tally["reinvigorated"] += 1
        self._clouds[part] = cloud
        if len(self._clouds) > max(2, MOST_KEPT // self.particles):
            self._clouds.popitem(last=False)

    def _guide(self, memory: History) -> Any:
        """What the policy beyond the tree remembers of the game so far."""
        if self.beyond is None:
            return None
        first, *rest = memory.steps()
        guide = self.beyond.begin(first[1])
        for action, seen in rest:
            guide = self.beyond.update(guide, action, seen)
        return guide

    @cached_property
    def _world(self) -> World:
        return World(self.game, self.me, self.others)

    @cached_property
    def _filter(self) -> Filter:
        return Filter(self._world, self.particles)

    @cached_property
    def _clouds(self) -> OrderedDict[History, Cloud]:
        return OrderedDict()

    @cached_property
    def _answers(self) -> dict[Any, Dist[Hashable]]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}  # caches are made anew where it arrives
