"""`fogbound dominance`: iterated elimination of dominated strategies, each step with its evidence, checked exactly."""

from __future__ import annotations

from typing import Any

from fogbound import api
from fogbound.api.dominance import MOST_STATES, Dominance
from fogbound.cli.console import counting_number, make_parser, say, say_json


def main(words: list[str]) -> int:
    parser = make_parser(
        "dominance",
        "Take away strategies that another one, pure or mixed, does better than, until none is left; each step shows "
        "the dominating strategy and by how much it does better, in exact arithmetic.",
        "  fogbound dominance king-ace --weak\n  fogbound dominance 'matrix-game(matrix=prisoners-dilemma)'",
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "--weak", action="store_true", help="never better and sometimes worse suffices; this can lose equilibria"
    )
    parser.add_argument("--pure", action="store_true", help="only look for dominating strategies that are pure")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    parser.add_argument(
        "--limit",
        type=counting_number,
        default=MOST_STATES,
        metavar="N",
        help="states of the game, at most (%(default)s)",
    )
    args = parser.parse_args(words)
    found = api.dominance(args.game, strict=not args.weak, pure=args.pure, limit=args.limit)
    if args.json:
        say_json(_plain(found))
    else:
        say(str(found))
    return 0


def _plain(found: Dominance) -> dict[str, Any]:
    strict = found.elimination.strict
    return {
        "game": found.game,
        "strict": strict,
        "rounds": len(found.elimination.rounds),
        "removed": [
            {
                "round": step.round,
                "player": step.removed.player,
                "strategy": found.strategies[step.removed.player][step.removed.strategy],
                "by": {name: str(p) for name, p in found.by(step).items()},
                "advantage": [str(step.least), str(step.most)],
                "confirmed": step.holds(strict),
            }
            for step in found.steps
        ],
        "left": found.left,
        "players": found.players,
    }
