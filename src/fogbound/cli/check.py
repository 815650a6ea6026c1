"""`fogbound check`: does a game keep its contract, and which forms does it have?"""

from __future__ import annotations

from fogbound import api
from fogbound.cli.console import counting_number, make_parser, say, say_json
from fogbound.cli.progress import working
from fogbound.core.errors import many


def main(words: list[str]) -> int:
    parser = make_parser(
        "check",
        "Hold a game against its contract and list its forms: how large each is, or why there is none.",
        "  fogbound check leduc\n  fogbound check my_game.py:MyGame",
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "--states", type=counting_number, default=100_000, help="enumerate at most so many states (default 100000)"
    )
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    args = parser.parse_args(words)
    game = api.game(args.game)
    from fogbound.forms import available
    from fogbound.testing import check_game

    with working(f"checking {game}"):
        findings = check_game(game, args.states)
        forms = available(game, states=args.states)
    if args.json:
        say_json({"game": str(game), "contract": [vars(f) for f in findings], "forms": [vars(f) for f in forms]})
        return 0
    say(f"{game}: {many(len(game.players), 'player')} ({', '.join(game.players)})")
    signs = {"ok": "✓", "warning": "!", "skipped": "~"}
    for finding in findings:
        say(f"  {signs[finding.mark]} {finding.words}")
    say("forms")
    for form in forms:
        say(f"  {'✓' if form.exists else '✗'} {form}")
    return 0
