"""Interactive states: how states step together with what the fixed others are and remember, and beliefs over them.

The induced model is explored only where samples go. Its points (`forms.induced.Point`) are the interactive states of
I-POMDPs (Gmytrasiewicz and Doshi 2005). Each knows those that it has led to, so a step taken before costs a few
dictionary look-ups and asks neither the rules nor the others again. What was met is forgotten all at once when there is
too much of it, between searches.

Beliefs are propagated by the particle filter (`evaluation.particle_filter`): by enumeration where that is cheap, else
by rejection, reinvigorated by enumerating the successors of some particles. Where nothing that the others would do
shows what was seen, the filter goes through all of the history again with more particles, and if that fails the
others' hands may have slipped: they do anything legal, now or at every step.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import inf, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import require_players
from fogbound.core.errors import FormError
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import Strategy
from fogbound.core.simulator import Action, Branch, RuleSimulator
from fogbound.evaluation.particle_filter import NO_BELIEF, Fallback, ParticleFilter
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.induced import MOST_POINTS, InducedGame, Point, weighed
from fogbound.solvers.search.belief import REINVIGORATED, SCARCE, BeliefTracker, ParticleBelief, StepEvidence
from fogbound.solvers.search.history import ActionObservationHistory

Legal = tuple[Hashable, ...]
InteractiveState = Point
Draw = Callable[[], float]  # the `random` of a generator
CHEAP = 4  # things that the others may do, a particle, up to which all of them are tried
MOST_STORED = 500_000  # particles in stored beliefs; other beliefs are made again when they are needed
EFFORTS = (4, 16)  # times as many particles when a history is gone through again, and when that failed
REBUILT = "no particle showed what was seen: rebuilt from the start with more of them"
SLIPPED = "nothing the others would do shows what was seen: somebody's hand has slipped now"
NOTHING = ParticleBelief(np.empty(0, object), np.zeros(0), skipped=1)  # the start does not show what was seen
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


@dataclass(frozen=True)
class InteractiveSampler:
    """How interactive states step. Where hands slip, the others do anything legal in what is weighed exactly."""

    simulator: InducedSimulator
    slips: bool = False
    size: int | None = None

    def label(self, state: InteractiveState) -> Any:
        return state.state

    def gathered(self, states: Iterable[InteractiveState], weights: Floats | None = None) -> ParticleBelief:
        listed = list(states)
        return _gathered(zip(listed, [1.0] * len(listed) if weights is None else weights.tolist()))[0]

    def start(self) -> ParticleBelief:
        return _gathered(self.simulator.begin())[0]

    def begin(self, observation: Observation) -> tuple[ParticleBelief | None, float]:
        return _updated(self.simulator.begin(observation))

    def update(
        self, belief: ParticleBelief, action: Hashable | None, observation: Observation
    ) -> tuple[ParticleBelief | None, float]:
        asked = _given(belief, lambda state: _fits(state, action))
        return _updated(self._branches(asked, action, observation))

    def _branches(
        self, belief: ParticleBelief, action: Hashable | None, observation: Observation
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


def offered_to(believed: ParticleBelief) -> Legal:
    """The legal actions of a player who is asked at a belief; none where it is not."""
    return next((state.legal for state in believed.states if state.place >= 0), ())


class InteractiveTracker(BeliefTracker):
    """Follows interactive particles of a simulator's player, weighed exactly while that is cheap, else by rejection.

    Parameters
    ----------
    simulator
        How interactive states step.
    seed, count
        As in `BeliefTracker`.
    """

    def __init__(self, simulator: InducedSimulator, seed: int, count: int) -> None:
        super().__init__(seed, count, max(2, MOST_STORED // count))
        self.simulator = simulator
        sampler = InteractiveSampler(simulator)
        self.filter: ParticleFilter[ParticleBelief] = ParticleFilter(
            sampler, count, share=0.0, exhaustive=CHEAP, scarce=SCARCE
        )

    def first(self, history: ActionObservationHistory) -> ParticleBelief:
        rng = history.array_generator(self.seed, "begin")
        found = self.filter.begin(history.seen, rng, fallbacks=())
        self.tally.update([found.reason] if found.belief is None else [])
        return NOTHING if found.belief is None else found.belief

    def update(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        """The belief one step later; where nothing was believed any more, it is looked for again."""
        self.simulator.trim()
        return super().update(believed, evidence) if len(believed) else self.skip(believed, evidence)

    def resample(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:  # noqa: ARG002
        """Nothing: weights are shares of particles."""
        return believed

    def propagate(self, before: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        """By enumeration where that is cheap, else by rejection, which the filter reinvigorates by enumeration."""
        action, observation, rng, _ = evidence
        found, revived = self.filter.propagated(before, action, observation, rng)
        self.tally.update([REINVIGORATED] if revived else [])
        return before.emptied() if found is None else replace(found, skipped=before.skipped)

    def scarce(self, found: ParticleBelief) -> bool:  # noqa: ARG002
        """Never: see `propagate`."""
        return False

    def skip(self, believed: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        """What explains the observation instead, in the order of `_fallbacks`; counted as skipped."""
        for reason, attempt in self._fallbacks(believed, evidence):
            found = attempt()
            if found is not None:
                self.tally[reason] += 1
                return replace(self.filter.bounded(found, evidence.rng), skipped=believed.skipped + 1)
        self.tally[NO_BELIEF] += 1
        return replace(believed.emptied(), skipped=believed.skipped + 1)

    def bound(self, found: ParticleBelief, evidence: StepEvidence) -> ParticleBelief:
        return self.filter.bounded(found, evidence.rng)

    def offered(self, believed: ParticleBelief, legal: Sequence[Hashable]) -> ParticleBelief:
        offered = tuple(legal)
        return _given(believed, lambda state: state.legal == offered)

    def at_decision(self, history: ActionObservationHistory, legal: Sequence[Hashable]) -> ParticleBelief | None:
        """What may be true at a decision between `legal`; when nothing that is believed asks that, it is rebuilt."""
        found = self.offered(self.belief(history), legal)
        if len(found):
            return found
        self.tally[UNASKED] += 1
        for slips in (False, True):
            rng = history.array_generator(self.seed, "again", slips)
            again = rebuilt(InteractiveSampler(self.simulator, slips), self.count, history, rng)
            if again is not None and len(found := self.offered(again, legal)):
                return found
        self.tally[NO_BELIEF] += 1
        return None

    def _fallbacks(self, before: ParticleBelief, evidence: StepEvidence) -> Iterator[Fallback]:
        """What to try when no particle shows the last step of a history."""
        faithful, slipping = InteractiveSampler(self.simulator), InteractiveSampler(self.simulator, slips=True)
        action, observation, rng, history = evidence
        assert history is not None

        def slipped() -> ParticleBelief | None:
            return slipping.update(before, action, observation)[0] if len(before) else None

        yield REBUILT, lambda: rebuilt(faithful, self.count, history, rng)
        yield SLIPPED, slipped
        yield SLIPPING, lambda: rebuilt(slipping, self.count, history, rng)


class RuleTracker(InteractiveTracker):
    """The same for a game of one player, whose states are what a search draws.

    Parameters
    ----------
    game
        A game of one player.
    seed, count
        As in `BeliefTracker`.
    """

    def __init__(self, game: AnyGame, seed: int, count: int) -> None:
        super().__init__(InducedSimulator(game, 0, {}), seed, count)

    def at_decision(self, history: ActionObservationHistory, legal: Sequence[Hashable]) -> ParticleBelief | None:
        found = super().at_decision(history, legal)
        if found is None:
            return None
        return replace(found, states=[point.state for point in found.states], skipped=self.skipped(history))


def rebuilt(
    sampler: InteractiveSampler, count: int, history: ActionObservationHistory, rng: np.random.Generator
) -> ParticleBelief | None:
    """Through all of `history` again, with more and more particles than `count`, everything tried from each of them."""
    for effort in EFFORTS:
        wide: ParticleFilter[ParticleBelief] = ParticleFilter(sampler, count * effort, share=0.0, exhaustive=inf)
        first, *rest = history.chain()
        particles = wide.begin(first.seen, rng, fallbacks=())
        for part in rest:
            particles = wide.update(particles, part.action, part.seen, rng, fallbacks=())
        if particles.belief is not None:
            return particles.belief
    return None


def _updated(pairs: Iterable[tuple[InteractiveState, float]]) -> tuple[ParticleBelief | None, float]:
    """The belief that weighted states make, and how likely they are in all; None where there is nothing."""
    belief, total = _gathered(pairs)
    return (belief, total) if total > 0 else (None, 0.0)


def _gathered(pairs: Iterable[tuple[InteractiveState, float]]) -> tuple[ParticleBelief, float]:
    """Weighted states as a belief, equal ones added up, and the sum of the weights."""
    summed: dict[InteractiveState, float] = {}
    for state, weight in pairs:
        summed[state] = summed.get(state, 0.0) + weight
    weights = np.fromiter(summed.values(), np.float64, len(summed))
    total = float(weights.sum())
    return ParticleBelief(_listed(list(summed)), weights / (total or 1.0)), total


def _given(belief: ParticleBelief, keep: Callable[[InteractiveState], bool]) -> ParticleBelief:
    """The belief once it is known that the state is one to `keep`."""
    return belief.given(np.array([keep(state) for state in belief.states], bool))


def _listed(states: list[InteractiveState]) -> NDArray[Any]:
    return np.fromiter(states, object, len(states))


def _fits(state: InteractiveState, action: Hashable | None) -> bool:
    """Whether I was asked for what I did (None: whether I was not asked), and the game was not over."""
    return action in state.legal if action is not None else state.place < 0 and bool(state.actors)


def _place(state: InteractiveState, action: Hashable | None) -> int:
    return -1 if action is None else state.legal.index(action)
