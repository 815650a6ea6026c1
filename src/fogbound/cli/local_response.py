"""`fogbound evaluate --local`: how far policies can be exploited at least, by local best response, without a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fogbound import api
from fogbound.arena.deviations import Deviations
from fogbound.cli.console import Parser, counting_number, natural, say, say_json
from fogbound.cli.engines import engine_flags, engine_of
from fogbound.cli.progress import counting
from fogbound.core.errors import many
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.core.policy import Strategy


def local_options(parser: Parser) -> None:
    """What can be said of local best responses."""
    parser.add_argument("--local", action="store_true", help="by local best response: a lower estimate, without a tree")
    parser.add_argument(
        "--deals", type=counting_number, default=200, metavar="N", help="how many deals (with --local; default 200)"
    )
    parser.add_argument(
        "--answers",
        type=natural,
        default=1,
        metavar="N",
        help="for how many steps after an action a reply asks what the others do (default 1)",
    )
    parser.add_argument(
        "--prefer",
        action="append",
        default=[],
        metavar="ACTION",
        help="how everybody goes on after that: the first of these actions that is legal, any where none is",
    )
    parser.add_argument(
        "--plays", type=natural, default=0, metavar="N", help="estimate the rest by N plays; 0: compute it (default)"
    )
    engine_flags(parser)


def by_local_best_response(args: Any, game: AnyGame, policies: Sequence[Strategy], named: Sequence[str]) -> int:
    """What each player gains at least by leaving the profile alone."""
    with counting(f"{game}", args.deals) as watch:
        found = api.local_best_response(
            game,
            policies,
            deals=args.deals,
            seed=args.seed,
            answers=args.answers,
            prefer=args.prefer,
            plays=args.plays,
            watch=watch,
            engine=engine_of(args),
        )
    if args.json:
        gains = [{"policy": named[one.player], **asdict(one)} for one in found.gains]
        figures = {key: value for key, value in asdict(found).items() if key != "gains"}
        say_json({"seed": args.seed, "exact": False, **figures, "players": gains})
    else:
        _tell(found, game.players, named)
    return 130 if found.stopped == "interrupted" else 0


def _tell(found: Deviations, players: Sequence[str], named: Sequence[str]) -> None:
    wide = max(len(f"{player} {policy}") for player, policy in zip(players, named))
    say(f"{'player':<{wide}}  {'value':>10}  gains at least")
    for one in found.gains:
        low, high = one.interval
        shown = f"{players[one.player]} {named[one.player]}"
        say(f"{shown:<{wide}}  {number(one.value, 4):>10}  {number(one.gain, 4)} ± {number((high - low) / 2, 2)}")
    low, high = found.interval
    around = f"{number(found.exploited, 4)} ± {number((high - low) / 2, 2)}"
    say(f"exploitability (NashConv divided by {len(players)} players) at least {around}, by local best response")
    interrupted = "; interrupted" if found.stopped == "interrupted" else ""
    say(f"{many(found.deals, 'deal')}, 95 % intervals over deals: an estimate from samples, no bound{interrupted}")
