"""The routes that screens of jobs share: a job followed by a page that is open, and stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from html import escape

from fastapi import APIRouter
from fastapi.responses import Response

from fogbound.core.numerals import number
from fogbound.web.pages import see_other
from fogbound.web.processes.jobs import Jobs, JobState
from fogbound.web.site import Here, Site
from fogbound.web.streams import STILL_HERE, EventStreams, event_stream, event_text

EVERY = 0.5  # seconds between two looks
QUIET = 30  # looks without news after which a line is sent that keeps the connection
MOST, MOST_OF_JOB = 60, 12  # pages that follow at once: in all, of one job
streams = EventStreams(MOST)
Parts = Callable[[], Mapping[str, str]]  # what else a page shows of a job: HTML by the id of an element


def progress_words(state: JobState) -> str:
    """How a job stands, in a line."""
    return f"{state.said or 'Computing'} · {number(round(state.seconds), 6)} s"


def add_job_routes(
    router: APIRouter,
    jobs_of: Callable[[Site], Jobs],
    require: Callable[[Site, str], object],
    parts: Callable[[Site, str], Mapping[str, str]] = lambda _, __: {},
) -> None:
    """Add `/NAME/stop` and `/NAME/live` to a screen.

    Parameters
    ----------
    router
        The screen's.
    jobs_of
        Its jobs, among what the server has.
    require
        Refuses a name that is none of its.
    parts
        What else its page shows of a job: HTML by the id of an element.
    """

    @router.post("/{name}/stop")
    def stop_job(site: Here, name: str) -> Response:
        require(site, name)
        jobs_of(site).stop(name)
        return see_other(f"{router.prefix}/{name}")

    @router.get("/{name}/live")
    def follow_job(site: Here, name: str) -> Response:
        require(site, name)
        jobs = jobs_of(site)
        jobs.path(name)
        streams.require_room(job=_share(jobs, name))
        return event_stream(_events(jobs, name, lambda: parts(site, name)))


def _share(jobs: Jobs, name: str) -> tuple[Hashable, int]:
    return (jobs.folder, name), MOST_OF_JOB


async def _events(jobs: Jobs, name: str, more: Parts) -> AsyncIterator[str]:
    """`part` with the element `progress` and those of `more`, each when it is new; then `over`."""
    told, quiet = dict[str, str](), 0
    with streams.follow(job=_share(jobs, name)) as own:
        while (state := await asyncio.to_thread(jobs.state, name)).running:
            parts = {"progress": escape(progress_words(state)), **await asyncio.to_thread(more)}
            news = {key: html for key, html in parts.items() if html and told.get(key) != html}
            told |= news
            quiet = 0 if news else quiet + 1
            for key, html in news.items():
                yield event_text("part", key, html)
            if quiet >= QUIET:
                quiet = 0
                yield STILL_HERE
            await asyncio.sleep(EVERY)
            if own.ended:
                return
        yield event_text("over", "over")
