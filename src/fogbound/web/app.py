"""The application: its screens put together, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from fogbound.web import arena, catalogue, explore, opening, reproduce, solve, table
from fogbound.web.errors import handle_errors
from fogbound.web.guard import App, Guard
from fogbound.web.processes.looker import Looker
from fogbound.web.settings import Settings
from fogbound.web.site import Site


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
        app.include_router(screen.router)
    app.mount("/static", StaticFiles(directory=str(files("fogbound.web") / "static")))
    return Guard(app, settings)
