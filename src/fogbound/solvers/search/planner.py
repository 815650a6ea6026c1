"""A policy that searches at every decision, and the solver that says what it holds the game to be worth.

What is played is a function of the seed and of what the player did and saw, unless a time is given to think: nothing
is kept from the search before. Nothing here is a bound, and more simulations need not make it one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import inf
from typing import Any, ClassVar

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.core.q_value import QValue
from fogbound.core.simulator import RuleSimulator
from fogbound.driver.clock import deadline
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.arrays import Floats
from fogbound.policies.stored import StoredPlanner
from fogbound.solvers.search.belief import MOST_PARTICLES, BeliefTracker
from fogbound.solvers.search.decision_values import decision_values
from fogbound.solvers.search.explanation import Explanation, explained, line_words, principal_line
from fogbound.solvers.search.history import ActionObservationHistory, RemembersHistory
from fogbound.solvers.search.hook_tables import hooked_rules
from fogbound.solvers.search.hooks import (
    NO_HOOKS,
    ROLLOUT,
    Hooks,
)
from fogbound.solvers.search.kernels.simulation import SearchRoot, mark
from fogbound.solvers.search.parameters import HookParameters
from fogbound.solvers.search.sampled import SampledGame, compiled_rules_of
from fogbound.solvers.search.simulator import CompiledSimulator, OnlineSearch, SearchSimulator
from fogbound.solvers.search.tree_search import LOT, NO_TABLES, Decision, SearchWay, TreeSearch, favourite

MOST_ANSWERS = 100_000  # decisions whose answer is kept
SEEDS = 2**62
Z95 = 1.959963984540054
STATISTICAL = "mean return of the simulations from the start, exploration included; 95 % interval; no guarantee"


@dataclass(frozen=True, eq=False)
class Planner(RemembersHistory):
    """Search of `player` at each of its decisions, the others being searched for as well, or taken to move at random.

    Parameters
    ----------
    game
        The game.
    player
        Who searches.
    way
        How.
    final
        What is played in the end: the action tried most (visits), the one of the highest mean (value), one drawn as the
        rule would draw it (sample), or from the average strategy (average).
    simulations
        For a decision.
    seconds
        To search for a decision; 0: no limit. What is played then depends on the clock.
    particles
        States that the belief may hold; beyond that they are a sample.
    seed
        What is drawn depends on it.
    solver
        The spec by which it is saved; empty: it cannot be.
    hooks
        Its rollout policy, leaf value, initial values and preferred actions.
    reuse
        Go on from the subtree of the decision before: what was done and seen becomes the root, statistics kept.
    """

    game: AnyGame
    player: int
    way: SearchWay = SearchWay()  # noqa: RUF009  frozen
    final: str = "visits"
    simulations: int = 1000
    seconds: float = 0.0
    particles: int = MOST_PARTICLES
    seed: int = 0
    solver: str = ""
    hooks: Hooks = NO_HOOKS
    reuse: bool = False

    thinks: ClassVar[bool] = True

    def stored(self) -> StoredPlanner:
        """What a file holds of it."""
        if not self.solver:
            raise PolicyError(
                "a planner that no solver made, or that has a function as a hook, cannot be saved: take it from a "
                "solver's `policy`, and name a policy or a file instead of the function"
            )
        return StoredPlanner(self.solver, self.seed)

    def act(self, memory: ActionObservationHistory, actions: Sequence[Hashable]) -> Dist[Hashable]:
        """What the search comes to. Where nothing fits what was seen, any legal action: the tally says so."""
        legal = tuple(actions)
        if len(legal) == 1:
            return Dist.sure(legal[0])
        known = self._answers.get((memory, legal))
        if known is None:
            found = self._decided(memory, legal)
            known = Dist.uniform(legal) if found is None else _distribution(legal, final_chances(found, self.final))
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            self._answers[memory, legal] = known
        return known

    def look(
        self,
        memory: ActionObservationHistory,
        actions: Sequence[Hashable],
        stopping: Callable[[], bool] = lambda: False,
    ) -> Decision | None:
        """What the search found at a decision: visits and means by action, values of all; None where nothing fits."""
        search = self._searched(memory, actions, stopping)
        return None if search is None else search.decision(self.simulator.codes(actions))

    def action_values(self, memory: ActionObservationHistory, actions: Sequence[Hashable]) -> dict[Hashable, QValue]:
        """What its search found of each action that it tried: means with their intervals, and visits.

        Parameters
        ----------
        memory
            What the player did and saw.
        actions
            Its legal actions.

        Returns
        -------
        dict
            By action; empty where nothing fits.
        """
        found = self._decided(memory, tuple(actions))
        return {} if found is None else decision_values(found, actions, self.player)

    def believed(self, memory: ActionObservationHistory, actions: Sequence[Hashable]) -> Mapping[Any, float]:
        """The states of its particles with their probabilities; empty where nothing fits.

        Parameters
        ----------
        memory, actions
            As in `action_values`.

        Returns
        -------
        Mapping
        """
        held = self._tracker.at_decision(memory, self.simulator.codes(actions))
        return {} if held is None else self.simulator.shares(held.root)

    def _decided(self, memory: ActionObservationHistory, legal: tuple[Hashable, ...]) -> Decision | None:
        """What the search found at a decision, of which the last one is kept."""
        if (memory, legal) not in self._last:
            found = self.look(memory, legal)
            self._last.clear()
            self._last[memory, legal] = found
        return self._last[memory, legal]

    @cached_property
    def _last(self) -> dict[Any, Decision | None]:
        return {}

    def explain(self, memory: ActionObservationHistory, actions: Sequence[Hashable]) -> Explanation | None:
        """Why it plays what it plays: the same search once more, in full; None where nothing fits.

        Parameters
        ----------
        memory, actions
            As in `action_values`.

        Returns
        -------
        Explanation or None
        """
        search = self._searched(memory, actions, lambda: False)
        believed = self._tracker.at_decision(memory, self.simulator.codes(actions))
        if not isinstance(search, TreeSearch) or believed is None:  # nothing fits, or rules are sampled in Python
            return None
        found = search.decision(self.simulator.codes(actions))
        return explained(search, found, actions, final_chances(found, self.final).tolist(), believed.exact)

    def _searched(
        self, memory: ActionObservationHistory, actions: Sequence[Hashable], stopping: Callable[[], bool]
    ) -> OnlineSearch | None:
        for history, legal in self._unsearched(memory) if self.reuse and not self.seconds else ():
            self._search_once(history, legal, stopping)
        return self._search_once(memory, actions, stopping)

    def _search_once(
        self, memory: ActionObservationHistory, actions: Sequence[Hashable], stopping: Callable[[], bool]
    ) -> OnlineSearch | None:
        search, late = self.search(memory, actions), deadline(self.seconds)
        if search is not None:
            search.run(self.simulations, stopping if late is None else lambda: late() or stopping())
            self.tally.update(decisions=1, simulations=search.done)
            self._room.at = memory
        return search

    def _unsearched(
        self, memory: ActionObservationHistory
    ) -> list[tuple[ActionObservationHistory, Sequence[Hashable]]]:
        """The decisions before this one that have to be searched again, so that the same tree is carried over.

        In play there are none: the last search is that of the decision before. Where seconds are given, what is played
        depends on the clock anyway, and nothing is searched again.
        """
        missing = list[tuple[ActionObservationHistory, Sequence[Hashable]]]()
        part = self._decision_before(memory)
        while part is not None and part != self._room.at:
            missing.append((part, self._offered(part)))
            part = self._decision_before(part)
        return missing[::-1]

    def _decision_before(self, memory: ActionObservationHistory) -> ActionObservationHistory | None:
        """The last decision before a history in which there was a choice."""
        part: ActionObservationHistory | None = memory
        while part is not None and part.before is not None:
            if part.action is not None and len(self._offered(part.before)) > 1:
                return part.before
            part = part.before
        return None

    def _offered(self, memory: ActionObservationHistory) -> Sequence[Hashable]:
        return self.simulator.offered(self._tracker.belief(memory))

    def search(self, memory: ActionObservationHistory, actions: Sequence[Hashable]) -> OnlineSearch | None:
        """The search at a decision, before its first simulation; None where nothing fits."""
        believed = self._tracker.at_decision(memory, self.simulator.codes(actions))
        if believed is None:
            return None
        seed = memory.generator(self.seed, "search").getrandbits(63)
        room, before = self._room, self._decision_before(memory) if self.reuse else None
        if room.search is None:
            room.search = self.simulator.search(self.way, believed.root, seed)
        elif before is not None and before == room.at:
            room.search.reuse(memory.since(before), believed.root, seed)
        else:
            room.search.restart(believed.root, seed)
        room.at = None
        return room.search

    def skipped(self, memory: ActionObservationHistory) -> int:
        """How many observations of a history no particle could show."""
        return self._tracker.skipped(memory)

    @cached_property
    def simulator(self) -> SearchSimulator:
        """The game as the player plans in it."""
        if not self.hooks.any:
            return CompiledSimulator(compiled_rules_of(self.game), self.player)
        compiled, tables = hooked_rules(self.game, self.hooks)
        return CompiledSimulator(compiled, self.player, self.hooks.leaf_words(ROLLOUT), tables=tables)

    @property
    def tally(self) -> Counter[str]:
        """How many decisions and simulations; how often a belief had to be mended, by what was done about it."""
        return self._tracker.tally

    @cached_property
    def _tracker(self) -> BeliefTracker:
        return self.simulator.tracker(self.way, self.seed, self.particles)

    @cached_property
    def _room(self) -> LastSearch:
        """The search of the decision before, whose room is used again."""
        return LastSearch()

    @cached_property
    def _answers(self) -> dict[Any, Dist[Hashable]]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}  # caches are made anew where it arrives


@dataclass
class LastSearch:
    """A search, and the history at which it came to its end; None where it was not run."""

    search: OnlineSearch | None = None
    at: ActionObservationHistory | None = None


def final_chances(found: Decision, final: str) -> Floats:
    """[action] What is played in the end, as probabilities."""
    if final in ("sample", "average"):
        return found.policy if final == "sample" else found.average
    chances = np.zeros(len(found.visits))
    chances[favourite(found, final)] = 1.0
    return chances


def _distribution(legal: tuple[Hashable, ...], chances: Floats) -> Dist[Hashable]:
    return Dist.of({action: float(p) for action, p in zip(legal, chances) if p > 0})


class SearchSolver(HookParameters, Solver[SampledGame]):
    """What all planners on the compiled search share: a run from the start of the game, and a policy that thinks.

    Parameters
    ----------
    simulations
        For a decision, and for the estimate at the start; none: 1,000, for a decision as many as fit into `seconds`
        where those are given.
    """

    form: ClassVar[type[SampledGame]] = SampledGame
    finds: ClassVar[str] = "good play, no guarantee"

    usual: ClassVar[int] = 1000  # simulations, where no limit is given

    def __post_init__(self) -> None:
        super().__post_init__()
        self.hooks().refuse_informed()

    @property
    def at_the_start(self) -> int:
        """Simulations of a run from the start of the game."""
        return self.usual if self.simulations is None else self.simulations

    @abstractmethod
    def way(self) -> SearchWay:
        """How it searches."""

    @abstractmethod
    def policy(self, game: AnyGame, player: int, seed: int = 0) -> Strategy:
        """The policy that searches at every decision.

        Parameters
        ----------
        game
            The game.
        player
            Who plays.
        seed
            What is drawn depends on it.

        Returns
        -------
        Strategy
        """

    def online(self, form: SampledGame, player: int, seed: int) -> Strategy:
        """How it plays: it thinks at each decision, so nothing is solved beforehand."""
        return self.policy(form.game, player, seed)

    def remembers(self, _form: SampledGame, kept: Kept) -> None:
        kept.integers("seed", (1,), high=SEEDS - 1)
        kept.integers("done", (1,), high=self.at_the_start)

    def run(self, form: SampledGame, context: Context) -> Iterator[Progress]:
        """The state of a run is its seed and its length: to resume, the same simulations are made again."""
        arrays = context.arrays
        if not arrays:
            arrays["seed"], arrays["done"] = context.rng.integers(0, SEEDS, 1), np.zeros(1, np.int64)
        seed, done = int(arrays["seed"][0]), int(arrays["done"][0])
        compiled, tables = hooked_rules(form.game, self.hooks()) if self.hooks().any else (form.compiled, NO_TABLES)
        search = TreeSearch(compiled, self.way(), opening(compiled), form.player, seed, tables)
        profile: dict[int, Strategy] = {i: self.policy(form.game, i, seed) for i in range(len(form.players))}
        paid = _paid_at_the_start(form.game)
        if done:
            search.run(done)
            yield _answer(search, form, profile, paid)
        while done < self.at_the_start:
            more = max(LOT, done // 8)
            done = search.run(int(min(more, self.at_the_start - done, max(1.0, context.most - done))), context.stopping)
            arrays["done"][0] = done
            yield _answer(search, form, profile, paid)


def opening(compiled: CompiledRules) -> SearchRoot:
    """All the ways to begin, with what each player knows then."""
    many, players = compiled.beginnings, len(compiled.players)
    rows, marks = np.zeros((many, compiled.width), np.int64), np.zeros((many, players), np.int64)
    weights, seen = np.zeros(many), np.zeros(players, np.int64)
    for k in range(many):
        weights[k] = compiled.begin(compiled.rules, k, rows[k], seen)
        marks[k] = [mark(np.int64(0), np.int64(-1), code) for code in seen]
    upto = np.cumsum(weights / weights.sum())
    upto[-1] = 1.0
    return SearchRoot(rows, marks, upto)


def _paid_at_the_start(game: AnyGame) -> Floats:
    """[player] What everybody may expect to be paid before the first move: no simulation meets it."""
    rules = RuleSimulator(game)
    return sum((p * np.array(rules.paid(outcome)) for outcome, p in rules.opening()), np.zeros(len(game.players)))


def _answer(search: TreeSearch, form: SampledGame, profile: dict[int, Strategy], paid: Floats) -> Progress:
    n, player, game = search.done, form.player, form.game
    values, errors = search.returns()
    half = Z95 * float(errors[player])
    values = values + paid
    details = {
        "statistical": STATISTICAL,
        "simulations": n,
        "nodes": int(search.tree.used[0]),
        "interval": [float(values[player]) - half, float(values[player]) + half] if n > 1 else None,
        "values": values.tolist(),
        "expected": line_words(principal_line(search), game),
    }
    return Progress(float(values[player]), -inf, inf, lambda: profile, details, iteration=n, sampled="search")
