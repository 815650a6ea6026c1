"""What the server has: one of each, shared by all screens."""

from __future__ import annotations

import re

from fastapi import Request

from fogbound.core.game import AnyGame
from fogbound.core.spec import parse
from fogbound.games import GAMES
from fogbound.transforms import TRANSFORMS
from fogbound.web.errors import Refusal
from fogbound.web.settings import Settings

_FOREIGN = re.compile(r"[/\\]|\.[A-Za-z]")  # a path, or a name with an ending


class Site:
    """Everything that outlives a request.

    Parameters
    ----------
    settings
        What whoever started the server decided.
    """

    def __init__(self, settings: Settings) -> None:
        from fogbound.web.table.store import TableStore  # its screen knows this module

        self.settings = settings
        self.table = TableStore(settings, self.game)

    def open(self) -> None:
        """Before the first request."""
        self.settings.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.table.open()

    def close(self) -> None:
        """After the last one."""
        self.table.close()

    def game(self, spec: str) -> AnyGame:
        """The game that a request names: registered ones and those named on the command line, and no other code."""
        from fogbound import api

        if spec in self.settings.own:
            return api.game(self.settings.own[spec])
        if _FOREIGN.search(spec):
            raise Refusal(400, "a request names no files: games of your own stand on fogbound serve's command line")
        name = parse(spec).name
        if name not in GAMES and name not in TRANSFORMS:
            raise Refusal(404, f"there is no game {name!r} here")
        return api.game(spec)


def site_of(request: Request) -> Site:
    """What the server has, for a route: `Depends(site_of)`."""
    site: Site = request.app.state.site
    return site
