"""How fast the table answers: at times that are fixed beforehand, so that how long an opponent thought says little.

Moves of a game are answered after one beat. Where somebody thought longer than that, the beats of this game are twice
as long from then on, as often as it takes: the times of answers tell an observer how often that happened and nothing
else, a number that grows as the logarithm of the longest thought (predictive mitigation of timing channels: Askarov,
Zhang and Myers, 2010).
"""

from __future__ import annotations

import asyncio

from fogbound.driver.clock import Clock

QUICK, THOUGHTFUL = 0.1, 0.5  # seconds of a first beat, against policies that look up what to do and those that think


class Beats:
    """The beats of one game.

    Parameters
    ----------
    first
        Seconds of the first beat; 0 to answer at once.
    """

    def __init__(self, first: float) -> None:
        self.seconds = first

    def after(self, gone: float) -> float:
        """Seconds that are left of a beat that began so long ago; where it is over, of a longer one, now and later."""
        while 0 < self.seconds < gone:
            self.seconds *= 2
        return max(0.0, self.seconds - gone) if self.seconds else 0.0


class Pace:
    """One answer in the making: the time since it was asked for.

    Parameters
    ----------
    beats
        Of the game that it belongs to.
    """

    def __init__(self, beats: Beats) -> None:
        self._beats, self._clock = beats, Clock()

    async def beat(self) -> None:
        """Wait for the end of the beat."""
        await asyncio.sleep(self._beats.after(self._clock.elapsed()))
