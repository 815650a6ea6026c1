"""Equilibria of a small game, support by support (Dickhaut and Kaplan 1991; von Stengel 2002).

Two players: for each pair of equally many rows R and columns C, two linear systems: the second player's strategy on C
that makes R equally good, and the first's on R that makes C equally good. Solutions that are strategies, and against
which nothing else is better, are the vertices of the best-reply polytopes; two vertices in which each support consists
of best replies to the other are an equilibrium. In a non-degenerate game both come from one pair, and these are all
equilibria. In a degenerate game supports may differ in size and equilibria may form continua: then these are their
vertices, all of them, and every other equilibrium mixes such vertices. For three and more players see `many_supports`.

The vertices of the best-reply polytopes of a two-player game, each found with its support.

A mixed strategy is a vertex when as many independent best replies as it has supports determine it. Linear systems
are screened in floats, many at once, and what floats cannot rule out is decided in exact arithmetic; so are
all systems that are nearly singular.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.certificates.tree import tree_certificate
from fogbound.core.errors import LimitError, SpecError
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Scope
from fogbound.evaluation.dominance import iterated_dominance, strategy_names
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm, shape
from fogbound.solvers.equilibrium import EquilibriumSolver, answer, behaviour_of
from fogbound.solvers.linear_programs.highs import power_of_two
from fogbound.solvers.matrix import exact
from fogbound.solvers.matrix.dominance import mixed_dominance
from fogbound.solvers.matrix.exact import Integers
from fogbound.solvers.matrix.many_supports import equilibria_on, support_profiles

BLOCK = 1_024  # systems that are screened at once
SINGULAR = 1e-6  # determinant over the product of the rows' lengths: below, floats are not trusted
SURELY = 1e-8  # payoffs are at most 1: a violation above this is no rounding
Sets = NDArray[np.int64]  # [systems, size]
Kept = tuple[tuple[int, ...], ...]  # of each player, the strategies that are left


@dataclass(frozen=True)
class Vertex:
    """A mixed strategy, the strategies it plays and the best replies to it, both as bits."""

    weights: tuple[Fraction, ...]
    support: int
    replies: int


def vertices(payoff: Floats, equal_size: bool) -> Iterator[tuple[int, list[Vertex], list[Vertex]]]:
    """(systems looked at so far, new vertices of the first player, new ones of the second), small supports first.

    With `equal_size` only vertices that come from one pair of supports for both players.
    """
    rows, columns = payoff.shape[:2]
    to_second, to_first = payoff[..., 1].T, payoff[..., 0]  # [replies, strategies]: what replies bring
    whole = exact.integers(to_second), exact.integers(to_first)
    known: tuple[set[Vertex], set[Vertex]] = (set(), set())
    examined = 0
    for size in range(1, min(rows, columns) + 1):
        for chosen in combinations(range(rows), size):
            pairs = combinations(range(columns), size)
            while block := list(islice(pairs, BLOCK)):
                second = np.array(block)
                first = np.broadcast_to(np.array(chosen), second.shape)
                mine, theirs = screened(to_second, second, first), screened(to_first, first, second)
                if equal_size:
                    mine = theirs = mine & theirs
                fresh: tuple[list[Vertex], list[Vertex]] = ([], [])
                for who, (payoffs, likely) in enumerate(zip(whole, (mine, theirs))):
                    for k in np.flatnonzero(likely).tolist():
                        sets = (block[k], chosen) if who == 0 else (chosen, block[k])
                        point = vertex(payoffs, *sets)
                        if point and point not in known[who]:
                            known[who].add(point)
                            fresh[who].append(point)
                examined += len(block)
                yield examined, *fresh


def screened(payoffs: Floats, equal: Sets, support: Sets) -> NDArray[np.bool_]:
    """Which systems may have a vertex: all but those that floats are sure about."""
    payoffs, many, size = payoffs / power_of_two(payoffs), *support.shape
    systems = np.zeros((many, size + 1, size + 1))
    systems[:, :size, :size] = payoffs[equal[:, :, None], support[:, None, :]]
    systems[:, :size, size], systems[:, size, :size] = -1.0, 1.0
    lengths = np.linalg.norm(systems, axis=2).prod(axis=1)
    likely: NDArray[np.bool_] = np.abs(np.linalg.det(systems)) <= SINGULAR * lengths
    sure = np.flatnonzero(~likely)
    right = np.zeros((len(sure), size + 1, 1))
    right[:, size] = 1.0
    solved = np.linalg.solve(systems[sure], right)[..., 0]
    positive = (solved[:, :size] > -SURELY).all(axis=1)
    sure, weights, value = sure[positive], solved[positive, :size], solved[positive, size]
    gains = np.einsum("rns,ns->nr", payoffs[:, support[sure]], weights)
    likely[sure] = (gains <= value[:, None] + SURELY).all(axis=1)
    return likely


def vertex(payoffs: Integers, equal: tuple[int, ...], support: tuple[int, ...]) -> Vertex | None:
    """The strategy on all of `support` to which all of `equal` are best replies, if these determine one."""
    size = len(support)
    system, right = np.zeros((size + 1, size + 1), object), np.zeros(size + 1, object)
    system[:size, :size] = payoffs[np.ix_(equal, support)]
    system[:size, size], system[size, :size], right[size] = -1, 1, 1
    solved = exact.solve_exactly(system, right)
    if solved is None or min(solved[:size]) <= 0:
        return None
    weights, value = solved[:size], solved[size]
    gains = payoffs[:, support] @ np.array(weights, object)
    if max(gains) > value:
        return None
    full_weights = [Fraction(0)] * payoffs.shape[1]
    for s, weight in zip(support, weights):
        full_weights[s] = weight
    replies = sum(1 << r for r, gain in enumerate(gains) if gain == value)
    return Vertex(tuple(full_weights), sum(1 << s for s in support), replies)


MOST_COMBINATIONS = 20_000  # of supports of three and more players: a few minutes
MOST_SUPPORTS = 3_000_000  # pairs of supports: a few minutes
SMALL = 64  # strategies of a player up to which mixed dominance is looked for too
SAME = 1e-12  # regrets that differ by less are rounding


@dataclass(frozen=True)
class SupportEnumeration(EquilibriumSolver[NormalForm]):
    """Equilibria of a small game, general-sum too, support by support: of two players all, in exact arithmetic.

    In a degenerate game of two, the vertices of the sets of equilibria. Of three and more players those that Newton's
    method finds, each with its certified regret; degenerate supports are named, and nothing is claimed about others.
    The answer's details list them; its profile is the one of least regret, the first found among equals. Strictly
    dominated strategies are left out. A wanted gap does not end the search: `most=1` ends it at the first equilibrium.

    Parameters
    ----------
    equal_size
        Only supports of equal size: all there are, unless the game is degenerate.
    most
        How many equilibria are enough.
    starts
        From how many points Newton's method begins on each combination of supports of three and more players.
    """

    name = "support-enumeration"

    equal_size: bool = False
    most: int = 100
    starts: int = 20

    scope: ClassVar[Scope] = Scope(fewest=2)
    form: ClassVar[type[NormalForm]] = NormalForm

    def __post_init__(self) -> None:
        if self.most < 1:
            raise SpecError(f"support-enumeration: most is {self.most}, expected at least 1")
        if self.starts < 1:
            raise SpecError(f"support-enumeration: starts is {self.starts}, expected at least 1")

    def run(self, form: NormalForm, context: Context) -> Iterator[Progress]:
        self.require(form.sequence, "support-enumeration")
        kept = (mixed_dominance if max(form.payoff.shape) <= SMALL else iterated_dominance)(form).kept
        sizes = [len(part) for part in kept]
        if len(sizes) > 2:
            yield from self._many(form, kept, context)
            return
        supports = math.comb(sum(sizes), sizes[0]) - 1
        if supports > MOST_SUPPORTS:
            raise LimitError(
                f"support-enumeration: {form.spec} has {shape([supports])} pairs of supports, {shape(sizes)} "
                f"undominated strategies, over the limit of {MOST_SUPPORTS:,}. For one equilibrium: lemke-howson"
            )
        equilibria = Equilibria(form, kept, supports)
        yield equilibria.latest()
        first: list[Vertex] = []
        second: list[Vertex] = []
        for equilibria.examined, mine, theirs in vertices(form.payoff[np.ix_(*kept)], self.equal_size):
            met = [(x, y) for x in mine for y in second] + [(x, y) for y in theirs for x in (*first, *mine)]
            first, second = first + mine, second + theirs
            for x, y in met:
                if meet(x, y, self.equal_size):
                    equilibria.add([[float(w) for w in vertex.weights] for vertex in (x, y)])
                    if len(equilibria.answers) == self.most:
                        yield equilibria.best(complete=False)
                        return
                    yield equilibria.latest()
            if context.stopping():
                yield equilibria.latest()
                return
        yield equilibria.best(complete=True)

    def _many(self, form: NormalForm, kept: Kept, context: Context) -> Iterator[Progress]:
        """Three and more players: what Newton's method finds on each combination of supports."""
        payoff = form.payoff[np.ix_(*kept, range(len(kept)))]
        supports = math.prod(2 ** len(part) - 1 for part in kept)
        if supports > MOST_COMBINATIONS:
            raise LimitError(
                f"support-enumeration: {form.spec} has {shape([supports])} combinations of supports, "
                f"{shape([len(part) for part in kept])} undominated strategies, over the limit of "
                f"{MOST_COMBINATIONS:,}. For one equilibrium: quantal-response"
            )
        equilibria = Equilibria(form, kept, supports)
        yield equilibria.latest()
        scaled = payoff / power_of_two(payoff)
        for chosen in support_profiles(payoff.shape[:-1]):
            if self.equal_size and len({len(part) for part in chosen}) > 1:
                continue
            equilibria.examined += 1
            found = equilibria_on(scaled, chosen, self.starts, context.rng)
            for one in found:
                equilibria.add(one.mixed, one.degenerate)
                if len(equilibria.answers) == self.most:
                    yield equilibria.best(complete=False)
                    return
            if found or context.stopping():
                yield equilibria.latest()
            if context.stopping():
                return
        yield equilibria.best(complete=False)


