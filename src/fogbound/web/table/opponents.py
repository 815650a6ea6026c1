"""Who plays against people: saved solutions, levels, equilibria, live searches. What takes long is made elsewhere.

A solver runs in a process of its own, under limits, and what it found is kept in a file: the next game against the same
opponent begins at once, and so does one that goes on after the server was killed.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from fogbound import api
from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError, SpecError, one_line
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import AnyPolicy, Mixed, Strategy, thinks
from fogbound.core.registry import build
from fogbound.core.spec import Spec, parse
from fogbound.games import GAMES
from fogbound.inference.opponent import Opponent
from fogbound.naming.limits import limits_apart
from fogbound.solvers import SOLVERS
from fogbound.solvers.level_k.form import check_prior, prior_weights
from fogbound.web.fields import Field, fields_of, spec_from
from fogbound.web.naming import registered, require_no_file
from fogbound.web.processes.child import COMMAND
from fogbound.web.processes.jobs import last_line
from fogbound.web.processes.supervisor import NOWHERE, ChildProcess
from fogbound.web.refusal import Refusal

SECONDS = 60.0  # that a solver takes for an opponent unless told
GRACE = 60.0  # seconds more for reading, compiling and writing, until it is ended
MEMORY = 4 * 1024**3  # bytes that it may take
MOST_WAITING = 8
MOST_KEPT = 64  # policies that stay in memory
PERSON, UNIFORM, RUN = "person", "uniform", "run:"
_RUN = re.compile(r"run:([0-9a-f]{32})")
NAME = "some-level"
MOST_LEVELS = 12
PREFIX = "p."  # before the name of a parameter, in a form
APART = "against."  # before the number of a seat whose opponent is not that of all others


class InTurn:
    """A policy that thinks, asked by one thread at a time: several games and the belief panel share it.

    Parameters
    ----------
    policy
        The policy.
    """

    thinks = True

    def __init__(self, policy: AnyPolicy) -> None:
        self._policy, self._lock = policy, threading.Lock()

    def begin(self, observation: Observation) -> Any:
        with self._lock:
            return self._policy.begin(observation)

    def update(self, memory: Any, action: Hashable | None, observation: Observation) -> Any:
        with self._lock:
            return self._policy.update(memory, action, observation)

    def act(self, memory: Any, actions: Sequence[Hashable]) -> Dist[Hashable]:
        with self._lock:
            return self._policy.act(memory, actions)


def _in_turn(policy: Strategy) -> Strategy:
    """A policy as games and the belief panel may share it."""
    return policy if isinstance(policy, Mixed) or not thinks(policy) else InTurn(policy)


class Opponents:
    """The policies that people can play against.

    Parameters
    ----------
    folder
        Where solutions of opponents are kept.
    runs
        Where runs are kept: a solution of one is an opponent.
    """

    def __init__(self, folder: Path, runs: Path) -> None:
        self.folder, self.runs = folder, runs
        self._pool = ThreadPoolExecutor(2, "opponent")
        self._made: OrderedDict[tuple[str, str, int], Future[Strategy]] = OrderedDict()
        self._going: set[ChildProcess] = set()
        self._lock = threading.Lock()

    def close(self) -> None:
        """End what is being solved."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in list(self._going):
            process.kill()

    def check(self, text: str) -> str:
        """An opponent as a request names it, as it is kept; refused where it is none, or would run foreign code."""
        text = text.strip() or UNIFORM
        if text in (PERSON, UNIFORM):
            return text
        if text.startswith(RUN):
            found = _RUN.fullmatch(text)
            if not found or not (self.runs / found[1] / "solution.npz").is_file():
                raise Refusal(404, "There is no such run, or nothing was kept of it.")
            return text
        try:
            if is_drawn(text):
                require_no_file(parse(text))
                drawn_level(text)  # says what is wrong with its parameters
                return text
            registered(text, SOLVERS)
        except Refusal:
            raise Refusal(
                400, f"{one_line(text, 60)!r} is no opponent: uniform, a solver's spec, or a run of yours"
            ) from None
        SOLVERS.make(limits_apart(parse(text))[0])  # says what is wrong with its parameters
        return text

    def policy(self, game: AnyGame, source: str, text: str, player: int) -> Future[Strategy]:
        """How `text` plays, once it is there.

        Parameters
        ----------
        game
            The rules.
        source
            The game as the command line names it.
        text
            The opponent, as `check` gave it back.
        player
            Whom it plays.
        """
        key = (str(game), text, player)
        with self._lock:
            found = self._made.get(key)
            if found is None or (found.done() and found.exception() is not None):
                if sum(not future.done() for future in self._made.values()) >= MOST_WAITING:
                    raise Refusal(429, "Enough opponents are being worked out already. Try again in a minute.")
                found = self._made[key] = self._pool.submit(self._make, game, source, text, player)
            self._made.move_to_end(key)
            for old in [k for k, future in self._made.items() if future.done()][: max(0, len(self._made) - MOST_KEPT)]:
                del self._made[old]
        return found

    def _make(self, game: AnyGame, source: str, text: str, player: int) -> Strategy:
        if text.startswith(RUN):
            return _in_turn(api.policy(self.runs / text.removeprefix(RUN) / "solution.npz", game, player))
        if is_drawn(text):
            return self._drawn(game, source, text, player)
        if text == UNIFORM or SOLVERS.load(parse(text).name).searches:
            return _in_turn(api.policy(text, game, player))
        return _in_turn(api.policy(self._solution(game, source, text, player), game, player))

    def _drawn(self, game: AnyGame, source: str, text: str, player: int) -> Strategy:
        """A level that is drawn: those to whom the other player's answer replies, each with its weight."""
        if len(game.players) != 2:
            raise FogboundError(f"{text}: {game} has {len(game.players)} players, and levels are drawn for one of two")
        return api.policy(self._solution(game, source, drawn_level(text).reply, 1 - player), game, player)

    def _solution(self, game: AnyGame, source: str, text: str, player: int) -> Path:
        """The file of a solution, solved where it has yet to be."""
        name = hashlib.sha256(f"{game}\n{text}\n{player}".encode()).hexdigest()[:32]
        path = self.folder / f"{name}.npz"
        if not path.is_file():
            self._solve(source, text, player, path)
        return path

    def _solve(self, source: str, text: str, player: int, path: Path) -> None:
        """Let the command line solve it, in a process of its own."""
        asked = parse(text)
        bare, _ = limits_apart(asked)
        limits = [f"--{name}={value}" for name, value in asked.parameters if (name, value) not in bare.parameters]
        given = [f"--with={bare}", *limits, f"--player={player}", "--no-certify", f"--output={path}"]
        words, log = ["solve", *given, "--", source], path.with_suffix(".log")
        process = ChildProcess(
            COMMAND, {"words": words, "memory": MEMORY}, printed=NOWHERE, log=log, seconds=SECONDS + GRACE, patience=0.0
        )
        self._going.add(process)
        try:
            code = process.wait()
        finally:
            self._going.discard(process)
        if process.asked_to_stop:
            raise FogboundError(f"{text}: nothing was found in {SECONDS + GRACE:.0f} seconds; choose an easier one")
        if code or not path.is_file():
            raise FogboundError(f"{text}: {last_line(log, 300) or 'it was ended'}")
        log.unlink(missing_ok=True)


