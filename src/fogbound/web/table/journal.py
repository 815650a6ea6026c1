"""A game on disk, line by line: what was asked for, then every step as it is taken. A killed server loses nothing.

A line is written before the answer that follows from it leaves. What people did and what policies did is kept by the
place of each action among the legal ones, so that a game of any labels can be kept, and policies need not think again.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fogbound.web.refusal import Refusal
from fogbound.web.table.sitting import Places, Seeds

KIND, SCHEMA = "table", 1
DAMAGED = "The journal of this game is damaged, so it cannot go on."


@dataclass(frozen=True)
class Seating:
    """What was asked for when a game was begun.

    Parameters
    ----------
    game
        The game, as requests name it.
    seats
        By player, the secret of the link of the person who plays it.
    against
        By player, how a policy is named that plays it.
    seeds
        Where all that is drawn comes from.
    creator
        The player who began the game, and is shown the links of other people; None: nobody is.
    """

    game: str
    seats: dict[int, str]
    against: dict[int, str]
    seeds: Seeds
    creator: int | None = None


@dataclass
class Told:
    """A journal as it was read: what was asked for, the steps taken, what was chosen since, who lifted the fog, whether
    the creator was shown the links of other people, and whether somebody ended the game.
    """

    asked: Seating
    steps: list[Places] = field(default_factory=list)
    chosen: dict[int, int] = field(default_factory=dict)
    assisted: set[int] = field(default_factory=set)
    links_shown: bool = False
    ended: bool = False


class Journal:
    """The file of one game.

    Parameters
    ----------
    path
        Where it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, asked: Seating) -> None:
        """Make the file."""
        header = {"fogbound": KIND, "schema": SCHEMA, "game": asked.game, "seats": asked.seats}
        rest = {"against": asked.against, "seeds": asked.seeds, "creator": asked.creator}
        self._write({**header, **rest}, os.O_EXCL | os.O_CREAT)

    def step(self, places: Places) -> None:
        """A step was taken."""
        self._write({"step": places})

    def choice(self, player: int, place: int) -> None:
        """A person has chosen, and others have not yet."""
        self._write({"chosen": [player, place]})

    def lifted(self, player: int) -> None:
        """A person has lifted the fog."""
        self._write({"assisted": player})

    def links_shown(self) -> None:
        """The creator is shown the links of other people."""
        self._write({"links": True})

    def ended(self) -> None:
        """A person has ended the game."""
        self._write({"ended": True})

    def read(self) -> Told:
        """All of it; what a killed server left half written is no line. 404 where there is no such game."""
        try:
            *lines, _ = self.path.read_bytes().split(b"\n")
        except (FileNotFoundError, ValueError):
            raise Refusal(404) from None
        try:
            header, *rest = map(json.loads, lines)
            told = Told(_asked(header))
            for line in rest:
                _take(told, line)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Refusal(410, DAMAGED) from None
        return told

    def _write(self, line: dict[str, Any], flags: int = 0) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | flags, 0o600)
        try:
            os.write(file, json.dumps(line, separators=(",", ":")).encode() + b"\n")
        finally:
            os.close(file)


def _asked(header: dict[str, Any]) -> Seating:
    if header["fogbound"] != KIND or header["schema"] != SCHEMA:
        raise ValueError
    seeds = tuple((None if last is None else int(last), int(seed)) for last, seed in header["seeds"])
    seats, against = ({int(player): str(text) for player, text in header[key].items()} for key in ("seats", "against"))
    creator = header.get("creator")
    return Seating(str(header["game"]), seats, against, seeds, None if creator is None else int(creator))


def _take(told: Told, line: dict[str, Any]) -> None:
    if "step" in line:
        told.steps.append(tuple(map(int, line["step"])))
        told.chosen.clear()
    elif "chosen" in line:
        player, place = line["chosen"]
        told.chosen[int(player)] = int(place)
    elif "links" in line:
        told.links_shown = True
    elif "opened" in line:
        pass  # written by version 0.1.0, whose pages showed links until they were followed
    elif "ended" in line:
        told.ended = True
    else:
        told.assisted.add(int(line["assisted"]))
