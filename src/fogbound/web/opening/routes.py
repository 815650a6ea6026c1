"""`/open`: send a file. `/open/ID`: what was found in it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from fogbound.core.drawing import quoted
from fogbound.core.errors import one_line
from fogbound.web.pages import render_page, see_other
from fogbound.web.processes.looker import Looker
from fogbound.web.refusal import Refusal
from fogbound.web.runs.folder import KEPT, Asked
from fogbound.web.shelf import ENDINGS, RULE, SOLUTION, Opened, trim
from fogbound.web.site import OPENED, Here, Site

router = APIRouter()
SECONDS, PROCESSOR = 30.0, 30  # of a process that reads a file: by the clock, and by the processor


@router.get("/open")
def choose_file(request: Request, site: Here) -> Response:
    """Where a file is sent from."""
    return render_page(request, "open.html", endings=ENDINGS, rule=RULE, files=site.shelf.all(), screen="/solve")


@router.post("/open")
async def receive_file(request: Request, site: Here) -> Response:
    """Take a file, and read it where it can do no harm."""
    form = await request.form(max_files=1, max_fields=4)
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        raise Refusal(400, "no file was sent: choose one, or drop it onto the page")
    data = await file.read()
    where = await run_in_threadpool(_opened, site, file.filename, data)
    await run_in_threadpool(lambda: trim([*site.shelf.uploads(), *site.runs.uploads()]))
    return see_other(where)


@router.get("/open/{name}")
def show_file(request: Request, site: Here, name: str) -> Response:
    """A file that was opened."""
    return render_page(request, "file.html", file=site.shelf.get(name), opened=OPENED, screen="/solve")


def _opened(site: Site, name: str, data: bytes) -> str:
    """The address of what a file became: a model's page, or a run that is over."""
    found, shown, path = site.shelf.place(name, data)
    about = "solution" if path.suffix == SOLUTION else "model"
    looker = Looker(processor=PROCESSOR)
    try:
        told = looker.ask(SECONDS, about=about, path=str(path))
        if about == "model":
            picture = site.shelf.named(told.pop("picture"), **{found: quoted(shown)})  # SVG: a name is text there too
            told = site.shelf.named(told, **{found: shown})
            site.shelf.note(Opened(found, shown, path, {**told, "picture": picture}))
            return f"/open/{found}"
        return f"/runs/{_kept(site, shown, path, told)}"
    except Refusal as refusal:
        site.shelf.remove(path)
        raise Refusal(refusal.status, site.shelf.named(str(refusal), **{found: shown})) from None
    finally:
        looker.close()


def _kept(site: Site, name: str, path: Any, told: dict[str, Any]) -> str:
    """A solution that came as a file, as a run: nothing of it is called certified before it was checked here."""
    provenance, over = told["provenance"], told["over"]
    game = one_line(str(provenance.get("game")), 400)
    try:
        site.source(game)
    except Refusal:
        raise Refusal(
            400, f"{name} solves {game}, which is no game of this server: use fogbound show and verify"
        ) from None
    over |= {
        "state": KEPT,
        "certified": "none",
        "trust": "claimed by the file, not checked yet",
        "why": f"read from {name}",
        "opened": name,
    }
    solver, player = str(provenance.get("solver", "")), str(provenance.get("player", 0))
    run = site.runs.keep(path, Asked(game, solver, player), provenance, over)
    site.shelf.remove(path)
    return run
