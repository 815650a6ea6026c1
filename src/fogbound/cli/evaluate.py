"""`fogbound evaluate`: how far policies can be exploited, exactly where there is a tree, else at least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fogbound import api
from fogbound.api.playing import strategies
from fogbound.arena.deviations import Deviations
from fogbound.cli.console import Parser, counting_number, make_parser, natural, say, say_json
from fogbound.cli.progress import counting, following
from fogbound.core.errors import LimitError
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.core.policy import Strategy
from fogbound.evaluate.exploitability import Exploitability, exploitability


def main(words: list[str]) -> int:
    args = _parser().parse_args(words)
    game = api.game(args.game)
    named = args.policies * len(game.players) if len(args.policies) == 1 else args.policies
    with following(f"{game}  policies") as followed:
        policies = strategies(game, named, args.seed, followed.watch, followed.tell)
    if not args.local:
        exact = _exactly(game, policies)
        if args.json:
            say_json({"game": str(game), "seed": args.seed, "exact": True, **_plain(exact, named)})
        else:
            _tell(exact, game.players, named)
        return 0
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
            workers=args.workers,
        )
    if args.json:
        gains = [{"policy": named[one.player], **asdict(one)} for one in found.gains]
        figures = {key: value for key, value in asdict(found).items() if key != "gains"}
        say_json({"seed": args.seed, "exact": False, **figures, "players": gains})
    else:
        _tell_local(found, game.players, named)
    return 130 if found.stopped == "interrupted" else 0


def _exactly(game: AnyGame, policies: Sequence[Strategy]) -> Exploitability:
    try:
        return exploitability(game, policies)
    except LimitError as error:
        raise LimitError(f"{error}. Without a tree --local tells how far it can be exploited at least") from error


def _parser() -> Parser:
    parser = make_parser(
        "evaluate",
        "How far policies can be exploited: what each player gets, what its best reply to the others would get, and\n"
        "the difference. Exact, where the game has a tree; a policy that thinks is asked at every decision of it.\n\n"
        "--local needs no tree: each player in turn replies to the others by local best response (Lisy and Bowling\n"
        "2017), in the same deals as the policies themselves. What that gains a best reply gains as well, so the\n"
        "figures are lower estimates, with 95 % intervals over deals.",
        "  fogbound evaluate leduc is-mcts\n"
        "  fogbound evaluate leduc is-mcts --local --prefer check --prefer call\n"
        '  fogbound evaluate "liars-dice(dice=2)" "is-mcts(simulations=1000)" --local --deals 100',
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "policies", metavar="POLICY", nargs="+", help="uniform, a solver's spec, or a saved solution; one serves all"
    )
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
    parser.add_argument("--seed", type=natural, default=0, metavar="K", help="same seed, same result (default 0)")
    parser.add_argument("--workers", type=counting_number, default=1, metavar="W", help="play in W processes")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def _plain(found: Exploitability, named: Sequence[str]) -> dict[str, Any]:
    columns = zip(named, found.values, found.best, found.regrets)
    players = [
        {"player": i, "policy": policy, "value": value, "best": best, "gain": gain}
        for i, (policy, value, best, gain) in enumerate(columns)
    ]
    return {"players": players, "nash_conv": found.nash_conv, "exploitability": found.exploitability}


def _tell(found: Exploitability, players: Sequence[str], named: Sequence[str]) -> None:
    wide = max(len(f"{player} {policy}") for player, policy in zip(players, named))
    say(f"{'player':<{wide}}  {'value':>12}  {'best reply':>12}  {'gains':>12}")
    for player, policy, *figures in zip(players, named, found.values, found.best, found.regrets):
        say(f"{f'{player} {policy}':<{wide}}" + "".join(f"  {number(each, 6):>12}" for each in figures))
    say(f"exploitability {number(found.exploitability, 6)} (NashConv divided by {len(players)} players), exact")


def _tell_local(found: Deviations, players: Sequence[str], named: Sequence[str]) -> None:
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
    say(f"{found.deals:,} deals, 95 % intervals over deals: an estimate from samples, no bound{interrupted}")
