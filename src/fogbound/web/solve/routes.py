"""`/solve`: what to solve, and the runs there are. `/runs/ID`: one of them, as it goes and when it is over."""

from __future__ import annotations

import asyncio
import base64
import csv
import io
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from fogbound.core.drawing import PICTURES
from fogbound.driver.protocol import TraceEntry
from fogbound.naming.titles import game_titles
from fogbound.web.explore.address import WHOLE, Address, ask_explorer
from fogbound.web.pages import attachment, environment, render_page, see_other
from fogbound.web.refusal import Refusal
from fogbound.web.runs.folder import RunFolder
from fogbound.web.site import OF_RUN, OPENED, Here, Site
from fogbound.web.solve.form import filled, requested_run
from fogbound.web.solve.shown import shown
from fogbound.web.streams import STILL_HERE, EventStreams, event_stream, event_text

router = APIRouter()
MOST, MOST_OF_RUN = 200, 12  # streams at once: in all, of one run
streams = EventStreams(MOST)
LOOK, HEARTBEAT = 0.25, 15.0  # seconds
CLOCK = 1.0  # seconds after which the time that it takes is told, though nothing else is new
SHARE = 10  # a picture that takes long to draw is drawn less often: a stream waits so many times as long
OTHER_TYPES = {".npz": "application/octet-stream", ".py": "text/x-python"}  # than files of pages have
PARTS = ("doing", "facts", "figures", "chart", "keep")


@router.get("/solve")
def show_form(request: Request, site: Here) -> Response:
    """The form, and the list of runs."""
    given = dict(request.query_params)
    return render_page(request, "solve.html", form=filled(site, given), games=game_titles(), **_listed(site))


@router.post("/solve/runs")
async def begin_run(request: Request, site: Here) -> Response:
    """Begin a run."""
    form = await request.form(max_files=0, max_fields=200)
    given = {key: value for key, value in form.items() if isinstance(value, str)}
    wanted = await run_in_threadpool(requested_run, site, given)
    run = await run_in_threadpool(site.runs.submit, wanted)
    return see_other(f"/runs/{run}")


@router.get("/runs/{run}")
def show_run(request: Request, site: Here, run: str, chart: str = "") -> Response:
    """A run."""
    folder = site.runs.get(run)
    return render_page(
        request,
        "run.html",
        run=shown(site, folder),
        kind=_kind(chart),
        python=solve_script(site, folder),
        screen="/solve",
    )


@router.get("/runs/{run}/live")
def follow_run(request: Request, site: Here, run: str, chart: str = "") -> Response:
    """A run as it goes: a stream of events; Refusal where too many are open."""
    folder, seen = site.runs.get(run), request.headers.get("last-event-id", "")
    streams.require_room(run=(folder.id, MOST_OF_RUN))
    return event_stream(_events(site, folder, seen, _kind(chart)))


@router.post("/runs/{run}/stop")
def stop_run(site: Here, run: str) -> Response:
    """Stop and keep."""
    site.runs.stop(site.runs.get(run))
    return see_other(f"/runs/{run}")


@router.post("/runs/{run}/go-on")
def resume_run(site: Here, run: str) -> Response:
    """Go on after all."""
    site.runs.go_on(site.runs.get(run))
    return see_other(f"/runs/{run}")


@router.post("/runs/{run}/discard")
def discard_run(site: Here, run: str) -> Response:
    """Throw it away."""
    site.runs.discard(site.runs.get(run))
    return see_other("/solve")


@router.post("/runs/{run}/verify")
def verify_run(request: Request, site: Here, run: str) -> Response:
    """Ask the independent checker, and show what it says."""
    folder = site.runs.get(run)
    run_shown = shown(site, folder)
    game = site.source(run_shown.asked.game)
    proof = site.looker.ask(60.0, about="proof", path=str(folder.solution), game=game)
    return render_page(request, "proof.html", run=run_shown, proof=proof, screen="/solve")


@router.get("/runs/{run}/{name}")
def take_away(site: Here, run: str, name: str, chart: str = "") -> Response:
    """Something of a run to take away."""
    data = _download(site, site.runs.get(run), name, _kind(chart))
    return attachment(name, data, OTHER_TYPES.get(Path(name).suffix, ""))


def _kind(chart: str) -> str:
    return chart if chart in ("gap", "bounds") else ""


