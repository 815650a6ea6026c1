"""Logs of games: what every player saw and did, and what it was paid; the raw material of an estimate.

A log is kept as JSON lines, one game a line below a line that names the game: easy to write from other
programs and to append to. It is read with suspicion, because an estimate believes what it counts.

One line of a log of games, written and strictly read: what is wrong is said in one ValueError.

Logs of games that may never end: written down as far as they were played.

`record` keeps whole games only. Levels of reasoning can meet in a cycle that goes on for ever, and what was seen
until somebody broke the game off is evidence all the same. The length at which it is broken off must not depend on
what is hidden, so a cycle is played on to `most_steps` rather than cut where it closes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fogbound import archive
from fogbound.arena.episode import MOST_STEPS, Episode
from fogbound.core.dist import Dist
from fogbound.core.errors import FileError, GameError, SpecError, brief, cut_short, one_line
from fogbound.core.game import AnyGame, Observation
from fogbound.core.json_lines import json_line, parse_line, read_lines
from fogbound.core.labels import from_json, to_json
from fogbound.core.policy import AnyPolicy, Strategy
from fogbound.forms.decisions import History
from fogbound.parallel import rng_of

Histories = tuple[History | None, ...]
Returns = tuple[float, ...]


def record_line(histories: Histories, returns: Returns) -> str:
    """One game as a line; FileError for labels that are no plain values."""
    shown = [
        None if h is None else [_observation_json(h[0]), *([to_json(a), _observation_json(s)] for a, s in h[1:])]
        for h in histories
    ]
    return json_line({"histories": shown, "returns": list(returns)})


def _observation_json(observation: Observation) -> list[Any]:
    return [to_json(observation.public), to_json(observation.private)]


def read_record(entry: Any, seats: int | None) -> tuple[Histories, Returns]:
    """One game; `players` is how many players it must have."""
    if not isinstance(entry, dict) or set(entry) != {"histories", "returns"}:
        raise ValueError("expected an object with histories and returns, and nothing else")
    histories, returns = entry["histories"], entry["returns"]
    if not isinstance(histories, list) or not isinstance(returns, list) or not histories:
        raise ValueError("histories and returns must be lists, with an entry for each player")
    wanted = seats or len(histories)
    if (len(histories), len(returns)) != (wanted, wanted):
        raise ValueError(f"{len(histories)} histories and {len(returns)} returns, expected {wanted} of each")
    return tuple(h if h is None else _read_history(h) for h in histories), tuple(map(_read_return, returns))


def _read_return(value: Any) -> float:
    if type(value) not in (int, float) or abs(value) > 1e300 or not math.isfinite(value):
        raise ValueError(f"found the return {brief(value)}, expected a number")
    return float(value)


def _read_history(entry: Any) -> History:
    if not isinstance(entry, list) or not entry:
        raise ValueError("a history must be null, or a list that begins with the first observation")
    return (
        _read_observation(entry[0]),
        *((_read_label(action), _read_observation(observation)) for action, observation in map(_read_pair, entry[1:])),
    )


def _read_observation(entry: Any) -> Observation:
    public, private = _read_pair(entry)
    return Observation(_read_label(public), _read_label(private))


def _read_pair(entry: Any) -> tuple[Any, Any]:
    if not isinstance(entry, list) or len(entry) != 2:
        raise ValueError(f"found {brief(entry)}, expected a pair: [public, private], or [action, observation]")
    return entry[0], entry[1]


def _read_label(value: Any) -> Any:
    try:
        label = from_json(value)
        to_json(label)  # refuses what JSON can say and labels cannot be, such as 1e999
    except FileError as error:
        raise ValueError(str(error)) from None
    return label


KIND, SCHEMA = "log", 1


@dataclass(frozen=True)
class Record:
    """One whole game; a history is (first observation, (own action or None, observation), …), as in `Tree.history`.

    Parameters
    ----------
    histories
        By player, its history; None where that is not known.
    returns
        Each player's return.
    """

    histories: tuple[History | None, ...]
    returns: tuple[float, ...]

    def seen_by(self, player: int) -> Record:
        """The same game as `player` knows it when no hands are shown: the others' histories are left out."""
        return replace(self, histories=tuple(h if i == player else None for i, h in enumerate(self.histories)))


def record(game: AnyGame, policies: Sequence[Strategy], games: int, seed: int = 0) -> list[Record]:
    """Play and write down `games` games, each with a seed of its own; `match` with this seed plays the same ones.

    Parameters
    ----------
    game
        The rules.
    policies
        One a player, in the players' order.
    games
        How many games.
    seed
        Of all of them: the same seed gives the same games.

    Returns
    -------
    list of Record
        Each game as every player lived it, with the returns; `Record.seen_by(player)` is what one of them knows.

    Raises
    ------
    GameError
        Where a game cycles or does not end: a log holds whole games.

    Examples
    --------
    >>> import fogbound as fb
    >>> log = fb.arena.record(fb.game("king-ace"), [fb.policies.Uniform()] * 2, games=2, seed=1)
    >>> log[0].returns, log[0].histories[0][1][0]
    ((1.0, -1.0), 'raise')
    """
    _require_games(games)
    records = []
    for kept, ended in _each(game, policies, games, seed):
        if ended != "over":
            words = "entered a cycle" if ended == "cycle" else "did not end"
            raise GameError(
                f"{game}: a game {words}, and a log holds whole games; cut it, such as {cut_short(str(game))}"
            )
        records.append(kept)
    return records


