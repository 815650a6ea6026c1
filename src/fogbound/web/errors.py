"""What goes wrong, as a page: one clear sentence, never a traceback, never what a player may not see."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from fogbound.core.errors import FogboundError, one_line
from fogbound.web.pages import page
from fogbound.web.refusal import WHY, Refusal

TITLES = {
    400: "That cannot be done",
    403: "Not from there",
    404: "Nothing is here",
    405: "Nothing is done that way here",
    409: "The game has moved on",
    413: "Too large",
    422: "That was not understood",
    429: "Enough is waiting already",
    503: "Too many at once",
}
log = logging.getLogger("fogbound.web")


def handle_errors(app: FastAPI) -> None:
    """Answer everything that is raised with a page."""

    @app.exception_handler(FogboundError)
    async def known(request: Request, error: FogboundError) -> Response:
        status = error.status if isinstance(error, Refusal) else 400
        return _answer(request, status, one_line(str(error), 600))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        return _answer(request, error.status_code, WHY.get(error.status_code, ""))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        where = error.errors()[0]["loc"][-1] if error.errors() else "the request"
        return _answer(request, 422, f"{one_line(str(where), 60)}: that is not a value it can have")

    @app.exception_handler(Exception)
    async def unknown(request: Request, error: Exception) -> Response:
        log.error("%s %s", request.method, request.url.path, exc_info=error)
        return _answer(request, 500, "The server met something that it was not made for, and wrote it into its log.")


def _answer(request: Request, status: int, why: str) -> Response:
    return page(request, "problem.html", status, heading=TITLES.get(status, "That did not work"), why=why, screen="")
