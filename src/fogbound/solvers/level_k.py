"""Level-k play: what is best against an opponent whose depth of reasoning is not known.

Rosello, "Fully-Nested Interactive POMDPs for Partially-Observable Turn-Based Games" (document 000), Algorithms 1 and
2. Level 0 plays as given (at random unless told); level k plays the best reply to its beliefs about levels 0 to
k - 1 of the others, for every seat. A rung is solved by search over the beliefs that can be reached, which is exact
where good play needs finitely many of them, and by SARSOP where it does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from fogbound.core.errors import SpecError
from fogbound.core.policy import Player
from fogbound.policies.ladder import Ladder
from fogbound.progress import Desk, Evidence, Progress
from fogbound.solvers import priors

if TYPE_CHECKING:
    from fogbound.solvers.ladder import Climb, Rung

MOST_BELIEFS = 2_000_000
MOST_LEVELS, DEFAULT_LEVELS = 1_000, 3


@dataclass(frozen=True)
class LevelK:
    """Best replies to lower levels, for every seat, as minimal controllers that are exactly evaluated.

    Any number of players; the others' levels are drawn independently. Without a discount it is about policies with
    which play surely ends.
    """

    name = "level-k"

    levels: int | None = None  # how many levels to solve: up to the one that is asked for, or 3
    level: int | None = None  # the level whose policy is the answer: the highest unless told
    prior: str | tuple[float, ...] = "uniform"  # over lower levels: uniform, poisson, previous, or weights [1, 2, 1]
    tau: float = 1.5  # the mean of a Poisson prior
    precision: float | None = None  # of logit replies; none: best replies
    most: int = MOST_BELIEFS  # beliefs of one seat at which a level is left at the bounds so far

    form: ClassVar[str] = "ladder"
    finds: ClassVar[str] = "best response"

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
        priors.check(self.prior, self.tau)

    @property
    def height(self) -> int:
        """How many levels are to be solved."""
        return DEFAULT_LEVELS if self.levels is None and self.level is None else self.levels or self.level or 0

    def run(self, form: Ladder, desk: Desk) -> Iterator[Progress]:
        from fogbound.solvers.ladder import Climb
        from fogbound.solvers.ladder.memory import recall, remember
        from fogbound.solvers.reachable.search import Limits

        precision = math.inf if self.precision is None else self.precision
        climb = Climb(form.table, form.zero, self.prior, self.tau, precision)
        recall(climb, desk.arrays)
        if climb.levels:
            yield self._progress(climb, form.player)
        while climb.levels < self.height and not (climb.levels and desk.stopping()):
            rising = climb.rising(Limits(desk.stopping, self.most))
            for _, lower, upper in rising:
                yield self._on_the_way(climb, form.player, rising, lower, upper)
            if not desk.stopping():  # what was cut short is worked out again when it goes on
                remember(climb, desk.arrays)
            yield self._progress(climb, form.player)

    def _progress(self, climb: Climb, player: int) -> Progress:
        """The answer so far: the level that is asked for, or the highest that there is."""
        answer = self._answer(climb, player)
        rung = answer.rung
        return Progress(
            rung.value,
            rung.value,
            rung.upper,
            answer.profile,
            answer.details() if climb.levels >= self.height else {"level": rung.level},
            iteration=climb.levels,
            evidence=answer.evidence,
            more=climb.levels < self.height,
        )

    def _answer(self, climb: Climb, player: int) -> _Answer:
        return _Answer(climb, climb.rung(min(self.level or self.height, climb.levels), player))

    def _on_the_way(self, climb: Climb, player: int, rising: Iterator[Any], lower: float, upper: float) -> Progress:
        """The bounds of the problem that is being worked on. If this is where it ends, the level is ended first."""

        def ended() -> _Answer:
            for _ in rising:
                pass
            return self._answer(climb, player)

        return Progress(
            lower,
            lower,
            upper,
            lambda: ended().profile(),
            iteration=max(1, climb.levels),
            evidence=lambda: ended().evidence(),
            more=True,
        )


@dataclass(frozen=True, eq=False)
class _Answer:
    """A level's policy together with those it replies to, and what proves its worth."""

    climb: Climb
    rung: Rung

    def profile(self) -> dict[int, Player]:
        from fogbound.policies.mixture import Mixture

        weights = [(level, w) for level, w in enumerate(self.climb.weights(self.rung.level)) if w > 0]
        found: dict[int, Player] = {}
        for seat in self.climb.seats:
            known: dict[int, Player] = {}  # levels that play alike share a policy
            for level, _ in weights:
                kind = self.climb.kind(level, seat)
                known[kind] = known.get(kind) or self.climb.policy(level, seat)
            own = [(known[self.climb.kind(level, seat)], w) for level, w in weights]
            found[seat] = own[0][0] if len(own) == 1 else Mixture.of(own)
        return {**found, self.rung.seat: self.climb.policy(self.rung.level, self.rung.seat)}

    def details(self) -> dict[str, Any]:
        levels = [told(rung) for rung in self.climb.rungs]
        return {"level": self.rung.level, "levels": levels, **unsettled(self.climb)}

    def evidence(self) -> Evidence:
        from fogbound.solvers.ladder.evidence import evidence

        found = evidence(self.climb, self.rung)
        return replace(found, details={**self.details(), **found.details})


def told(rung: Rung) -> dict[str, Any]:
    """A rung in plain values."""
    return {
        "level": rung.level,
        "seat": rung.seat,
        "value": rung.value,
        "nodes": rung.nodes,
        "upper": rung.upper,
        "moves": rung.moves,
        "kind": rung.kind,
        "settled": rung.settled,
        "by": rung.by,
        "seconds": rung.seconds,
        "against": [None if math.isnan(worth) else worth for worth in rung.against],
    }


def unsettled(climb: Climb) -> dict[str, str]:
    """What was not settled first, and what it would need, in words; nothing where all was."""
    short = [rung for rung in climb.rungs if not rung.settled]
    if not short:
        return {}
    first = short[0]
    beliefs = climb.reply(first).asked.survey.beliefs
    return {
        "unsettled": f"level {first.level} of {climb.table.players[first.seat]} is worth {first.value:.6g} to "
        f"{first.upper:.6g}, and {beliefs:,} beliefs were not enough to say more; higher levels reply to what it does. "
        "More time narrows it, or a larger most= where that was met, or a smaller game"
    }
