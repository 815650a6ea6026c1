"""Online outcome sampling by asking the rules of a game, with dictionaries: for games that are neither enumerated nor
have compiled rules, and what the compiled walks are held against.

Algorithm 1 of Lisý, Lanctot and Bowling (2015), as in `kernels/hashed_sampling.py`, choice for choice: the same seed
leaves the same at every information set. Some thousand walks a second instead of some hundred thousand.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, product
from typing import Any

import numpy as np

from fogbound.compiled.draws import uniform
from fogbound.core.cancel import check
from fogbound.core.errors import FormError, GameError, LimitError
from fogbound.core.game import AnyGame, Observation
from fogbound.core.simulator import Branch, RuleSimulator, State
from fogbound.forms.arrays import Floats
from fogbound.solvers.search.history import ActionObservationHistory

MOST_CHOICES = 1 << 16  # of one walk
CONSTANT = 1e-9  # relative


@dataclass(frozen=True)
class WalkSettings:
    """How walks are drawn: the parameters of `OOS`."""

    walks: int = 100_000
    targeted: float = 0.5
    explore: float = 0.4


def require_constant_sum(spec: str, low: float, high: float) -> None:
    """Refuse a game in which two walks paid both players together differently."""
    if high - low > CONSTANT * max(1.0, abs(low), abs(high)):
        raise FormError(
            f"{spec}: one play pays both players {low:g} together and another {high:g}, and oos is for games of a "
            "constant sum; use is-mcts, which searches for any"
        )


def unlike_actions(spec: str) -> GameError:
    """Two lists of legal actions where a player knows the same."""
    return GameError(
        f"{spec}: a player is offered other actions although it did and saw the same, so what is legal tells it more; "
        "fogbound check names the states"
    )


def unended(spec: str) -> LimitError:
    """A play that does not end."""
    return LimitError(
        f"{spec}: a play of {MOST_CHOICES:,} choices has not ended, and oos learns from whole plays; cut it with "
        "horizon()"
    )


Steps = list[tuple[Hashable | None, Observation]]


@dataclass(eq=False)
class InformationSet:
    """What walks have left at one information set."""

    actions: tuple[Hashable, ...]
    regret: list[float]
    average: list[float]
    visits: int = 0

    def strategy(self) -> list[float]:
        """Regret matching."""
        total = sum(self.regret)  # none is below zero
        return [r / total if total > 0 else 1 / len(self.regret) for r in self.regret]


@dataclass(frozen=True, eq=False)
class ListedStatistics:
    """What walks have left, by (player, number of what it knows), and how many walks there were."""

    known: dict[tuple[int, int], InformationSet] = field(repr=False)
    walks: int

    @property
    def sets(self) -> int:
        """How many information sets are kept."""
        return len(self.known)


class WalksByRules:
    """Outcome sampling walks of both players, asking the game itself.

    Parameters
    ----------
    game
        The game.
    settings
        How walks are drawn.
    """

    def __init__(self, game: AnyGame, settings: WalkSettings) -> None:
        self.rules, self.settings, self.discount = RuleSimulator(game), settings, game.discount
        self._numbers: dict[tuple[int, Hashable | None, Observation], int] = {}
        self.begins = self.rules.start()
        self.upto = list(accumulate(p for _, _, p in self.begins))

    def nothing(self) -> ListedStatistics:
        """Before the first walk."""
        return ListedStatistics({}, 0)

    def walked(
        self, known: ListedStatistics, player: int, history: ActionObservationHistory, seed: int
    ) -> ListedStatistics:
        """What is known after the walks for one decision; what was known before is left as it is.

        Parameters
        ----------
        known
            What walks for earlier decisions have left.
        player
            Who decides.
        history
            What it did and saw.
        seed
            Of these walks.
        """
        copied = {
            key: InformationSet(found.actions, list(found.regret), list(found.average), found.visits)
            for key, found in known.known.items()
        }
        low, high, random = np.inf, -np.inf, np.array([seed])
        target = Target(self.rules, self.begins, player, history.steps())
        for number in range(known.walks, known.walks + self.settings.walks):
            check()
            paid = SampledWalk(self, copied, target, number % 2, random).run()
            low, high = min(low, paid), max(high, paid)
            require_constant_sum(self.rules.spec, low, high)
        return ListedStatistics(copied, known.walks + self.settings.walks)

    def average(
        self, known: ListedStatistics, player: int, history: ActionObservationHistory, actions: Sequence[Hashable]
    ) -> Floats:
        """The average strategy at a decision; every move alike where it was never met.

        Parameters
        ----------
        known
            What walks have left.
        player
            Who decides.
        history
            What it did and saw.
        actions
            What it may do.
        """
        memory = -1
        for action, seen in history.steps():
            memory = self.memory(memory, action, seen)
        found = known.known.get((player, memory))
        if found is None:
            return np.full(len(actions), 1 / len(actions))
        if found.actions != tuple(actions):
            raise unlike_actions(self.rules.spec)
        parts = np.array(found.average)
        return parts / parts.sum() if parts.any() else np.full(len(parts), 1 / len(parts))

    def memory(self, before: int, action: Hashable | None, seen: Observation) -> int:
        """The number of what somebody knows who knew `before` (-1: nothing), did `action` and saw `seen`."""
        return self._numbers.setdefault((before, action, seen), len(self._numbers))


class Target:
    """The decision that walks are drawn towards, by what its player did and saw, and the beginnings that fit it."""

    def __init__(self, rules: RuleSimulator, begins: Sequence[Branch], player: int, steps: Steps) -> None:
        self.player, self.steps = player, steps
        self.fitting = [k for k, (_, event, _) in enumerate(begins) if rules.observed(event, player) == steps[0][1]]
        self.mass = sum(begins[k][2] for k in self.fitting)
        self.upto = list(accumulate(begins[k][2] / self.mass for k in self.fitting))


class SampledWalk:
    """One walk from the start: how it was drawn, and what is learned from it in the end."""

    def __init__(
        self,
        walks: WalksByRules,
        known: dict[tuple[int, int], InformationSet],
        target: Target,
        learner: int,
        random: Any,
    ) -> None:
        self.walks, self.rules, self.settings, self.known = walks, walks.rules, walks.settings, known
        self.target, self.learner, self.random = target, learner, random
        self.others = self.by_target = self.by_strategy = 1.0
        self.lines: list[tuple[InformationSet | None, int, int, float, float, float]] = []
        self.new = self.on = False

    def run(self) -> float:
        """Walk to the end and learn; what it paid to both players together."""
        targeted = self.settings.targeted
        self.aimed = uniform(self.random) < targeted
        state, memories = self._begin()
        gained, total, scale, step = 0.0, 0.0, 1.0, 0
        while actors := self.rules.actors(state):
            legal = self.rules.legal(state, actors)
            fit = self._fits(state, actors, legal, step) if self.on else {}
            self.on = bool(fit) and all(fit.values())
            joint = []
            for player, offered in zip(actors, legal):
                found = self._met((player, memories[player]), offered)
                strategy = found.strategy() if found else [1 / len(offered)] * len(offered)
                joint.append(self._choose(strategy, fit.get(player, set()), player, found))
            branches = self.rules.step(state, legal, joint)
            shown = {k for k, branch in enumerate(branches) if self.on and self._shows(branch[1], step)}
            k = self._choose([p for _, _, p in branches], shown, -1, None) if len(branches) > 1 else 0
            state, event, _ = branches[k]
            own = {player: offered[place] for player, offered, place in zip(actors, legal, joint)}
            for player in (0, 1):
                seen = self.rules.observed(event, player)
                memories[player] = self.walks.memory(memories[player], own.get(player), seen)
            paid = self.rules.paid(event)
            gained, total = gained + scale * paid[self.learner], total + scale * sum(paid)
            scale *= self.walks.discount
            step += 1
            if len(self.lines) > MOST_CHOICES:
                raise unended(self.rules.spec)
        self._learn(gained / (targeted * self.by_target + (1 - targeted) * self.by_strategy))
        return total

    def _begin(self) -> tuple[State, list[int]]:
        begins, target, k = self.walks.begins, self.target, 0
        if len(begins) > 1:
            point = uniform(self.random)
            if self.aimed and target.fitting:
                k = target.fitting[min(bisect_right(target.upto, point), len(target.upto) - 1)]
            else:
                k = min(bisect_right(self.walks.upto, point), len(begins) - 1)
        state, event, chance = begins[k]
        self.others = self.by_strategy = self.by_target = chance
        if target.fitting:
            self.on = k in target.fitting
            self.by_target = chance / target.mass if self.on else 0.0
        return state, [self.walks.memory(-1, None, self.rules.observed(event, player)) for player in (0, 1)]

    def _fits(self, state: State, actors: tuple[int, ...], legal: Any, step: int) -> dict[int, set[int]]:
        """[actor] the places of what it may do so that the step can go as the target's player saw it."""
        steps, me = self.target.steps, self.target.player
        if step + 1 >= len(steps) or (me in actors) != (steps[step + 1][0] is not None):
            return {}
        options: list[Sequence[int]] = [range(len(offered)) for offered in legal]
        if me in actors:
            offered = legal[actors.index(me)]
            options[actors.index(me)] = [place for place, action in enumerate(offered) if action == steps[step + 1][0]]
        fit: dict[int, set[int]] = {player: set() for player in actors}
        for places in product(*options):
            if any(self._shows(event, step) for _, event, _ in self.rules.step(state, legal, places)):
                for player, place in zip(actors, places):
                    fit[player].add(place)
        return fit

    def _shows(self, event: Any, step: int) -> bool:
        return self.rules.observed(event, self.target.player) == self.target.steps[step + 1][1]

    def _met(self, key: tuple[int, int], offered: tuple[Hashable, ...]) -> InformationSet | None:
        """The information set, made where the walk has made none yet."""
        found = self.known.get(key)
        if found is None and not self.new:
            found = self.known[key] = InformationSet(offered, [0.0] * len(offered), [0.0] * len(offered))
            self.new = True
        if found is not None and found.actions != offered:
            raise unlike_actions(self.rules.spec)
        return found

    def _choose(self, strategy: list[float], fit: set[int], mover: int, found: InformationSet | None) -> int:
        """Draw a move, or an outcome of chance (mover -1), and write the line down."""
        size, mix = len(strategy), self.settings.explore if mover == self.learner else 0.0
        mixture = self.settings.targeted * self.by_target + (1 - self.settings.targeted) * self.by_strategy
        plain = [(1 - mix) * p + mix / size for p in strategy]
        chances = plain
        if self.on:
            mass = sum(strategy[a] for a in sorted(fit))
            among = {a: strategy[a] / mass if mass > 0 else 1 / len(fit) for a in fit}
            chances = [(1 - mix) * among[a] + mix / len(fit) if a in fit else 0.0 for a in range(size)]
        a = self._drawn(chances if self.aimed else plain) if size > 1 else 0
        self.lines.append((found, mover, a, self.others, mixture, strategy[a]))
        self.by_target, self.by_strategy = self.by_target * chances[a], self.by_strategy * plain[a]
        if mover != self.learner:
            self.others *= strategy[a]
        self.on = self.on and a in fit
        return a

    def _drawn(self, chances: list[float]) -> int:
        point, found = uniform(self.random), 0
        for a, p in enumerate(chances):
            if p > 0:
                found = a
                point -= p
                if point < 0:
                    break
        return found

    def _learn(self, gained: float) -> None:
        tail = 1.0  # the probability of the rest of the walk, under everybody's strategies
        for found, mover, taken, others, sampled, likely in reversed(self.lines):
            if found is not None:
                found.visits += 1
                strategy = found.strategy()
                if mover == self.learner:
                    expected = tail * strategy[taken]
                    for a in range(len(strategy)):
                        won = (tail if a == taken else 0.0) - expected
                        found.regret[a] = max(found.regret[a] + gained * others * won, 0.0)
                else:
                    for a, p in enumerate(strategy):
                        found.average[a] += p * others / sampled
            tail *= likely
