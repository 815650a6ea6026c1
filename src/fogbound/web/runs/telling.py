"""What a finished answer comes to, in plain values and words: what the pages show without opening it again."""

from __future__ import annotations

from typing import Any

from fogbound import api
from fogbound.core.errors import many
from fogbound.driver.solution import Solution


def told(solution: Solution) -> dict[str, Any]:
    """The figures of an answer and the sentences that are true of it."""
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
        "player": player,
        "kept": api.kept(solution.answer, player, solution.lower, solution.upper, solution.gap),
        "trust": api.trust(solution),
        "why": f"{_why(solution)} after {many(solution.iterations, 'step')}",
    }


def _why(solution: Solution) -> str:
    return "by hand" if solution.stopped == "interrupted" else api.why_stopped(solution, "the limits on the form")
