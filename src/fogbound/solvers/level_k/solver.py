"""Level-k play: what is best against an opponent whose depth of reasoning is not known.

Rosello, "Fully-Nested Interactive POMDPs for Partially-Observable Turn-Based Games" (document 000), Algorithms 1 and
2. Level 0 plays as given (at random by default); level k plays the best reply to its beliefs about levels 0 to
k - 1 of the others, for every player. A level is solved by search over the beliefs that can be reached, which is exact
where good play needs finitely many of them, and by SARSOP where it does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.clock import Clock
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.driver.solver import Solver
from fogbound.solvers.level_k.form import Hierarchy, check_prior

if TYPE_CHECKING:
    from fogbound.solvers.level_k.hierarchy import LevelSolution, SolvedHierarchy

MOST_BELIEFS = 2_000_000
MOST_LEVELS, DEFAULT_LEVELS = 1_000, 3


@dataclass(frozen=True)
class LevelK(Solver[Hierarchy]):
    """Best replies to lower levels, for every player, as minimal controllers that are exactly evaluated.

    Any number of players; the others' levels are drawn independently. Without a discount it is about policies with
    which play surely ends.

    Works on a hierarchy: the table, level 0 and whose answer is wanted (Rosello, document 000; Camerer, Ho and Chong
    2004 for the Poisson prior).

    Parameters
    ----------
    levels
        How many levels to solve: up to the one that is asked for, or 3.
    level
        The level whose policy is the answer: the highest unless given.
    prior
        Over lower levels: "uniform", "poisson", "previous", or weights such as [1, 2, 1].
    tau
        The mean of a Poisson prior.
    precision
        Of logit replies (McKelvey and Palfrey 1995); none: best replies.
    most
        Beliefs of one player at which a level is left at the bounds so far.
    """

    name = "level-k"

    levels: int | None = None
    level: int | None = None
    prior: str | tuple[float, ...] = "uniform"
    tau: float = 1.5
    precision: float | None = None
    most: int = MOST_BELIEFS

    form: ClassVar[type[Hierarchy]] = Hierarchy
    finds: ClassVar[str] = "best response"
    preferred: ClassVar[bool] = True
    compiling: ClassVar[float] = 38

    def __post_init__(self) -> None:
        if not 1 <= self.height <= MOST_LEVELS:
            raise SpecError(f"level-k: levels is {self.height}, expected 1 to {MOST_LEVELS:,}")
        if self.level is not None and not 1 <= self.level <= self.height:
            raise SpecError(f"level-k: level is {self.level}, expected 1 to {self.height} (level 0 is uniform play)")
        if self.precision is not None and not (self.precision >= 0 and math.isfinite(self.precision)):
            raise SpecError(
                f"level-k: precision is {self.precision!r}, expected a finite number of at least 0, or none"
            )
        if self.most < 1:
            raise SpecError(f"level-k: most is {self.most}, expected at least 1")
        check_prior(self.prior, self.tau)

    @property
    def height(self) -> int:
        """How many levels are to be solved."""
        return DEFAULT_LEVELS if self.levels is None and self.level is None else self.levels or self.level or 0

    def remembers(self, form: Hierarchy, kept: Kept) -> None:
        from fogbound.solvers.level_k.checkpoint import declare_levels

        declare_levels(self._begun(form), self.height, kept)

    def _begun(self, form: Hierarchy, clock: Clock | None = None) -> SolvedHierarchy:
        """A hierarchy with level 0 alone."""
        from fogbound.solvers.level_k.hierarchy import SolvedHierarchy

        precision = math.inf if self.precision is None else self.precision
        return SolvedHierarchy(form.table, form.zero, self.prior, self.tau, precision, clock)

    def run(self, form: Hierarchy, context: Context) -> Iterator[Progress]:
        from fogbound.solvers.level_k.checkpoint import restore_levels, save_level
        from fogbound.solvers.pomdp.belief_graph.search import SearchLimits

        hierarchy = self._begun(form, context.clock)
        restore_levels(hierarchy, context.arrays)
        if hierarchy.levels:
            yield self._progress(hierarchy, form.player)
        while hierarchy.levels < self.height and not (hierarchy.levels and context.stopping()):
            solving_next = hierarchy.solving_next(SearchLimits(context.stopping, self.most))
            for lower, upper in solving_next:
                yield self._on_the_way(hierarchy, form.player, solving_next, lower, upper)
            cut = context.stopping()  # what was cut short is worked out again when it goes on
            if not cut:
                save_level(hierarchy, context.arrays)
            yield replace(self._progress(hierarchy, form.player), passing=cut)

    def _progress(self, hierarchy: SolvedHierarchy, player: int) -> Progress:
        """The answer so far: the level that is asked for, or the highest that there is."""
        answer = self._answer(hierarchy, player)
        solution = answer.solution
        return Progress(
            solution.value,
            solution.value,
            solution.upper,
            answer.profile,
            answer.details() if hierarchy.levels >= self.height else {"level": solution.level},
            iteration=hierarchy.levels,
            evidence=answer.evidence,
            more=hierarchy.levels < self.height,
        )

    def _answer(self, hierarchy: SolvedHierarchy, player: int) -> _Answer:
        return _Answer(hierarchy, hierarchy.solution(min(self.level or self.height, hierarchy.levels), player))

    def _on_the_way(
        self, hierarchy: SolvedHierarchy, player: int, solving_next: Iterator[Any], lower: float, upper: float
    ) -> Progress:
        """The bounds of the problem that is being worked on. If this is where it ends, the level is ended first."""

        def ended() -> _Answer:
            for _ in solving_next:
                pass
            return self._answer(hierarchy, player)

        return Progress(
            lower,
            lower,
            upper,
            lambda: ended().profile(),
            iteration=max(1, hierarchy.levels),
            evidence=lambda: ended().evidence(),
            more=True,
            passing=True,
        )


@dataclass(frozen=True, eq=False)
class _Answer:
    """A level's policy together with those it replies to, and what proves its value."""

    hierarchy: SolvedHierarchy
    solution: LevelSolution

    def profile(self) -> dict[int, Strategy]:
        from fogbound.policies.mixture import Mixture

        weights = [(level, w) for level, w in enumerate(self.hierarchy.weights(self.solution.level)) if w > 0]
        strategies: dict[int, Strategy] = {}
        for player in self.hierarchy.players:
            known: dict[int, Strategy] = {}  # levels that play alike share a policy
            for level, _ in weights:
                kind = self.hierarchy.kind(level, player)
                known[kind] = known.get(kind) or self.hierarchy.policy(level, player)
            own = [(known[self.hierarchy.kind(level, player)], w) for level, w in weights]
            strategies[player] = own[0][0] if len(own) == 1 else Mixture.of(own)
        return {**strategies, self.solution.player: self.hierarchy.policy(self.solution.level, self.solution.player)}

    def details(self) -> dict[str, Any]:
        levels = [plain_level(solution) for solution in self.hierarchy.solutions]
        return {"level": self.solution.level, "levels": levels, **not_converged(self.hierarchy)}

    def evidence(self) -> Evidence:
        from fogbound.solvers.level_k.certificate import hierarchy_evidence

        proof = hierarchy_evidence(self.hierarchy, self.solution)
        return replace(proof, details={**self.details(), **proof.details})


def plain_level(solution: LevelSolution) -> dict[str, Any]:
    """A level in plain values."""
    return {
        "level": solution.level,
        "player": solution.player,
        "value": solution.value,
        "nodes": solution.nodes,
        "upper": solution.upper,
        "moves": solution.moves,
        "kind": solution.kind,
        "converged": solution.converged,
        "by": solution.by,
        "seconds": solution.seconds,
        "against": [None if math.isnan(value) else value for value in solution.against],
    }


def not_converged(hierarchy: SolvedHierarchy) -> dict[str, str]:
    """What did not converge first, and what it would need, in words; nothing where all was."""
    short = [solution for solution in hierarchy.solutions if not solution.converged]
    if not short:
        return {}
    first = short[0]
    beliefs = hierarchy.reply(first).asked.belief_graph.beliefs
    return {
        "not_converged": f"the value of level {first.level} of {hierarchy.table.players[first.player]} is "
        f"{first.value:.6g} to {first.upper:.6g}, and {beliefs:,} beliefs were not enough to say more; higher levels "
        "reply to what it does. More time narrows it, or a larger most= where that was met, or a smaller game"
    }
