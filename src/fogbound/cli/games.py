"""`fogbound games`: what there is to play."""

from __future__ import annotations

from fogbound import api
from fogbound.cli.console import make_parser, say, say_json

TITLES = {"game": "Games", "transform": "Games made from games"}


def main(words: list[str]) -> int:
    parser = make_parser("games", "The games there are, with their parameters and defaults.")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    args = parser.parse_args(words)
    every = api.games()
    listed = {kind: [entry for entry in every if entry.kind == kind] for kind in TITLES}
    if args.json:
        plain = {
            f"{kind}s": [{"name": e.name, "parameters": e.parameters, "about": e.about} for e in entries]
            for kind, entries in listed.items()
        }
        say_json(plain)
        return 0
    for kind, entries in listed.items():
        say(TITLES[kind])
        for entry in entries:
            say(f"  {entry}")
    say("Your own: my_game.py:MyGame")
    return 0
