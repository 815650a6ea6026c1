"""Which of many answers this one is: said wherever a strategy is shown."""

from __future__ import annotations

from fogbound.api.looking import Look


def which_equilibrium(look: Look) -> str:
    """A sentence on what else could have been shown."""
    solution = look.solution
    solver = str(solution.provenance.get("solver", "")).partition("(")[0]
    if solution.not_equilibrium:
        why = solution.not_equilibrium
        return f"{why[0].upper()}{why[1:]}. The profile that {solver} came to."
    if solution.provenance.get("finds") == "equilibrium" and solution.answer == "value":
        return (
            f"One equilibrium, the one that {solver} came to. Where there are others they may mix differently; every "
            "one of them is worth the same."
        )
    if solution.answer == "equilibrium":
        return f"One equilibrium, the one that {solver} came to: others may play, and pay, differently."
    if solution.answer == "reply":
        return "A best reply to how the others are said to play. Where moves are equally good, one of them is shown."
    if solution.answer == "team":
        return "What the team does together: where several plans are equally good, one of them is shown."
    return f"What {solver} found."
