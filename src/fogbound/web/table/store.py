"""All games that are being played: some in memory, every one of them on disk, each found by the link of a seat."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as settle
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import RLock

from fogbound import api
from fogbound.core.errors import FogboundError, one_line
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.driver.clock import Clock
from fogbound.inference.opponent import Opponent
from fogbound.inference.seat import Seat
from fogbound.web.refusal import Refusal
from fogbound.web.settings import Settings
from fogbound.web.streams import EventStreams
from fogbound.web.table.insights import Insights
from fogbound.web.table.journal import Journal, Seating
from fogbound.web.table.opponents import PERSON, Opponents, opponent
from fogbound.web.table.pace import QUICK, THOUGHTFUL, Pace
from fogbound.web.table.pictures import Pictures
from fogbound.web.table.sitting import Places, Seeds, Sitting

MOST = 2_000  # games in memory
MOST_STREAMS = 200  # pages that wait at once
IDLE = 3_600.0  # seconds after which one that nobody looks at is left to its journal
THINKERS = 4  # games in which somebody thinks at once
PATIENCE = 5.0  # seconds that a request waits for those who think
_LINK = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{32})")
_NOT_THERE = "There is no such game. Its link may be cut short."


@dataclass(eq=False)
class Held:
    """What a person saw before the last move, which is what pages show until the end of the beat.

    Parameters
    ----------
    full
        The person's history, which goes on meanwhile.
    told
        How many steps it had then.
    asked
        Whether a move was asked for then.
    """

    full: Seat
    told: int
    asked: bool

    @cached_property
    def seat(self) -> Seat:
        """The history as it was, made of its own parts alone: it takes as long whatever has happened since."""
        return self.full.until(self.told - 1)


@dataclass(eq=False)
class KeptGame:
    """A game with all that belongs to it: its journal, its links, its opponents and how far it is.

    Parameters
    ----------
    id
        Its name on disk.
    game
        The rules.
    asked
        What was asked for.
    journal
        Its file.
    laid
        Steps that were taken before the game came into memory.
    policies
        By player, the policy that plays it, once it is there.
    thinkers
        Where those think who think when they are asked.
    chosen
        What people have chosen while others have not.
    assisted
        Who has lifted the fog in this game.
    lifted
        For whom it is lifted now.
    links_shown
        Whether the creator was shown the links of other people: it is once.
    ended
        Whether somebody left the game before its end.
    beats
        Seconds of a first beat, against policies that look up what to do and those that think.
    """

    id: str
    game: AnyGame
    asked: Seating
    journal: Journal
    laid: Sequence[Places]
    policies: dict[int, Future[Strategy]]
    thinkers: ThreadPoolExecutor = field(repr=False)
    beats: tuple[float, float] = (QUICK, THOUGHTFUL)
    chosen: dict[int, int] = field(default_factory=dict)
    assisted: set[int] = field(default_factory=set)
    lifted: set[int] = field(default_factory=set)
    links_shown: bool = False
    ended: bool = False
    sitting: Sitting | None = None
    pace: Pace = field(default_factory=lambda: Pace(0.0))
    held: dict[int, Held] = field(default_factory=dict)
    touched: float = 0.0
    work: Future[None] | None = None  # somebody is thinking
    lock: RLock = field(default_factory=RLock)
    _clock: Clock = field(default_factory=Clock, repr=False)

    @cached_property
    def rules(self) -> str:
        """The rules in their author's words."""
        return api.rules(self.game)

    def link(self, player: int) -> str:
        """The address of a person's seat."""
        return f"/table/{self.id}.{self.asked.seats[player]}"

    def welcome(self, player: int) -> str:
        """Where somebody goes who has just begun the game: to the links of other people, or to its seat."""
        return f"{self.link(player)}/links" if len(self.asked.seats) > 1 else self.link(player)

    def show_links(self, player: int) -> dict[int, str]:
        """By player, the links of other people: for the creator alone, and once."""
        with self.lock:
            if player != self.asked.creator or self.links_shown:
                return {}
            self.journal.links_shown()
            self.links_shown = True
            return {i: self.link(i) for i in sorted(self.asked.seats) if i != player}

    def others(self, player: int) -> dict[int, Opponent]:
        """Who plays against a person: the policies that sit there, once they are there, and other people."""
        return {
            i: opponent(self.asked.against[i], self.policies[i].result()) if i in self.policies else Opponent()
            for i in range(len(self.game.players))
            if i != player
        }

    def lift(self, player: int, lift: bool) -> None:
        """Lift the fog for a person, which is written down while the game goes on, or let it come down."""
        with self.lock:
            if lift and player not in self.assisted and not self.over:
                self.journal.lifted(player)
                self.assisted.add(player)
            (self.lifted.add if lift else self.lifted.discard)(player)

    def ready(self) -> Sitting | None:
        """The game as it stands, once all opponents are there; None until then. What stands against it is raised."""
        with self.lock:
            if self.sitting is None and all(future.done() for future in self.policies.values()):
                try:
                    policies = {player: future.result() for player, future in self.policies.items()}
                except FogboundError as error:
                    raise Refusal(400, f"This opponent cannot be had. {one_line(str(error), 300)}") from None
                self.sitting = self._begun(self._seated(policies))
            return self.sitting

    def _begun(self, sitting: Sitting) -> Sitting:
        """As far as it had come; who is first to look sees it begin, at a beat."""
        quick, thoughtful = self.beats
        self.pace = Pace(thoughtful if sitting.thinks else quick)
        sitting.deal()
        if self.chosen:
            self._go(sitting)  # up to where they had chosen
        for player, place in self.chosen.items():
            sitting.choose(player, sitting.count, place)
        if self.ended:
            sitting.end()
        else:
            self._play_on(sitting, thoughtful)
        return sitting

    def _seated(self, policies: dict[int, Strategy]) -> Sitting:
        """Everybody at the table, and what was played before played again; what fails is not told, it may be hidden."""
        try:
            return Sitting(self.game, self.asked.seats, policies, self.asked.seeds, self.laid)
        except Refusal:
            raise
        except Exception as error:
            raise Refusal(410, f"This game cannot be played again up to here: {type(error).__name__}.") from None

    def choose(self, player: int, step: int, place: int) -> None:
        """A person's move, and all that follows until somebody must choose again."""
        sitting = self.ready()
        if sitting is None or self.thinking:
            raise Refusal(409, "The others are not ready yet. Here is the game as it stands now.")
        with self.lock:
            sitting.choose(player, step, place)
            if sitting.thinks or len(self.asked.seats) > 1:  # the step is only taken later
                self.journal.choice(player, place)
            if not any(map(sitting.asked, sitting.people)):
                self._play_on(sitting)

    def end(self) -> None:
        """Leave the game: it is over where it stands."""
        sitting = self.ready()
        if sitting is None or self.thinking:
            raise Refusal(409, "The others are not ready yet. Here is the game as it stands now.")
        with self.lock:
            if not sitting.over:
                self.journal.ended()
                self.ended = True
                sitting.end()

    @property
    def thinking(self) -> bool:
        """Whether somebody is thinking now, or has thought and the beat is not over: pages show what was before."""
        return self.pace.hidden

    @property
    def over(self) -> bool:
        """Whether the game has ended and everybody may see it."""
        return self.sitting is not None and self.sitting.over and not self.thinking

    async def shown(self) -> None:
        """Wait until what follows from the last move may be seen, or as long as a request waits.

        How long that is follows from when it may be seen, and not from when it was there.
        """
        until = self._clock.elapsed() + PATIENCE
        if self.work is not None and not self.work.done():
            await asyncio.wait([asyncio.wrap_future(self.work)], timeout=PATIENCE)
        left = self.pace.left
        patience = max(0.0, until - self._clock.elapsed())
        await asyncio.sleep(patience if left is None else min(left, patience))

    def _play_on(self, sitting: Sitting, least: float = 0.0) -> None:
        """Let the others move; who looks sees what there was before until the beat is over."""
        people = sitting.people.items()
        self.held = {i: Held(one.seat, len(one.seat.steps), bool(one.actions)) for i, one in people}
        self.pace.begin(least)
        if sitting.thinks:
            self.work = self.thinkers.submit(self._go, sitting)
        else:
            self._go(sitting)

    def _go(self, sitting: Sitting) -> None:
        try:
            for places in sitting.go_on():
                self.journal.step(places)
        finally:
            self.pace.ready()


