"""`/arena`: tournaments, and a form for another. `/arena/ID`: one of them, live until it is over."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from fogbound.games import GAMES
from fogbound.web.arena.entry import ASKED, LIVE, MOST_DEALS, MOST_ENTRANTS, TIES, TournamentAsked, asked, read_asked
from fogbound.web.arena.standings import Standings, as_csv, as_latex, standings
from fogbound.web.pages import environment, page
from fogbound.web.processes.followed import follow, in_words
from fogbound.web.refusal import Refusal
from fogbound.web.site import Site, site_of

router = APIRouter(prefix="/arena")
Here = Annotated[Site, Depends(site_of)]
MOST_LISTED = 50
SUGGESTED = (
    "uniform",
    "level-k(level=1)",
    "level-k(level=2)",
    "level-k(level=3)",
    "sequence-lp",
    "is-mcts(simulations=200)",
)


@router.get("")
def tournaments(request: Request, site: Here, game: str = "po-nim") -> Response:
    """What was played, and a form for more."""
    folder = site.tournaments.folder
    dated = sorted(folder.glob(f"*{ASKED}"), key=lambda path: -path.stat().st_mtime_ns)[:MOST_LISTED]
    listed = [(path.stem, read_asked(path)) for path in dated]
    return page(
        request,
        "arena/arena.html",
        games=[*site.settings.own, *GAMES],
        game=game[:200],
        suggested=[*SUGGESTED, *(f"run:{one.id}" for one in site.answers.listed() if one.value)],
        tournaments=[(name, one, site.tournaments.state(name).running) for name, one in listed if one],
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
    wanted = asked(site, game, entrant, deals, ties, seed)
    name = secrets.token_hex(16)
    folder = site.tournaments.folder
    words = wanted.words(site, folder / f"{name}.jsonl", folder / f"{name}{LIVE}")
    site.tournaments.start(name, words)
    wanted.keep(_asked_path(site, name))
    return RedirectResponse(f"/arena/{name}", 303)


@router.get("/{name}")
def one(request: Request, site: Here, name: str) -> Response:
    """A tournament: how it goes, or what came of it."""
    name, dot, ending = name.partition(".")
    wanted, found = _asked(site, name), _standings(site, name)
    if dot:
        return _taken_away(found, ending)
    state = site.tournaments.state(name)
    return page(
        request,
        "arena/tournament.html",
        name=name,
        asked=wanted,
        found=found,
        state=state,
        progress=in_words(state),
    )


@router.post("/{name}/stop")
def stop(site: Here, name: str) -> Response:
    """Stop it, and keep what was played."""
    _asked(site, name)
    site.tournaments.stop(name)
    return RedirectResponse(f"/arena/{name}", 303)


@router.get("/{name}/live")
def live(site: Here, name: str) -> Response:
    """Follow it."""
    _asked(site, name)
    return follow(site.tournaments, name, lambda: {"standings": _drawn(_standings(site, name))})


def _standings(site: Site, name: str) -> Standings | None:
    """What came of it, or how it stands."""
    path = site.tournaments.path(name)
    return standings(path, path.with_suffix(LIVE))


def _drawn(found: Standings | None) -> str:
    parts = environment.get_template("arena/parts.html").module
    return str(parts.standings(found)) if found else ""  # type: ignore[attr-defined]


def _asked_path(site: Site, name: str) -> Path:
    return site.tournaments.path(name).with_suffix(ASKED)


def _asked(site: Site, name: str) -> TournamentAsked:
    wanted = read_asked(_asked_path(site, name))
    if wanted is None:
        raise Refusal(404, "There is no such tournament here.")
    return wanted


def _taken_away(found: Standings | None, ending: str) -> Response:
    writers = {"csv": as_csv, "tex": as_latex}
    if found is None or ending not in writers:
        raise Refusal(404)
    headers = {"content-disposition": f'attachment; filename="standings.{ending}"'}
    return Response(writers[ending](found), media_type="text/plain; charset=utf-8", headers=headers)
