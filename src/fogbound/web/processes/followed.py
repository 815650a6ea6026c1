"""A job followed by a page that is open: its last line and what else changes, and when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from html import escape

from fastapi.responses import StreamingResponse

from fogbound.core.numerals import number
from fogbound.web.processes.jobs import Jobs, JobState
from fogbound.web.streams import EventStreams

EVERY = 0.5  # seconds between two looks
QUIET = 30  # looks without news after which a line is sent that keeps the connection
MOST, MOST_OF_JOB = 60, 12  # pages that follow at once: in all, of one job
streams = EventStreams(MOST)
Parts = Callable[[], Mapping[str, str]]  # what else a page shows of a job: HTML by the id of an element


def in_words(state: JobState) -> str:
    """How a job stands, in a line."""
    seconds = f"{number(round(state.seconds), 6)} s"
    return f"{state.said} · {seconds}" if state.said else f"Computing · {seconds}"


def follow(jobs: Jobs, name: str, more: Parts = dict) -> StreamingResponse:
    """A stream of events: `part` with the element `progress` and those of `more`, each when it is new; then `over`."""
    jobs.path(name)
    streams.require_room(job=_share(jobs, name))
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_events(jobs, name, more), media_type="text/event-stream", headers=headers)


def _share(jobs: Jobs, name: str) -> tuple[Hashable, int]:
    return (jobs.folder, name), MOST_OF_JOB


async def _events(jobs: Jobs, name: str, more: Parts) -> AsyncIterator[str]:
    told, quiet = dict[str, str](), 0
    with streams.follow(job=_share(jobs, name)) as own:
        while (state := await asyncio.to_thread(jobs.state, name)).running:
            parts = {"progress": escape(in_words(state)), **await asyncio.to_thread(more)}
            news = {key: html for key, html in parts.items() if html and told.get(key) != html}
            told |= news
            quiet = 0 if news else quiet + 1
            for key, html in news.items():
                yield _event(key, html)
            if quiet >= QUIET:
                quiet = 0
                yield ": still here\n\n"
            await asyncio.sleep(EVERY)
            if own.ended:
                return
        yield "event: over\ndata: over\n\n"


def _event(key: str, html: str) -> str:
    lines = "".join(f"data: {line}\n" for line in html.splitlines())
    return f"event: part\ndata: {key}\n{lines}\n"
