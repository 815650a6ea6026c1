"""How fast the table answers: at whole beats, so that how long an opponent thought says nothing of what it holds."""

from __future__ import annotations

import asyncio
import math

from fogbound.driver.clock import Clock

QUICK, THOUGHTFUL = 0.1, 0.5  # seconds of a beat, against policies that look up what to do and those that think


class Pace:
    """The time since a request came, in beats.

    Parameters
    ----------
    beat
        Seconds of a beat; 0 to answer at once.
    """

    def __init__(self, beat: float) -> None:
        self._seconds, self._clock = beat, Clock()

    async def beat(self) -> None:
        """Wait for the next beat."""
        if self._seconds:
            gone = self._clock.elapsed()
            await asyncio.sleep(math.ceil(gone / self._seconds) * self._seconds - gone)
