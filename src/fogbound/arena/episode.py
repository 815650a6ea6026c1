"""One game played to its end by policies, from the rules alone: no form is needed.

Where the random numbers of a game come from: one stream for all, or chance and every seat apart.

With split streams a deal can be played again under another seating: chance draws at each step what it drew there
before, and a seat draws the same numbers whoever sits in it. What differs between two such games is the policies, which
is why the difference of duplicate games varies less than that of two fresh ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from fogbound.core.contract import require_players
from fogbound.core.dist import Dist, Rng
from fogbound.core.errors import FogboundError, FormError, GameError, LimitError, cut_short, many, raised
from fogbound.core.game import AnyGame, Outcome
from fogbound.core.policy import AnyPolicy, Strategy, drawn
from fogbound.core.simulator import RuleSimulator
from fogbound.forms.induced import moves
from fogbound.policies.controller import LOST, Controller

CHANCE, SEATS = 0, 1  # whose stream it is


class Streams(Protocol):
    """Who draws from what: chance by the step, a policy by its seat."""

    def chance(self, step: int) -> Rng: ...  # the start is step 0

    def seat(self, player: int) -> Rng: ...


@dataclass(frozen=True)
class OneStream:
    """Everybody draws from the same generator, in the order of play."""

    rng: Rng

    def chance(self, step: int) -> Rng:  # noqa: ARG002
        return self.rng

    def seat(self, player: int) -> Rng:  # noqa: ARG002
        return self.rng


@dataclass(frozen=True)
class SplitStreams:
    """The streams of one deal: chance by (deal, step), each policy by (seat, deal).

    Parameters
    ----------
    seed
        Of the whole tournament.
    deal
        Which deal.

    Examples
    --------
    >>> one, again = SplitStreams(7, 3), SplitStreams(7, 3)
    >>> skipped = one.chance(0).random()  # what is drawn elsewhere does not matter
    >>> one.chance(4).random() == again.chance(4).random() != again.chance(5).random()
    True
    """

    seed: int
    deal: int

    def chance(self, step: int) -> Rng:
        return _LazyStream(self.seed, (CHANCE, self.deal, step))

    def seat(self, player: int) -> Rng:
        return _LazyStream(self.seed, (SEATS, self.deal, player))


class _LazyStream:
    """A generator that is made when the first number is drawn: at most steps of most games nothing is."""

    __slots__ = ("_key", "_made", "_seed")

    def __init__(self, seed: int, key: tuple[int, int, int]) -> None:
        self._seed, self._key = seed, key
        self._made: Rng | None = None

    def random(self) -> float:
        if self._made is None:
            self._made = np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=self._key))
        return self._made.random()


MOST_STEPS = 10_000
FADED = 1e-12  # a discount that has come to this leaves nothing to play for


@dataclass(frozen=True)
class EpisodeResult:
    """How one game went: discounted returns, and whether it ended, cycled, faded or was cut off.

    Attributes
    ----------
    returns
        Each player's discounted rewards.
    steps
        How many steps were played.
    ended
        ``over``, ``cycle``, ``faded`` (discounted away) or ``cut``.
    lost
        Who met something that its controller was not made for.
    """

    returns: tuple[float, ...]
    steps: int
    ended: str
    lost: tuple[bool, ...]


@dataclass(frozen=True)
class EpisodeStep:
    """One step as everybody at the table lived it; joint is None at the start."""

    before: Any
    joint: tuple[Any, ...] | None
    outcome: Outcome[Any]


def play_episode(
    game: AnyGame, policies: Sequence[Strategy], rng: Rng | Streams, most_steps: int = MOST_STEPS
) -> EpisodeResult:
    """Play one game. Mixed policies draw what they are first.

    Where nothing is random and the same situation (state and memories) comes back, play has entered a cycle
    and would never end: it is stopped there. With a discount, the returns include all that the cycle will ever
    pay; without, what had been paid until then.

    Parameters
    ----------
    game
        The rules.
    policies
        One a player, in the players' order.
    rng
        The only source of chance: the game's, the policies' and which kind a mixed policy is. With `SplitStreams`
        each of them has numbers of its own.
    most_steps
        At how many steps the game is cut off.

    Returns
    -------
    EpisodeResult
        Discounted returns, steps, how it ended, and who met something that its controller was not made for.

    Raises
    ------
    FormError
        Where there are more or fewer policies than players.

    Examples
    --------
    >>> import numpy as np
    >>> import fogbound as fb
    >>> result = fb.arena.play(fb.game("king-ace"), [fb.policies.Uniform()] * 2, np.random.default_rng(1))
    >>> result.returns, result.ended
    ((-1.0, 1.0), 'over')
    """
    table = Episode(game, policies, rng)
    for _ in table.steps(most_steps):
        pass
    return table.played()


class Episode:
    """A game in progress: the state, what each policy remembers, what has been paid.

    Parameters
    ----------
    game
        The game.
    policies
        A policy or mixture for each player; of a mixture one is drawn now.
    rng
        What is drawn comes from it: one generator for all, or streams of their own for chance and every seat.
    """

    def __init__(self, game: AnyGame, policies: Sequence[Strategy], rng: Rng | Streams) -> None:
        require_players(game)
        if len(policies) != len(game.players):
            raise FormError(f"{game}: {many(len(policies), 'policy')} for {many(len(game.players), 'player')}")
        streams = cast(Streams, rng) if hasattr(rng, "chance") else OneStream(rng)  # quicker than protocols
        self.game, self.simulator, self.chance = game, RuleSimulator(game), streams.chance
        self.seats = [streams.seat(i) for i in range(len(policies))]
        self.policies: list[AnyPolicy] = drawn(policies, self.seats)
        self.returns = [0.0] * len(policies)
        self.lost = [False] * len(policies)
        self.memories: list[Any] = []
        self.state: Any = None
        self.count = 0
        self.ended = "cut"
        self.scale = 1.0

    def steps(self, most_steps: int = MOST_STEPS) -> Iterator[EpisodeStep]:
        """Play step by step; stops when the game is over, cycles or is cut off."""
        try:
            yield from self._steps(most_steps)
        except FogboundError:
            raise
        except Exception as error:
            # without the state, which a player may not see
            where = f"{many(self.count, 'step')} into a game"
            raise GameError(f"{self.game}: playing it raised {raised(error)}, {where}") from error

    def _steps(self, most_steps: int) -> Iterator[EpisodeStep]:
        simulator, discount = self.simulator, self.game.discount
        observed = simulator.observed
        outcome = self._drawn(simulator.opening(), 0)
        self.memories = [policy.begin(observed(outcome, i)) for i, policy in enumerate(self.policies)]
        self._arrive(outcome)
        yield EpisodeStep(None, None, outcome)
        since: dict[Any, tuple[int, list[float]]] = {}  # situations since the last draw: when, what was paid by then
        while self.count < most_steps:
            actors = simulator.actors(self.state)
            if not actors:
                self.ended = "over"
                return
            if self.scale < FADED:
                self.ended = "faded"
                return
            situation = (self.state, *self.memories)
            if situation in since:
                self.ended = "cycle"
                self._loop(*since[situation])
                return
            since[situation] = (self.count, list(self.returns))
            joint, sure = self._choose(actors)
            outcomes = simulator.outcomes(self.state, joint)
            if not sure or not outcomes.is_sure():
                since.clear()
            outcome = self._drawn(outcomes, self.count + 1)
            own = dict(zip(actors, joint))
            self.memories = [
                policy.update(self.memories[i], own.get(i), observed(outcome, i))
                for i, policy in enumerate(self.policies)
            ]
            step = EpisodeStep(self.state, joint, outcome)
            self._arrive(outcome)
            self.count += 1
            self.scale *= discount
            yield step

    def _loop(self, count: int, before: list[float]) -> None:
        """Add what a cycle pays from here to eternity, where a discount makes that finite."""
        fade = self.game.discount ** (self.count - count)
        if fade < 1:
            self.returns = [now + (now - then) * fade / (1 - fade) for now, then in zip(self.returns, before)]

    def _choose(self, actors: tuple[int, ...]) -> tuple[tuple[Any, ...], bool]:
        """What the actors do, and whether it could not have been otherwise."""
        joint, sure = [], True
        for i, legal in zip(actors, self.simulator.legal(self.state, actors)):
            policy, memory = self.policies[i], self.memories[i]
            self.lost[i] |= memory == LOST and isinstance(policy, Controller)
            chosen = moves(policy, memory, legal)
            sure &= len(chosen) == 1
            place = chosen[0][0] if len(chosen) == 1 else _draw(chosen, self.seats[i])
            joint.append(legal[place])
        return tuple(joint), sure

    def _drawn(self, outcomes: Dist[Outcome[Any]], step: int) -> Outcome[Any]:
        return outcomes.sample(self.chance(step))

    def _arrive(self, outcome: Outcome[Any]) -> None:
        self.state = outcome.state
        for i, reward in enumerate(self.simulator.paid(outcome)):
            self.returns[i] += self.scale * reward

    def played(self) -> EpisodeResult:
        return EpisodeResult(tuple(self.returns), self.count, self.ended, tuple(self.lost))


def _draw(pairs: list[tuple[int, float]], rng: Rng) -> int:
    point = rng.random()
    for place, p in pairs:
        point -= p
        if point < 0:
            return place
    return pairs[-1][0]


class Cycle(NamedTuple):
    """Play comes back to where it was after `begins` steps, again and again every `length` steps."""

    begins: int
    length: int


class DeterministicEpisode(Episode):
    """A game in progress that notes when something is drawn after all, and where a cycle begins.

    How a cycle is scored is left to `Episode`: exact outcomes and simulated games follow one rule.
    """

    def __init__(self, game: AnyGame, policies: Sequence[AnyPolicy]) -> None:
        super().__init__(game, policies, np.random.default_rng(0))  # until `drawn`, what is drawn is all alike
        self.drawn = False
        self.cycle: Cycle | None = None

    def run(self, most_steps: int) -> None:
        """Play until something is drawn or the play is over or cycles; LimitError where neither comes in time."""
        for _ in self.steps(most_steps):
            if self.drawn:
                return
        if self.ended == "cut":
            raise LimitError(
                f"{self.game}: after {most_steps:,} steps play has neither ended nor come back to a situation, so its "
                f"outcome is not known. Raise most_steps=, or cut it, such as {cut_short(str(self.game))}"
            )

    def _drawn(self, outcomes: Dist[Outcome[Any]], step: int) -> Outcome[Any]:
        self.drawn |= not outcomes.is_sure()
        return super()._drawn(outcomes, step)

    def _choose(self, actors: tuple[int, ...]) -> tuple[tuple[Any, ...], bool]:
        joint, sure = super()._choose(actors)
        self.drawn |= not sure
        return joint, sure

    def _loop(self, count: int, before: list[float]) -> None:
        self.cycle = Cycle(count, self.count - count)
        super()._loop(count, before)


def deterministic_play(
    game: AnyGame, policies: Sequence[AnyPolicy], most_steps: int = MOST_STEPS
) -> DeterministicEpisode | None:
    """The one play that `policies` can have, finished; None where chance or a policy draws."""
    play = DeterministicEpisode(game, policies)
    play.run(most_steps)
    return None if play.drawn else play
