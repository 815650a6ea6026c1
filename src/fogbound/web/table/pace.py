"""When a table shows what happened: at times fixed beforehand, so that how long an opponent thought says little.

What follows from a move is shown after one beat, in the answer to the move and on every page that is asked for
meanwhile. Where somebody thought longer than that, the beats of this game are twice as long from then on, as often as
it takes: times tell an observer how often that happened and nothing else, a number that grows as the logarithm of the
longest thought (predictive mitigation of timing channels: Askarov, Zhang and Myers, 2010). Beats of more than 8 s are
for one move alone, since one long thought, such as a first compilation, would slow the whole game down: of such a
thought the times tell its length to a factor of two, each time.
"""

from __future__ import annotations

from fogbound.driver.clock import Clock

QUICK, THOUGHTFUL = 0.1, 0.5  # seconds of a first beat, against policies that look up what to do and those that think
LONGEST = 8.0  # seconds of a beat that is kept for later moves


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
        beat = self.seconds
        while 0 < beat < gone:
            beat *= 2
        self.seconds = max(self.seconds, min(beat, LONGEST)) if beat else 0.0
        return max(0.0, beat - gone) if beat else 0.0


class Pace:
    """Whether what follows from the last move may be seen yet.

    Parameters
    ----------
    first
        Seconds of the first beat; 0 to show everything at once.
    """

    def __init__(self, first: float) -> None:
        self._beats, self._clock = Beats(first), Clock()
        self._began, self._least = 0.0, 0.0
        self._until: float | None = 0.0  # None: it is being worked out

    def begin(self, least: float = 0.0) -> None:
        """Something is asked for now, and seen after `least` seconds at the earliest."""
        self._began, self._least, self._until = self._clock.elapsed(), least, None

    def ready(self) -> None:
        """What was asked for is there: it may be seen at the end of the beat."""
        now = self._clock.elapsed()
        self._until = max(now + self._beats.after(now - self._began), self._began + self._least)

    @property
    def left(self) -> float | None:
        """Seconds until it may be seen, 0 where it may be; None while it is being worked out."""
        until = self._until
        return None if until is None else max(0.0, until - self._clock.elapsed())

    @property
    def hidden(self) -> bool:
        """Whether it may not be seen yet."""
        return self.left != 0.0
