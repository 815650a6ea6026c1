"""`fogbound infer`: which level of reasoning an opponent plays, from logs of its games."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fogbound.cli.console import Parser, counting_number, make_parser, natural, say, say_json
from fogbound.cli.progress import working
from fogbound.core.errors import SpecError, many
from fogbound.core.game import AnyGame
from fogbound.core.numerals import number
from fogbound.inference.levels.opponent import LogEvidence, candidates, levels_of, posterior
from fogbound.inference.type_posterior import describe_levels
from fogbound.naming import games as naming

if TYPE_CHECKING:
    from fogbound.arena.log import Record
    from fogbound.inference.levels.opponent import LevelPosterior
    from fogbound.inference.levels.population import Population, SlipRate

BAR = 24
FIT = "fit"
MOST_LEVELS = 200
TEACHING = """\
Find out who one is playing. Level 0 of a player plays at random; level k plays the best reply to an opponent
of whom it believes that it is some level below k. Every level is a definite player, so a log of games is more
likely under one level than under another, and Bayes' rule turns that into probabilities.

Levels that play alike are one class: no log can tell them apart. A person's hand may slip: with the
probability that --tremble names, a move is drawn at random. Without slips a single odd move excludes a level
for ever; with them it only counts against it. How often hands slip can be fitted from the log, too.

By default the log must say what PLAYER saw and did (hands were shown). With --view ME only what ME saw is used:
all that may have happened unseen is summed over, exactly.

With --population each LOG holds the games of one person, and the answer is how the classes are spread over
all of them: the likeliest shares, and 95 % intervals from a Dirichlet posterior."""
EXAMPLES = """\
  fogbound infer "po-nim(n=3)" games.jsonl --player second               which level is my opponent?
  fogbound infer "po-nim(n=3)" games.jsonl --player second --as first    the same, from what first saw
  fogbound infer "po-nim(n=3)" games.jsonl --player 1 --levels 8 --prior poisson --tremble fit
  fogbound infer "po-nim(n=3)" anna.jsonl ben.jsonl cleo.jsonl --player 1 --population
  fogbound infer "po-nim(n=3)" all.jsonl --player 1 --population --games-each 5   five games a person, in order"""


def main(words: list[str]) -> int:
    args = _parser().parse_args(words)
    if args.levels > MOST_LEVELS:
        raise SpecError(f"--levels is {args.levels}, expected at most {MOST_LEVELS}")
    game = naming.game(args.game)
    player = naming.player_index(args.player, game)
    view = None if args.view is None else naming.player_index(args.view, game)
    logs = _logs(args.logs, game, args.population, args.games_each)
    from numpy.random import default_rng

    from fogbound.inference.levels.population import population, rate_of_many, rate_of_one

    with working(f"solving levels 0 to {args.levels} of {game}"):
        them = candidates(game, player, *levels_of(game, player, args.levels, args.prior))
    with working("weighing the logs"):
        evidence = LogEvidence(them, logs, view)
        fitted = None
        if args.tremble == FIT:
            fitted = rate_of_many(evidence) if args.population else rate_of_one(evidence)
        rate = args.tremble if fitted is None else fitted.best
        if args.population:
            many = population(evidence, rate, default_rng(args.seed))
    if args.population:
        _tell_many(many, sum(evidence.games), fitted, args.json)
    else:
        _tell_one(posterior(them, logs[0], rate, view), fitted, args.json)
    return 0


def _parser() -> Parser:
    parser = make_parser("infer", TEACHING, EXAMPLES)
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("logs", metavar="LOG", nargs="+", help="games as JSON lines (fogbound.arena.log.save_log)")
    parser.add_argument("--player", required=True, metavar="PLAYER", help="whose level is asked for, by name or number")
    parser.add_argument("--levels", type=natural, default=4, metavar="K", help="consider levels 0 to K (default 4)")
    parser.add_argument(
        "--prior",
        choices=("uniform", "poisson"),
        default="uniform",
        help="how likely levels are beforehand, for us and for the levels themselves (default uniform)",
    )
    parser.add_argument(
        "--tremble", type=tremble, default=0.02, metavar="P", help="how often a hand slips, or fit (default 0.02)"
    )
    parser.add_argument("--as", dest="view", metavar="PLAYER", help="use only what this player saw")
    parser.add_argument("--view", dest="view", help=argparse.SUPPRESS)  # as it was called first
    parser.add_argument("--population", action="store_true", help="many persons: how levels are spread over them")
    parser.add_argument(
        "--games-each", type=counting_number, metavar="N", help="with --population: every N games are one person's"
    )
    parser.add_argument("--seed", type=natural, default=0, metavar="S", help="for the intervals of a population")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def tremble(text: str) -> float | str:
    """A probability, or the word that asks to fit it."""
    if text == FIT:
        return FIT
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a probability from 0 to 1, or {FIT}")
    return value


def _logs(paths: Sequence[str], game: AnyGame, population: bool, each: int | None) -> list[list[Record]]:
    """The games by person: all one person's, a file a person, or every so many games a person."""
    from fogbound.arena import log

    files = [log.load_log(path, game) for path in paths]
    if not population:
        if each is not None:
            raise SpecError("infer: --games-each says who is who in a population; add --population")
        return [[game for games in files for game in games]]
    if each is None and len(files) == 1:
        raise SpecError(
            "infer: --population with 1 log, expected one log a person, or --games-each N for one file of all"
        )
    if each is None:
        return files
    torn = next((path for path, games in zip(paths, files) if len(games) % each), None)
    if torn is not None:
        raise SpecError(f"{torn}: the number of its games is no multiple of --games-each {each}")
    return [games[k : k + each] for games in files for k in range(0, len(games), each)]


