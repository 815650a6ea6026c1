"""`fogbound tournament`: who plays better, by the same deals in each other's seats."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fogbound import api
from fogbound.arena.match import Interval
from fogbound.cli.console import (
    Parser,
    counting_number,
    finite,
    make_parser,
    natural,
    positive,
    say,
    say_json,
    tabled,
)
from fogbound.cli.engines import engine_flags, engine_of
from fogbound.cli.progress import Following, counting, following
from fogbound.core.atomic import write
from fogbound.core.errors import many
from fogbound.core.numerals import number
from fogbound.experiments.tournaments.result import Entrant, Pair, Tournament
from fogbound.experiments.tournaments.strength import points_text
from fogbound.parallel.shards import Shard

TIE_WORDS = {"split": "a tie is shared", "first": "a tie goes to the first seat"}
LIVE, SHARE = 1.0, 9  # seconds between two writings of the standings so far; so many times as long as one took
CODES = {"interrupted": 130, "terminated": 143}
WHY = {
    "deals": "",
    "decided": " Stopped because every pair is decided.",
    "seconds": " Stopped when the time was up.",
    "interrupted": " Interrupted: these are the deals until then.",
    "terminated": " Interrupted: these are the deals until then.",
}


def main(words: list[str]) -> int:
    args = _parser().parse_args(words)
    game = api.game(args.game)
    with ExitStack() as shown:
        followed = shown.enter_context(following(f"{game}  policies"))
        result = api.tournament(
            game,
            *args.policies,
            watch=_counting_deals(shown, followed, _deals(args)),
            standing=_Live(Path(args.live), args.seed).standing if args.live else None,
            engine=engine_of(args),
            exact=not args.sampled,
            solving=followed.watch,
            tell=followed.tell,
            **args.taken("games", "seconds", "decided", "seed", "ties", "seatings", "most_steps", "resume", "shard"),
        )
    if args.json:
        say_json({"seed": args.seed, **_plain(result)})
    else:
        _tell(result)
        if args.shard:
            say(f"Shard {args.shard}: its share of the deals. fogbound merge puts the journals of all shares together.")
    return CODES.get(result.stopped, 0)


def _deals(args: Any) -> int:
    """How many deals there are to be played."""
    share = Shard.parse(args.shard) if args.shard else None
    return sum(share.has(deal) for deal in range(args.games)) if share else int(args.games)


def _counting_deals(shown: ExitStack, followed: Following, games: int) -> Callable[[int], None]:
    """Where it stands: a bar that takes the place of what was shown while policies were made, or lines for a log."""
    bar: Callable[[int], None] | None = None

    def watch(done: int) -> None:
        nonlocal bar
        if bar is None and sys.stderr.isatty():
            shown.close()  # a terminal shows one of them at a time
            bar = shown.enter_context(counting(followed.title.removesuffix("  policies"), games))
        if bar is not None:
            bar(done)
        else:
            followed.trace, followed.doing = [], f"deal {done:,} of {games:,}"

    return watch


class _Live:
    """The standings so far in a file, whole or not at all: every second, and for a tenth of the time at most."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path, self.seed, self.next = path, seed, time.monotonic()

    def standing(self, so_far: Callable[[], Tournament]) -> None:
        began = time.monotonic()
        if began < self.next:
            return
        write(self.path, json.dumps(finite({"seed": self.seed, **_plain(so_far())})).encode())
        now = time.monotonic()
        self.next = now + max(LIVE, SHARE * (now - began))


