"""`/arena`: tournaments, and a form for another. `/arena/ID`: one of them, live until it is over."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import Response

from fogbound.core.atomic import write
from fogbound.core.bounded import read_bytes
from fogbound.core.errors import FileError
from fogbound.naming.titles import game_titles
from fogbound.web.arena.standings import Standings, as_csv, as_latex, read_standings
from fogbound.web.pages import attachment, environment, render_page, see_other
from fogbound.web.processes.job_routes import add_job_routes, progress_words
from fogbound.web.refusal import Refusal
from fogbound.web.site import OF_RUN, Here, Site

router = APIRouter(prefix="/arena")
MOST_LISTED = 50
SUGGESTED = (
    "uniform",
    "level-k(level=1)",
    "level-k(level=2)",
    "level-k(level=3)",
    "sequence-lp",
    "is-mcts(simulations=200)",
)
MOST_ENTRANTS, MOST_DEALS, MOST_SECONDS = 6, 20_000, 600
TIES = ("split", "first")
MOST_LETTERS = 200
ASKED, LIVE = ".asked", ".live"  # the endings of what was asked, and of how it stands
MOST_BYTES = 100_000


@router.get("")
def tournaments(request: Request, site: Here, game: str = "po-nim") -> Response:
    """What was played, and a form for more."""
    folder = site.tournaments.folder
    dated = sorted(folder.glob(f"*{ASKED}"), key=lambda path: -path.stat().st_mtime_ns)[:MOST_LISTED]
    listed = [(path.stem, read_asked(path)) for path in dated]
    return render_page(
        request,
        "arena/arena.html",
        games=dict.fromkeys(site.settings.own, "your own") | game_titles(),
        game=game[:200],
        suggested=[*SUGGESTED, *(f"run:{one.id}" for one in site.answers.listed() if one.value)],
        tournaments=[
            (name, one, site.title(one.game), site.tournaments.state(name).running) for name, one in listed if one
        ],
        most=MOST_ENTRANTS,
        most_deals=MOST_DEALS,
        ties=TIES,
    )


@router.post("/new")
def new(
    site: Here,
    game: Annotated[str, Form()] = "",
    entrant: Annotated[list[str], Form()] = [],  # noqa: B006, FastAPI copies it
    deals: Annotated[str, Form()] = "200",
    ties: Annotated[str, Form()] = "split",
    seed: Annotated[str, Form()] = "0",
) -> Response:
    """Begin a tournament."""
    wanted = _requested(site, game, entrant, deals, ties, seed)
    name = secrets.token_hex(16)
    folder = site.tournaments.folder
    words = wanted.words(site, folder / f"{name}.jsonl", folder / f"{name}{LIVE}")
    site.tournaments.start(name, words)
    write(folder / f"{name}{ASKED}", json.dumps(asdict(wanted)).encode())
    return see_other(f"/arena/{name}")


@router.get("/{name}")
def one(request: Request, site: Here, name: str) -> Response:
    """A tournament: how it goes, or what came of it."""
    name, dot, ending = name.partition(".")
    wanted, found = _asked(site, name), _standings(site, name)
    if dot:
        return _taken_away(found, ending)
    state = site.tournaments.state(name)
    return render_page(
        request,
        "arena/tournament.html",
        name=name,
        asked=wanted,
        title=site.title(wanted.game),
        found=found,
        state=state,
        progress=progress_words(state),
    )


def _standings(site: Site, name: str) -> Standings | None:
    """What came of it, or how it stands."""
    path = site.tournaments.path(name)
    return read_standings(path) or read_standings(path.with_suffix(LIVE))


def _drawn(found: Standings | None) -> str:
    parts = environment.get_template("arena/parts.html").module
    return str(parts.standings(found)) if found else ""  # type: ignore[attr-defined]


def _asked(site: Site, name: str) -> TournamentAsked:
    wanted = read_asked(site.tournaments.path(name).with_suffix(ASKED))
    if wanted is None:
        raise Refusal(404, "There is no such tournament here.")
    return wanted


def _taken_away(found: Standings | None, ending: str) -> Response:
    writers = {"csv": as_csv, "tex": as_latex}
    if found is None or ending not in writers:
        raise Refusal(404)
    return attachment(f"standings.{ending}", writers[ending](found), "text/plain; charset=utf-8")


add_job_routes(
    router, lambda site: site.tournaments, _asked, lambda site, name: {"standings": _drawn(_standings(site, name))}
)


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
        entrants = [_entrant(site, text) for text in self.entrants]
        limits = ["--games", str(self.deals), "--seconds", str(MOST_SECONDS), "--ties", self.ties]
        kept = ["--json", "--resume", str(journal), "--live", str(live)]
        return ["tournament", *limits, "--seed", str(self.seed), *kept, game, *entrants]


def _requested(site: Site, game: str, entrants: Sequence[str], deals: str, ties: str, seed: str) -> TournamentAsked:
    """What a form says; Refusal where it cannot be played."""
    given = tuple(text.strip() for text in entrants if text.strip())
    if not 2 <= len(given) <= MOST_ENTRANTS:
        raise Refusal(400, f"{len(given)} entrants are named, expected from 2 to {MOST_ENTRANTS}")
    if any(len(text) > MOST_LETTERS for text in (game, *given)):
        raise Refusal(400, f"a name has more than {MOST_LETTERS} letters")
    if ties not in TIES:
        raise Refusal(400, f"ties: expected {' or '.join(TIES)}")
    for text in given:
        _entrant(site, text)
    site.source(game.strip())
    return TournamentAsked(game.strip(), given, _number("deals", deals, MOST_DEALS), ties, _number("seed", seed, 2**31))


def _entrant(site: Site, text: str) -> str:
    """A policy for the command: only what is registered, or an answer of this server's."""
    if text.startswith(OF_RUN):
        return str(site.answers.path(text.removeprefix(OF_RUN)))
    if text.startswith("-"):
        raise Refusal(404, f"there is no policy {text[:60]!r} here: uniform, a solver, or a run's answer")
    return site.opponents(text)


def read_asked(path: Path) -> TournamentAsked | None:
    """What was asked; None where the file is none of ours."""
    try:
        held: dict[str, Any] = json.loads(read_bytes(path, MOST_BYTES, "a tournament"))
        entrants = tuple(map(str, held["entrants"]))
        return TournamentAsked(str(held["game"]), entrants, int(held["deals"]), str(held["ties"]), int(held["seed"]))
    except (FileError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _number(name: str, text: str, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 10 and (name == "seed" or int(text) > 0)):
        raise Refusal(400, f"{name}: expected a whole number up to {most:,}")
    if int(text) > most:
        raise Refusal(400, f"{name}: {int(text):,} is more than {most:,}")
    return int(text)
