"""POMCP on the compiled search: one player plans against chance, or against others whose play is modelled.

Silver and Veness, "Monte-Carlo planning in large POMDPs" (2010): a tree of what the player may come to know, searched
from states that it may hold for true. Two things differ from the paper. The belief is exact as long as there is room
for it. And a new leaf is not played out at random but valued by the form: at most what the best action is worth to one
who sees more afterwards, the mean over all states that came there before the best is taken. That mean is also what a
node knows of its actions at first. In RockSample with uniform rollouts, most of the return is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, nan, sqrt
from random import Random
from typing import Any, ClassVar, Literal

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.core.errors import LimitError, SpecError, brief, many
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.core.policy import Strategy
from fogbound.core.spec import spec_of
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.forms.path_totals import reward_sums
from fogbound.policies.uniform import Uniform
from fogbound.solvers.search.belief import MOST_PARTICLES
from fogbound.solvers.search.episodes import MOST_STEPS, Episodes, SearchedGame
from fogbound.solvers.search.modelled import Model, ModelledGame, model, offline
from fogbound.solvers.search.planner import SEEDS, Z95, Planner, require
from fogbound.solvers.search.pomcp import POMCP
from fogbound.solvers.search.simulator import InducedSimulator
from fogbound.solvers.search.tree_search import SearchWay

PLAINLY = 1_000  # particles of the plain search
STATISTICAL = "value: mean return of games played by searching, in the model; low to high: its 95 % interval, no bound"
LET_GO = "observations that no particle could show and that were let go"
UNPLAYED = (
    "the player that searches at each of its decisions; its first game was left after {} with a return of {} so far"
)
PLAIN = "the others' memories are too many to be enumerated: sampled as well, in plain Python"

Attempt = Callable[[str, Callable[[], bool]], SearchedGame]  # a game by a seed, `left` where it is to stop


@dataclass(frozen=True, eq=False)
class ModelPlanner(Planner):
    """Search at every decision of one who holds the others for something.

    Parameters
    ----------
    game
        The game.
    player
        Who searches.
    way
        How.
    final
        What is played in the end: the action tried most (visits) or of the highest mean (value).
    simulations
        For a decision.
    seconds
        To think for a decision, if that is shorter; 0: as long as it takes. What is played then depends on the clock.
    particles
        States that may be held for true; beyond that they are a sample.
    seed
        What is drawn depends on it.
    others
        How the others play; empty: at random.
    leaf
        What a new node is held to be worth: see `POMCPSolver`.
    """

    others: Mapping[int, Strategy] = field(default_factory=dict, repr=False)
    leaf: str = "auto"

    @cached_property
    def model(self) -> Model:
        """The game as the player faces it."""
        return model(self.game, self.player, self.others, self.leaf)

    @property
    def twin(self) -> CompiledRules:
        return self.model.twin

    @property
    def seat(self) -> int:
        return self.model.me


@dataclass(frozen=True)
class POMCPSolver:
    """Good play by POMCP (Silver and Veness 2010), leaves valued by the form; no guarantee.

    Works on the sampled game: one player against chance, or several, of whom the others play as given or at random.
    What it finds is told by playing: the value is the mean return of games in which every decision is searched.

    Parameters
    ----------
    simulations
        For a decision.
    leaf
        informed: a new node is worth what its best action is to one who sees more from then on (the fast informed
        bound of the form, or what a game's own twin knows), which also counts as some tries of each action; rollout:
        what random play brings; auto: informed where there is such a bound.
    exploration
        How much UCB1 favours actions seldom tried, in units of `spread`.
    spread
        How far returns lie apart, to which UCB1 is scaled; 0: by how much the worth of the root's states varies, or,
        with rollouts, best minus worst return so far.
    prior
        Tries that what is known of a node's actions counts for.
    cap
        States that came to a node, of which that is the mean, at most.
    depth
        Steps of one simulation.
    final
        The action that is played: tried most (visits) or of the highest mean (value).
    seconds
        To think for a decision, if that is shorter than its simulations; 0: as long as they take.
    particles
        States that may be held for true; beyond that they are a sample.
    games
        Played to estimate what the search earns.
    """

    name: ClassVar[str] = "pomcp"
    form: ClassVar[type[ModelledGame]] = ModelledGame
    finds: ClassVar[str] = "good play, no guarantee"
    thinks: ClassVar[bool] = True

    simulations: int = 1000
    leaf: Literal["auto", "informed", "rollout"] = "auto"
    exploration: float = 0.3
    spread: float = 0.0
    prior: float = 5.0
    cap: int = 128
    depth: int = 200
    final: Literal["visits", "value"] = "visits"
    seconds: float = 0.0
    particles: int = MOST_PARTICLES
    games: int = 100

    def __post_init__(self) -> None:
        require(self.name, vars(self))
        for name, words in (("leaf", ("auto", "informed", "rollout")), ("final", ("visits", "value"))):
            if getattr(self, name) not in words:
                raise SpecError(f"pomcp: {name} is {brief(getattr(self, name))}, expected {' or '.join(words)}")
        for name, least in (("games", 1), ("cap", 1)):
            if getattr(self, name) < least:
                raise SpecError(f"pomcp: {name} is {getattr(self, name)}, expected {least} or more")
        if not 0 < self.prior < inf:
            raise SpecError(f"pomcp: prior is {self.prior}, expected a number above 0")

    def policy(
        self, game: AnyGame, player: int, seed: int = 0, others: Mapping[int, Strategy] | None = None
    ) -> Strategy:
        """The policy that searches at every decision.

        Parameters
        ----------
        game
            The game.
        player
            Who plays.
        seed
            What is drawn depends on it.
        others
            How the others play; None: at random.

        Returns
        -------
        Strategy
        """
        held = {} if all(isinstance(one, Uniform) for one in (others or {}).values()) else dict(others or {})
        planner = ModelPlanner(
            game,
            player,
            self.way(),
            self.final,
            self.simulations,
            self.seconds,
            self.particles,
            seed,
            spec_of(self),
            others=held,
            leaf=self.leaf,
        )
        if not held:
            return planner
        try:
            planner.model  # noqa: B018  made now, so that it is known whether it can be
        except LimitError:
            limits = self.simulations, self.exploration, self.depth, min(self.particles, PLAINLY)
            return POMCP(game, player, held, *limits, seed, self.spread)
        return planner

    def online(self, form: ModelledGame, player: int, seed: int) -> Strategy:
        """How it plays: it thinks at each decision, so nothing is solved beforehand."""
        return self.policy(form.game, player, seed, form.others)

    def remembers(self, _form: ModelledGame, kept: Kept) -> None:
        kept.integers("seed", (1,), high=SEEDS - 1)
        done = kept.integers("games", (1,), high=self.games)
        kept.integers("cut", (1,), high=self.games)
        kept.integers("let_go", (1,), high=self.games * MOST_STEPS)
        sums = kept.reals("sums", (2,))
        kept.require("sums", sums[1] >= 0 and (int(done[0]) > 0 or not sums.any()), "sums of games that were played")

    def run(self, form: ModelledGame, context: Context) -> Iterator[Progress]:
        """Game after game: each is decided by the seed and its number, so that a resumed run goes on the same."""
        arrays = context.arrays
        if not arrays:
            arrays["seed"] = context.rng.integers(0, SEEDS, 1)
            arrays |= {name: np.zeros(1, np.int64) for name in ("games", "cut", "let_go")} | {"sums": np.zeros(2)}
        seed = int(arrays["seed"][0])
        planner = self.policy(form.game, form.player, seed, form.others)
        attempt, facts = self._player(planner, form)
        profile: dict[int, Strategy] = {
            i: planner if i == form.player else form.others.get(i, Uniform()) for i in range(len(form.players))
        }
        if arrays["games"][0]:
            yield _answer(arrays, facts, profile)
        while arrays["games"][0] < self.games:
            played = attempt(f"{seed} {arrays['games'][0]}", context.stopping)
            if played.left:  # a resumed run plays it from its start
                if not arrays["games"][0]:
                    shown = UNPLAYED.format(many(played.steps, "step"), number(played.gained, 6))
                    shown += _rest(planner, played.steps)
                    yield Progress(nan, -inf, inf, lambda: profile, {"shown": shown, **facts})
                return
            arrays["games"] = arrays["games"] + 1
            arrays["sums"] = arrays["sums"] + [played.gained, played.gained**2]
            arrays["cut"] = arrays["cut"] + played.cut
            arrays["let_go"] = arrays["let_go"] + played.let_go
            yield _answer(arrays, facts, profile)

    def _player(self, planner: Strategy, form: ModelledGame) -> tuple[Attempt, dict[str, Any]]:
        """What plays one game by a seed, and what there is to say of it."""
        if isinstance(planner, POMCP):
            return PlainGames(planner).attempt, {"leaf": "rollout", "search": PLAIN}
        assert isinstance(planner, ModelPlanner)
        found = planner.model
        games = Episodes(
            found.twin, planner.way, found.me, self.simulations, self.final, self.particles, self.seconds, found.paid
        )
        advice = offline(found, form.game, form.player)
        return games.attempt, {"leaf": found.leaf, **({"instead": advice} if advice else {})}

    def way(self) -> SearchWay:
        """How it searches."""
        return SearchWay("ucb", "alone", self.exploration, self.spread, self.depth, prior=self.prior, cap=self.cap)


@dataclass(frozen=True, eq=False)
class PlainGames:
    """Games of a plain planner against the policies that it knows, drawn step by step from the induced model.

    Parameters
    ----------
    planner
        Who plays.
    """

    planner: POMCP

    def attempt(self, seed: str, stopping: Callable[[], bool]) -> SearchedGame:
        """One game, decided by `seed`; `left` where it is to stop before the end."""
        planner, rng, tally = self.planner, Random(seed), SearchedGame()
        simulator = InducedSimulator(planner.game, planner.player, planner.others)
        starts = list(simulator.start())
        point, event, _ = rng.choices(starts, [p for *_, p in starts])[0]
        memory = planner.begin(simulator.simulator.observed(event, planner.player))
        tally.gained, scale = float(simulator.simulator.paid(event)[planner.player]), 1.0
        while point.actors and tally.steps < planner.horizon:
            if stopping():
                return tally.leave()
            action = None
            if point.place >= 0:
                action = planner.act(memory, point.legal).sample(rng)
                tally.decisions += 1
            place = -1 if action is None else point.legal.index(action)
            point, reward, seen = simulator.step(point, place, rng.random)
            memory = planner.update(memory, action, seen)
            tally.gained += scale * reward
            scale *= planner.game.discount
            tally.steps += 1
        tally.cut = bool(point.actors)
        return tally


def _rest(planner: Strategy, steps: int) -> str:
    """What a game can still pay after this many steps, where the rewards bound it: a clause."""
    form = planner.model.form if isinstance(planner, ModelPlanner) else None
    found = None if form is None else reward_sums(form.reward[1:], form.discount)
    if form is None or found is None:
        return ""
    low, high = (number(float(bound) * form.discount**steps, 3) for bound in found)
    return f"; the rest can add {low} to {high}"


def _answer(arrays: Mapping[str, Any], facts: Mapping[str, Any], profile: dict[int, Strategy]) -> Progress:
    n, sums = int(arrays["games"][0]), arrays["sums"]
    mean = float(sums[0]) / n
    half = Z95 * sqrt(max(float(sums[1]) / n - mean**2, 0.0) / (n - 1)) if n > 1 else inf
    details = {
        "statistical": STATISTICAL,
        "games": n,
        "interval": [mean - half, mean + half] if n > 1 else None,
        **facts,
        "cut": int(arrays["cut"][0]),
        **({LET_GO: let_go} if (let_go := int(arrays["let_go"][0])) else {}),
    }
    return Progress(mean, -inf, inf, lambda: profile, details, iteration=n, sampled="estimate")