def record_whole(game: AnyGame, policies: Sequence[Strategy], games: int, seed: int = 0) -> tuple[list[Record], int]:
    """The same games without those that do not end, and how many these are."""
    _require_games(games)
    played = list(_each(game, policies, games, seed))
    whole = [kept for kept, ended in played if ended == "over"]
    return whole, len(played) - len(whole)


def _require_games(games: int) -> None:
    if games < 0:
        raise SpecError(f"record: games is {games}, expected at least 0")


def _each(
    game: AnyGame, policies: Sequence[Strategy], games: int, seed: int, cut: int | None = None
) -> Iterator[tuple[Record, str]]:
    """Each game as it went, and how it ended; `cut` is the number of steps after which it is broken off."""
    for number in range(games):
        table = Episode(game, policies, rng_of(seed, number))
        if cut is not None:
            table.policies = [_Clocked(kind) for kind in table.policies]
        histories: list[list[Any]] = [[] for _ in policies]
        for step in table.steps(MOST_STEPS if cut is None else cut):
            own = {} if step.joint is None else dict(zip(game.actors(step.before), step.joint))
            for i, history in enumerate(histories):
                seen = step.outcome.observation(i)
                history.append(seen if step.joint is None else (own.get(i), seen))
        yield Record(tuple(map(tuple, histories)), tuple(map(float, table.returns))), table.ended


def save_log(log: Sequence[Record], path: str | os.PathLike[str], game: AnyGame | str) -> None:
    """Write a log of `game` to `path`, whole or not at all; its labels must be plain values."""
    header = json_line({"fogbound": KIND, "schema": SCHEMA, "game": str(game)})
    games = [record_line(kept.histories, kept.returns) for kept in log]
    archive.write(path, "".join([header, *games]).encode())


def load_log(path: str | os.PathLike[str], game: AnyGame | str | None = None) -> list[Record]:
    """The log at `path` (of `game`, where one is given); FileError naming file and line for anything else."""
    *lines, rest = read_lines(path).split(b"\n")
    log: list[Record] = []
    for number, line in enumerate([*lines, rest] if rest or not lines else lines, 1):
        try:
            if number > len(lines):
                raise ValueError("the line is cut off, expected an end of line" if rest else "the file is empty")
            entry = parse_line(line)
            if number == 1:
                _check_header(entry, game)
            else:
                log.append(Record(*read_record(entry, len(log[0].histories) if log else None)))
        except ValueError as error:
            raise FileError(f"{path}:{number}: {one_line(str(error), 200)}") from None
    return log


def _check_header(header: Any, game: AnyGame | str | None) -> None:
    if not isinstance(header, dict) or header.get("fogbound") != KIND:
        raise ValueError(f'no log of games, expected {{"fogbound": "{KIND}", "schema": {SCHEMA}, "game": …}}')
    schema = header.get("schema")
    if type(schema) is not int or not 1 <= schema <= SCHEMA:
        raise ValueError(f"written in schema {schema!r}, this version reads up to {SCHEMA}; update fogbound")
    if not isinstance(header.get("game"), str):
        raise ValueError("names no game")
    if game is not None and header["game"] != str(game):
        raise ValueError(f"a log of {header['game']}, expected {game}")


CUT_STEPS = 100


@dataclass(frozen=True, eq=False)
class _Clocked:
    """A policy that also counts steps: with a clock in its memory no situation ever comes back."""

    policy: AnyPolicy

    def begin(self, observation: Observation) -> tuple[int, Any]:
        return 0, self.policy.begin(observation)

    def update(self, memory: tuple[int, Any], action: Hashable | None, observation: Observation) -> tuple[int, Any]:
        return memory[0] + 1, self.policy.update(memory[1], action, observation)

    def act(self, memory: tuple[int, Any], actions: Sequence[Hashable]) -> Dist[Hashable]:
        return self.policy.act(memory[1], actions)


def record_until(
    game: AnyGame, policies: Sequence[Strategy], games: int, most_steps: int = CUT_STEPS, seed: int = 0
) -> list[Record]:
    """Play and write down `games` games, each broken off after `most_steps` steps if it is not over by then.

    Where games end sooner they are those of `record` with the same seed. Returns are what was paid until the end.
    """
    if games < 0 or most_steps < 1:
        raise SpecError(f"record_until: {games} games of at most {most_steps} steps, expected at least 0 and 1")
    return [kept for kept, _ in _each(game, policies, games, seed, most_steps)]
