"""`/`: the games there are. `/games/NAME`: one of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from fogbound import api
from fogbound.web.pages import page
from fogbound.web.site import Site, site_of

router = APIRouter()


@router.get("/")
def games(request: Request, site: Annotated[Site, Depends(site_of)]) -> Response:
    """Every game that can be played here."""
    return page(
        request, "games.html", entries=[entry for entry in api.games() if entry.kind == "game"], own=site.settings.own
    )
