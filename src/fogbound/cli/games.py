"""`fogbound games`: what there is to play."""

from __future__ import annotations

from fogbound import api
from fogbound.api.listing import Entry
from fogbound.cli.console import make_parser, say, say_json
from fogbound.core.record import GameGroup

MADE = "Games made from games"
KINDS = ("game", "transform")


def main(words: list[str]) -> int:
    parser = make_parser("games", "The games there are, with their parameters and defaults.")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    args = parser.parse_args(words)
    every = api.games()
    if args.json:
        say_json({f"{kind}s": [_plain(entry) for entry in every if entry.kind == kind] for kind in KINDS})
        return 0
    for heading in (*GameGroup, MADE):
        say(heading)
        for entry in every:
            if (entry.group or MADE) == heading:
                say(f"  {entry}")
    say("Your own: my_game.py:MyGame")
    return 0


def _plain(entry: Entry) -> dict[str, object]:
    named = {"name": entry.name, "title": entry.title, "group": entry.group} if entry.group else {"name": entry.name}
    return {**named, "parameters": entry.parameters, "about": entry.about}
