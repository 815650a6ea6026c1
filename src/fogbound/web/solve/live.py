"""A run as it goes, to a page that stays open: events with ids, the newest frame alone, a heartbeat.

A page that comes back says which event it saw last, and gets a frame only if there is a newer one. A slow reader holds
up its own stream and nothing else: the next frame is drawn when the last one was taken.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from fogbound.web.pages import environment
from fogbound.web.refusal import Refusal
from fogbound.web.runs.folder import RunFolder
from fogbound.web.site import Site
from fogbound.web.solve.shown import shown
from fogbound.web.streams import EventStreams, OpenStream

MOST, MOST_OF_RUN = 200, 12  # streams at once: in all, of one run
LOOK, HEARTBEAT = 0.25, 15.0  # seconds
CLOCK = 1.0  # seconds after which the time that it takes is told, though nothing else is new
SHARE = 10  # a picture that takes long to draw is drawn less often: a stream waits so many times as long
PARTS = ("doing", "facts", "figures", "chart", "keep")


class LiveStreams:
    """The streams of runs that are open."""

    def __init__(self) -> None:
        self.streams = EventStreams(MOST)

    def response(self, site: Site, folder: RunFolder, seen: str, kind: str) -> StreamingResponse:
        """The stream of a run; Refusal where too many are open."""
        self.streams.require_room(run=(folder.id, MOST_OF_RUN))
        headers = {"x-accel-buffering": "no"}
        return StreamingResponse(self._counted(site, folder, seen, kind), 200, headers, "text/event-stream")

    async def _counted(self, site: Site, folder: RunFolder, seen: str, kind: str) -> AsyncIterator[str]:
        with self.streams.follow(run=(folder.id, MOST_OF_RUN)) as own:
            async for event in _events(site, folder, seen, kind, own):
                yield event


async def _events(site: Site, folder: RunFolder, seen: str, kind: str, own: OpenStream) -> AsyncIterator[str]:
    yield "retry: 1000\n\n"
    told = clock = time.monotonic()
    while not own.ended:
        began = time.monotonic()
        version, going, frame = await run_in_threadpool(_frame, site, folder, seen, kind, began - clock >= CLOCK)
        now = time.monotonic()
        if frame:
            seen, told, clock = version, now, now
            yield frame
        elif now - told >= HEARTBEAT:
            told = now
            yield ": still here\n\n"
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
        events = [_event("part", f"{name}\n{getattr(parts, name)(run, kind)}") for name in names]
        return run.version, run.going, "".join(events) + f"id: {run.version}\nevent: at\ndata: \n\n"
    return "gone", False, ""


def _event(name: str, data: str) -> str:
    return f"event: {name}\n" + "".join(f"data: {line}\n" for line in data.splitlines()) + "\n"
