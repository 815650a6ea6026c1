"""`/`: the games there are. `/games/NAME?…`: one of them, which is its own documentation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from fogbound import api
from fogbound.core.drawing import Drawing
from fogbound.core.record import GameGroup
from fogbound.core.registry import parameters
from fogbound.core.spec import Spec
from fogbound.draw.beginning import opening_picture
from fogbound.games import GAMES
from fogbound.web.fields import fields_of, spec_from
from fogbound.web.pages import render_page
from fogbound.web.refusal import Refusal
from fogbound.web.site import Here
from fogbound.web.table.opponents import opponent_choices

router = APIRouter()
FIRST = "po-nim"  # what a visitor may play at once
MOST_ANSWERS = 8
SECONDS = 12.0  # to look at a game
REMEMBERED = 128


@router.get("/")
def list_games(request: Request, site: Here) -> Response:
    """Every game that can be played here."""
    return render_page(request, "games.html", groups=_grouped(), first=_card(FIRST), own=sorted(site.settings.own))


@router.get("/games/{name}")
def show_game(request: Request, site: Here, name: str) -> Response:
    """A game: its rules, parameters, forms, solvers, known values, and what can be done with it."""
    own = name in site.settings.own
    if not own and name not in GAMES:
        raise Refusal(404, "There is no such game here. The first page lists them all.")
    if not own and GAMES.meant(name) != name:
        name = GAMES.meant(name)
    declared = [] if own else [p.name for p in parameters(GAMES.load(name))]
    strange = [key for key in request.query_params if key not in declared]
    if strange:
        raise Refusal(400, f"{name} has no parameter {strange[0][:60]!r}; it has: {', '.join(declared) or 'none'}")
    given = {key: request.query_params[key] for key in declared if key in request.query_params}
    fields = [] if own else fields_of(GAMES, Spec(name), given, "")
    spec = name if own else spec_from(GAMES, Spec(name), fields, "")
    about = site.looker.ask(SECONDS, about="page", game=site.source(spec))  # with its parameters it may be of any size
    return render_page(
        request,
        "game.html",
        name=name,
        spec=spec,
        about=about,
        fields=fields,
        opponents=opponent_choices(about["players"]),
        solvers={entry.name: entry for entry in api.solvers()},
        by_form=_by_form(about["forms"], about["fits"]),
        answers=[one for one in site.answers.listed() if one.game.partition("(")[0] == name][:MOST_ANSWERS],
    )


def _by_form(
    forms: list[dict[str, Any]], fits: list[dict[str, Any]]
) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each form with the solvers that work on it; of a game too large to look at, the forms that solvers name."""
    named = dict.fromkeys(fit["form"] for fit in fits)
    listed = forms or [{"form": kind, "exists": True, "words": "not looked at"} for kind in named]
    return [(form, [fit for fit in fits if fit["form"] == form["form"]]) for form in listed]


@dataclass(frozen=True)
class GameCard:
    """A game on the first page: its name, its title, the first sentence of its rules, a small picture."""

    name: str
    title: str
    about: str
    picture: Drawing | None


@lru_cache(REMEMBERED)
def _card(name: str) -> GameCard:
    """A registered game, as it is when no parameter is chosen."""
    game = api.game(name)
    first = " ".join(api.rules(game).partition("\n\n")[0].split())
    return GameCard(name, game.title, first, opening_picture(game))


def _grouped() -> dict[str, list[GameCard]]:
    """Every registered game, by the group of its record."""
    groups: dict[str, list[GameCard]] = {group: [] for group in GameGroup}
    for name in GAMES:
        groups[GAMES.load(name).record.group].append(_card(name))
    return {group: cards for group, cards in groups.items() if cards}
