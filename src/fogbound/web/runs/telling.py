"""What a finished answer comes to, in plain values and words: what the pages show without opening it again."""

from __future__ import annotations

from typing import Any

from fogbound import api
from fogbound.core.errors import many
from fogbound.driver.solution import Solution
from fogbound.driver.stops import StopReason

UNPROVEN = "these are the solver's own figures: it was stopped before there was evidence for the checker"


def told(solution: Solution) -> dict[str, Any]:
    """The figures of an answer and the sentences that are true of it."""
    by_hand = solution.stopped == StopReason.INTERRUPTED
    why = "by hand" if by_hand else api.why_stopped(solution, "the limits on the form")
    player = solution.provenance["players"][solution.player]
    return {
        "value": solution.value,
        "lower": solution.lower,
        "upper": solution.upper,
        "gap": solution.gap,
        "exploitability": solution.exploitability,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "stopped": solution.stopped,
        "certified": solution.certified,
        "evidence": solution.certificate is not None,
        "player": player,
        "kept": api.kept(solution.answer, player, solution.lower, solution.upper, solution.gap),
        "trust": UNPROVEN if by_hand and solution.certificate is None else api.trust(solution),
        "why": f"{why} after {many(solution.iterations, 'step')}",
    }
