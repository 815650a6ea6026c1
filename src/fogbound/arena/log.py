"""Logs of games: what every seat saw and did, and what it was paid; the raw material of an estimate.

A log is kept as JSON lines, one game a line below a line that names the game: easy to write from other
programs and to append to. It is read with suspicion, because an estimate believes what it counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fogbound import archive
from fogbound.arena import log_lines
from fogbound.arena.playing import Table
from fogbound.core.dist import Rng
from fogbound.core.errors import FileError, GameError, SpecError, one_line
from fogbound.core.game import AnyGame
from fogbound.core.policy import Player
from fogbound.forms.tree import History

KIND, SCHEMA = "log", 1


@dataclass(frozen=True)
class Record:
    """One whole game. A history is (first sight, (own action or None, sight), …), as `Tree.history` has it."""

    histories: tuple[History | None, ...]  # by seat; None where it is not known
    returns: tuple[float, ...]

    def seen_by(self, seat: int) -> Record:
        """The same game as `seat` knows it when no hands are shown: the others' histories are left out."""
        return replace(self, histories=tuple(h if i == seat else None for i, h in enumerate(self.histories)))


def record(game: AnyGame, policies: Sequence[Player], games: int, seed: int = 0) -> list[Record]:
    """Play and write down `games` games, each with a seed of its own; `match` with this seed plays the same ones."""
    found = []
    for kept, ended in _each(game, policies, games, seed):
        if ended != "over":
            words = "entered a cycle" if ended == "cycle" else "did not end"
            raise GameError(f"{game}: a game {words}, and a log holds whole games; cut it with horizon()")
        found.append(kept)
    return found


def record_whole(game: AnyGame, policies: Sequence[Player], games: int, seed: int = 0) -> tuple[list[Record], int]:
    """The same games without those that do not end, and how many these are."""
    played = list(_each(game, policies, games, seed))
    whole = [kept for kept, ended in played if ended == "over"]
    return whole, len(played) - len(whole)


def _each(game: AnyGame, policies: Sequence[Player], games: int, seed: int) -> Iterator[tuple[Record, str]]:
    """Each game as it went, and how it ended."""
    if games < 0:
        raise SpecError(f"record: games is {games}, expected at least 0")
    for source in np.random.SeedSequence(seed).spawn(games):
        yield _one(game, policies, np.random.default_rng(source))


def _one(game: AnyGame, policies: Sequence[Player], rng: Rng) -> tuple[Record, str]:
    table = Table(game, policies, rng)
    histories: list[list[Any]] = [[] for _ in policies]
    for step in table.steps():
        own = {} if step.joint is None else dict(zip(game.actors(step.before), step.joint))
        for i, history in enumerate(histories):
            seen = step.outcome.seen(i)
            history.append(seen if step.joint is None else (own.get(i), seen))
    return Record(tuple(map(tuple, histories)), tuple(map(float, table.returns))), table.ended


def save(log: Sequence[Record], path: str | os.PathLike[str], game: AnyGame | str) -> None:
    """Write a log of `game` to `path`, whole or not at all; its labels must be plain values."""
    header = log_lines.dumps({"fogbound": KIND, "schema": SCHEMA, "game": str(game)})
    games = [log_lines.written(kept.histories, kept.returns) for kept in log]
    archive.write(path, "".join([header, *games]).encode())


def load(path: str | os.PathLike[str], game: AnyGame | str | None = None) -> list[Record]:
    """The log at `path` (of `game`, where one is given); FileError naming file and line for anything else."""
    *lines, rest = _bytes(path).split(b"\n")
    log: list[Record] = []
    for number, line in enumerate([*lines, rest] if rest or not lines else lines, 1):
        try:
            if number > len(lines):
                raise ValueError("the line is cut off, expected an end of line" if rest else "the file is empty")
            entry = log_lines.loads(line)
            if number == 1:
                _check_header(entry, game)
            else:
                log.append(Record(*log_lines.read(entry, len(log[0].histories) if log else None)))
        except ValueError as error:
            raise FileError(f"{path}:{number}: {one_line(str(error), 200)}") from None
    return log


def _bytes(path: str | os.PathLike[str]) -> bytes:
    try:
        size = Path(path).stat().st_size
        if size > archive.MOST_BYTES:
            raise FileError(f"{path}: {size:,} bytes, expected at most {archive.MOST_BYTES:,}")
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file") from None
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error


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
