"""`fogbound match`: policies against each other, exactly where that can be known, else with intervals."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from fogbound import api
from fogbound.arena.match import TIES, Match
from fogbound.arena.outcome import ExactOutcome
from fogbound.cli.console import Parser, counting_number, make_parser, natural, say, say_json, tabled, whisper
from fogbound.cli.engines import engine_flags, engine_of
from fogbound.cli.progress import counting, following
from fogbound.core.errors import many
from fogbound.core.numerals import number
from fogbound.naming.profiles import strategies

WIDTH = 28
CYCLES = "With discount 1 a play that cycles is a tie of all, with what had been paid when a situation first came back"
ETERNAL = "with a discount the cycle's rewards are summed to eternity"


def main(words: list[str]) -> int:
    args = _parser().parse_args(words)
    engine, game = engine_of(args), api.game(args.game)
    with following(f"{game}  policies") as followed:
        policies = strategies(game, args.policies, args.seed, followed.watch, followed.tell, mediated=True)
    with counting(f"{game}", args.games) as watch:
        result = api.match(
            game,
            *policies,
            names=args.policies,
            watch=watch,
            engine=engine,
            plain=bool(args.log),  # a log keeps the games that were counted
            **args.taken("games", "seed", "ties", "most_steps"),
        )
    exact = result.exact
    if args.json:
        figures = {key: value for key, value in asdict(replace(result, exact=None)).items() if key != "exact"}
        say_json({"game": str(game), "seed": args.seed, **figures, **_exact_words(exact, args.ties)})
    elif exact and exact.one_play:
        _tell_decided(exact, result, game.players, game.discount)
        _tell_lost(result, game.players)
    else:
        _tell(result, game.players)
        if exact and exact.returns:
            scores = ", ".join(f"{player} {number(paid, 6)}" for player, paid in zip(game.players, exact.returns))
            say(f"Exact expected scores: {scores}.")
    if args.log:
        from fogbound.arena import log

        games = result.games if result.interrupted else args.games
        kept, left = log.record_whole(game, policies, games, args.seed)
        log.save_log(kept, args.log, game)
        if left:
            whisper(f"fogbound: {left} of {games} games never ended and are not in {args.log}: a log holds whole games")
    return 130 if result.interrupted else 0


def _parser() -> Parser:
    parser = make_parser(
        "match",
        "Let policies play many games against each other, one policy a player. Where no policy draws and chance never\n"
        "intervenes, one play decides, and its exact outcome is told. With discount 1 a play that cycles for ever is\n"
        "a tie of all, with what had been paid when a situation first came back; with a discount the cycle's rewards\n"
        "are summed to eternity.",
        '  fogbound match "card-poker(ranks=8)" sequence-lp uniform --games 1000\n'
        "  fogbound match po-nim uniform uniform --games 500 --ties first --json",
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "policies",
        metavar="POLICY",
        nargs="+",
        help="uniform, a solver's spec, a saved solution, a bot (bot.py:Bot, openspiel-bot:mcts) or a strategy (.csv, "
        ".json)",
    )
    parser.add_argument(
        "--games", type=counting_number, default=1000, metavar="N", help="how many games (default 1000)"
    )
    parser.add_argument("--ties", choices=TIES, default="split", help="who wins a tie (default split)")
    parser.add_argument("--seed", type=natural, default=0, metavar="K", help="same seed, same result (default 0)")
    parser.add_argument(
        "--most-steps", type=counting_number, default=10_000, metavar="N", help="cut a game off after N steps"
    )
    engine_flags(parser)
    parser.add_argument(
        "--log", metavar="FILE", help="write the games, all that every player saw and did, as JSON lines"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def _exact_words(exact: ExactOutcome | None, ties: str) -> dict[str, Any]:
    """What JSON says about exactness: the one play, or exact expectations beside the simulated ones."""
    if exact and exact.one_play:
        return {"exact": True, **exact.plain()}
    scores, wins = (exact.returns, exact.wins(ties)) if exact else (None, None)
    return {"exact": False, "exact_scores": scores, "exact_wins": wins}


def _tell(result: Any, players: tuple[str, ...]) -> None:
    """The table of standings: wins as dot and bar against the fair share, scores with their interval."""
    rows = [("player", "wins", "95 % interval", "score")]
    for player, standing in zip(players, result.players):
        low, high = standing.score_interval
        bar = dot_and_bar(standing.wins, standing.wins_interval, 1 / len(players))
        score = f"{number(standing.score, 5)} ± {number((high - low) / 2, 2)}"
        rows.append((f"{player} {standing.policy}", f"{standing.wins:.3f}", bar, score))
    for line in tabled(rows, "<><<"):
        say(line)
    rule = "a tie is shared" if result.ties == "split" else "a tie goes to the first seat"
    say(f"{many(result.games, 'game')}, {result.tied:,} tied; {rule}. ┊ is the fair share.")
    if result.cycles or result.cut:
        say(
            f"{many(result.cycles, 'game')} entered a cycle and {result.cut:,} were cut off: they count as ties, "
            "with what had been paid until then."
        )
    _tell_lost(result, players)


def _tell_lost(result: Any, players: tuple[str, ...]) -> None:
    for player, standing in zip(players, result.players):
        if standing.lost:
            say(
                f"{player} met something its policy was not made for in {many(standing.lost, 'game')}, "
                "and played uniformly on."
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


def _tell_decided(decided: ExactOutcome, result: Match, players: tuple[str, ...], discount: float) -> None:
    """The one play: what each gets, who wins, how it ended."""
    name = max(len(f"{player} {standing.policy}") for player, standing in zip(players, result.players))
    for player, standing in zip(players, result.players):
        said = f"wins {number(standing.wins, 3):>5}   score {number(standing.score, 10)}"
        say(f"{player + ' ' + standing.policy:<{name}}   {said}")
    steps = f"{decided.steps} step{'s' if decided.steps != 1 else ''}"  # an infinite number of them, too
    if decided.cycle:
        begins, length = decided.cycle
        rule = CYCLES if discount == 1 else ETERNAL[0].upper() + ETERNAL[1:]
        say(f"From step {begins} on play repeats the same {many(length, 'step')} and never ends. {rule}.")
    else:
        say(f"{'Over' if decided.ended == 'over' else 'Discounted to nothing'} after {steps}.")
    say("Exact: nothing is left to chance, so playing more games would show the same.")
