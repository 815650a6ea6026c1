"""What stands above every view: what was solved, how, and what it is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fogbound.api.looking import Look
from fogbound.core.numerals import number
from fogbound.driver.solution import range_words
from fogbound.driver.stops import words


@dataclass(frozen=True)
class Headline:
    """An answer in a few lines.

    Attributes
    ----------
    game, name, solver, problem
        What was solved, its name alone, how, and as what form.
    value
        Its value.
    whose
        Who gets it.
    facts
        (what, figure) below the value.
    levels
        Of a hierarchy: (level, player, value, nodes).
    """

    game: str
    name: str
    solver: str
    problem: str
    value: str
    whose: str
    facts: list[tuple[str, str]]
    levels: list[tuple[str, str, str, str]]


def headline(look: Look) -> Headline:
    """What an answer says of itself."""
    solution, made = look.solution, look.solution.provenance
    low, high = solution.words
    named = [(low, solution.lower, 8), (high, solution.upper, 8), ("gap", solution.gap, 3)]
    facts = [(what, number(figure, digits)) for what, figure, digits in named if math.isfinite(figure)]
    facts = facts or [("bounds", range_words(solution.lower, solution.upper, solution.possible))]
    if solution.exploitability is not None and math.isfinite(solution.exploitability):
        facts.append(("exploitability", number(solution.exploitability, 3)))
    if solution.claimed:
        facts.append(("claimed by the solver", ", ".join(solution.claimed)))
    if solution.not_equilibrium:
        facts.append(("equilibrium", solution.not_equilibrium))
    facts.append(("stopped", f"{words(solution.stopped)}, {number(solution.seconds, 3)} s"))
    game = str(made["game"])
    return Headline(
        game,
        game.partition("(")[0],
        str(made["solver"]).partition("(")[0],
        str(made.get("problem", "")),
        solution.value_text(8),
        look.game.players[solution.player],
        facts,
        _levels(look),
    )


def _levels(look: Look) -> list[tuple[str, str, str, str]]:
    listed = look.solution.details.get("levels")
    if not isinstance(listed, list):
        return []
    try:
        return [
            (
                str(int(one["level"])),
                look.game.players[one["player"]],
                number(float(one["value"]), 6),
                str(int(one["nodes"])),
            )
            for one in listed
        ]
    except (KeyError, TypeError, ValueError, IndexError):
        return []
