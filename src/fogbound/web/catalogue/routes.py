"""`/`: the games there are. `/games/NAME?…`: one of them, which is its own documentation."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from fogbound import api
from fogbound.core.registry import parameters
from fogbound.core.spec import Spec
from fogbound.forms.available import Available
from fogbound.games import GAMES
from fogbound.web.catalogue.facts import card, facts, grouped
from fogbound.web.fields import fields_of, spec_from
from fogbound.web.pages import page
from fogbound.web.refusal import Refusal
from fogbound.web.site import Site, site_of
from fogbound.web.table.start import opponents

router = APIRouter()
FIRST = "po-nim"  # what a visitor may play at once
MOST_ANSWERS = 8
Here = Annotated[Site, Depends(site_of)]


@router.get("/")
def games(request: Request, site: Here) -> Response:
    """Every game that can be played here."""
    return page(request, "games.html", groups=grouped(), first=card(FIRST), own=sorted(site.settings.own))


@router.get("/games/{name}")
def game(request: Request, site: Here, name: str) -> Response:
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
    about = facts(site, site.source(spec))
    return page(
        request,
        "game.html",
        name=name,
        spec=spec,
        about=about,
        fields=fields,
        opponents=opponents(about.players),
        solvers={entry.name: entry for entry in api.solvers()},
        by_form=_by_form(about.survey),
        answers=[one for one in site.answers.listed() if one.game.partition("(")[0] == name][:MOST_ANSWERS],
    )


def _by_form(survey: api.Survey) -> list[tuple[Available, list[api.Fit]]]:
    """Each form with the solvers that work on it; of a game too large to look at, the forms that solvers name."""
    listed = survey.forms or [
        Available(kind, True, "not looked at") for kind in {fit.form: None for fit in survey.fits}
    ]
    return [(form, [fit for fit in survey.fits if fit.form == form.form]) for form in listed]
