"""Why a run ended: the one list, from which command line, files, web app and documentation take their words.

A reason's value is its key in JSON and in files, short and stable; `words` are for people, and `advice` says what to
try where a run ended before it had shown what it set out to.
"""

from __future__ import annotations

from enum import StrEnum


class StopReason(StrEnum):
    """A reason to stop.

    Examples
    --------
    >>> StopReason.SECONDS.words, StopReason("gap").words
    ('time limit', 'gap reached')
    """

    GAP = "gap"
    SECONDS = "seconds"
    ITERATIONS = "iterations"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    TERMINATED = "terminated"
    CANCELLED = "cancelled"
    STALLED = "stalled"
    NUMERICAL = "numerical"
    MEMORY = "memory"
    BELIEFS = "beliefs"
    HORIZON = "horizon"
    DISCOUNT = "discount"

    @property
    def words(self) -> str:
        """For people."""
        return WORDS[self][0]

    @property
    def advice(self) -> str:
        """What to try; empty where the run ended as it was meant to."""
        return WORDS[self][1]


WORDS: dict[StopReason, tuple[str, str]] = {
    StopReason.GAP: ("gap reached", ""),
    StopReason.SECONDS: ("time limit", ""),
    StopReason.ITERATIONS: ("iteration limit", ""),
    StopReason.FINISHED: ("finished", ""),
    StopReason.INTERRUPTED: ("interrupted", ""),
    StopReason.TERMINATED: ("terminated", ""),
    StopReason.CANCELLED: ("cancelled", ""),
    StopReason.STALLED: (
        "stalled",
        "the solver finds nothing that improves its answer: try another solver or parameters",
    ),
    StopReason.NUMERICAL: ("numerical limit", "floating-point numbers bring the bounds no closer: ask for a wider gap"),
    StopReason.MEMORY: (
        "memory limit",
        "the solver needs more memory than it may use: try another one, or a smaller game",
    ),
    StopReason.BELIEFS: (
        "limit on beliefs",
        "allow more with --limit or limit=, or use a point-based solver of POMDPs",
    ),
    StopReason.HORIZON: ("horizon", "later steps are only bounded: give the solver a longer horizon"),
    StopReason.DISCOUNT: (
        "discount near 1",
        "a backup passes on a share 1 - discount of what is to be gained: solve the model with a smaller discount and "
        "begin from that solution (--start or start=), or ask for the average reward",
    ),
}


def words(stopped: str) -> str:
    """A run's reason for people; one that is not in the list, from another version, as it is.

    Examples
    --------
    >>> words("iterations"), words("precision")
    ('iteration limit', 'precision')
    """
    return StopReason(stopped).words if stopped in list(StopReason) else stopped


def stop_advice(stopped: str) -> str:
    """What to try after a run that ended for this reason; empty where there is nothing to say.

    Examples
    --------
    >>> advice("gap")
    ''
    """
    return StopReason(stopped).advice if stopped in list(StopReason) else ""
