"""A tournament as a visitor asks for it: checked before anything is run, and kept beside what comes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fogbound.core.atomic import write
from fogbound.web.refusal import Refusal
from fogbound.web.site import OF_RUN, Site

MOST_ENTRANTS, MOST_DEALS, MOST_SECONDS = 6, 20_000, 600
TIES = ("split", "first")
MOST_LETTERS = 200
ASKED, LIVE = ".asked", ".live"  # the endings of what was asked, and of how it stands
MOST_BYTES = 100_000


@dataclass(frozen=True)
class TournamentAsked:
    """What is to be played.

    Parameters
    ----------
    game
        As a request names it.
    entrants
        As a request names them: uniform, a solver's spec, or ``run:`` and the id of an answer.
    deals
        How many, each in every seating.
    ties
        Who wins a tie: split, or the first seat.
    seed
        Same seed, same deals.
    """

    game: str
    entrants: tuple[str, ...]
    deals: int
    ties: str
    seed: int

    def words(self, site: Site, journal: Path, live: Path) -> list[str]:
        """The command that plays it, keeps every game in `journal`, and tells in `live` how it stands."""
        game = site.source(self.game)
        entrants = [entrant(site, text) for text in self.entrants]
        limits = ["--games", str(self.deals), "--seconds", str(MOST_SECONDS), "--ties", self.ties]
        kept = ["--json", "--resume", str(journal), "--live", str(live)]
        return ["tournament", *limits, "--seed", str(self.seed), *kept, game, *entrants]

    def keep(self, path: Path) -> None:
        """Write it down."""
        write(path, json.dumps(asdict(self)).encode())


def asked(site: Site, game: str, entrants: Sequence[str], deals: str, ties: str, seed: str) -> TournamentAsked:
    """What a form says; Refusal where it cannot be played."""
    given = tuple(text.strip() for text in entrants if text.strip())
    if not 2 <= len(given) <= MOST_ENTRANTS:
        raise Refusal(400, f"{len(given)} entrants are named, expected from 2 to {MOST_ENTRANTS}")
    if any(len(text) > MOST_LETTERS for text in (game, *given)):
        raise Refusal(400, f"a name has more than {MOST_LETTERS} letters")
    if ties not in TIES:
        raise Refusal(400, f"ties: expected {' or '.join(TIES)}")
    for text in given:
        entrant(site, text)
    site.source(game.strip())
    return TournamentAsked(game.strip(), given, _number("deals", deals, MOST_DEALS), ties, _number("seed", seed, 2**31))


def entrant(site: Site, text: str) -> str:
    """A policy for the command: only what is registered, or an answer of this server's."""
    if text.startswith(OF_RUN):
        return str(site.answers.path(text.removeprefix(OF_RUN)))
    if text.startswith("-"):
        raise Refusal(404, f"there is no policy {text[:60]!r} here: uniform, a solver, or a run's answer")
    return site.opponents(text)


def read_asked(path: Path) -> TournamentAsked | None:
    """What was asked; None where the file is none of ours."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        held: dict[str, Any] = json.loads(path.read_bytes())
        entrants = tuple(map(str, held["entrants"]))
        return TournamentAsked(str(held["game"]), entrants, int(held["deals"]), str(held["ties"]), int(held["seed"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _number(name: str, text: str, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 10 and (name == "seed" or int(text) > 0)):
        raise Refusal(400, f"{name}: expected a whole number up to {most:,}")
    if int(text) > most:
        raise Refusal(400, f"{name}: {int(text):,} is more than {most:,}")
    return int(text)