def _listed(site: Site) -> dict[str, Any]:
    """What the lists of the screen hold: runs with the names of their games, files, games of one's own."""
    rows = []
    for row in site.runs.rows(50):
        with suppress(Refusal):  # discarded this moment
            wanted = site.runs.get(row.id).asked()
            game = wanted.game if wanted else row.game
            rows.append((row, site.title(game), game))
    return {"rows": rows, "files": site.shelf.all(), "own": list(site.settings.own)}


async def _events(site: Site, folder: RunFolder, seen: str, kind: str) -> AsyncIterator[str]:
    """Events with ids, the newest frame alone, a heartbeat.

    A page that comes back says which event it saw last, and gets a frame only if there is a newer one. A slow reader
    holds up its own stream and nothing else: the next frame is drawn when the last one was taken.
    """
    told = clock = time.monotonic()
    with streams.follow(run=(folder.id, MOST_OF_RUN)) as own:
        yield "retry: 1000\n\n"
        while not own.ended:
            began = time.monotonic()
            version, going, frame = await run_in_threadpool(_frame, site, folder, seen, kind, began - clock >= CLOCK)
            now = time.monotonic()
            if frame:
                seen, told, clock = version, now, now
                yield frame
            elif now - told >= HEARTBEAT:
                told = now
                yield STILL_HERE
            if not going:
                yield f"id: {version}\nevent: over\ndata: \n\n"
                return
            await asyncio.sleep(min(max(LOOK, SHARE * (now - began)), CLOCK))


def _frame(site: Site, folder: RunFolder, seen: str, kind: str, due: bool) -> tuple[str, bool, str]:
    """The version of a run, whether it goes on, and its parts as events: all where it is new, figures where due.

    A run that was discarded is over.
    """
    with suppress(Refusal):
        run = shown(site, site.runs.get(folder.id))
        if run.version == seen and not due:
            return seen, run.going, ""
        names = PARTS if run.version != seen else ("figures",)
        parts = environment.get_template("run_parts.html").module
        events = [event_text("part", name, getattr(parts, name)(run, kind)) for name in names]
        return run.version, run.going, "".join(events) + f"id: {run.version}\nevent: at\ndata: \n\n"
    return "gone", False, ""


def _download(site: Site, folder: RunFolder, name: str, kind: str) -> bytes:
    """A file of a run.

    Parameters
    ----------
    site, folder
        Which run.
    name
        ``solution.npz``, ``strategy.csv``, ``trace.csv``, ``bounds.svg``, ``.pdf`` or ``.png``, ``solve.py``.
    kind
        Which picture, as the page has it.
    """
    made: dict[str, Callable[[], bytes]] = {
        "solution.npz": lambda: _require_solution(folder).read_bytes(),
        "strategy.csv": lambda: _strategy(site, folder),
        "trace.csv": lambda: _trace(folder),
        "solve.py": lambda: solve_script(site, folder).encode(),
    }
    if name in made:
        return made[name]()
    ending = name.removeprefix("bounds")
    if ending not in PICTURES:
        raise Refusal(404)
    run = shown(site, folder)
    if not run.trace:
        raise Refusal(404, "There is nothing to draw yet.")
    return PICTURES[ending](run.chart(kind).plain())


def solve_script(site: Site, folder: RunFolder) -> str:
    """The lines of Python that make a run's answer again."""
    run = shown(site, folder)
    asked = run.asked
    game = f'"{run.title}"' if asked.game.startswith(OPENED) else repr(site.settings.own.get(asked.game, asked.game))
    given = {key: value for key, value in asked.limits().items() if value is not None}
    extra = {"player": asked.player} if asked.player != "0" else {}
    if asked.against:
        extra["against"] = "solution.npz" if asked.against.startswith(OF_RUN) else asked.against
    words = [game, repr(asked.solver or run.solver)]
    words += [f"{key}={value!r}" for key, value in {**extra, **given, "seed": asked.seed}.items()]
    return f"import fogbound as fb\n\nsolution = fb.solve({', '.join(words)})\nprint(solution)\n"


def _strategy(site: Site, folder: RunFolder) -> bytes:
    _require_solution(folder)
    return base64.b64decode(ask_explorer(site, Address(folder.id, WHOLE))["data"])


def _trace(folder: RunFolder) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(TraceEntry)])
    writer.writerows(map(astuple, folder.entries()))
    return text.getvalue().encode()


def _require_solution(folder: RunFolder) -> Path:
    if not folder.solution.is_file() or folder.solution.is_symlink():
        raise Refusal(404, "This run has no solution: it is not over, or nothing came of it.")
    return folder.solution
