"""A stream that tells a waiting page when to look again. It carries no game: the page itself is fetched as ever.

While a policy thinks longer than a request waits, it looks at beats that double, as answers are given (`pace.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from fastapi.responses import StreamingResponse

from fogbound.web.refusal import Refusal

if TYPE_CHECKING:
    from fogbound.web.table.store import KeptGame, TableStore

MOST = 200  # streams at once
EVERY, HEARTBEAT, LONGEST = 0.2, 15.0, 600.0  # seconds


def moment(store: TableStore, kept: KeptGame, player: int) -> str:
    """What a seat can know of how far things are: steps, its turn, whether something is being worked out for it."""
    sitting = kept.sitting
    waiting = store.insights.waiting(kept.id, player)
    if sitting is None:
        return f"preparing-{all(future.done() for future in kept.policies.values()):d}"
    told = len(sitting.people[player].seat.steps)
    state = (told, sitting.asked(player), sitting.over, kept.thinking, bool(sitting.broken), waiting)
    return "-".join(str(int(part)) for part in state)


def stream(store: TableStore, kept: KeptGame, player: int, before: str) -> StreamingResponse:
    """Ends with one event, as soon as there is anything else to see than at the moment `before`."""
    if store.streams >= MOST:
        raise Refusal(503, "Too many pages are waiting at once.")

    thinking = before if kept.thinking else None

    async def events() -> AsyncIterator[str]:
        store.streams += 1
        try:
            passed = quiet = 0.0
            while moment(store, kept, player) == before and passed < LONGEST:
                pause = max(EVERY, passed) if before == thinking and store.thoughtful else EVERY
                await asyncio.sleep(pause)
                passed, quiet = passed + pause, quiet + pause
                if quiet >= HEARTBEAT:
                    quiet = 0.0
                    yield ": still here\n\n"
            yield "event: over\ndata: look again\n\n"
        finally:
            store.streams -= 1

    return StreamingResponse(events(), media_type="text/event-stream")
