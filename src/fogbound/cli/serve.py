"""`fogbound serve`: play, solve and look in a browser."""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

from fogbound.cli.console import Parser, make_parser, natural, say
from fogbound.core.errors import FogboundError, SpecError

EXAMPLES = """\
  fogbound serve
  fogbound serve my_game.py:MyGame      a game of your own, too
  fogbound serve --folder runs --port 0    any free port"""
PORT = 8642
PATIENCE = 2  # seconds for pages that are being answered when it leaves
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def main(words: list[str]) -> int:
    args = _parser().parse_args(words)
    try:
        from fogbound.web.processes.looker import Looker
        from fogbound.web.settings import FIRST, Settings, home

        looker = Looker()
        looker.begin(about="game", game=FIRST)  # it loads the library while this process does

        import uvicorn

        from fogbound.web.app import make_app
    except ModuleNotFoundError as error:
        raise FogboundError(f"serve needs {error.name}: pip install 'fogbound[web]'") from None
    token = "" if args.host in LOOPBACK else secrets.token_urlsafe(18)
    hosts = {*Settings().hosts, args.host, *([socket.gethostname()] if token else [])}
    settings = Settings(
        folder=Path(args.folder) if args.folder else home(),
        own=_own(args.games),
        hosts=tuple(hosts),
        token=token,
        eager=True,
    )
    with _listening(args.host, args.port) as listener:
        address = f"http://{args.host}:{listener.getsockname()[1]}/" + (f"?token={token}" if token else "")
        say(f"Fogbound is at {address}   (Ctrl-C leaves; runs and games are kept in {settings.folder})")
        config = uvicorn.Config(
            make_app(settings, looker),
            log_level="warning",
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=PATIENCE,  # a page that follows a run would be waited for
        )
        with suppress(KeyboardInterrupt):  # the signal that ended it, raised once more when all is closed
            uvicorn.Server(config).run(sockets=[listener])
        say(f"Fogbound has left. Games and runs are kept in {settings.folder}; runs go on when it is started again.")
    return 0


def _parser() -> Parser:
    parser = make_parser("serve", "Play, solve and look in a browser, on this machine.", EXAMPLES)
    parser.add_argument(
        "games", nargs="*", metavar="GAME", help="a game of your own (my_game.py:MyGame) or a model file"
    )
    parser.add_argument(
        "--port", type=natural, default=PORT, metavar="P", help=f"where (default {PORT}; 0: any free one)"
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="H",
        help="who can reach it (default: this machine alone; others need the address with its token that is printed)",
    )
    parser.add_argument(
        "--folder", metavar="DIR", help="where runs and games are kept (default: FOGBOUND_HOME, or yours)"
    )
    return parser


def _own(given: list[str]) -> dict[str, str]:
    """Games of one's own by the name that requests use; each is made once now, so that mistakes are told here."""
    from fogbound import api

    own: dict[str, str] = {}
    for text in given:
        game = api.game(text)
        name = game.name or type(game).__name__ if ".py" in text else Path(text).stem
        if name in own:
            raise SpecError(f"two games are called {name!r}")
        own[name] = text
    return own


def _listening(host: str, port: int) -> Any:
    """A socket that listens, before anything is said of it.

    Connections take over that nothing is held back: a page is sent as its head and its body, and without this the body
    waits until the head is acknowledged, some 40 ms. (asyncio sets it where it makes the socket itself.)
    """
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise FogboundError(f"cannot listen at {host}:{port}: {error.strerror}; another with --port") from None
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener
