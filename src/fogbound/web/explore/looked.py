"""What is seen of an answer, worked out in the process that looks: a file may name a game of any size.

The server asks (`routes.py`) with plain values and gets plain values back; nothing of the answer's game is built there.
"""

from __future__ import annotations

import base64
import csv
import io
import math
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from fogbound import api
from fogbound.api.looking import Look
from fogbound.core.cancel import cancelling
from fogbound.core.drawing import PICTURES
from fogbound.core.errors import FileError, FogboundError, Stopped, one_line
from fogbound.core.numerals import number
from fogbound.driver.clock import Deadline
from fogbound.driver.solution import Solution, range_words
from fogbound.driver.stops import words
from fogbound.policies.alpha_vectors import AlphaVectors
from fogbound.policies.tabular import Tabular
from fogbound.web.explore.address import NATURAL, WHOLE, Address
from fogbound.web.explore.views import VIEWS
from fogbound.web.explore.views.shown import View
from fogbound.web.refusal import Refusal

SECONDS = 20.0
MOST_KEPT = 8  # answers whose forms stay in memory


def explored(question: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a question about a file: a view, the name of the one that suits it, or what is taken away.

    Parameters
    ----------
    question
        ``path`` and ``stamp`` of the file, its ``game`` where that is known here, the ``own`` games by name, and an
        `Address` with the ``ending`` of a file.
    """
    try:
        with cancelling(Deadline(SECONDS)):
            return _answered(question)
    except Stopped:
        why = f"this picture takes more than {SECONDS:g} s here: use the command line, or a smaller game"
        raise Refusal(503, why) from None


def _answered(question: Mapping[str, Any]) -> dict[str, Any]:
    look = _look(question["path"], question["stamp"], question["game"], tuple(question["own"].items()))
    view, ending = question["view"], question["ending"]
    if view == NATURAL:
        return {"view": _natural(look)}
    if view == WHOLE:
        return {"data": _packed(str(api.table(look.solution, None, look.game).to_csv()).encode())}
    asked = Address(question["answer"], view, question["player"], question["chosen"])
    who = look.player(asked.player or None)
    if ending:
        return {"data": _packed(_taken_away(look, who, asked, ending))}
    shown, why = _shown(look, who, asked)
    return {
        "head": headline(look),
        "shown": None if shown is None else asdict(shown),
        "why": why,
        "python": _python_lines(look.solution, shown.python) if shown else "",
        "player": look.game.players[who],
        "players": [look.game.players[i] for i in sorted(look.solution.profile)],
    }


@lru_cache(MOST_KEPT)
def _look(path: str, stamp: int, game: str, own: tuple[tuple[str, str], ...]) -> Look:  # noqa: ARG001, read anew after a change
    """An answer, ready to be looked at; the latest stay in memory."""
    try:
        solution = api.load(path)
    except FileError as error:
        raise Refusal(400, one_line(str(error).replace(path, "the file"), 300)) from error
    stored = str(solution.provenance["game"])
    return Look(solution, game or next((source for _, source in own if stored in (source, Path(source).name)), None))


def _natural(look: Look) -> str:
    """Strategy where it can be listed, else controller; beliefs of what plays by vectors; bounds of all else."""
    try:
        if isinstance(look.policy(), AlphaVectors):
            return "beliefs"
        return "strategy" if isinstance(look.natural(), Tabular) else "controller"
    except (Refusal, Stopped):
        raise
    except FogboundError:
        return "bounds"


def _shown(look: Look, player: int, asked: Address) -> tuple[View | None, str]:
    """A view, or why there is none of this answer: not every answer has every view."""
    try:
        return VIEWS[asked.view][1](look, player, asked), ""
    except (Refusal, Stopped):
        raise
    except FogboundError as error:
        return None, one_line(str(error), 400)


def _taken_away(look: Look, player: int, asked: Address, ending: str) -> bytes:
    """What is seen, as a file."""
    if ending == ".csv":
        return _csv(look, player, asked).encode()
    shown = VIEWS[asked.view][1](look, player, asked)
    if ending == ".py":
        return _python_lines(look.solution, shown.python).encode()
    return PICTURES[ending](shown.picture.plain())


def _csv(look: Look, player: int, asked: Address) -> str:
    """The figures behind a view: bounds over time, payoffs, or what the player does where."""
    if asked.view not in ("bounds", "matrix"):
        return str(api.table(look.solution, player, look.game).to_csv())
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if asked.view == "bounds":
        writer.writerow(("iteration", "seconds", "value", "lower", "upper"))
        writer.writerows(
            (m.iteration, repr(m.seconds), repr(m.value), repr(m.lower), repr(m.upper)) for m in look.solution.trace
        )
        return text.getvalue()
    from fogbound.evaluation.dominance import strategy_names
    from fogbound.forms.normal import NormalForm
    from fogbound.forms.protocol import derive

    form = derive(look.game, NormalForm)
    names = strategy_names(form).strategies
    writer.writerow((*look.game.players, *(f"pays {name}" for name in look.game.players)))
    for j, row in enumerate(names[0]):
        for k, column in enumerate(names[1]):
            writer.writerow((row, column, *map(repr, form.payoff[j, k].tolist())))
    return text.getvalue()


def _packed(data: bytes) -> str:
    return base64.b64encode(data).decode()


def headline(look: Look) -> dict[str, Any]:
    """What stands above every view: what was solved, how, and what it is worth.

    `facts` are (what, figure) below the value, `levels` of a hierarchy (level, player, value, nodes).
    """
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
    return {
        "game": game,
        "name": look.game.title,
        "solver": str(made["solver"]).partition("(")[0],
        "problem": str(made.get("problem", "")),
        "value": solution.value_text(8),
        "whose": look.game.players[solution.player],
        "facts": facts,
        "levels": _levels(look),
    }


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


def _python_lines(solution: Solution, call: str) -> str:
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
