"""What a visitor looks at: which answer, which view of it, whose policy, and what is selected; as an address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from fogbound.web.refusal import Refusal
from fogbound.web.site import Site

MOST_TRAIL = 60  # nodes of a game that is followed
NATURAL, WHOLE = "", "whole.csv"  # in the place of a view: the one that suits an answer; the table of all policies
PATIENCE = 25.0  # seconds: a little more than the process gives itself


@dataclass(frozen=True)
class Address:
    """One view of one answer.

    Parameters
    ----------
    answer
        The id of the answer.
    view
        Which view.
    player
        Whose policy, by name; empty for the one that the answer is about.
    chosen
        What the address says besides: `node`, `set`, `path`, `seed`.
    """

    answer: str
    view: str
    player: str = ""
    chosen: Mapping[str, str] = field(default_factory=dict)

    def number(self, key: str) -> int | None:
        """A number that the address has; None where it says nothing of it."""
        given = self.chosen.get(key, "")
        if not given:
            return None
        if not (given.isascii() and given.isdecimal() and len(given) <= 9):
            raise Refusal(400, f"{key}: expected a number")
        return int(given)

    @property
    def trail(self) -> tuple[int, ...]:
        """The nodes that a visitor came by."""
        given = [part for part in self.chosen.get("path", "").split("-") if part]
        if not all(part.isascii() and part.isdecimal() and len(part) <= 9 for part in given):
            raise Refusal(400, "path: expected numbers of nodes")
        return tuple(map(int, given))[-MOST_TRAIL:]

    def to(self, view: str = "", ending: str = "", **chosen: object) -> str:
        """The address of a view with something selected, by the same player."""
        query = {"player": self.player, **chosen}
        given = urlencode({key: value for key, value in query.items() if value not in (None, "")})
        return f"/explore/{self.answer}/{view or self.view}{ending}" + (f"?{given}" if given else "")

    def here(self, ending: str = "") -> str:
        """This very view, as another kind of file."""
        return self.to(ending=ending, **self.chosen)


def ask_explorer(site: Site, asked: Address, ending: str = "") -> dict[str, Any]:
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
