"""Games that one player plays by searching, as a twin has them: what its search earns in the model that it holds.

The state is drawn, the belief is followed as far as it can be exactly, every decision is searched: all in numbers, so
that a thousand games are played in minutes. The others move at random, or as the model's probabilities say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, log
from random import Random

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.driver.clock import deadline
from fogbound.solvers.search.belief import MOST_PARTICLES, ParticleBelief, Tracker, trial_of
from fogbound.solvers.search.kernels import episode as kernels
from fogbound.solvers.search.kernels.belief import Trial
from fogbound.solvers.search.tree_search import SearchWay, TreeSearch, favourite

FADED, MOST_STEPS = 1e-3, 1_000  # a game is followed until its discount has faded so far, or for so many steps


@dataclass(frozen=True, eq=False)
class Episodes:
    """Games of `me`, who searches at each of its decisions.

    Parameters
    ----------
    twin
        The game.
    way
        How it searches.
    me
        Who.
    simulations
        For a decision.
    final
        What is played in the end: the action tried most (visits) or of the highest mean (value).
    particles
        States that may be held for true; beyond that they are a sample.
    seconds
        To think for a decision, if that is shorter than its simulations; 0: as long as they take.
    paid
        Before the first move, on average.
    """

    twin: CompiledRules
    way: SearchWay
    me: int = 0
    simulations: int = 1000
    final: str = "visits"
    particles: int = MOST_PARTICLES
    seconds: float = 0.0
    paid: float = 0.0

    def play(self, seed: str) -> SearchedGame:
        """One game, decided by `seed`."""
        return self.attempt(seed, lambda: False)

    def attempt(self, seed: str, stopping: Callable[[], bool]) -> SearchedGame:
        """The same, `left` where it is to stop before the end: a part of a game is no sample."""
        twin, trial, rng, tally = self.twin, self._trial, Random(seed), SearchedGame(self.paid)
        random = np.array([rng.getrandbits(63)], np.int64)
        kernels.real_start(twin.begin, twin.rules, trial, rng.random())
        believed = self._tracker.begin(int(trial.seen[self.me]))
        scale = 1.0
        while tally.steps < self.most_steps:
            asked = kernels.asked_for(*twin.functions[:2], twin.rules, trial, self.me)
            if asked < 0:
                return tally
            if stopping():
                return tally.leave()
            place, action = -1, -1
            if asked:
                legal = trial.legal[0, :asked].tolist()
                believed = None if believed is None else self._tracker.offered(believed, legal)
                place = self._decide(believed, legal, rng, stopping)
                if stopping():
                    return tally.leave()
                action = legal[place]
                tally.decisions += 1
            kernels.real_step(*twin.functions[:4], twin.rules, trial, random, self.me, place)
            tally.gained += scale * float(trial.rewards[self.me])
            scale *= twin.discount
            tally.steps += 1
            seen = int(trial.seen[self.me])
            if believed is not None:
                believed = self._tracker.advance(believed, action, seen, lambda _: rng.random())
                tally.let_go = tally.let_go if believed is None else believed.let_go
        tally.cut = True
        return tally

    @cached_property
    def most_steps(self) -> int:
        """How long a game is followed."""
        discount = self.twin.discount
        return min(MOST_STEPS, ceil(log(FADED) / log(discount))) if discount < 1 else MOST_STEPS

    def _decide(
        self, believed: ParticleBelief | None, legal: list[int], rng: Random, stopping: Callable[[], bool]
    ) -> int:
        """The place of the action that the search comes to; any, where nothing fits."""
        if len(legal) == 1:
            return 0
        seed = rng.getrandbits(63)
        if believed is None:
            return int(seed % len(legal))
        search = self._search
        if search is None:
            search = TreeSearch(self.twin, self.way, believed.root, self.me, seed)
            self.__dict__["_search"] = search
        else:
            search.restart(believed.root, seed)
        late = deadline(self.seconds)
        search.run(self.simulations, lambda: stopping() or (late is not None and late()))
        return favourite(search.decision(legal), self.final)

    @cached_property
    def _search(self) -> TreeSearch | None:
        return None

    @cached_property
    def _tracker(self) -> Tracker:
        return Tracker(self.twin, self.me, True, 0, self.particles)

    @cached_property
    def _trial(self) -> Trial:
        return trial_of(self.twin)


@dataclass
class SearchedGame:
    """What came of one game."""

    gained: float = 0.0  # discounted
    steps: int = 0
    decisions: int = 0
    cut: bool = False  # whether it was left before its end
    let_go: int = 0  # observations that no particle could show
    left: bool = False  # whether somebody wanted it to stop

    def leave(self) -> SearchedGame:
        """Stop here."""
        self.left = True
        return self
