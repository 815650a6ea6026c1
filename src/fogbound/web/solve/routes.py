"""`/solve`: what to solve, and the runs there are. `/runs/ID`: one of them, as it goes and when it is over."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from fogbound.games import game_titles
from fogbound.web.pages import page
from fogbound.web.refusal import Refusal
from fogbound.web.site import Site, site_of
from fogbound.web.solve.downloads import download, python_lines
from fogbound.web.solve.form import asked, filled
from fogbound.web.solve.live import LiveStreams
from fogbound.web.solve.shown import shown, title

router = APIRouter()
streams = LiveStreams()
TheSite = Annotated[Site, Depends(site_of)]
AFTER = 303  # so that a reload asks for the page and not for the change again


@router.get("/solve")
def solve(request: Request, site: TheSite) -> Response:
    """The form, and the list of runs."""
    given = dict(request.query_params)
    return page(request, "solve.html", form=filled(site, given), games=game_titles(), **_listed(site))


@router.post("/solve/runs")
async def begin(request: Request, site: TheSite) -> Response:
    """Begin a run."""
    form = await request.form(max_files=0, max_fields=200)
    given = {key: value for key, value in form.items() if isinstance(value, str)}
    wanted = await run_in_threadpool(asked, site, given)
    run = await run_in_threadpool(site.runs.submit, wanted)
    return RedirectResponse(f"/runs/{run}", AFTER)


@router.get("/runs/{run}")
def one(request: Request, site: TheSite, run: str, chart: str = "") -> Response:
    """A run."""
    folder = site.runs.get(run)
    return page(
        request,
        "run.html",
        run=shown(site, folder),
        kind=_kind(chart),
        python=python_lines(site, folder),
        screen="/solve",
    )


@router.get("/runs/{run}/live")
def live(request: Request, site: TheSite, run: str, chart: str = "") -> StreamingResponse:
    """A run as it goes: a stream of events."""
    seen = request.headers.get("last-event-id", "")
    return streams.response(site, site.runs.get(run), seen, _kind(chart))


@router.post("/runs/{run}/stop")
def stop(site: TheSite, run: str) -> Response:
    """Stop and keep."""
    site.runs.stop(site.runs.get(run))
    return RedirectResponse(f"/runs/{run}", AFTER)


@router.post("/runs/{run}/go-on")
def go_on(site: TheSite, run: str) -> Response:
    """Go on after all."""
    site.runs.go_on(site.runs.get(run))
    return RedirectResponse(f"/runs/{run}", AFTER)


@router.post("/runs/{run}/discard")
def discard(site: TheSite, run: str) -> Response:
    """Throw it away."""
    site.runs.discard(site.runs.get(run))
    return RedirectResponse("/solve", AFTER)


@router.post("/runs/{run}/verify")
def verify(request: Request, site: TheSite, run: str) -> Response:
    """Ask the independent checker, and show what it says."""
    folder = site.runs.get(run)
    run_shown = shown(site, folder)
    game = site.source(run_shown.asked.game)
    proof = site.looker.ask(60.0, about="proof", path=str(folder.solution), game=game)
    return page(request, "proof.html", run=run_shown, proof=proof, screen="/solve")


@router.get("/runs/{run}/{name}")
def taken(site: TheSite, run: str, name: str, chart: str = "") -> Response:
    """Something of a run to take away."""
    data, kind = download(site, site.runs.get(run), name, _kind(chart))
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=kind, headers=headers)


def _kind(chart: str) -> str:
    return chart if chart in ("gap", "bounds") else ""


def _listed(site: Site) -> dict[str, Any]:
    """What the lists of the screen hold: runs with the names of their games, files, games of one's own."""
    rows = []
    for row in site.runs.rows(50):
        with suppress(Refusal):  # discarded this moment
            wanted = site.runs.get(row.id).asked()
            rows.append((row, title(site, wanted) if wanted else row.game))
    return {"rows": rows, "files": site.shelf.all(), "own": list(site.settings.own)}
