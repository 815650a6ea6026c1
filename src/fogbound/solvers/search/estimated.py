"""Planners told by playing: the value is the mean return of games in which every decision is searched, no bound."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import inf, nan, sqrt
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from fogbound.core.errors import many
from fogbound.core.numerals import number
from fogbound.core.policy import AnyPolicy, Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.policies.uniform import Uniform
from fogbound.solvers.search.episodes import MOST_STEPS, SearchedGame
from fogbound.solvers.search.planner import SEEDS, Z95
from fogbound.solvers.search.sampled import ModelledGame

STATISTICAL = (
    "value: mean return of games played by searching, in the model; low to high: its 95 % interval, no bound; games "
    "that are truncated count with their return so far"
)
LET_GO = "observations that no particle could show and that were let go"
UNFINISHED = "the player that searches as it plays; its first game was truncated after {} with a return of {} so far"


class PlaysGames(Protocol):
    """Games that a planner plays in its model."""

    def attempt(self, seed: str, stopping: Callable[[], bool]) -> SearchedGame: ...


class EstimatedPlanner(AnyPolicy, Protocol):
    """A planner that can be estimated by playing."""

    def episodes(self) -> PlaysGames: ...


P = TypeVar("P", bound=EstimatedPlanner)


class EpisodeSolver(Solver[ModelledGame], Generic[P]):
    """What planners share whose value is estimated by `games` games; also on simulators."""

    form: ClassVar[type[ModelledGame]] = ModelledGame
    finds: ClassVar[str] = "good play, no guarantee"
    simulators: ClassVar[bool] = True

    games: int

    @abstractmethod
    def planner(self, form: ModelledGame, seed: int) -> P:
        """The policy whose games are played."""

    def facts(self, planner: P, form: ModelledGame) -> dict[str, Any]:  # noqa: ARG002
        """What there is to say of the method."""
        return {}

    def rest(self, planner: P, steps: int) -> str:  # noqa: ARG002
        """What a game can still pay after this many steps: a clause; empty where that is not known."""
        return ""

    def remembers(self, _form: ModelledGame, kept: Kept) -> None:
        kept.integers("seed", (1,), high=SEEDS - 1)
        done = kept.integers("games", (1,), high=self.games)
        kept.integers("truncated", (1,), high=self.games)
        kept.integers("let_go", (1,), high=self.games * MOST_STEPS)
        sums = kept.reals("sums", (2,))
        kept.require("sums", sums[1] >= 0 and (int(done[0]) > 0 or not sums.any()), "sums of games that were played")

    def run(self, form: ModelledGame, context: Context) -> Iterator[Progress]:
        """Game after game: each is decided by the seed and its number, so that a resumed run goes on the same."""
        arrays = context.arrays
        if not arrays:
            arrays["seed"] = context.rng.integers(0, SEEDS, 1)
            arrays |= {name: np.zeros(1, np.int64) for name in ("games", "truncated", "let_go")} | {"sums": np.zeros(2)}
        seed = int(arrays["seed"][0])
        planner = self.planner(form, seed)
        facts, episodes = self.facts(planner, form), planner.episodes()
        profile: dict[int, Strategy] = {
            i: planner if i == form.player else form.others.get(i, Uniform()) for i in range(len(form.players))
        }
        if arrays["games"][0]:
            yield _answer(arrays, facts, profile)
        while arrays["games"][0] < self.games:
            played = episodes.attempt(f"{seed} {arrays['games'][0]}", context.stopping)
            if played.left:  # a resumed run plays it from its start
                if not arrays["games"][0]:
                    shown = UNFINISHED.format(many(played.steps, "step"), number(played.gained, 6))
                    told = {"shown": shown + self.rest(planner, played.steps), **facts}
                    yield _truncated(_answer(_counted(arrays, played), told, profile), played.steps)
                return
            arrays |= _counted(arrays, played)
            yield _answer(arrays, facts, profile)


def _truncated(answer: Progress, steps: int) -> Progress:
    """The answer of a first game that is not over: its return so far, if it has begun. A resumed run plays it again."""
    return replace(answer, passing=True) if steps else replace(answer, value=nan, iteration=None, sampled="")


def _counted(arrays: Mapping[str, Any], played: SearchedGame) -> dict[str, Any]:
    """The statistics with one more game."""
    return {
        "games": arrays["games"] + 1,
        "sums": arrays["sums"] + [played.gained, played.gained**2],
        "truncated": arrays["truncated"] + (played.truncated or played.left),
        "let_go": arrays["let_go"] + played.let_go,
    }


def _answer(arrays: Mapping[str, Any], facts: Mapping[str, Any], profile: dict[int, Strategy]) -> Progress:
    n, sums = int(arrays["games"][0]), arrays["sums"]
    mean = float(sums[0]) / n
    half = Z95 * sqrt(max(float(sums[1]) / n - mean**2, 0.0) / (n - 1)) if n > 1 else inf
    details = {
        "statistical": STATISTICAL,
        "games": n,
        "interval": [mean - half, mean + half] if n > 1 else None,
        **facts,
        "truncated": int(arrays["truncated"][0]),
        **({LET_GO: let_go} if (let_go := int(arrays["let_go"][0])) else {}),
    }
    return Progress(mean, -inf, inf, lambda: profile, details, iteration=n, sampled="estimate")
