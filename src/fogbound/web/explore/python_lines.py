"""The lines of Python that make what is seen."""

from __future__ import annotations

from typing import Any

from fogbound.driver.solution import Solution


def python_lines(solution: Solution, call: str) -> str:
    """A script that solves the same question again and draws the same picture."""
    made = solution.provenance
    given = [repr(str(made["game"])), repr(str(made["solver"]))]
    given += [f"player={made['player']!r}"] if made.get("player") else []
    given += _limits(made.get("until") or {})
    given += [f"seed={made['seed']!r}"] if made.get("seed") else []
    against = made.get("against")
    given += [f"against={against!r}"] if against else []
    name = call.partition("(")[0]
    return (
        f'import fogbound as fb\n\nanswer = fb.solve({", ".join(given)})\nfb.look(answer).{call}.save("{name}.svg")\n'
    )


def _limits(until: dict[str, Any]) -> list[str]:
    """Stop rules as somebody gave them; those that hold when none is given are left out."""
    if until.get("default"):
        return []
    return [f"{key}={until[key]!r}" for key in ("gap", "seconds", "iterations") if key in until]