def _parser() -> Parser:
    parser = make_parser(
        "tournament",
        "Find out who plays better. Every deal is played under each seating of the entrants, with the same luck for\n"
        "whoever sits there, so that neither good cards nor a good seat decides; intervals are over deals. As many\n"
        "entrants as seats sit in every order; of more of them all that fit; fewer sit in several seats at once.\n"
        "Where outcomes can be computed cheaply no game is played, and they are exact.\n\n"
        "A win is the highest return of a game. In games about money, such as poker, look at the scores: who wins\n"
        "most hands need not win most.",
        '  fogbound tournament "card-poker(ranks=8)" sequence-lp uniform            exact: the tree is small\n'
        "  fogbound tournament tic-tac-toe alpha-beta uniform --decided wins        until it is known who wins more\n"
        "  fogbound tournament king-up uniform uniform uniform --games 200 --ties first\n"
        "  fogbound tournament king-up uniform uniform --resume played.jsonl         go on where it was left\n"
        "  fogbound tournament king-up uniform uniform --resume 2.jsonl --shard 2/8  the second of eight shares of it\n"
        "  fogbound merge *.jsonl -o played.jsonl                                    all shares together",
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument("policies", metavar="POLICY", nargs="+", help="uniform, a solver's spec, or a saved solution")
    parser.add_argument(
        "--games", type=counting_number, default=1000, metavar="N", help="how many deals, each in every seating (1000)"
    )
    parser.add_argument("--seconds", type=positive, default=math.inf, metavar="S", help="stop after S seconds")
    parser.add_argument(
        "--decided",
        choices=("wins", "score"),
        default="",
        help="stop when it is known of every pair who has more; at most 5 times in 100 this is said of equals",
    )
    parser.add_argument(
        "--seatings", choices=("all", "given"), default="all", help="every seating, or only the one given"
    )
    parser.add_argument("--ties", choices=tuple(TIE_WORDS), default="split", help="who wins a tie (default split)")
    parser.add_argument("--seed", type=natural, default=0, metavar="K", help="same seed, same result (default 0)")
    parser.add_argument(
        "--most-steps", type=counting_number, default=10_000, metavar="N", help="cut a game off after N steps"
    )
    engine_flags(parser)
    parser.add_argument("--resume", metavar="FILE", help="keep every game in FILE, and go on from it where it exists")
    parser.add_argument(
        "--live", metavar="FILE", help="write the standings so far into FILE, as JSON, while it goes on"
    )
    parser.add_argument(
        "--shard", metavar="K/N", help="play the K-th of N shares of the deals, for fogbound merge (with --resume)"
    )
    parser.add_argument("--sampled", action="store_true", help="play games also where outcomes can be computed")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def _plain(result: Tournament) -> dict[str, Any]:
    """The tournament as plain values; seats and entrants count from 0."""
    rows = [
        {
            "seating": list(row.seating),
            "games": row.match.games,
            "tied": row.match.exact.tied if row.match.exact else row.match.tied,
            "cycles": row.match.cycles,
            "cut": row.match.cut,
            "players": [asdict(one) for one in row.match.players],
        }
        for row in result.rows
    ]
    return {
        "game": result.game,
        "ties": result.ties,
        "seatings": result.seatings,
        "games": result.deals,
        "exact": result.exact,
        "stopped": result.stopped,
        "rows": rows,
        "entrants": [asdict(one) for one in result.entrants],
        "pairs": [{**asdict(pair), "winner": pair.winner, "scorer": pair.scorer} for pair in result.pairs],
        "why_no_strength": result.why_no_strength,
        "strength_by": result.strength_by,
    }


def _tell(result: Tournament) -> None:
    for line in [*_rows(result), "", *_standings(result), "", *_cross(result)]:
        say(line)
    if result.why_no_strength:
        say(f"No strengths: {result.why_no_strength}.")
    tie = TIE_WORDS[result.ties]
    if result.exact:
        say(f"Exact, {tie}: outcomes are computed, so playing games would only estimate the same.")
        return
    games = result.deals * len(result.rows)
    tied = sum(row.match.tied for row in result.rows)
    say(f"{many(result.deals, 'deal')}, {many(games, 'game')}, {tied:,} tied; {tie}.{WHY[result.stopped]}")
    ended = [(sum(getattr(row.match, kind) for row in result.rows), kind) for kind in ("cycles", "cut")]
    if any(count for count, _ in ended):
        say(f"{many(ended[0][0], 'game')} entered a cycle and {ended[1][0]:,} were cut off: they count as ties of all.")
    for name in result.names:
        lost = sum(one.lost for row in result.rows for one in row.match.players if one.policy == name)
        if lost:
            say(f"{name} met something its policy was not made for {lost:,} times, and played uniformly on.")


def _rows(result: Tournament) -> list[str]:
    """The table of the thesis (document 004, Tables 4.2 and 4.3): win rates, mean scores and games of every seating."""
    named = [f"({', '.join(one.policy for one in row.match.players)})" for row in result.rows]
    cells = []
    for row in result.rows:
        seats = row.match.players
        wins = [_around(one.wins, one.wins_interval, 3, result.exact) for one in seats]
        cells.append([*wins, *(number(one.score, 5) for one in seats), "exact" if result.exact else row.match.games])
    heads = [*(f"{p} wins" for p in result.players), *(f"{p} score" for p in result.players), "games"]
    return _aligned("seating", named, heads, cells)


def _standings(result: Tournament) -> list[str]:
    """The entrants, who scores most first: that is what policies are after."""
    ranked = sorted(result.entrants, key=lambda one: (-one.score, -one.wins))
    cells = [
        [
            _around(one.wins, one.wins_interval, 3, result.exact),
            _around(one.score, one.score_interval, 4, result.exact),
            _strength(one, result.exact),
        ]
        for one in ranked
    ]
    heads = ["wins", "score", f"strength by {result.strength_by}"]
    return _aligned("entrant", [one.name for one in ranked], heads, cells)


def _strength(one: Entrant, exact: bool) -> str:
    if one.strength is None or one.strength_interval is None:
        return "–"
    half = (one.strength_interval[1] - one.strength_interval[0]) / 2
    return points_text(one.strength, "+") + ("" if exact else f" ± {points_text(half)}")


def _cross(result: Tournament) -> list[str]:
    """How far each is ahead of each: in wins, where 0.5 is even, and in points. What is decided is marked."""
    names = list(result.names)
    wins, points = ([[""] * len(names) for _ in names] for _ in range(2))
    for pair in result.pairs:
        a, b = pair.first, pair.second
        marks = ["*" if who is not None and not result.exact else "" for who in (pair.winner, pair.scorer)]
        for row, column, ahead, more in ((a, b, pair.ahead, pair.difference), (b, a, 1 - pair.ahead, -pair.difference)):
            wins[row][column] = f"{ahead:.3f}{marks[0]}"
            points[row][column] = f"{round(more, 3) + 0.0:+.3f}{marks[1]}".replace("-", "−")
    heads = [f"{k + 1}" for k in range(len(names))]
    cells = [[*left, *right] for left, right in zip(wins, points)]
    lines = _aligned("wins against, points over", names, [*heads, *heads], cells, numbered=True)
    return lines if result.exact else [*lines, _decided(result.pairs)]


def _decided(pairs: tuple[Pair, ...]) -> str:
    left = [sum(getattr(pair, kind) is None for pair in pairs) for kind in ("winner", "scorer")]
    said = f"still open: {left[0]} in wins, {left[1]} in points" if any(left) else "all are"
    return f"* decided, by tests that may be looked at whenever one likes (95 % for all pairs together); {said}."


def _around(mean: float, interval: Interval, digits: int, exact: bool) -> str:
    """A mean with half the width of its interval."""
    if exact:
        return number(mean, digits + 2)
    half = (interval[1] - interval[0]) / 2
    said = f"{mean:.{digits}f}".replace("-", "−")
    return f"{said} ± {half:.{digits}f}" if math.isfinite(half) else said


def _aligned(
    head: str, names: list[str], heads: list[str], cells: list[list[Any]], numbered: bool = False
) -> list[str]:
    """A table: names at the left, columns at the right; names with numbers where columns are known by them."""
    shown = [f"{k + 1} {name}" for k, name in enumerate(names)] if numbered else names
    return tabled([(head, *heads), *((name, *map(str, row)) for name, row in zip(shown, cells))], "<>")
