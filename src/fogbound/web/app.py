"""The application: its screens put together, behind the guard."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from fogbound.core.errors import FogboundError, one_line
from fogbound.web.arena.routes import router as arena
from fogbound.web.catalogue.routes import router as catalogue
from fogbound.web.explore.routes import router as explore
from fogbound.web.guard import App, Guard
from fogbound.web.opening.routes import router as opening
from fogbound.web.pages import render_page
from fogbound.web.processes.looker import Looker
from fogbound.web.refusal import WHY, Refusal
from fogbound.web.reproduce.routes import router as reproduce
from fogbound.web.settings import Settings
from fogbound.web.site import Site
from fogbound.web.solve.routes import router as solve
from fogbound.web.table.routes import router as table

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


def make_app(settings: Settings | None = None, looker: Looker | None = None) -> App:
    """The web app as an ASGI application.

    Parameters
    ----------
    settings
        Where it keeps things and whom it answers to; its defaults serve this machine alone.
    looker
        The process that looks at games, where one was begun already.
    """
    settings = settings or Settings()

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        app.state.site.open()
        yield
        app.state.site.close()

    app = FastAPI(title="Fogbound", docs_url=None, redoc_url=None, openapi_url=None, lifespan=living)
    app.state.site = Site(settings, looker)
    handle_errors(app)
    for screen in (catalogue, table, solve, opening, explore, reproduce, arena):
        app.include_router(screen)
    app.mount("/static", StaticFiles(directory=str(files("fogbound.web") / "static")))
    return Guard(app, settings)


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
    return render_page(
        request, "problem.html", status, heading=TITLES.get(status, "That did not work"), why=why, screen=""
    )
