"""The server's side of Explore: which file, which view; the process that looks does the rest."""

from __future__ import annotations

from typing import Any

from fogbound.web.explore.address import Address
from fogbound.web.refusal import Refusal
from fogbound.web.site import Site

NATURAL, WHOLE = "", "whole.csv"  # in the place of a view: the one that suits an answer; the table of all policies
PATIENCE = 25.0  # seconds: a little more than the process gives itself


def explore(site: Site, asked: Address, ending: str = "") -> dict[str, Any]:
    """What is seen of an answer, in plain values.

    Parameters
    ----------
    site
        Where the answer lies, and the process that looks at it.
    asked
        Which answer, and what of it; an empty view asks which one suits it.
    ending
        Of a file to take away; empty for the page.

    Raises
    ------
    Refusal
        There is no such answer, or nothing like this can be seen of it in time.
    """
    return site.explorer.ask(
        PATIENCE,
        about="explore",
        **site.answers.file(asked.answer),
        game=_game(site, asked.answer),
        own=site.settings.own,
        answer=asked.answer,
        view=asked.view,
        player=asked.player,
        chosen=dict(asked.chosen),
        ending=ending,
    )


def _game(site: Site, answer: str) -> str:
    """The game of a run, as the library takes it: a file that was opened has another name in the solution."""
    try:
        asked = site.runs.get(answer).asked()
    except Refusal:  # a solution that no run left here: it says itself what it solves
        return ""
    return site.source(asked.game) if asked else ""