class TableStore:
    """The games of a server.

    Parameters
    ----------
    settings
        Where games are kept, and what games of their own people have.
    game
        The game that a request names.
    source
        What the command line takes for it; the names of people's own games apart, it is the same.
    """

    def __init__(
        self, settings: Settings, game: Callable[[str], AnyGame], source: Callable[[str], str] | None = None
    ) -> None:
        self._game = game
        self._source = source or (lambda spec: settings.own.get(spec, spec))
        self.folder: Path = settings.folder / "games"
        self.opponents = Opponents(settings.folder / "opponents", settings.folder / "runs")
        self._games: OrderedDict[str, KeptGame] = OrderedDict()
        self._lock, self._reading, self._clock = RLock(), RLock(), Clock()
        self._thinkers = ThreadPoolExecutor(THINKERS, "thinking")
        self.insights, self.pictures = Insights(), Pictures()
        self.streams = EventStreams(MOST_STREAMS)  # pages that wait
        self.pace, self.thoughtful = QUICK, THOUGHTFUL

    def open(self) -> None:
        """Before the first request."""
        for folder in (self.folder, self.opponents.folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def close(self) -> None:
        """After the last one."""
        self.opponents.close()
        self.insights.close()
        self._thinkers.shutdown(wait=False, cancel_futures=True)

    def new(self, spec: str, against: Sequence[str], creator: int) -> KeptGame:
        """Begin a game.

        Parameters
        ----------
        spec
            The game, as a request names it.
        against
            By player: how a policy is named, or that a person plays it.
        creator
            The player whose seat is that of the person who begins it.
        """
        texts = {player: self.opponents.check(text) for player, text in enumerate(against) if player != creator}
        people = [creator, *(player for player, text in texts.items() if text == PERSON)]
        others = {player: text for player, text in texts.items() if text != PERSON}
        return self._begin(spec, creator, people, others, ((None, secrets.randbits(63)),), ())

    def branch(self, kept: KeptGame, step: int, creator: int) -> KeptGame:
        """Begin a game from a position of one that is over: the same up to there, and free from there on."""
        sitting = kept.ready()
        if sitting is None or not kept.over:
            raise Refusal(409, "Only a game that is over can be played from one of its positions.")
        if not 0 <= step <= sitting.count:
            raise Refusal(404, "That game has no such position.")
        before = [(min(step, step if last is None else last), seed) for last, seed in kept.asked.seeds]
        seeds = (*before, (None, secrets.randbits(63)))
        asked, laid = kept.asked, sitting.places[:step]
        made = self._begin(asked.game, creator, list(asked.seats), asked.against, seeds, laid)
        for person in made.asked.seats:  # who plays from here has seen all that was hidden
            made.journal.lifted(person)
            made.assisted.add(person)
        return made

    def _begin(
        self,
        spec: str,
        creator: int,
        people: Sequence[int],
        others: dict[int, str],
        seeds: Seeds,
        laid: Sequence[Places],
    ) -> KeptGame:
        made = secrets.token_hex(16)
        asked = Seating(spec, {player: secrets.token_hex(16) for player in people}, others, seeds, creator)
        kept = self._seated(made, asked, laid)
        kept.journal.begin(asked)
        for places in laid:
            kept.journal.step(places)
        self._keep(kept)
        settle(kept.policies.values(), PATIENCE / 2)
        return kept

    def _seated(self, made: str, asked: Seating, laid: Sequence[Places]) -> KeptGame:
        game, source = self._game(asked.game), self._source(asked.game)
        policies = {i: self.opponents.policy(game, source, text, i) for i, text in asked.against.items()}
        journal = Journal(self.folder / f"{made}.jsonl")
        return KeptGame(made, game, asked, journal, laid, policies, self._thinkers, (self.pace, self.thoughtful))

    def find(self, link: str) -> tuple[KeptGame, int]:
        """The game and the player that a link is for; 404 for any other."""
        found = _LINK.fullmatch(link)
        if not found:
            raise Refusal(404, _NOT_THERE)
        kept = self._games.get(found[1]) or self._read(found[1])
        self._keep(kept)
        for player, secret in kept.asked.seats.items():
            if secrets.compare_digest(secret, found[2]):
                return kept, player
        raise Refusal(404, _NOT_THERE)

    def _read(self, name: str) -> KeptGame:
        """A game from its journal; who asks for it meanwhile waits, and who plays another does not."""
        with self._reading:
            kept = self._games.get(name)
            if kept is None:
                told = Journal(self.folder / f"{name}.jsonl").read()
                kept = self._seated(name, told.asked, told.steps)
                kept.chosen, kept.ended = told.chosen, told.ended
                kept.assisted, kept.links_shown = told.assisted, told.links_shown
                settle(kept.policies.values(), PATIENCE / 2)
                self._keep(kept)
            return kept

    def _keep(self, kept: KeptGame) -> None:
        """In memory, as the one that was looked at last; the idle ones are left to their journals."""
        now = self._clock.elapsed()
        kept.touched = now
        with self._lock:
            self._games[kept.id] = kept
            self._games.move_to_end(kept.id)
            while self._games and (len(self._games) > MOST or next(iter(self._games.values())).touched < now - IDLE):
                self._games.popitem(last=False)

    def __len__(self) -> int:
        return len(self._games)
