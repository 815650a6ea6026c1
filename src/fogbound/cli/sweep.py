"""`fogbound sweep`: games by solvers by seeds by limits, as a journal, tables, curves and one page."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from fogbound import api
from fogbound.cli.console import Parser, counting_number, gap, make_parser, positive, room, say, say_json, whisper
from fogbound.cli.engines import engine_flags, engine_of
from fogbound.cli.progress import counting_lines, shielded
from fogbound.core.drawing import PICTURES, require_ending
from fogbound.core.errors import SpecError
from fogbound.draw.gaps import ITERATIONS, SECONDS
from fogbound.experiments.sweeps.plan import read_limits
from fogbound.experiments.sweeps.result import BOTH, COLUMNS, ENDINGS, SweepResult

CODES = {"finished": 0, "interrupted": 130, "terminated": 143}
TEACHING = """\
Solve every GAME by every SOLVER with every seed, and tell how fast the gaps close: a table for each game, and with
-o a page of curves with intervals over seeds. A run that fails is a row with its reason, and the sweep goes on.

With --resume every row is kept in a journal as soon as it is there (JSON lines, each with its seed and the versions
that computed it). Ctrl-C keeps it, and so does a crash: the same call goes on from there. The results do not depend on
who computes: one process, several (--workers), a Ray cluster (--ray), or the jobs of a cluster's queue (--shard), whose
journals fogbound merge puts together. Runs side by side share a machine's cores and memory, so that seconds are best
compared within one sweep; iterations always can be."""
EXAMPLES = """\
  fogbound sweep kuhn leduc --with cfr-plus --with dcfr --iterations 1000
  fogbound sweep leduc --with mccfr --with cfr-plus --seeds 5 --seconds 10 --resume leduc.jsonl -o leduc.html
  fogbound sweep tiger --with sarsop --with hsvi --until gap=1% --until "gap=0.1%, seconds=60" --workers 4
  fogbound sweep leduc --with mccfr --seeds 100 --iterations 9999 --resume 3.jsonl --shard 3/8    the third of 8 jobs
  fogbound merge *.jsonl -o all.jsonl -o leduc.html                                              all of them"""


def main(words: list[str]) -> int:
    args = _parser().parse_args(words)
    for path in (*args.output, *([args.curves] if args.curves else [])):
        _require_writable(path)
    if not any(Path(path).suffix in PICTURES for path in args.output):
        args.refuse(f"without a picture (-o with {', '.join(PICTURES)})", "over")
    engine = engine_of(args)
    cells = max(1, len(args.games)) * len(args.solver) * len(args.seeds) * max(1, len(args.until))
    with counting_lines("sweep", cells) as bar:
        result = api.sweep(
            args.games,
            args.solver,
            stops=[read_limits(text) for text in args.until],
            times=not args.no_times,
            engine=engine,
            watch=lambda done, _: bar(done),
            **args.taken("seeds", "gap", "seconds", "iterations", "player", "against", "limit", "certify"),
            **args.taken("resume", "shard"),
        )
    with shielded():
        tell_sweep(result, args.json)
        save_all(result, args.output, " ".join(["fogbound sweep", *words]), args.over)
        if args.curves:
            result.to_csv(args.curves, curves=True)
    if result.stopped != "finished" and args.resume:
        whisper(f"fogbound: {result.stopped}; the same call goes on from {args.resume}")
    everything_failed = result.rows and len(result.failed) == len(result.rows)
    return CODES.get(result.stopped, 1) or (2 if everything_failed else 0)


def tell_sweep(result: SweepResult, json: bool) -> None:
    """The tables, or one JSON object."""
    if json:
        rows = [{key: value for key, value in asdict(row).items() if key != "curve"} for row in result.rows]
        say_json({**result.plan.about(), "stopped": result.stopped, "rows": rows})
        return
    for line in result.lines(int(min(COLUMNS, room()))):
        say(line)


def save_all(result: SweepResult, paths: Sequence[str], command: str, over: str) -> None:
    """Write what was asked for, by how each name ends."""
    for path in paths:
        result.save(path, command, over)
        whisper(f"fogbound: wrote {path}")


def _require_writable(path: str) -> None:
    """Refuse a name now, not after hours."""
    require_ending(path, *ENDINGS)
    if not Path(path).absolute().parent.is_dir():
        raise SpecError(f"{path}: there is no folder {Path(path).parent}")


def seeds(text: str) -> list[int]:
    """How many seeds from 0 on, a range such as 10-19, or a list such as 1,5,9."""
    if re.fullmatch(r"[0-9]{1,6}", text) and int(text) > 0:
        return list(range(int(text)))
    if found := re.fullmatch(r"([0-9]{1,15})-([0-9]{1,15})", text):
        first, last = int(found[1]), int(found[2])
        if first <= last < first + 1_000_000:
            return list(range(first, last + 1))
    if re.fullmatch(r"[0-9]{1,15}(,[0-9]{1,15})+,?", text):
        return [int(part) for part in text.rstrip(",").split(",")]
    raise argparse.ArgumentTypeError(f"found {text!r}, expected how many, a range such as 10-19, or a list such as 1,5")


def _parser() -> Parser:
    parser = make_parser("sweep", TEACHING, EXAMPLES)
    parser.add_argument("games", metavar="GAME", nargs="+", help="specs, model files or my_game.py:MyGame")
    parser.add_argument(
        "--with", dest="solver", action="append", required=True, metavar="SOLVER", help="a solver's spec; repeat it"
    )
    parser.add_argument(
        "--seeds",
        type=seeds,
        default=[0],
        metavar="N",
        help="runs each: N seeds from 0 on, 10-19, or 1,5,9 (default 1)",
    )
    parser.add_argument("--gap", type=gap, metavar="G", help="stop a run at this gap, or at a share such as 1%%")
    parser.add_argument("--seconds", type=positive, metavar="S", help="time limit of a run, in seconds")
    parser.add_argument("--iterations", type=counting_number, metavar="N", help="stop a run after so many iterations")
    parser.add_argument(
        "--until",
        action="append",
        default=[],
        metavar="LIMITS",
        help='several limits instead, such as "gap=1%%, seconds=10"; repeat it',
    )
    parser.add_argument("--player", default="0", metavar="PLAYER", help="whose value and bounds (default 0)")
    parser.add_argument("--against", action="append", default=[], metavar="POLICY", help="how the others play")
    parser.add_argument("--limit", type=counting_number, metavar="N", help="how large a form may become")
    parser.add_argument(
        "--certify", action=argparse.BooleanOptionalAction, help="let the checker confirm all bounds, or none"
    )
    parser.add_argument("--no-times", action="store_true", help="leave times out: the same sweep, the same bytes")
    engine_flags(parser, "solve")
    parser.add_argument("--resume", metavar="FILE", help="keep every row in FILE, and go on from it where it exists")
    parser.add_argument(
        "--shard", metavar="K/N", help="the K-th of N shares of the cells, for fogbound merge (with --resume)"
    )
    parser.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help="write a page of curves and tables (.html), the rows (.csv), or one game's curves (.svg, .png, .pdf, "
        ".tex); repeat it",
    )
    parser.add_argument("--curves", metavar="FILE.csv", help="write the points of all curves, one a line")
    over_flag(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def over_flag(parser: Parser) -> None:
    """What the curves of a picture are drawn over."""
    parser.add_argument(
        "--over",
        choices=(SECONDS, ITERATIONS, BOTH),
        default="",
        help="what a picture (.svg, .png, .pdf, .tex) shows gaps over (default seconds, or iterations with --no-times)",
    )
