"""`/explore`: the answers there are. `/explore/ID/VIEW`: one of them, one way; with an ending, to take it away."""

from __future__ import annotations

import base64
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response

from fogbound.web.explore.address import Address
from fogbound.web.explore.asking import NATURAL, explore
from fogbound.web.explore.headline import Headline
from fogbound.web.explore.views import VIEWS
from fogbound.web.explore.views.shown import restored
from fogbound.web.pages import page
from fogbound.web.refusal import Refusal
from fogbound.web.site import Site, site_of

router = APIRouter()
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
    found = explore(site, Address(answer, NATURAL))
    return RedirectResponse(f"/explore/{answer}/{found['view']}", 303)


@router.get("/explore/{answer}/{view}")
def view(request: Request, answer: str, view: str, site: Here, player: str = "") -> Response:
    """One view of an answer, or the same as a file."""
    name, dot, ending = view.partition(".")
    if name not in VIEWS or (dot and f".{ending}" not in TYPES):
        raise Refusal(404)
    chosen = {key: request.query_params[key] for key in KEYS if key in request.query_params}
    asked = Address(answer, name, player, chosen)
    found = explore(site, asked, dot + ending)
    if dot:
        headers = {"content-disposition": f'attachment; filename="{view}"'}
        return Response(base64.b64decode(found["data"]), media_type=TYPES[dot + ending], headers=headers)
    return page(
        request,
        "explore/view.html",
        head=Headline(**found["head"]),
        asked=asked,
        views={key: words for key, (words, _) in VIEWS.items()},
        view=restored(found["shown"]) if found["shown"] else None,
        why=found["why"],
        python=found["python"],
        player=found["player"],
        players=found["players"],
        of_player=name in ("strategy", "controller", "beliefs"),
    )