@lru_cache(256)
def opponent_words(text: str) -> str:
    """An opponent as people call it.

    Examples
    --------
    >>> opponent_words("level-k(level=3)"), opponent_words("uniform"), opponent_words("sequence-lp")
    ('level 3', 'random play', 'equilibrium (sequence-lp)')
    """
    if text in (PERSON, UNIFORM):
        return {PERSON: "a person", UNIFORM: "random play"}[text]
    if text.startswith(RUN):
        return "a saved solution"
    if is_drawn(text):
        return drawn_level(text).words
    spec = parse(text)
    level = dict(spec.parameters).get("level")
    if spec.name == "level-k" and level is not None:
        return f"level {level}"
    finds = SOLVERS.load(spec.name).finds
    return f"{finds.partition(',')[0]} ({spec.name})" if finds else spec.name


def opponent(text: str, policy: Strategy) -> Opponent:
    """Who sits there, for the belief panel.

    Parameters
    ----------
    text
        The opponent, as `Opponents.check` gave it back.
    policy
        How it plays.
    """
    return Opponent(opponent_words(text), policy, text, drawn_level(text).drawn if is_drawn(text) else ())


@dataclass(frozen=True)
class DrawnLevel:
    """A level from 0 to `levels`, drawn from `prior`.

    Parameters
    ----------
    levels
        The highest.
    prior
        ``poisson``, ``uniform``, or the weights of the levels.
    tau
        The mean of a Poisson distribution.

    Examples
    --------
    >>> one = drawn_level("some-level(levels=2, prior=uniform)")
    >>> one.reply, one.drawn, one.words
    ('level-k(levels=3, prior=uniform)', (0, 1, 2), 'a level from 0 to 2, drawn for each game')
    """

    levels: int = 4
    prior: str | tuple[float, ...] = "poisson"
    tau: float = 1.5

    def __post_init__(self) -> None:
        if not 2 <= self.levels <= MOST_LEVELS:
            raise SpecError(f"{NAME}: levels is {self.levels}, expected 2 to {MOST_LEVELS}")
        if self.prior == "previous":
            raise SpecError(f"{NAME}: prior is 'previous', expected poisson, uniform or a list of weights, [1, 2, 1]")
        check_prior(self.prior, self.tau)

    @property
    def reply(self) -> str:
        """The solver whose answer replies to it."""
        return self._level_k(self.levels + 1)

    @property
    def drawn(self) -> tuple[int, ...]:
        """The levels that it may be."""
        weights = prior_weights(self.prior, self.tau, self.levels + 1)
        return tuple(level for level, p in enumerate(weights) if p > 0)

    @property
    def words(self) -> str:
        return f"a level from 0 to {self.levels}, drawn for each game"

    def _level_k(self, levels: int) -> str:
        tau = (("tau", self.tau),) if self.prior == "poisson" else ()
        return str(Spec("level-k", (("levels", levels), ("prior", self.prior), *tau)))


