"""`/explore`: the answers there are. `/explore/ID/VIEW`: one of them, one way; with an ending, to take it away."""

from __future__ import annotations

import base64

from fastapi import APIRouter, Request
from fastapi.responses import Response

from fogbound.web.explore.address import NATURAL, Address, ask_explorer
from fogbound.web.explore.views import VIEWS
from fogbound.web.pages import MEDIA_TYPES, attachment, render_page, see_other
from fogbound.web.refusal import Refusal
from fogbound.web.site import Here

router = APIRouter()
KEYS = ("node", "set", "path", "seed")


@router.get("/explore")
def list_answers(request: Request, site: Here) -> Response:
    """What can be looked at."""
    return render_page(request, "explore/answers.html", answers=site.answers.listed())


@router.get("/explore/{answer}")
def redirect_to_view(answer: str, site: Here) -> Response:
    """The view that suits an answer best."""
    found = ask_explorer(site, Address(answer, NATURAL))
    return see_other(f"/explore/{answer}/{found['view']}")


@router.get("/explore/{answer}/{view}")
def show_view(request: Request, answer: str, view: str, site: Here, player: str = "") -> Response:
    """One view of an answer, or the same as a file."""
    name, dot, ending = view.partition(".")
    if name not in VIEWS or (dot and f".{ending}" not in MEDIA_TYPES):
        raise Refusal(404)
    chosen = {key: request.query_params[key] for key in KEYS if key in request.query_params}
    asked = Address(answer, name, player, chosen)
    found = ask_explorer(site, asked, dot + ending)
    if dot:
        return attachment(view, base64.b64decode(found["data"]))
    return render_page(
        request,
        "explore/view.html",
        head=found["head"],
        asked=asked,
        views={key: words for key, (words, _) in VIEWS.items()},
        view=found["shown"],
        why=found["why"],
        python=found["python"],
        player=found["player"],
        players=found["players"],
        of_player=name in ("strategy", "controller", "beliefs"),
    )
