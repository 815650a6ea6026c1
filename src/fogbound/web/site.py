"""What the server has: one of each, shared by all screens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

from fastapi import Request

from fogbound.core.game import AnyGame
from fogbound.core.spec import Spec, parse
from fogbound.games import GAMES
from fogbound.solvers import SOLVERS
from fogbound.transforms import TRANSFORMS
from fogbound.web.answers import AnswerShelf
from fogbound.web.files.shelf import Shelf
from fogbound.web.jobs.store import Jobs
from fogbound.web.looking.looker import Looker
from fogbound.web.refusal import Refusal
from fogbound.web.runs.folder import Asked
from fogbound.web.runs.store import Runs
from fogbound.web.settings import FIRST, Settings

_FOREIGN = re.compile(r"[/\\]|\.[A-Za-z]")  # a path, or a name with an ending
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
        with suppress(Refusal):  # a machine so busy that it takes too long: whoever asks first is told so
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
        _require_no_file(spec)
        name = parse(spec).name
        if name not in GAMES and name not in TRANSFORMS:
            raise Refusal(404, f"there is no game {name!r} here")
        return spec

    def opponents(self, text: str) -> str:
        """How the others play, for the library: a policy by name, or a run whose answer they play; empty for nobody."""
        if text.startswith(OF_RUN):
            return str(self.runs.get(text.removeprefix(OF_RUN)).solution)
        if text and text != "uniform":
            _require_no_file(text)
            if parse(text).name not in SOLVERS:
                raise Refusal(
                    404, f"there is no policy {parse(text).name!r} here: uniform, a solver, or a run's answer"
                )
        return text

    def resolve(self, asked: Asked) -> dict[str, str]:
        """What a run is handed."""
        return {"game": self.source(asked.game), "against": self.opponents(asked.against)}


def _require_no_file(spec: str) -> None:
    """Refuse a spec in which anything is a path, or happens to be a file's name: some parameters may name one."""
    if _FOREIGN.search(spec) or any(Path(word).is_file() for word in _words(parse(spec))):
        raise Refusal(400, "a request names no files: games of your own stand on fogbound serve's command line")


def _words(value: object) -> Iterator[str]:
    """Every word in a spec that stands for a value and for nothing registered."""
    if isinstance(value, Spec):
        yield from _words(value.positional)
        yield from _words(tuple(given for _, given in value.parameters))
    elif isinstance(value, tuple):
        for one in value:
            yield from _words(one)
    elif isinstance(value, str) and value not in GAMES and value not in TRANSFORMS:
        yield value


async def site_of(request: Request) -> Site:
    """What the server has, for a route: `Depends(site_of)`. Not a plain function: those are handed to a thread."""
    site: Site = request.app.state.site
    return site
