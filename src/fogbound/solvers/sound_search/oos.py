"""`oos`: online outcome sampling, for subgames too large to be solved at each decision, and games too large for a tree.

Lisý, Lanctot and Bowling, "Online Monte Carlo counterfactual regret minimization for search in imperfect information
games" (2015). Every walk begins at the start of the game, so there is no range to be wrong about: given time, regrets
and averages become those of an equilibrium of the whole game. Most walks are drawn towards the information set at which
a move is due (information set targeting), and what was learned for earlier moves is kept. Regrets never fall below zero
(regret matching+), which the paper does not have: answers spread less from seed to seed.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check
from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import ZERO_SUM, Scope
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.protocol import Form
from fogbound.forms.sequence import sequence
from fogbound.forms.table import Table
from fogbound.forms.tree import Tree
from fogbound.solvers.equilibrium import EquilibriumSolver
from fogbound.solvers.search.sampled import SampledGame
from fogbound.solvers.sound_search.sampling_policy import SamplingPolicy
from fogbound.solvers.sound_search.searched import SearchingPolicy, assemble
from fogbound.solvers.sound_search.walks_by_rules import WalkSettings

if TYPE_CHECKING:
    from fogbound.solvers.sound_search.kernels.outcome_sampling import SampledHistory, SampledTree

SEEDS = 1 << 62
REMEMBERED = 64  # information sets whose statistics are kept; the rest are sampled again when they are wanted
PIECE = 200_000  # walks between two looks at whether to stop


@dataclass(frozen=True)
class OOS(WalkSettings, EquilibriumSolver[Tree | SampledGame]):
    """Online outcome sampling: regrets from walks through the whole game, most of them past the decision at hand.

    Lisý, Lanctot and Bowling (2015). Works on the tree of a two-player zero-sum (or constant-sum) game. As a player it
    samples at each decision and keeps what it learned, also where there is no tree: then of the information sets that
    its walks come to. As a solver it is asked at every information set, and the strategy that this makes is evaluated
    exactly: the gap is its NashConv. Where there is no tree the answer is the player itself, and what it is worth is
    not evaluated. Beyond that nothing is promised.

    Parameters
    ----------
    walks
        How many histories are drawn at each decision.
    targeted
        With which probability a walk is drawn towards the information set at which a move is due; the paper has 0.9,
        which leaves more to the luck of the other walks.
    explore
        How much the learner strays from its strategy.
    """

    name = "oos"

    scope: ClassVar[Scope] = ZERO_SUM
    form: ClassVar[type[Tree]] = Tree
    without_form: ClassVar[tuple[type[Form], ...]] = (SampledGame, Table)  # what its player takes instead, better last
    compiling: ClassVar[float] = 7

    def __post_init__(self) -> None:
        if self.walks < 1:
            raise SpecError(f"oos: walks is {self.walks}, expected 1 or more")
        if not 0 <= self.targeted < 1:
            raise SpecError(f"oos: targeted is {self.targeted}, expected 0 or more and below 1")
        if not 0 < self.explore <= 1:
            raise SpecError(f"oos: explore is {self.explore}, expected above 0 and at most 1")

    def remembers(self, form: Tree | SampledGame, kept: Kept) -> None:
        kept.integers("seed", (1,), high=SEEDS - 1)
        if isinstance(form, Tree):
            kept.integers("done", (1,), high=len(form.set_owner))

    def run(self, form: Tree | SampledGame, context: Context) -> Iterator[Progress]:
        if isinstance(form, SampledGame):
            yield self._unevaluated(form, _seed(context))
            return
        plexes = sequence(form)
        self.require(plexes, "oos")
        search = OnlineOutcomeSampling(form, self, _seed(context))

        def think(infoset: int) -> list[tuple[int, Floats]]:
            return [(infoset, search.behaviour(infoset))]

        yield from assemble(plexes, list, search.depth_first(), think, context)

    def _unevaluated(self, form: SampledGame, seed: int) -> Progress:
        """The player of a game without a tree, of which nothing is known but how it plays."""

        def profile() -> dict[int, Strategy]:
            return {i: self.online(form, i, seed) for i in range(len(form.players))}

        said = {"shown": "the player that samples at each of its decisions; without a tree it is not evaluated"}
        return Progress(math.nan, -math.inf, math.inf, profile, said)

    def online(self, form: Tree | Table | SampledGame, player: int, seed: int = 0) -> SearchingPolicy | SamplingPolicy:
        """The policy that samples at each decision that it is asked for: a function of the seed and of what was seen.

        Parameters
        ----------
        form
            The game tree; or the table or the game itself, whose information sets are then kept as walks meet them.
        player
            By index.
        seed
            Of its walks.
        """
        if not isinstance(form, Tree):
            return SamplingPolicy(form, player, self, seed)
        self.require(sequence(form), "oos")
        return SearchingPolicy(form, player, OnlineOutcomeSampling(form, self, seed).behaviour)


def _seed(context: Context) -> int:
    """What walks are drawn from: the same in a resumed run."""
    if "seed" not in context.arrays:
        context.arrays["seed"] = context.rng.integers(0, SEEDS, 1)
    return int(context.arrays["seed"][0])


@dataclass(frozen=True, eq=False)
class Statistics:
    """What walks have left, by sequence of both players, one player after the other; and how many there were."""

    regret: Floats
    average: Floats
    walks: int


class OnlineOutcomeSampling:
    """The search of both players on one tree: `behaviour(infoset)` draws its walks, and first those before it."""

    def __init__(self, tree: Tree, settings: OOS, seed: int) -> None:
        self.tree, self.settings, self.seed = tree, settings, seed
        self.offset = np.concatenate([[0], np.cumsum([1 + int(tree.set_size[tree.sets_of(i)].sum()) for i in (0, 1)])])
        self._kept: OrderedDict[int, Statistics] = OrderedDict()
        self._arrays: tuple[SampledTree, SampledHistory] | None = None

    def behaviour(self, infoset: int) -> Floats:
        """The average strategy at an information set; every move alike where it was never met."""
        tree = self.tree
        first, size = int(tree.set_first[infoset] + self.offset[tree.set_owner[infoset]]), int(tree.set_size[infoset])
        if size == 1:
            return np.ones(1)
        average = self.statistics(infoset).average[first : first + size]
        total = average.sum()
        return average / total if total > 0 else np.full(size, 1 / size)

    def statistics(self, infoset: int) -> Statistics:
        """What is known when the walks for this information set are over."""
        if infoset not in self._kept:
            before = self.before(infoset)
            known = self.statistics(before) if before >= 0 else self._nothing()
            self._kept[infoset] = self._walk(infoset, known)
        self._kept.move_to_end(infoset)
        found = self._kept[infoset]
        while len(self._kept) > REMEMBERED:
            self._kept.popitem(last=False)
        return found

    def before(self, infoset: int) -> int:
        """The information set at which the same player moved last, -1 at its first move."""
        tree = self.tree
        memory = int(tree.memory_up[tree.set_memory[infoset]])
        while memory >= 0 and (tree.memory_infoset[memory] < 0):
            memory = int(tree.memory_up[memory])
        return int(tree.memory_infoset[memory]) if memory >= 0 else -1

    def depth_first(self) -> list[int]:
        """All information sets, each after the one before it, so that what is kept serves those that follow."""
        after: dict[int, list[int]] = {}
        for infoset in range(len(self.tree.set_owner)):
            after.setdefault(self.before(infoset), []).append(infoset)
        order, waiting = [], after.get(-1, [])[::-1]
        while waiting:
            infoset = waiting.pop()
            order.append(infoset)
            waiting += after.get(infoset, [])[::-1]
        return order

    def _nothing(self) -> Statistics:
        return Statistics(np.zeros(self.offset[-1]), np.zeros(self.offset[-1]), 0)

    def _walk(self, infoset: int, known: Statistics) -> Statistics:
        from fogbound.solvers.sound_search.kernels.outcome_sampling import walks

        settings = self.settings
        tree, walk = self._sampled()
        towards, inside = self._target(infoset)
        regret, average = known.regret.copy(), known.average.copy()
        random = np.random.SeedSequence([self.seed, infoset]).generate_state(1, np.uint64).view(np.int64)
        done = 0
        while done < settings.walks:
            check()
            many = min(PIECE, settings.walks - done)
            mixture = (settings.targeted, settings.explore)
            walks(known.walks + done, many, tree, towards, inside, *mixture, regret, average, random, walk)
            done += many
        return Statistics(regret, average, known.walks + done)

    def _target(self, infoset: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """[N] which nodes lead to an information set or are in it, and which are in it."""
        tree = self.tree
        inside = tree.infoset == infoset
        towards, level = inside.copy(), np.flatnonzero(inside)
        while len(level):
            level = np.unique(tree.parent[level])
            level = level[level >= 0]
            towards[level] = True
        return towards, inside

    def _sampled(self) -> tuple[SampledTree, SampledHistory]:
        from fogbound.forms.compiled_rules import levels
        from fogbound.solvers.sound_search.kernels.outcome_sampling import SampledHistory, SampledTree

        if self._arrays is None:
            tree = self.tree
            asks = tree.infoset >= 0
            sets = tree.infoset[asks]
            first: Longs = np.full(tree.size, -1, np.int64)
            first[asks] = tree.set_first[sets] + self.offset[tree.set_owner[sets]]
            sampled = SampledTree(tree.mover, tree.child, first, tree.prob, np.ascontiguousarray(tree.payoff))
            widest = int(np.diff(tree.child).max(initial=1))
            deepest = len(levels(tree))
            lines = (np.zeros(deepest, np.int64), np.zeros(deepest), np.zeros(deepest))
            self._arrays = sampled, SampledHistory(*lines, np.zeros(widest), np.zeros(widest))
        return self._arrays