def _slips(rate: float, fitted: SlipRate | None) -> str:
    if fitted is None:
        return f"hands slip with probability {number(rate, 4)}"
    low, high = number(fitted.low, 3), number(fitted.high, 3)
    return f"hands slip with probability {number(rate, 3)}, fitted (95 % interval {low} to {high})"


def _fit(rate: float, fitted: SlipRate | None) -> dict[str, Any]:
    return {"rate": rate, "interval": None if fitted is None else [fitted.low, fitted.high]}


def _tell_one(posterior: LevelPosterior, fitted: SlipRate | None, as_json: bool) -> None:
    them = posterior.types
    if as_json:
        ranked = [
            {
                "levels": list(them.classes[k]),
                "prior": float(them.class_prior[k]),
                "log_likelihood": float(posterior.class_log_likelihood[k]),
                "posterior": float(posterior.by_class[k]),
            }
            for k in posterior.ranking
        ]
        head = {"game": them.table.spec, "player": them.table.players[them.player], "games": posterior.games}
        say_json(
            {**head, "tremble": _fit(posterior.rate, fitted), "classes": ranked, "levels": posterior.weights.tolist()}
        )
        return
    wide = max(len(describe_levels(members)) for members in them.classes)
    say(f"{'':<{wide}}  before   after")
    for k in posterior.ranking:
        share = float(posterior.by_class[k])
        bar = "━" * round(share * BAR)
        say(f"{describe_levels(them.classes[k]):<{wide}}  {them.class_prior[k]:6.3f}  {share:6.3f}  {bar}".rstrip())
    games = many(posterior.games, "game")
    say(f"{them.table.players[them.player]} is {posterior.words()}.")
    say(f"{games}; {_slips(posterior.rate, fitted)}.")


def _tell_many(population: Population, games: int, fitted: SlipRate | None, as_json: bool) -> None:
    from fogbound.cli.match import dot_and_bar

    them = population.candidates
    rows = zip(
        them.classes,
        population.likeliest.tolist(),
        population.mean.tolist(),
        population.low.tolist(),
        population.high.tolist(),
    )
    if as_json:
        keys = ("levels", "likeliest", "mean", "low", "high")
        head = {"game": them.table.spec, "player": them.table.players[them.player], "persons": population.persons}
        listed = [dict(zip(keys, row)) for row in rows]
        say_json({**head, "games": games, "tremble": _fit(population.rate, fitted), "classes": listed})
        return
    wide = max(len(describe_levels(members)) for members in them.classes)
    say(f"{'':<{wide}}  likeliest    mean    95 % interval")
    for members, likeliest, mean, low, high in rows:
        bar = dot_and_bar(mean, (low, high), 1 / len(them.classes))
        say(f"{describe_levels(members):<{wide}}     {likeliest:6.3f}  {mean:6.3f}    {low:.3f} to {high:.3f}   {bar}")
    say(
        f"{many(population.persons, 'person')}, {many(games, 'game')}; {_slips(population.rate, fitted)}. "
        "┊ is an equal share."
    )
