"""A stream that tells a waiting page when to look again. It carries no game: the page itself is fetched as ever.

What it looks at changes at beats (`pace.py`), so that it tells no more than the pages do.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from fastapi.responses import StreamingResponse

if TYPE_CHECKING:
    from fogbound.web.table.store import KeptGame, TableStore

PREPARING = "preparing"  # of a game whose policies are not there yet
MOST_OF_TABLE, MOST_OF_SEAT = 24, 6  # streams at once
EVERY, HEARTBEAT, LONGEST = 0.2, 15.0, 600.0  # seconds


def standing(kept: KeptGame, player: int) -> str:
    """What a seat can know of how far a game is: steps, its turn, whether somebody thinks."""
    sitting = kept.sitting
    if sitting is None:
        return PREPARING if not all(future.done() for future in kept.policies.values()) else "prepared"
    if kept.thinking:
        return f"{kept.held[player].told}-thinking"
    told = len(sitting.people[player].seat.steps)
    return "-".join(str(int(part)) for part in (told, sitting.asked(player), sitting.over, bool(sitting.broken)))


def moment(standing: str, waiting: bool) -> str:
    """Where a page stands, and whether something is being worked out for it.

    A page takes its standing before it is drawn and says itself what it waits for, so that nothing that comes meanwhile
    is missed.
    """
    return f"{standing}-{waiting:d}"


def _now(store: TableStore, kept: KeptGame, player: int) -> str:
    return moment(standing(kept, player), store.insights.waiting((kept.id, player)))


def stream(store: TableStore, kept: KeptGame, player: int, before: str) -> StreamingResponse:
    """Ends with one event, as soon as there is anything else to see than at the moment `before`.

    Without one it ends after a while, or when newer pages of the seat wait: a browser that still shows the page asks
    again by itself.
    """
    shares = {"seat": ((kept.id, player), MOST_OF_SEAT), "table": (kept.id, MOST_OF_TABLE)}
    store.streams.require_room(**shares)

    async def events() -> AsyncIterator[str]:
        with store.streams.follow(**shares) as own:
            passed = quiet = 0.0
            while _now(store, kept, player) == before and passed < LONGEST and not own.ended:
                await asyncio.sleep(EVERY)
                passed, quiet = passed + EVERY, quiet + EVERY
                if quiet >= HEARTBEAT:
                    quiet = 0.0
                    yield ": still here\n\n"
            if not own.ended:
                yield "event: over\ndata: look again\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")