def is_drawn(text: str) -> bool:
    """Whether an opponent is named so."""
    return text.partition("(")[0].strip() == NAME


def drawn_level(text: str) -> DrawnLevel:
    """The opponent that a spec describes; SpecError where it describes none."""

    def none_inside(spec: Spec) -> DrawnLevel:
        raise SpecError(f"{NAME} takes no {spec.name!r}")

    return build(DrawnLevel, parse(text), none_inside)


def fields(spec: str) -> list[Field]:
    """The parameters of a registered game as its spec has them; none of a game made of others."""
    return fields_of(GAMES, parse(spec), {}, PREFIX)


def spec_with(spec: str, given: Mapping[str, str]) -> str:
    """A game's spec with the parameters of a form in place of its own.

    Examples
    --------
    >>> spec_with("po-nim(win=12)", {"p.n": "5", "seat": "0"})
    'po-nim(n=5, win=12)'
    """
    asked = parse(spec)
    return spec_from(GAMES, asked, fields_of(GAMES, asked, given, PREFIX), PREFIX)


def opponent_choices(players: Sequence[str]) -> list[tuple[str, str]]:
    """Who may play against a person in a game: as requests name it, and in words; what suits most is first."""
    if len(players) == 1:
        return []
    two = len(players) == 2
    levels = [(f"level-k(level={k})", f"Level {k}") for k in (1, 2, 3)]
    drawn = "A level from 0 to 4, drawn anew for each game, as levels of people are (Poisson, mean 1.5)"
    return [
        (UNIFORM, "Random play"),
        *([*levels, ("some-level(levels=4, tau=1.5)", drawn)] if two else []),
        *([("sequence-lp", "An equilibrium, where the game has a tree of moderate size")] if two else []),
        ("is-mcts(simulations=2000)", "A live search, 2,000 simulations a move"),
        (PERSON, "A person: you get a link for them"),
    ]


def seated(given: Mapping[str, str], against: Sequence[str], others: Sequence[int]) -> dict[int, str]:
    """Who sits in the other seats: one for all, unless a seat has its own (`against.2`) or all are listed.

    Examples
    --------
    >>> seated({"against.2": "is-mcts"}, ["uniform"], [1, 2])
    {1: 'uniform', 2: 'is-mcts'}
    """
    texts = [*against] * len(others) if len(against) == 1 else [*against] or [UNIFORM] * len(others)
    if others and len(texts) != len(others):
        raise Refusal(400, f"{len(texts)} opponents are named, expected one for all others, or {len(others)}.")
    return {i: given.get(f"{APART}{i}", "").strip() or text for i, text in zip(others, texts)}
