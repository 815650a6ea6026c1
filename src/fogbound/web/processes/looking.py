"""The process that a `Looker` asks about games and files: a question a line, an answer a line.

Its limits of memory and time apply before it reads a question; the server ends it when it takes too long.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from dataclasses import asdict
from typing import Any

from fogbound.core.errors import FogboundError, one_line
from fogbound.core.game import AnyGame
from fogbound.web.processes.child import read_task
from fogbound.web.refusal import Refusal

MOST_PICTURE = 400_000  # characters of SVG
STATES = 20_000  # that are enumerated to check a contract
FEW_NODES = 120  # of a tree that is drawn
SMALL = "king-ace"  # the game that is looked at before anybody asks


def _answer_questions() -> int:
    _, questions = read_task()
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a game of one's own prints is no answer
    warnings.simplefilter("ignore")
    _answered({"about": "game", "game": SMALL})  # what is loaded for a first look takes nothing from the time of one
    for line in questions:
        told.write(json.dumps(_answered(json.loads(line))) + "\n")
        told.flush()
    return 0


def _answered(question: dict[str, Any]) -> dict[str, Any]:
    try:
        return ABOUT[question["about"]](question)
    except Refusal as refusal:
        return {"error": one_line(str(refusal), 600), "status": refusal.status}
    except FogboundError as error:
        return {"error": one_line(str(error), 600)}
    except MemoryError:
        return {"error": "it needs more memory than there is for looking at things: make it smaller"}
    except RecursionError:
        return {"error": "it is nested deeper than can be read"}
    except Exception as error:  # of a game of one's own, or of a reader that met what nobody thought of
        return {"error": one_line(f"it cannot be read: {type(error).__name__}", 200)}


def _game(question: dict[str, Any]) -> dict[str, Any]:
    """A game: its players, its forms, and which solvers suit it."""
    from fogbound import api

    game = api.game(question["game"])
    found = api.survey(game)
    return {
        "game": str(game),
        "players": list(game.players),
        "forms": [vars(form) for form in found.forms],
        "fits": [vars(fit) for fit in found.fits],
        "chosen": found.chosen,
        "why": one_line(found.why, 400),
    }


def _start(question: dict[str, Any]) -> dict[str, Any]:
    """Whether a game can be made and begun, with these parameters."""
    from fogbound import api

    game = api.game(question["game"])
    return {"players": list(game.players), "starts": len(game.start())}


def _page(question: dict[str, Any]) -> dict[str, Any]:
    """What a game's page needs besides: its rules, and a picture of how it may begin."""
    from fogbound import api
    from fogbound.draw.beginning import opening_picture

    game = api.game(question["game"])
    picture = opening_picture(game)
    drawn = None if picture is None else asdict(picture)
    rules = [part.strip() for part in api.rules(game).split("\n\n") if part.strip()]
    known = [one._asdict() for one in game.record.known]
    return {**_game(question), "title": game.title, "known": known, "rules": rules, "picture": drawn}


def _model(question: dict[str, Any]) -> dict[str, Any]:
    """A model's file: what a game is asked, its contract, and a picture."""
    from fogbound import api
    from fogbound.arena.contract import checking_game
    from fogbound.forms.available import enumerated

    game = api.game(question["path"])
    findings = [vars(finding) for finding in checking_game(game, enumerated(game, STATES))]
    return {**_game({"game": question["path"]}), "contract": findings, "picture": _picture(game)}


def _picture(game: AnyGame) -> str:
    """Its tree, or that of its first step where play goes on; empty where there is none or it is too large."""
    from fogbound import draw
    from fogbound.transforms.horizon import Horizon

    try:
        drawing = draw.tree(game, most=FEW_NODES, describe=game.describe, title="Game tree")
    except FogboundError:
        try:
            drawing = draw.tree(Horizon(game, 1), most=FEW_NODES, describe=game.describe, title="The first step")
        except FogboundError:
            return ""
    return drawing.svg if len(drawing.svg) <= MOST_PICTURE else ""


def _solution(question: dict[str, Any]) -> dict[str, Any]:
    """A solution's file: what it says of itself. Nothing is believed before the checker was asked."""
    from fogbound import api
    from fogbound.web.runs.worker import answer_values

    stored = api.load(question["path"])
    return {"provenance": stored.provenance, "over": answer_values(stored)}


def _verified(question: dict[str, Any]) -> dict[str, Any]:
    """What the independent checker says of a solution of a game that is named beside it."""
    from fogbound import api

    proof = api.verify(question["path"], question["game"])
    return {"holds": bool(proof), "status": proof.status, "words": list(proof.words), "kind": proof.kind}


def _explored(question: dict[str, Any]) -> dict[str, Any]:
    """What is seen of an answer."""
    from fogbound.web.explore.looked import explored

    return explored(question)


ABOUT = {
    "explore": _explored,
    "game": _game,
    "start": _start,
    "page": _page,
    "model": _model,
    "solution": _solution,
    "proof": _verified,
}


if __name__ == "__main__":
    sys.exit(_answer_questions())
