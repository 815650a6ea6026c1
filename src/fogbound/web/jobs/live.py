"""A job followed by a page that is open: its last line as it changes, and when it is over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from html import escape

from fastapi.responses import StreamingResponse

from fogbound.core.numerals import number
from fogbound.web.jobs.store import Jobs, JobState
from fogbound.web.refusal import Refusal

EVERY = 0.5  # seconds between two looks
QUIET = 30  # looks without news after which a line is sent that keeps the connection
MOST = 60  # pages that follow at once
_following = 0


def in_words(state: JobState) -> str:
    """How a job stands, in a line."""
    seconds = f"{number(round(state.seconds), 6)} s"
    return f"{state.said} · {seconds}" if state.said else f"Computing · {seconds}"


def follow(jobs: Jobs, name: str) -> StreamingResponse:
    """A stream of events: `part` with the element `progress`, then `over`."""
    if _following >= MOST:
        raise Refusal(503, "too many pages follow something at once: close one, or reload this later")
    jobs.path(name)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_events(jobs, name), media_type="text/event-stream", headers=headers)


async def _events(jobs: Jobs, name: str) -> AsyncIterator[str]:
    global _following
    _following += 1
    try:
        told, quiet = "", 0
        while (state := await asyncio.to_thread(jobs.state, name)).running:
            line = in_words(state)
            quiet += 1
            if line != told:
                told, quiet = line, 0
                yield f"event: part\ndata: progress\ndata: {escape(line)}\n\n"
            elif quiet >= QUIET:
                quiet = 0
                yield ": still here\n\n"
            await asyncio.sleep(EVERY)
        yield "event: over\ndata: over\n\n"
    finally:
        _following -= 1
