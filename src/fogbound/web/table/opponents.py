"""Who plays against people: saved solutions, levels, equilibria, live searches. What takes long is made elsewhere.

A solver runs in a process of its own, under limits, and what it found is kept in a file: the next game against the same
opponent begins at once, and so does one that goes on after the server was killed.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

from fogbound import api
from fogbound.core.dist import Dist
from fogbound.core.errors import FogboundError, one_line
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import AnyPolicy, Mixed, Strategy, thinks
from fogbound.core.spec import parse
from fogbound.inference.opponent import Opponent
from fogbound.naming.limits import limits_apart
from fogbound.solvers import SOLVERS
from fogbound.web.naming import registered, require_no_file
from fogbound.web.processes.child import COMMAND
from fogbound.web.processes.jobs import last_line
from fogbound.web.processes.supervisor import NOWHERE, ChildProcess
from fogbound.web.refusal import Refusal
from fogbound.web.table.drawn_level import drawn_level, is_drawn

SECONDS = 60.0  # that a solver takes for an opponent unless told
GRACE = 60.0  # seconds more for reading, compiling and writing, until it is ended
MEMORY = 4 * 1024**3  # bytes that it may take
MOST_WAITING = 8
MOST_KEPT = 64  # policies that stay in memory
PERSON, UNIFORM, RUN = "person", "uniform", "run:"
_RUN = re.compile(r"run:([0-9a-f]{32})")


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
def in_words(text: str) -> str:
    """An opponent as people call it.

    Examples
    --------
    >>> in_words("level-k(level=3)"), in_words("uniform"), in_words("sequence-lp")
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
    return Opponent(in_words(text), policy, text, drawn_level(text).drawn if is_drawn(text) else ())
