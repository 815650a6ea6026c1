"""What a finished answer comes to, in plain values and words: what the pages show without opening it again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fogbound import api
from fogbound.core.errors import many
from fogbound.driver.solution import Solution, range_words
from fogbound.driver.stops import StopReason

UNPROVEN = "it was stopped before there was evidence for the checker"


def told(solution: Solution) -> dict[str, Any]:
    """The figures of an answer and the sentences that are true of it."""
    by_hand = solution.stopped == StopReason.INTERRUPTED
    why = "by hand" if by_hand else api.why_stopped(solution, "the limits on the form")
    player = solution.provenance["players"][solution.player]
    proves = "both" if solution.certificate is None else solution.certificate.kind.proves
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
        "claimed": list(solution.claimed),
        "not_equilibrium": solution.not_equilibrium,
        "evidence": solution.certificate is not None,
        "player": player,
        "proves": proves,
        "among": solution.among,
        "kept": _kept(solution, player, proves),
        "trust": _trust(solution, by_hand),
        "why": f"{why} after {many(solution.iterations, 'step')}",
    }


def _trust(solution: Solution, by_hand: bool) -> str:
    """Who confirms the figures; of what was stopped by hand, why there is no certificate."""
    if by_hand and solution.certificate is None:
        solution = replace(solution, details={**solution.details, "uncertified": UNPROVEN})
    return api.trust(solution)


def _kept(solution: Solution, player: str, proves: str) -> str:
    """What one has; first of all, where the solver claims an equilibrium, that it is none."""
    figures = (solution.lower, solution.upper, solution.gap)
    said = api.kept(
        solution.answer, player, *figures, proves, claimed="lower" in solution.claimed, among=solution.among
    )
    if solution.possible:
        said += f" Trivial bounds from the reward range: {range_words(*solution.possible)}."
    why = solution.not_equilibrium
    return f"{why[0].upper()}{why[1:]}. {said}" if why else said
