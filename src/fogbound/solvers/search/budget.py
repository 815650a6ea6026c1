"""How much a planner may search for a decision: simulations, seconds, or both."""

from __future__ import annotations

UNLIMITED = 2**62  # simulations, where the clock alone decides


def simulations_for(given: int | None, seconds: float, usual: int) -> int:
    """The simulations of a decision: those given; else the usual number, or no limit where seconds are given.

    Examples
    --------
    >>> simulations_for(None, 0.0, 1000), simulations_for(50, 0.1, 1000), simulations_for(None, 0.1, 1000) == UNLIMITED
    (1000, 50, True)
    """
    if given is not None:
        return given
    return UNLIMITED if seconds else usual
