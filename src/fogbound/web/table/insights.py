"""What takes a while to work out about a game: inferences, reviews, levels. One thread does it, and pages wait for it.

Everything is asked from histories, never from the state, and what was found is kept for the pages that follow: of all
seats that did and saw the same. A question names all that its answer follows from, so that nobody is told another's.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as settle
from threading import Lock
from typing import Any, TypeVar

from fogbound.arena.log import Record
from fogbound.core.cancel import cancelling
from fogbound.core.errors import FogboundError
from fogbound.core.game import AnyGame
from fogbound.driver.clock import Deadline
from fogbound.forms.decisions import History
from fogbound.inference.fog import Fog, Inferred, Review, ready_fog
from fogbound.inference.levels.opponent import Candidates, LevelPosterior, candidates, levels_of, posterior
from fogbound.inference.opponent import Opponent
from fogbound.web.refusal import Refusal

SECONDS, FORM_SECONDS = 30.0, 10.0  # for one question, and of these to enumerate a game before a search is made instead
PATIENCE, BRIEFLY = 1.5, 0.05  # seconds that a page waits before it says so: for the panel, for each part of a film
MOST_READY, MOST_ANSWERS, MOST_WAITING = 16, 500, 16
LEVELS, SLIPS = 4, 0.02  # the levels that a person is compared with, and how often its hand slips


T = TypeVar("T")
SeatKey = tuple[str, int]  # who asks: the game and the player
Question = tuple[Hashable, ...]  # all that an answer follows from
Others = Mapping[int, Opponent]  # who plays against the one who asks, by player


class Insights:
    """Questions about games, answered one after the other."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "insight")
        self._answers: OrderedDict[tuple[SeatKey, Question], Future[Any]] = OrderedDict()
        self._shared: OrderedDict[Question, Future[Any]] = OrderedDict()
        self._open: dict[tuple[SeatKey, Question], Future[Any]] = {}  # what somebody waits for; some of it may be done
        self._ready: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()
        self.patience, self.briefly = PATIENCE, BRIEFLY

    def close(self) -> None:
        """Leave the questions that nobody has begun with."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def inferred(
        self, seat: SeatKey, game: AnyGame, player: int, others: Others, history: History, actions: Any
    ) -> Inferred | None:
        """What follows from a history for whoever is to choose from `actions`; None while it is being worked out."""
        offered = tuple(actions)
        asked = self._asked(
            (seat, ("inferred", str(game), player, _key(others), history, offered)),
            lambda: self._fog(game, player, others).inferred(history, offered),
        )
        return _settled(asked, self.patience)

    def reviewed(self, seat: SeatKey, game: AnyGame, player: int, others: Others, history: History) -> Review | None:
        """What the moves of a history cost; None while it is being worked out."""
        asked = self._asked(
            (seat, ("reviewed", str(game), player, _key(others), history)),
            lambda: self._fog(game, player, others).review(history),
        )
        return _settled(asked, self.briefly)

    def levelled(self, seat: SeatKey, game: AnyGame, player: int, record: Record) -> LevelPosterior | None:
        """Which level plays as a player did in one game; None while it is being worked out."""
        asked = self._asked(
            (seat, ("levelled", str(game), player, record.histories[player])),
            lambda: posterior(self._levels(game, player), [record], SLIPS),
        )
        return _settled(asked, self.briefly)

    def waiting(self, seat: SeatKey) -> bool:
        """Whether something is being worked out for a seat."""
        with self._lock:
            self._close()
            return any(key[0] == seat for key in self._open)

    def _fog(self, game: AnyGame, player: int, others: Others) -> Fog:
        return self._prepared(
            (str(game), player, _key(others)), lambda: ready_fog(game, player, others, Deadline(FORM_SECONDS))
        )

    def _levels(self, game: AnyGame, player: int) -> Candidates:
        return self._prepared(
            (str(game), player), lambda: candidates(game, player, *levels_of(game, player, LEVELS, "uniform"))
        )

    def _prepared(self, key: Hashable, make: Callable[[], T]) -> T:
        """What serves all games of a kind, made once; asked by one thread alone."""
        if key not in self._ready:
            self._ready[key] = make()
        self._ready.move_to_end(key)
        while len(self._ready) > MOST_READY:
            self._ready.popitem(last=False)
        made: T = self._ready[key]
        return made

    def _asked(self, key: tuple[SeatKey, Question], work: Callable[[], T]) -> Future[T]:
        """The answer to a question, once it is there; what failed for another is tried again."""
        with self._lock:
            found = self._answers.get(key) or self._shared.get(key[1])
            if found is None or (key not in self._answers and found.done() and found.exception() is not None):
                self._close()
                if len(set(self._open.values())) >= MOST_WAITING:
                    raise Refusal(429, "Enough is being worked out already. Try again in a minute.")
                found = self._shared[key[1]] = self._pool.submit(_timely, work)
            self._answers[key] = found
            if not found.done():
                self._open[key] = found
            self._answers.move_to_end(key)
            for kept in (self._answers, self._shared):
                while len(kept) > MOST_ANSWERS:
                    kept.popitem(last=False)
        return found

    def _close(self) -> None:
        """Forget what nobody waits for any more; asked with the lock held."""
        for key in [key for key, asked in self._open.items() if asked.done()]:
            del self._open[key]


def _key(others: Others) -> Hashable:
    """What tells opponents apart: who they are, and not which objects play for them."""
    return tuple(sorted(others.items(), key=lambda part: part[0]))


def _settled(asked: Future[T], seconds: float) -> T | None:
    """An answer, waited for so long; None where it is not there by then. What went wrong is raised."""
    if not asked.done():
        settle([asked], seconds)
    return asked.result() if asked.done() else None


def _timely(work: Callable[[], Any]) -> Any:
    with cancelling(Deadline(SECONDS)):
        try:
            return work()
        except FogboundError:
            raise
        except Exception as error:  # a game's own code: what it says may stay where it is
            raise FogboundError(f"working it out raised {type(error).__name__}") from error
