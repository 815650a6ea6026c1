"""`/explore`: the answers there are. `/explore/ID/VIEW`: one of them, one way; with an ending, to take it away."""

from __future__ import annotations

import csv
import io
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from fogbound import api
from fogbound.api.looking import Look
from fogbound.core.drawing import PICTURES
from fogbound.core.errors import FogboundError, one_line
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.tabular import Tabular
from fogbound.web.deadline import within
from fogbound.web.errors import Refusal
from fogbound.web.explore.address import Address
from fogbound.web.explore.headline import headline
from fogbound.web.explore.python_lines import python_lines
from fogbound.web.explore.views import VIEWS
from fogbound.web.explore.views.shown import View
from fogbound.web.pages import page
from fogbound.web.site import Site, site_of

router = APIRouter()
SECONDS = 20.0
KEYS = ("node", "set", "path", "seed")
TYPES = {
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".csv": "text/csv",
    ".py": "text/plain",
}
Here = Annotated[Site, Depends(site_of)]


@router.get("/explore")
def answers(request: Request, site: Here) -> Response:
    """What can be looked at."""
    return page(request, "explore/answers.html", answers=site.answers.listed())


@router.get("/explore/{answer}")
def natural(answer: str, site: Here) -> Response:
    """The view that suits an answer best."""
    with within(SECONDS, "this picture"):
        return RedirectResponse(f"/explore/{answer}/{_natural(site.answers.look(answer))}", 303)


@router.get("/explore/{answer}/{view}")
def view(request: Request, answer: str, view: str, site: Here, player: str = "") -> Response:
    """One view of an answer, or the same as a file."""
    name, dot, ending = view.partition(".")
    if name not in VIEWS or (dot and f".{ending}" not in TYPES):
        raise Refusal(404)
    chosen = {key: request.query_params[key] for key in KEYS if key in request.query_params}
    asked = Address(answer, name, player, chosen)
    with within(SECONDS, "this picture"):
        look = site.answers.look(answer)
        who = look.player(player or None)
        if dot:
            return _taken_away(look, who, asked, f".{ending}")
        shown, why = _shown(look, who, asked)
        python = python_lines(look.solution, shown.python) if shown else ""
        return page(
            request,
            "explore/view.html",
            head=headline(look),
            asked=asked,
            views={key: words for key, (words, _) in VIEWS.items()},
            view=shown,
            why=why,
            python=python,
            player=look.game.players[who],
            players=[look.game.players[i] for i in sorted(look.solution.profile)],
            of_player=name in ("strategy", "controller", "beliefs"),
        )


def _natural(look: Look) -> str:
    """Strategy where it can be listed, else controller; beliefs of what plays by vectors; bounds of all else."""
    try:
        if isinstance(look.policy(), AlphaVectors):
            return "beliefs"
        return "strategy" if isinstance(look.natural(), Tabular) else "controller"
    except Refusal:
        raise
    except FogboundError:
        return "bounds"


def _shown(look: Look, player: int, asked: Address) -> tuple[View | None, str]:
    """A view, or why there is none of this answer: not every answer has every view."""
    try:
        return VIEWS[asked.view][1](look, player, asked), ""
    except Refusal:
        raise
    except FogboundError as error:
        from fogbound.core.errors import Stopped

        if isinstance(error, Stopped):
            raise
        return None, one_line(str(error), 400)


def _taken_away(look: Look, player: int, asked: Address, ending: str) -> Response:
    """What is seen, as a file."""
    if ending == ".csv":
        data = _csv(look, player, asked).encode()
    else:
        shown = VIEWS[asked.view][1](look, player, asked)
        data = (
            python_lines(look.solution, shown.python).encode()
            if ending == ".py"
            else PICTURES[ending](shown.picture.plain())
        )
    file = f"{asked.view}{ending}"
    return Response(data, media_type=TYPES[ending], headers={"content-disposition": f'attachment; filename="{file}"'})


def _csv(look: Look, player: int, asked: Address) -> str:
    """The figures behind a view: bounds over time, payoffs, or what the player does where."""
    if asked.view not in ("bounds", "matrix"):
        return str(api.table(look.solution, player, look.game).to_csv())
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if asked.view == "bounds":
        writer.writerow(("iteration", "seconds", "value", "lower", "upper"))
        writer.writerows(
            (m.iteration, repr(m.seconds), repr(m.value), repr(m.lower), repr(m.upper)) for m in look.solution.trace
        )
        return text.getvalue()
    from fogbound.evaluate.strategy_names import strategy_names
    from fogbound.forms.normal import NormalForm
    from fogbound.forms.protocol import derive

    form = derive(look.game, NormalForm)
    names = strategy_names(form).strategies
    writer.writerow((*look.game.players, *(f"pays {name}" for name in look.game.players)))
    for j, row in enumerate(names[0]):
        for k, column in enumerate(names[1]):
            writer.writerow((row, column, *map(repr, form.payoff[j, k].tolist())))
    return text.getvalue()
