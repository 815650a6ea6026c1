"""`fogbound match`: policies against each other, with intervals."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fogbound.cli import naming
from fogbound.cli.watching import counting
from fogbound.cli.words import counting_number, make_parser, natural, number, say, say_json
from fogbound.core.errors import SpecError

WIDTH = 28


def main(words: list[str]) -> int:
    parser = make_parser(
        "match",
        "Let policies play many games against each other, one policy a seat.",
        '  fogbound match "card-poker(ranks=8)" sequence-lp uniform --games 1000\n'
        "  fogbound match po-nim uniform uniform --games 500 --ties first --json",
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("policies", metavar="POLICY", nargs="+", help="uniform, a solver's spec, or a saved solution")
    parser.add_argument(
        "--games", type=counting_number, default=1000, metavar="N", help="how many games (default 1000)"
    )
    parser.add_argument("--ties", choices=("split", "first"), default="split", help="who wins a tie (default split)")
    parser.add_argument("--seed", type=natural, default=0, metavar="K", help="same seed, same result (default 0)")
    parser.add_argument(
        "--most-steps", type=counting_number, default=10_000, metavar="N", help="cut a game off after N steps"
    )
    parser.add_argument("--workers", type=counting_number, default=1, metavar="W", help="play in W processes")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    args = parser.parse_args(words)
    game = naming.game(args.game)
    if len(args.policies) != len(game.players):
        seats = ", ".join(game.players)
        raise SpecError(f"{game} has {len(game.players)} seats ({seats}), but {len(args.policies)} policies are given")
    policies = [naming.policy(text, game, i, args.seed) for i, text in enumerate(args.policies)]
    from fogbound.arena import match

    with counting(f"{game}", args.games) as watch:
        result = match(
            game, policies, args.games, args.seed, args.ties, args.policies, args.most_steps, watch, args.workers
        )
    if args.json:
        say_json({"game": str(game), "seed": args.seed, **asdict(result)})
    else:
        _tell(result, game.players)
    return 130 if result.interrupted else 0


def _tell(result: Any, players: tuple[str, ...]) -> None:
    """The table of standings: wins as dot and bar against the fair share, scores with their interval."""
    name = max(len(f"{seat} {standing.policy}") for seat, standing in zip(players, result.players))
    say(f"{'player':<{name}}   wins    95 % interval {' ' * (WIDTH - 10)} score")
    for seat, standing in zip(players, result.players):
        low, high = standing.score_interval
        bar = dot_and_bar(standing.wins, standing.wins_interval, 1 / len(players))
        say(
            f"{seat + ' ' + standing.policy:<{name}}  {standing.wins:6.3f}   {bar}   "
            f"{number(standing.score, 5)} ± {number((high - low) / 2, 2)}"
        )
    rule = "a tie is shared" if result.ties == "split" else "a tie goes to the lowest seat"
    say(f"{result.games:,} games, {result.tied:,} tied; {rule}. ┊ is the fair share.")
    if result.cycles or result.cut:
        say(
            f"{result.cycles:,} games entered a cycle and {result.cut:,} were cut off: they count as ties, with what "
            "had been paid until then."
        )
    for seat, standing in zip(players, result.players):
        if standing.lost:
            say(
                f"{seat} met something its policy was not made for in {standing.lost:,} games, and played uniformly on."
            )


def dot_and_bar(value: float, interval: tuple[float, float], fair: float) -> str:
    """A rate from 0 to 1 as ●, its interval as ━, the fair share as ┊."""
    place = [min(WIDTH - 1, max(0, round(x * (WIDTH - 1)))) for x in (value, *interval, fair)]
    cells = ["─"] * WIDTH
    cells[place[3]] = "┊"
    for k in range(place[1], place[2] + 1):
        cells[k] = "━"
    cells[place[0]] = "●"
    return "".join(cells)
