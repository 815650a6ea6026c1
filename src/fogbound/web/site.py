"""What the server has: one of each, shared by all screens."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import Annotated

from fastapi import Depends, Request

from fogbound.core.game import AnyGame
from fogbound.games import GAMES
from fogbound.naming.titles import spec_title
from fogbound.solvers import SOLVERS
from fogbound.transforms import TRANSFORMS
from fogbound.web.answers import AnswerShelf
from fogbound.web.naming import registered
from fogbound.web.processes.jobs import Jobs
from fogbound.web.processes.looker import Looker
from fogbound.web.refusal import Refusal
from fogbound.web.runs.folder import Asked
from fogbound.web.runs.store import Runs
from fogbound.web.settings import FIRST, Settings
from fogbound.web.shelf import Shelf

MOST_GAMES = 100  # that are kept once they were made: of one spec there is one game
OPENED, OF_RUN = "file:", "run:"  # before the id of a file that was opened, of a run whose answer is meant


class Site:
    """Everything that outlives a request.

    Parameters
    ----------
    settings
        What whoever started the server decided.
    looker
        The process that looks at games, where one was begun already.
    """

    def __init__(self, settings: Settings, looker: Looker | None = None) -> None:
        from fogbound.web.table.store import TableStore  # its screen knows this module

        self.settings = settings
        self.answers = AnswerShelf(settings)
        self.reproductions = Jobs(settings.folder / "reproduce", most=1)
        self.tournaments = Jobs(settings.folder / "arena", most=2)
        self.runs = Runs(settings, self.resolve)
        self.shelf = Shelf(settings.folder / "files")
        self.looker, self.explorer = (
            looker or Looker(),
            Looker(),
        )  # of games, and of answers: neither waits for the other
        self._games: dict[str, AnyGame] = {}
        self.table = TableStore(settings, self.game, self.source)

    def open(self) -> None:
        """Before the first request."""
        self.settings.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.runs.open()
        self.table.open()
        if self.settings.eager:
            Thread(target=self._load, daemon=True).start()

    def _load(self) -> None:
        """Load what the first visitor would wait for: solvers here, and the library in the processes that look."""
        for name in SOLVERS:
            SOLVERS.load(name)
        with suppress(Refusal):  # on a busy machine this takes too long: the first request is then told so
            self.looker.ask(about="game", game=FIRST)
        with suppress(Refusal):
            self.explorer.ask(about="start", game=FIRST)

    def close(self) -> None:
        """After the last one."""
        self.table.close()
        self.reproductions.close()
        self.tournaments.close()
        self.runs.close()
        self.looker.close()
        self.explorer.close()

    def game(self, spec: str) -> AnyGame:
        """The game that a request names: registered ones and those named on the command line, and no other code."""
        from fogbound import api

        if spec in self._games:
            return self._games[spec]
        source = self.source(spec)
        if source != spec:  # a file, which may change
            return api.game(source)
        if spec not in GAMES:  # its parameters are a visitor's: can it begin at all?
            self.looker.ask(about="start", game=source)
        while len(self._games) >= MOST_GAMES:
            self._games.pop(next(iter(self._games)), None)
        return self._games.setdefault(spec, api.game(source))

    def source(self, spec: str) -> str:
        """What the library takes for what a request names."""
        if spec in self.settings.own:
            return self.settings.own[spec]
        if spec.startswith(OPENED):
            return str(self.shelf.get(spec.removeprefix(OPENED)).path)
        registered(spec, GAMES, TRANSFORMS)
        return spec

    def title(self, game: str) -> str:
        """What people call what a request named: a file by the name that it came with, a spec by its game's title."""
        if game.startswith(OPENED):
            with suppress(Refusal):  # a file that somebody took away
                return self.shelf.get(game.removeprefix(OPENED)).name
        return spec_title(game)

    def opponents(self, text: str) -> str:
        """How the others play, for the library: a policy by name, or a run whose answer they play; empty for nobody."""
        if text.startswith(OF_RUN):
            return str(self.runs.get(text.removeprefix(OF_RUN)).solution)
        if text and text != "uniform":
            self.solver(text)
        return text

    def solver(self, text: str) -> str:
        """The solver that a request names; Refusal where it is none of ours, or one of its values names a file."""
        registered(text, SOLVERS)
        return text

    def resolve(self, asked: Asked) -> dict[str, str]:
        """What a run is handed."""
        return {"game": self.source(asked.game), "against": self.opponents(asked.against)}


async def site_of(request: Request) -> Site:
    """What the server has, for a route. Not a plain function: those are handed to a thread."""
    site: Site = request.app.state.site
    return site


Here = Annotated[Site, Depends(site_of)]  # how a route is handed what the server has
