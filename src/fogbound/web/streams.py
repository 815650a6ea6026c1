"""Event streams that pages hold open: how many there may be in all, and how many of one seat, table, run or job.

A new stream of an owner that has its share ends the oldest of that owner: a page that was left open somewhere, or one
visitor with hundreds of connections, takes nothing from the others.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.responses import StreamingResponse

from fogbound.web.refusal import Refusal

STILL_HERE = ": still here\n\n"  # a comment that keeps the connection


@dataclass(eq=False)
class OpenStream:
    """One stream.

    Attributes
    ----------
    owners
        Whose it is: a seat and its table, a run, a job.
    ended
        Whether it must end, because a newer one of the same owner has taken its place.
    """

    owners: tuple[Hashable, ...]
    ended: bool = False


class EventStreams:
    """The streams that are open. Only the event loop opens and ends them.

    Parameters
    ----------
    most
        How many there may be in all.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: list[OpenStream] = []  # the oldest first

    def __len__(self) -> int:
        return len(self._open)

    def require_room(self, **shares: tuple[Hashable, int]) -> None:
        """Refuse a stream where there are too many in all, and none of its owners has one that would end."""
        full = any(len(self._of(owner)) >= most for owner, most in shares.values())
        if len(self._open) >= self.most and not full:
            raise Refusal(503, f"{self.most} pages are followed at once already. Close one, or reload this one later.")

    @contextmanager
    def follow(self, **shares: tuple[Hashable, int]) -> Iterator[OpenStream]:
        """A place for one stream while it is open.

        Parameters
        ----------
        shares
            By kind (seat, table, run, job): the owner, and how many streams it may have.
        """
        for owner, most in shares.values():
            for oldest in self._of(owner)[: max(0, len(self._of(owner)) - most + 1)]:
                oldest.ended = True
                self._open.remove(oldest)
        stream = OpenStream(tuple(owner for owner, _ in shares.values()))
        self._open.append(stream)
        try:
            yield stream
        finally:
            if not stream.ended:
                self._open.remove(stream)

    def _of(self, owner: Hashable) -> list[OpenStream]:
        return [stream for stream in self._open if owner in stream.owners]


def event_stream(events: AsyncIterator[str]) -> StreamingResponse:
    """An answer that stays open; proxies pass on each event at once."""
    return StreamingResponse(events, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


def event_text(name: str, *data: str) -> str:
    """One event of a stream, its data line by line."""
    return f"event: {name}\n" + "".join(f"data: {line}\n" for line in "\n".join(data).splitlines()) + "\n"
