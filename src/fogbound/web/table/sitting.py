"""A game in progress: people and policies around one `Episode`, played on as soon as all who are asked have chosen."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import Any

from fogbound.arena.episode import Episode, EpisodeResult, EpisodeStep, SplitStreams
from fogbound.arena.log import Record
from fogbound.core.dist import Dist, Rng
from fogbound.core.errors import PolicyError
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import AnyPolicy, Strategy, kinds, thinks
from fogbound.inference.seat import Seat
from fogbound.web.refusal import Refusal

log = logging.getLogger("fogbound.web")
BROKEN = "The rules or a policy of this game failed here, so nobody can go on. End the game to see where it stands."
Places = tuple[int, ...]  # what the actors of a step did, each by its place among its legal actions


Seeds = tuple[tuple[int | None, int], ...]  # (the last step that chance takes from a seed, None: all others; the seed)


@dataclass(frozen=True)
class _Streams:
    """What is drawn at a table. Its seeds say all of it, so that a game that is played again is the same.

    There are several where a game was begun from a position of another: chance is the other's up to there. Policies
    draw afresh once moves of theirs were laid down, since those took no numbers.
    """

    seeds: Seeds
    laid: int

    def chance(self, step: int) -> Rng:
        seed = next(seed for last, seed in self.seeds if last is None or step <= last)
        return SplitStreams(seed, 0).chance(step)

    def seat(self, player: int) -> Rng:
        return SplitStreams(self.seeds[-1][1], 1 + self.laid).seat(player)


class Sitting:
    """A game, who plays it, and how far it has come.

    Parameters
    ----------
    game
        The rules.
    people
        The players who are people.
    policies
        How the other players play.
    seeds
        Where all that is drawn comes from; nobody at the table is told.
    laid
        The steps that were played already, as they are in the journal.
    """

    def __init__(
        self,
        game: AnyGame,
        people: Iterable[int],
        policies: Mapping[int, Strategy],
        seeds: Seeds,
        laid: Sequence[Places] = (),
    ) -> None:
        self.game, self.lock = game, RLock()
        self.people = {player: Visitor(game, player) for player in people}
        drawn = {i: kinds(policy).sample(SplitStreams(seeds[0][1], 0).seat(i)) for i, policy in policies.items()}
        everybody = range(len(game.players))
        self.chairs = [Chair(self.people[i] if i in self.people else drawn[i]) for i in everybody]
        self.steps: list[EpisodeStep] = []
        self.places: list[Places] = []
        self.result: EpisodeResult | None = None
        self.broken = ""
        self._episode = Episode(game, self.chairs, _Streams(seeds, len(laid)))
        self._course = self._episode.steps()
        self._again(laid)

    @property
    def count(self) -> int:
        """Steps that were played."""
        return len(self.places)

    @property
    def over(self) -> bool:
        """Whether the game has ended, so that everything may be shown."""
        return self.result is not None

    @property
    def thinks(self) -> bool:
        """Whether somebody here works out what to do when it is asked, which takes time."""
        return any(chair.thinks for chair in self.chairs)

    def asked(self, player: int) -> bool:
        """Whether a person is to choose now."""
        return bool(self.people[player].actions) and self.chairs[player].laid is None

    def choose(self, player: int, step: int, place: int) -> None:
        """Lay down what a person does in a step; 409 where that step is not the one it is asked about."""
        actions = self.people[player].actions
        if self.broken or self.over or step != self.count:
            raise Refusal(409, "That move belongs to an earlier position. Here is the game as it stands now.")
        if not self.asked(player):
            raise Refusal(409, "Your move is made already, or it is not your turn. Here is the game as it stands now.")
        if not 0 <= place < len(actions):
            raise Refusal(400, f"There is no such move: there are {len(actions)} of them.")
        self.chairs[player].laid = place

    def end(self) -> None:
        """Leave the game here: it is over for everybody, with what was paid so far."""
        if not self.over:
            self.result = self._episode.played()
            for person in self.people.values():
                person.actions = ()

    def deal(self) -> None:
        """Begin, where nobody has: what everybody sees at first."""
        if not self.steps:
            self._unbroken(self._step)

    def go_on(self) -> list[Places]:
        """Play on until somebody must choose or the game is over; the steps that were taken."""
        before = len(self.places)
        self._unbroken(self._go_on)
        return self.places[before:]

    def _unbroken(self, play: Callable[[], None]) -> None:
        if self.broken:
            return
        try:
            play()
        except Exception as error:  # what it says may hold the state, which nobody may see yet
            log.error("%s: a game broke off after step %d: %s", self.game, self.count, type(error).__name__)
            self.broken = BROKEN

    def _go_on(self) -> None:
        while not self.over and not self._asking():
            self._step()

    def _asking(self) -> bool:
        """Tell the people who are to move what they may do; whether any of them has not chosen yet."""
        simulator, state = self._episode.simulator, self._episode.state
        actors, waiting = simulator.actors(state), False
        for player, legal in zip(actors, simulator.legal(state, actors)):
            if player in self.people:
                self.people[player].actions = legal
                waiting |= self.chairs[player].laid is None
        return waiting

    def _step(self) -> None:
        """One step of the episode, written down by places."""
        simulator, state = self._episode.simulator, self._episode.state
        first = not self.steps
        actors = () if first else simulator.actors(state)
        legal = [] if first else simulator.legal(state, actors)
        step = next(self._course, None)
        if step is None:
            self.result = self._episode.played()
            return
        self.steps.append(step)
        if step.joint is not None:
            self.places.append(tuple(offered.index(action) for offered, action in zip(legal, step.joint)))

    def _again(self, laid: Sequence[Places]) -> None:
        """Play the steps of a journal again."""
        if laid and not self.steps:
            self._step()
        for places in laid:
            simulator, state = self._episode.simulator, self._episode.state
            actors = simulator.actors(state)
            if len(actors) != len(places) or any(
                place >= len(legal) for place, legal in zip(places, simulator.legal(state, actors))
            ):
                raise Refusal(410, "This game was played by other rules than are here now, so it cannot go on.")
            for player, place in zip(actors, places):
                self.chairs[player].laid = place
            self._step()

    def record(self) -> Record:
        """The whole game as a log keeps it, with what everybody saw and did."""
        histories: list[list[Any]] = [[] for _ in self.game.players]
        for step in self.steps:
            own = {} if step.joint is None else dict(zip(self._episode.simulator.actors(step.before), step.joint))
            for player, history in enumerate(histories):
                seen = step.outcome.observation(player)
                history.append(seen if step.joint is None else (own.get(player), seen))
        return Record(tuple(map(tuple, histories)), tuple(map(float, self._episode.returns)))


class Chair:
    """A place at the table: it does what was laid down for this step, if anything was, else what its policy does.

    Parameters
    ----------
    policy
        Who sits there.
    """

    def __init__(self, policy: AnyPolicy) -> None:
        self.policy = policy
        self.laid: int | None = None  # the place, among the legal actions, of what to do in this step
        self.thinks = thinks(policy)

    def begin(self, observation: Observation) -> Any:
        return self.policy.begin(observation)

    def update(self, memory: Any, action: Hashable | None, observation: Observation) -> Any:
        self.laid = None
        return self.policy.update(memory, action, observation)

    def act(self, memory: Any, actions: Sequence[Hashable]) -> Dist[Hashable]:
        return self.policy.act(memory, actions) if self.laid is None else Dist.sure(actions[self.laid])


class Visitor:
    """A policy that stands for somebody at a browser: it takes in what it is told, and never decides.

    What it is told is all that the pages of its seat are drawn from.

    Parameters
    ----------
    game
        The rules.
    player
        Which player.
    """

    def __init__(self, game: AnyGame, player: int) -> None:
        self.seat = Seat(game, player)
        self.actions: tuple[Hashable, ...] = ()  # the legal ones, while a move is asked for

    def begin(self, observation: Observation) -> int:
        self.seat.begin(observation)
        return 0

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:
        self.actions = ()
        self.seat.update(action, observation)
        return memory + 1  # a clock: a game with people in it is never taken for a cycle

    def act(self, memory: int, actions: Sequence[Hashable]) -> Dist[Hashable]:  # noqa: ARG002
        raise PolicyError("a person was asked before it had chosen")