def meet(x: Vertex, y: Vertex, equal_size: bool) -> bool:
    """Whether each plays best replies to the other only."""
    same = not equal_size or x.support.bit_count() == y.support.bit_count()
    return same and not x.support & ~y.replies and not y.support & ~x.replies


class Equilibria:
    """The equilibria so far, in the order in which they were found."""

    def __init__(self, form: NormalForm, kept: tuple[tuple[int, ...], ...], supports: int) -> None:
        self.form, self.kept, self.supports, self.examined = form, kept, supports, 0
        self.names = strategy_names(form).strategies
        self.answers: list[Progress] = []
        self.listed: list[dict[str, Any]] = []
        self.degenerate: list[list[list[str]]] = []

    def add(self, found: Sequence[Sequence[float] | Floats], degenerate: bool = False) -> None:
        """One more, as probabilities of the strategies that are kept."""
        mixed, strategies = [], []
        for i, own in enumerate(found):
            weights = np.zeros(len(self.form.weights[i]))
            weights[list(self.kept[i])] = own
            mixed.append(weights)
            strategies.append({self.names[i][k]: float(weights[k]) for k in np.flatnonzero(weights)})
        played = behaviour_of(self.form, mixed)
        progress = answer(self.form.sequence, played)
        self.answers.append(progress)
        said = {"strategies": strategies, "payoffs": [float(v) for v in progress.details["values"]]}
        if len(mixed) > 2:  # found by rounding methods: the checker says how good it is
            said["regret"] = tree_certificate(self.form.sequence, played, 0).check().regret
            if degenerate:
                said["degenerate"] = True
                self.degenerate.append([sorted(part) for part in strategies])
        self.listed.append(said)

    def latest(self) -> Progress:
        """The answer while the search goes on: the last equilibrium, or uniform play. No gap ends it."""
        progress = self.answers[-1] if self.answers else self._uniform()
        return replace(self._with_details(progress, complete=False), more=True)

    def best(self, complete: bool) -> Progress:
        """The answer in the end: the least regret, the first of equals."""
        progress = min(self.answers, key=lambda one: round(one.distance / SAME), default=self._uniform())
        return self._with_details(progress, complete)

    def _uniform(self) -> Progress:
        return answer(self.form.sequence, [plex.uniform for plex in self.form.sequence.plexes])

    def _with_details(self, progress: Progress, complete: bool) -> Progress:
        counts: dict[str, Any] = {"supports": self.supports, "looked": self.examined, "complete": complete}
        if len(self.kept) > 2:
            counts["degenerate"] = list(self.degenerate)
        counts["shown"] = "of those listed the one of least regret, the first found among equals"
        details = {**progress.details, "equilibria": len(self.listed), "list": list(self.listed), **counts}
        return replace(progress, details=details, iteration=max(1, self.examined))
