"""`fogbound merge`: the journals of the shares of a sweep or a tournament, put together."""

from __future__ import annotations

from pathlib import Path

from fogbound import api
from fogbound.cli.console import make_parser, say
from fogbound.cli.sweep import over_flag, save_all, tell_sweep
from fogbound.core.atomic import write
from fogbound.core.drawing import require_ending
from fogbound.core.errors import SpecError, many
from fogbound.experiments.sweeps.plan import KIND as SWEEP
from fogbound.experiments.sweeps.result import ENDINGS, SweepResult
from fogbound.parallel.journal import missing_jobs

JOURNAL = ".jsonl"


def main(words: list[str]) -> int:
    parser = make_parser(
        "merge",
        "Put journals of one sweep or one tournament together, those of its shares (--shard) in whatever order. The\n"
        "journal of all of them is the same file, to the byte, as the whole run would have written; times apart,\n"
        "which a sweep leaves out with --no-times. Journals of different runs, damaged ones, and those that\n"
        "contradict each other are refused. A sweep can be told at once; a tournament is by --resume.",
        "  fogbound merge 1.jsonl 2.jsonl 3.jsonl -o whole.jsonl\n"
        "  fogbound merge *.jsonl -o whole.jsonl -o page.html -o rows.csv       a sweep, with its page and its rows\n"
        "  fogbound tournament king-up uniform uniform --resume whole.jsonl     a tournament's standings",
    )
    parser.add_argument("journals", metavar="JOURNAL", nargs="+")
    parser.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help=f"the journal of all ({JOURNAL}); of a sweep also a page (.html), rows (.csv) or a picture; repeat it",
    )
    over_flag(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object (of a sweep)")
    args = parser.parse_args(words)
    for path in args.output:
        require_ending(path, JOURNAL, *ENDINGS)
    told = [path for path in args.output if Path(path).suffix != JOURNAL]
    content = api.merge(*args.journals)
    if (told or args.json) and content.kind != SWEEP:
        raise SpecError(
            f"merge: these are journals of a {content.kind}, which {told[0] if told else '--json'} cannot tell"
        )
    for path in args.output:
        if path not in told:
            write(path, content.text().encode())
    if content.kind == SWEEP:
        result = SweepResult.of(content)
        tell_sweep(result, args.json)
        save_all(result, told, " ".join(["fogbound merge", *words]), args.over)
        return 0
    holes = missing_jobs(content.rows, max(content.rows, default=-1) + 1)
    say(f"{content.kind}: {many(len(content.rows), 'deal')} from {many(len(args.journals), 'journal')}")
    if holes:
        say(f"{many(len(holes), 'deal')} before the last are not here, the first is {holes[0]}: is a share missing?")
    return 0
