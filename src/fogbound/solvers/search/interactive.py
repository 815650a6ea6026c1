"""Interactive states: how states step together with what the fixed others are and remember, and beliefs over them.

The induced model is explored only where samples go. Its points (`forms.induced.Point`) are the interactive states of
I-POMDPs (Gmytrasiewicz and Doshi 2005). Each knows those that it has led to, so a step taken before costs a few
dictionary look-ups and asks neither the rules nor the others again. What was met is forgotten all at once when there is
too much of it, between searches.

The particle filter (`evaluation.particle_filter`: rejection, with some particles led on by trying everything where few
survive) follows beliefs; here is what it has to know of them: how interactive states step, and what to believe
when nothing that the others would do shows what was seen. Then the filter goes through all of the history again with
more particles, and if that fails the others' hands may have slipped: they do anything legal, now or at every step.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from math import inf, prod
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_players
from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import Strategy
from fogbound.core.simulator import Action, Branch, RuleSimulator
from fogbound.evaluation.particle_filter import NO_BELIEF, Fallback, ParticleFilter, Particles
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.induced import MOST_POINTS, InducedGame, Point, weighed
from fogbound.solvers.search.belief import BeliefTracker
from fogbound.solvers.search.history import ActionObservationHistory

Legal = tuple[Hashable, ...]
InteractiveState = Point
Draw = Callable[[], float]  # the `random` of a generator
CHEAP = 4  # things that the others may do, a particle, up to which all of them are tried
SCARCE = 0.1  # the share of particles that must survive, or some are led on by trying everything
MOST_KEPT = 500_000  # particles in beliefs that are kept; other beliefs are made again when they are needed
EFFORTS = (4, 16)  # times as many particles when a history is gone through again, and when that failed
REBUILT = "no particle showed what was seen: rebuilt from the start with more of them"
SLIPPED = "nothing the others would do shows what was seen: somebody's hand has slipped now"
UNASKED = "no particle is asked to move as the player is: rebuilt from the start with more of them"
SLIPPING = "nothing the others would do shows what was seen: rebuilt from the start with hands that slip at every step"


class Transition(NamedTuple):
    """Where one outcome leads, my reward and what I see of it."""

    point: Point
    reward: float
    seen: Observation


class JointMove:
    """The outcomes of one joint move, with links made when they are first drawn."""

    __slots__ = ("branches", "links", "own", "upto")

    def __init__(self, own: list[Action], branches: Sequence[Branch]) -> None:
        self.own, self.branches = own, branches
        self.upto = list(accumulate([p for _, _, p in branches[:-1]])) if len(branches) > 1 else []
        self.links: list[Transition | None] = [None] * len(branches)


class InducedSimulator(InducedGame):
    """A game seen from `player`, the others being played by `others`; steps are drawn, or all of them listed."""

    def __init__(self, game: AnyGame, player: int, others: Mapping[int, Strategy], most: int = MOST_POINTS) -> None:
        require_players(game)
        wanted = [other for other in range(len(game.players)) if other != player]
        if not 0 <= player < len(game.players) or sorted(others) != wanted:
            raise FormError(
                f"{game}: player {player} with policies for players {sorted(others)}, expected one of "
                f"{len(game.players)} players and a policy for each of the others"
            )
        super().__init__(RuleSimulator(game), others, sys.maxsize)
        self.game, self.player, self.most = game, player, most

    def trim(self) -> None:
        """Forget what was met when it is too much."""
        if len(self.points) + sum(len(fixed.memories) for fixed in self.fixed.values()) > self.most:
            self.forget()

    def begin(self, observation: Observation | None = None) -> Iterator[tuple[Point, float]]:
        """The points at which the game may begin when it shows `seen` (None: anything), with their probabilities."""
        return ((point, p) for point, _, p in self.start(observation))

    def step(self, point: Point, move: int, draw: Draw) -> Transition:
        """One step drawn, in which I play `move` of my legal actions (or anything, where I do not move)."""
        choices = point.choices or self.choices(point)
        joint: Any
        if len(choices) == 1:
            only = choices[0]
            if only is None:
                joint = move
            else:
                joint = only.places[bisect_right(only.upto, draw())] if only.upto else only.places[0]
        else:
            joint = tuple([move if c is None else c.places[bisect_right(c.upto, draw())] for c in choices])
        return self._led(point, joint, draw)

    def stray(self, point: Point, move: int, draw: Draw) -> Transition:
        """One step in which the others are not asked: they do anything legal, and remember that they did."""
        joint: Any = tuple(
            [move if k == point.place else int(draw() * len(legal)) for k, legal in enumerate(point.legal_sets)]
        )
        return self._led(point, joint if len(joint) > 1 else joint[0], draw)

    def branches(self, point: Point, move: int, slips: bool = False) -> Iterator[tuple[Transition, float]]:
        """Every step that may follow, with its probability. Where hands slip, the others do anything legal."""
        for joint, chance in self._slipping(point, move) if slips else self.joint_moves(point, move):
            key: Any = joint if len(joint) > 1 else joint[0]
            row = point.rows.get(key) or self._row(point, key)
            for k, (_, _, p) in enumerate(row.branches):
                yield row.links[k] or self._link(point, row, k), chance * p

    def width(self, point: Point) -> int:
        """How many things the others may do here."""
        return prod(len(choice.places) for choice in self.choices(point) if choice)

    def _slipping(self, point: Point, move: int) -> Iterator[tuple[tuple[int, ...], float]]:
        lists = enumerate(point.legal_sets)
        return weighed(
            [
                [(move, 1.0)] if k == point.place else [(m, 1 / len(legal)) for m in range(len(legal))]
                for k, legal in lists
            ]
        )

    def _led(self, point: Point, joint: Any, draw: Draw) -> Transition:
        """What follows a joint move: one place, or a tuple of them."""
        row: JointMove = point.rows.get(joint) or self._row(point, joint)
        k = bisect_right(row.upto, draw()) if row.upto else 0
        return row.links[k] or self._link(point, row, k)

    def _row(self, point: Point, joint: Any) -> JointMove:
        """Ask the rules what a joint move (one place, or a tuple of them) leads to."""
        places = joint if isinstance(joint, tuple) else (joint,)
        branches = self.simulator.step(point.state, point.legal_sets, places)
        row = point.rows[joint] = JointMove(self._own(point, places), branches)
        return row

    def _link(self, point: Point, row: JointMove, k: int) -> Transition:
        state, event, _ = row.branches[k]
        reward, seen = float(self.simulator.paid(event)[self.player]), self.simulator.observed(event, self.player)
        link = row.links[k] = Transition(self._arrive(point, row.own, state, event), reward, seen)
        return link


@dataclass(frozen=True, eq=False)
class InteractiveBelief:
    """Interactive states, distinct, and their probabilities."""

    states: NDArray[Any] = field(repr=False)  # [n] of InteractiveState
    weights: Floats = field(repr=False)  # [n] that sum to 1

    @property
    def root(self) -> InteractiveBelief:
        """What a search draws from."""
        return self

    @cached_property
    def _upto(self) -> list[float]:
        upto: list[float] = np.cumsum(self.weights).tolist()
        return upto

    def draw(self, rng: Random) -> InteractiveState:
        """One of the states. A search draws them one at a time, so from a generator that is fast at that."""
        place = bisect_right(self._upto, rng.random() * self._upto[-1])
        state: InteractiveState = self.states[min(place, len(self.states) - 1)]
        return state

    def given(self, keep: Callable[[InteractiveState], bool]) -> InteractiveBelief | None:
        """What is believed once it is known that the state is one to `keep`; None where no state is."""
        kept = np.array([keep(state) for state in self.states])
        if kept.all():
            return self
        total = self.weights[kept].sum()
        return InteractiveBelief(self.states[kept], self.weights[kept] / total) if total > 0 else None

    def asked(self, legal: Legal) -> InteractiveBelief | None:
        """What is believed once I am offered exactly `legal`: being asked is something that a player knows."""
        return self.given(lambda state: state.legal == legal)


InteractiveParticles = Particles[InteractiveBelief]


@dataclass(frozen=True)
class InteractiveSampler:
    """How interactive states step. Where hands slip, the others do anything legal in what is weighed exactly."""

    simulator: InducedSimulator
    slips: bool = False
    size: int | None = None

    def label(self, state: InteractiveState) -> Any:
        return state.state

    def gathered(self, states: Iterable[InteractiveState], weights: Floats | None = None) -> InteractiveBelief:
        listed = list(states)
        return _gathered(zip(listed, [1.0] * len(listed) if weights is None else weights.tolist()))[0]

    def start(self) -> InteractiveBelief:
        return _gathered(self.simulator.begin())[0]

    def begin(self, observation: Observation) -> tuple[InteractiveBelief | None, float]:
        return _updated(self.simulator.begin(observation))

    def update(
        self, belief: InteractiveBelief, action: Hashable | None, observation: Observation
    ) -> tuple[InteractiveBelief | None, float]:
        asked = belief.given(lambda state: _fits(state, action))
        return (None, 0.0) if asked is None else _updated(self._branches(asked, action, observation))

    def _branches(
        self, belief: InteractiveBelief, action: Hashable | None, observation: Observation
    ) -> Iterator[tuple[InteractiveState, float]]:
        """All that may follow and shows what was seen."""
        for state, weight in zip(belief.states, belief.weights.tolist()):
            for link, p in self.simulator.branches(state, _place(state, action), self.slips):
                if link.seen == observation:
                    yield link.point, weight * p

    def drawn(
        self, states: NDArray[Any], action: Hashable | None, observation: Observation, rng: np.random.Generator
    ) -> NDArray[Any]:
        most = 1 + len(self.simulator.fixed)  # draws that one step may need: what each of the others does, chance
        step, draw = self.simulator.step, iter(rng.random(most * len(states)).tolist()).__next__
        links = [step(state, _place(state, action), draw) for state in states if _fits(state, action)]
        return _listed([link.point for link in links if link.seen == observation])

    def widths(self, states: NDArray[Any]) -> Longs:
        return np.fromiter(map(self.simulator.width, states), np.int64, len(states))


def offered_to(believed: InteractiveParticles) -> Legal:
    """The legal actions of a player who is asked at a belief; none where it is not."""
    states = () if believed.belief is None else believed.belief.states
    return next((state.legal for state in states if state.place >= 0), ())


class InteractiveTracker(BeliefTracker[InteractiveParticles]):
    """Follows at most `count` interactive particles of a simulator's player, weighed exactly while that is cheap."""

    def __init__(self, simulator: InducedSimulator, seed: int, count: int) -> None:
        super().__init__(max(2, MOST_KEPT // count))
        self.simulator, self.seed, self.count = simulator, seed, count
        sampler = InteractiveSampler(simulator)
        self.filter: ParticleFilter[InteractiveBelief] = ParticleFilter(
            sampler, count, share=0.0, exhaustive=CHEAP, scarce=SCARCE
        )

    def first(self, history: ActionObservationHistory) -> InteractiveParticles:
        rng = history.array_generator(self.seed, "begin")
        return self._told(Particles(None), self.filter.begin(history.seen, rng, fallbacks=()))

    def after(self, believed: InteractiveParticles, history: ActionObservationHistory) -> InteractiveParticles:
        rng = history.array_generator(self.seed, "update")
        self.simulator.trim()
        fallbacks = self._fallbacks(believed, history, rng)
        found = self.filter.update(believed, history.action, history.seen, rng, fallbacks=fallbacks)
        return self._told(believed, found)

    def at_decision(self, history: ActionObservationHistory, legal: Sequence[Hashable]) -> InteractiveBelief | None:
        """What may be true at a decision between `legal`; when nothing that is believed asks that, it is rebuilt."""
        believed, offered = self.belief(history).belief, tuple(legal)
        belief = None if believed is None else believed.asked(offered)
        if belief is not None:
            return belief
        self.tally[UNASKED] += 1
        for slips in (False, True):
            rng = history.array_generator(self.seed, "again", slips)
            again = rebuilt(InteractiveSampler(self.simulator, slips), self.count, history, rng)
            belief = None if again is None else again.asked(offered)
            if belief is not None:
                return belief
        self.tally[NO_BELIEF] += 1
        return None

    def skipped(self, history: ActionObservationHistory) -> int:
        return self.belief(history).deprived

    def _told(self, before: InteractiveParticles, found: InteractiveParticles) -> InteractiveParticles:
        self.tally.update([found.reason] if found.deprived > before.deprived else [])
        self.tally.update(["reinvigorated"] if found.revived > before.revived else [])
        return found

    def _fallbacks(
        self, before: InteractiveParticles, history: ActionObservationHistory, rng: np.random.Generator
    ) -> Iterator[Fallback]:
        """What to try when no particle shows the last step of `history`."""
        faithful, slipping = InteractiveSampler(self.simulator), InteractiveSampler(self.simulator, slips=True)

        def slipped() -> InteractiveBelief | None:
            return None if before.belief is None else slipping.update(before.belief, history.action, history.seen)[0]

        yield REBUILT, lambda: rebuilt(faithful, self.count, history, rng)
        yield SLIPPED, slipped
        yield SLIPPING, lambda: rebuilt(slipping, self.count, history, rng)


def rebuilt(
    sampler: InteractiveSampler, count: int, history: ActionObservationHistory, rng: np.random.Generator
) -> InteractiveBelief | None:
    """Through all of `history` again, with more and more particles than `count`, everything tried from each of them."""
    for effort in EFFORTS:
        wide: ParticleFilter[InteractiveBelief] = ParticleFilter(sampler, count * effort, share=0.0, exhaustive=inf)
        first, *rest = history.chain()
        particles = wide.begin(first.seen, rng, fallbacks=())
        for part in rest:
            particles = wide.update(particles, part.action, part.seen, rng, fallbacks=())
        if particles.belief is not None:
            return particles.belief
    return None


def _updated(pairs: Iterable[tuple[InteractiveState, float]]) -> tuple[InteractiveBelief | None, float]:
    """The belief that weighted states make, and how likely they are in all; None where there is nothing."""
    belief, total = _gathered(pairs)
    return (belief, total) if total > 0 else (None, 0.0)


def _gathered(pairs: Iterable[tuple[InteractiveState, float]]) -> tuple[InteractiveBelief, float]:
    """Weighted states as a belief, equal ones added up, and the sum of the weights."""
    summed: dict[InteractiveState, float] = {}
    for state, weight in pairs:
        summed[state] = summed.get(state, 0.0) + weight
    weights = np.fromiter(summed.values(), np.float64, len(summed))
    total = float(weights.sum())
    return InteractiveBelief(_listed(list(summed)), weights / (total or 1.0)), total


def _listed(states: list[InteractiveState]) -> NDArray[Any]:
    return np.fromiter(states, object, len(states))


def _fits(state: InteractiveState, action: Hashable | None) -> bool:
    """Whether I was asked for what I did (None: whether I was not asked), and the game was not over."""
    return action in state.legal if action is not None else state.place < 0 and bool(state.actors)


def _place(state: InteractiveState, action: Hashable | None) -> int:
    return -1 if action is None else state.legal.index(action)
