"""POMCP: the best reply to given opponents by sampling, where a game is too large to enumerate.

Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010), for one player of any game. The others are fixed
policies, or mixtures of them, and are sampled with the state: what they are and what they remember is part of the
particle, which is how document 000 turns an opponent of unknown level into a hidden state. Nothing it says is a bound:
the value of a policy is measured by `arena.match`.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import ceil, inf, log, sqrt
from random import Random
from typing import Any, ClassVar

from fogbound.core.cancel import check
from fogbound.core.dist import Dist
from fogbound.core.errors import GameError, SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.core.policy import AnyPolicy, Strategy
from fogbound.evaluate.particle_filter import NO_BELIEF, ParticleFilter
from fogbound.solvers.search.history import ActionObservationHistory, RemembersHistory
from fogbound.solvers.search.interactive_belief import (
    InteractiveBelief,
    InteractiveParticles,
    InteractiveSampler,
    fallbacks,
    interactive_filter,
    rebuilt,
)
from fogbound.solvers.search.simulator import InducedSimulator, InteractiveState, Legal

# The search of POMCP: UCT over one player's own histories, from states drawn from what it believes.
#
# Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010). A node is a decision of mine, reached by what I did
# and saw; steps in which only the others move lie between two nodes. Beyond the tree I play at random, or by a policy
# that is given: their "preferred actions", which matter much where random play soon ruins everything. The first move is
# not chosen by UCB1, which minimises what exploring costs, though it costs nothing there: by sequential halving, as in
# Pepels et al., "Minimizing simple and cumulative regret in Monte-Carlo tree search" (2014). The value of a node
# is that of its favourite move, not the mean of all that was tried in it (compare MaxUCT: Keller and Helmert 2013).


class POMCPNode:
    """A decision: its moves, how often each was tried and what they brought in all."""

    __slots__ = ("children", "favourite", "first", "held", "legal", "memory", "sums", "total", "visits")

    def __init__(self, legal: Legal, memory: Any = None) -> None:
        self.legal, self.total, self.memory = legal, 0, memory  # the memory of the policy that plays beyond the tree
        self.first = -inf  # what playing on without a tree brought, when the node was new
        self.favourite = -1  # the move tried most, of equals the better when it was last tried; -1 = as at first
        self.held = 0.0  # what is held to come of all visits: of the first, which made the node, and of all tries
        self.visits, self.sums = [0] * len(legal), [0.0] * len(legal)
        self.children: list[dict[Any, POMCPNode]] = [{} for _ in legal]

    def learn(self, move: int, gain: float) -> float:
        """Count a try of `move` that adds `gain` to what it brought in all; by how much this node's own sum changes.

        The value of a node is that of its favourite move, and all its visits count for that: moves that were tried
        only to explore, and first impressions that were wrong, are not held against what leads here.
        """
        visits, sums, favourite = self.visits, self.sums, self.favourite
        self.total += 1
        visits[move] += 1
        sums[move] += gain
        many, brought = (visits[favourite], sums[favourite]) if favourite >= 0 else (1, self.first)
        if visits[move] > many or (visits[move] == many and sums[move] > brought):
            self.favourite, many, brought = move, visits[move], sums[move]
        before, self.held = self.held, (self.total + 1) * brought / many
        return self.held - before

    @property
    def best(self) -> int:
        """The move tried most; of equals the better, of those the first."""
        return max(range(len(self.legal)), key=lambda k: (self.visits[k], self.mean(k)))

    def mean(self, move: int) -> float:
        """What the move brought on average, -inf when it was never tried."""
        return self.sums[move] / self.visits[move] if self.visits[move] else -inf


@dataclass
class POMCPSearch:
    """Simulations from one decision; `rng` is the only source of chance."""

    simulator: InducedSimulator
    rng: Random
    exploration: float  # how much UCB1 favours moves seldom tried, in units of `spread`
    depth: int  # steps of one simulation
    spread: float = 0.0  # 0: the difference between the best and the worst return met so far
    beyond: AnyPolicy | None = None  # how I play beyond the tree
    faithful: bool = True  # beyond the tree the others play as they do; False: at random, without being asked

    def __post_init__(self) -> None:
        self.low, self.high, self.discount = inf, -inf, self.simulator.game.discount

    def run(self, belief: InteractiveBelief, root: POMCPNode, simulations: int) -> None:
        """Sequential halving (Karnin, Koren and Somekh 2013): in each round equally many simulations of the moves that
        are left, then the better half stays. The last one gets what remains, so that it is the one tried most."""
        left, live = simulations, list(range(len(root.legal)))
        if simulations < len(live):
            self.rng.shuffle(live)  # not all can be tried: no move is left out for its place
        for rounds in range((len(live) - 1).bit_length(), 0, -1):
            for place in range(min(left, len(live) * max(1, left // (rounds * len(live))))):
                check()
                self.simulate(root, live[place % len(live)], belief.draw(self.rng))
                left -= 1
            live.sort(key=lambda k: (-root.mean(k), k))
            live = live[: (len(live) + 1) // 2]
        for _ in range(left):
            check()
            self.simulate(root, live[0], belief.draw(self.rng))

    def simulate(self, root: POMCPNode, move: int, point: InteractiveState) -> None:
        """From a first move down the tree by UCB1, one new node, on without a tree, and back up."""
        path: list[tuple[POMCPNode, int, float, float]] = []
        node, left, value = root, self.depth, 0.0
        while True:
            point, reward, fade, left, observations = self._on(point, move, left)
            path.append((node, move, reward, fade))
            if point.place < 0 or left <= 0:
                break
            child = node.children[move].get(observations)
            if child is None:
                child = node.children[move][observations] = POMCPNode(
                    point.legal, self._remembered(node, move, observations)
                )
                value = self._rollout(point, left) if self.beyond is None else self._guided(point, left, child.memory)
                child.first = child.held = value
                break
            if child.legal is not point.legal and child.legal != point.legal:
                raise GameError(self._unequal(child, point))
            node, move = child, self.select(child)
        change = value
        for node, move, reward, fade in reversed(path):
            value = reward + fade * value
            change = node.learn(move, reward + fade * change)
        if value < self.low:
            self.low = value
        if value > self.high:
            self.high = value

    def select(self, node: POMCPNode) -> int:
        """Moves never tried first, in order; then the one with the highest upper confidence bound."""
        visits = node.visits
        if node.total < len(visits):
            return visits.index(0)
        room = self.exploration * (self.spread or (self.high - self.low) or 1.0) * sqrt(log(node.total))
        upper = [total / n + room / sqrt(n) for total, n in zip(node.sums, visits)]
        return upper.index(max(upper))

    def _on(self, point: InteractiveState, move: int, left: int) -> tuple[InteractiveState, float, float, int, Any]:
        """Play `move` and go on until I am asked again: where, what was paid, its fading, steps left, what was seen."""
        step, draw, discount = self.simulator.step, self.rng.random, self.discount
        point, reward, seen = step(point, move, draw)
        fade, left, observations = discount, left - 1, [seen]
        while point.place < 0 and left > 0 and point.actors:
            point, more, seen = step(point, -1, draw)
            reward += fade * more
            fade *= discount
            left -= 1
            observations.append(seen)
        return point, reward, fade, left, tuple(observations)

    def _rollout(self, point: InteractiveState, left: int) -> float:
        """What random play of mine brings from here."""
        step, draw, discount = (
            self.simulator.step if self.faithful else self.simulator.stray,
            self.rng.random,
            self.discount,
        )
        value, scale = 0.0, 1.0
        while left > 0 and point.actors:
            point, reward, _ = step(point, int(draw() * len(point.legal)), draw)
            value += scale * reward
            scale *= discount
            left -= 1
        return value

    def _guided(self, point: InteractiveState, left: int, memory: Any) -> float:
        """What the policy beyond the tree brings from here."""
        assert self.beyond is not None
        step, draw, update = (
            self.simulator.step if self.faithful else self.simulator.stray,
            self.rng.random,
            self.beyond.update,
        )
        value, scale = 0.0, 1.0
        while left > 0 and point.actors:
            action = self.beyond.act(memory, point.legal).sample(self.rng) if point.place >= 0 else None
            point, reward, seen = step(point, -1 if action is None else point.legal.index(action), draw)
            memory = update(memory, action, seen)
            value += scale * reward
            scale *= self.discount
            left -= 1
        return value

    def _remembered(self, node: POMCPNode, move: int, observations: Any) -> Any:
        """The memory of the policy beyond the tree, one decision later."""
        if self.beyond is None:
            return None
        memory = self.beyond.update(node.memory, node.legal[move], observations[0])
        for seen in observations[1:]:
            memory = self.beyond.update(memory, None, seen)
        return memory

    def _unequal(self, node: POMCPNode, point: InteractiveState) -> str:
        return (
            f"{self.simulator.game}: player {self.simulator.player} is offered {brief(node.legal)} or "
            f"{brief(point.legal)} "
            "after the same observations, expected what follows from what the player knows"
        )


FADED, MOST_DEPTH = 0.01, 200  # a simulation is as long as a discount counts, but no longer than this
MOST_KEPT = 500_000  # particles in beliefs that are kept; other beliefs are made again when they are needed
MOST_ANSWERS = 100_000  # decisions whose answer is kept
UNASKED = "no particle is asked to move as the player is: rebuilt from the start with more of them"


@dataclass(frozen=True, eq=False)
class POMCP(RemembersHistory):
    """Search for a best reply of `player` to `others`, one policy or mixture for each other player, at every decision.

    Memory is the own history (see `ActionObservationHistory`). Every decision is searched anew, without the
    statistics of the one before: so what is played depends on the seed and the history alone. `tally` counts what
    happened, deprivation by its reason; with processes, each has its own. A history never comes back, so play that
    cycles is not noticed: in games that may, let the arena stop after `most_steps`.

    `beyond` matters where random play ruins everything: in the tiger problem (19.37) 1,000 simulations come to about 14
    when they listen beyond the tree (30 games), and to -23 ± 29 when they do anything (16 games).

    Parameters
    ----------
    game
        The game.
    player
        Whose reply is searched.
    others
        A policy or mixture for each other player.
    simulations
        Simulations for a decision.
    exploration
        How much UCB1 favours moves seldom tried, in units of `spread`.
    depth
        Steps of one simulation; 0 = until the discount has faded to 0.01, at most 200.
    particles
        Particles of the belief.
    seed
        What is drawn depends on it.
    spread
        Best minus worst return, to which UCB1 is scaled; 0 = as met so far in the search.
    beyond
        How `player` plays beyond the tree; None: at random.
    faithful
        Beyond the tree the others play as they do; False: at random, which costs no thinking.
    """

    game: AnyGame
    player: int
    others: Mapping[int, Strategy] = field(repr=False)
    simulations: int = 1000
    exploration: float = 0.5
    depth: int = 0
    particles: int = 1000
    seed: int = 0
    spread: float = 0.0
    beyond: AnyPolicy | None = field(default=None, repr=False)
    faithful: bool = True

    thinks: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, least in (("simulations", 1), ("particles", 1), ("depth", 0)):
            if getattr(self, name) < least:
                raise SpecError(f"pomcp: {name} is {getattr(self, name)}, expected {least} or more")
        for name in ("exploration", "spread"):
            if not 0 <= getattr(self, name) < inf:
                raise SpecError(f"pomcp: {name} is {getattr(self, name)}, expected a number of 0 or more")
        InducedSimulator(self.game, self.player, self.others)  # refuses players that do not fit

    def act(self, memory: ActionObservationHistory, actions: Sequence[Hashable]) -> Dist[Hashable]:
        """The move tried most, surely. Where no belief is left, any legal move: the tally says so."""
        legal = tuple(actions)
        if len(legal) == 1:
            return Dist.sure(legal[0])
        key = (memory, legal)
        choice = self._answers.get(key)
        if choice is None:
            node = self.look(memory, legal)
            choice = Dist.uniform(legal) if node is None else Dist.sure(legal[node.best])
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            self._answers[key] = choice
        return choice

    def look(self, memory: ActionObservationHistory, actions: Sequence[Hashable]) -> POMCPNode | None:
        """The searched root: how often each action was tried and what it brought; None without a belief."""
        legal, rng = tuple(actions), memory.generator(self.seed, "search")
        belief = self._asked(memory, legal)
        if belief is None:
            return None
        self._simulator.trim()
        search = POMCPSearch(
            self._simulator, rng, self.exploration, self.horizon, self.spread, self.beyond, self.faithful
        )
        self.tally.update(decisions=1, simulations=self.simulations)
        root = POMCPNode(legal, self._guide(memory))
        search.run(belief, root, self.simulations)
        return root

    def filtered(self, memory: ActionObservationHistory) -> InteractiveParticles:
        """What may be true: kept for the latest histories, and made again, the same, for any other."""
        kept, missing, part = self._kept, [], memory
        while part not in kept and part.before is not None:
            missing.append(part)
            part = part.before
        particles = kept.get(part)
        if particles is None:
            particles = self._filter.begin(part.seen, part.array_generator(self.seed, "begin"), fallbacks=())
            self._keep(part, particles, 0, 0)
        for part in reversed(missing):
            before, rng = particles, part.array_generator(self.seed, "update")
            self._simulator.trim()
            instead = fallbacks(self._simulator, self.particles, before, part, rng)
            particles = self._filter.update(before, part.action, part.seen, rng, fallbacks=instead)
            self._keep(part, particles, before.deprived, before.revived)
        return particles

    @cached_property
    def horizon(self) -> int:
        """The steps of one simulation."""
        discount = self.game.discount
        return self.depth or (min(MOST_DEPTH, ceil(log(FADED) / log(discount))) if discount < 1 else MOST_DEPTH)

    @cached_property
    def tally(self) -> Counter[str]:
        """How many decisions, simulations, reinvigorations; how often nothing was left, by what was done about it."""
        return Counter()

    def _asked(self, memory: ActionObservationHistory, legal: tuple[Hashable, ...]) -> InteractiveBelief | None:
        """What may be true at a decision between `legal`; when nothing that is believed asks that, it is rebuilt."""
        believed = self.filtered(memory).belief
        belief = None if believed is None else believed.asked(legal)
        if belief is not None:
            return belief
        self.tally[UNASKED] += 1
        for slips in (False, True):
            rng = memory.array_generator(self.seed, "again", slips)
            again = rebuilt(InteractiveSampler(self._simulator, slips), self.particles, memory, rng)
            belief = None if again is None else again.asked(legal)
            if belief is not None:
                return belief
        self.tally[NO_BELIEF] += 1
        return None

    def _keep(
        self, part: ActionObservationHistory, particles: InteractiveParticles, deprived: int, revived: int
    ) -> None:
        if particles.deprived > deprived:
            self.tally[particles.reason] += 1
        if particles.revived > revived:
            self.tally["reinvigorated"] += 1
        self._kept[part] = particles
        if len(self._kept) > max(2, MOST_KEPT // self.particles):
            self._kept.popitem(last=False)

    def _guide(self, memory: ActionObservationHistory) -> Any:
        """What the policy beyond the tree remembers of the game so far."""
        if self.beyond is None:
            return None
        first, *rest = memory.steps()
        guide = self.beyond.begin(first[1])
        for action, seen in rest:
            guide = self.beyond.update(guide, action, seen)
        return guide

    @cached_property
    def _simulator(self) -> InducedSimulator:
        return InducedSimulator(self.game, self.player, self.others)

    @cached_property
    def _filter(self) -> ParticleFilter[InteractiveBelief]:
        return interactive_filter(self._simulator, self.particles)

    @cached_property
    def _kept(self) -> OrderedDict[ActionObservationHistory, InteractiveParticles]:
        return OrderedDict()

    @cached_property
    def _answers(self) -> dict[Any, Dist[Hashable]]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}  # caches are made anew where it arrives
