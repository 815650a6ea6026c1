"""`fogbound evaluate`: what a profile earns, and what deviating would bring, exactly or by playing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fogbound import api
from fogbound.arena.deviations import Deviations
from fogbound.arena.evaluation import Evaluation, figure_words
from fogbound.cli.console import (
    Parser,
    counting_number,
    make_parser,
    natural,
    positive,
    say,
    say_json,
    tabled,
)
from fogbound.cli.engines import engine_flags, engine_of
from fogbound.cli.progress import counting, following, working
from fogbound.core.errors import many
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.core.policy import Strategy
from fogbound.naming.policies import uniform_means
from fogbound.naming.profiles import strategies

EXAMPLES = """\
  fogbound evaluate "card-poker(ranks=3)" uniform uniform          values, regrets, exploitability, exactly
  fogbound evaluate "card-poker(ranks=8)" nash.npz                 a saved solution speaks for all players
  fogbound evaluate leduc nash.csv bot.py:Bot                      strategies and bots of your own
  fogbound evaluate TagAvoid.pomdp tag.npz --episodes 100000       by playing: statistics with intervals
  fogbound evaluate "liars-dice(dice=2)" is-mcts --local           without a tree: exploited at least so far

Exact where the game ends (matrices too) and where everybody knows the state. Where play goes on and something is hidden
the values are exact if the policies remember finitely much, and what a best reply earns lies between a solver's bounds,
which --seconds gives time for. With --episodes games are played instead, in compiled loops where policies are tables,
controllers or vectors.

--local needs no tree: each player in turn replies to the others by local best response (Lisy and Bowling 2017), in the
same deals as the policies themselves. What that gains a best reply gains as well, so the figures are lower estimates,
with 95 % intervals over deals."""


def main(words: list[str]) -> int:
    args = _parser().parse_args(words)
    if args.local:
        args.refuse("with --local, which plays deals", "episodes", "seconds", "most_steps")
    else:
        args.refuse("without --local", "deals", "answers", "prefer", "plays", "workers", "ray", "engine")
        if args.episodes:
            args.refuse("with --episodes, which plays", "seconds")
        else:
            args.refuse("without --episodes", "most_steps")
    game = api.game(args.game)
    given = args.policies * len(game.players) if len(args.policies) == 1 else args.policies
    answered = [] if args.local else [uniform_means(game, i) for i in range(len(game.players))]  # the answer says them
    with following(f"{game}  policies") as followed:
        followed.leave_out(answered)
        policies = strategies(game, given, args.seed, followed.watch, followed.tell)
    if args.local:
        return by_local_best_response(args, game, policies, given)
    if args.episodes:
        with counting(f"{game}", args.episodes) as watch:
            found = api.evaluate(
                game, policies, episodes=args.episodes, seed=args.seed, most_steps=args.most_steps, watch=watch
            )
    else:
        with working(f"evaluating {game}"):
            found = api.evaluate(game, policies, seed=args.seed, seconds=args.seconds)
    if args.json:
        say_json({**found.plain(), "policies": given, "seed": args.seed})
    else:
        say(in_lines(found, given))
    return 130 if found.played is not None and found.played.interrupted else 0


def _parser() -> Parser:
    parser = make_parser(
        "evaluate", "What a profile earns, and what each player could gain by deviating alone.", EXAMPLES
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "policies",
        metavar="POLICY",
        nargs="+",
        help="one for each player, or one for all: uniform, a solver's spec, a saved solution, a bot (bot.py:Bot) or a "
        "strategy (.csv, .json)",
    )
    parser.add_argument(
        "--episodes", "--games", type=counting_number, metavar="N", help="play N games instead of computing"
    )
    parser.add_argument(
        "--seconds",
        type=positive,
        default=10.0,
        metavar="S",
        help="for bounds on a player's best reply where it is not exact; 0 for none (default 10)",
    )
    parser.add_argument(
        "--most-steps", type=counting_number, default=10_000, metavar="N", help="cut an episode off after N steps"
    )
    local_options(parser)
    parser.add_argument("--seed", type=natural, default=0, metavar="K", help="same seed, same result (default 0)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    return parser


def in_lines(found: Evaluation, names: list[str]) -> str:
    """The figures for people."""
    if found.played is not None:
        rows = [("player", "policy", "earns", "95 % interval")]
        for player, name, one in zip(found.players, names, found.played.players):
            rows.append((player, name, figure_words(one.score), figure_words(one.score_interval)))
        cut = [f"{found.played.cut:,} were cut off"] if found.played.cut else []
        return "\n".join([found.game, *tabled(rows, "<<>"), found.how, *cut])
    figures = [("player", "policy", "earns", "best reply earns", "regret")]
    values = found.values or (None,) * len(found.players)
    for player, name, earned, best, regret in zip(found.players, names, values, found.best, found.regrets):
        figures.append((player, name, figure_words(earned), figure_words(best), figure_words(regret)))
    total = []
    if found.nash_conv is not None and len(found.players) > 1:
        total = [f"NashConv {figure_words(found.nash_conv)}, exploitability {figure_words(found.exploitability)}"]
    return "\n".join([found.game, *tabled(figures, "<<>"), *total, found.how])


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
            watch=watch,
            engine=engine_of(args),
            **args.taken("deals", "seed", "answers", "prefer", "plays"),
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
