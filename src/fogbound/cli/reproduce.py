"""`fogbound reproduce`: every claim of a document, the published figure, ours, and the verdict."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from fogbound.cli.console import SIGNS, PaperClaim, PaperTable, claim_lines, make_parser, say, say_json, whisper
from fogbound.cli.progress import Show, document_progress
from fogbound.core.errors import SpecError, many
from fogbound.core.registry import suggestion

STOPPED = 130
FULL = (
    "run as much as the document did: for 002 as many random subsets (100, 50 and 12) and more draws, about 8 minutes "
    "instead of one; for 004 1,000 games a row instead of 60, 10,000 of POMCP against random players, and budgets to "
    "100,000 a decision. Ctrl-C returns what is there. The other documents have "
    "nothing longer to run"
)


def papers() -> dict[str, EntryPoint]:
    """The documents that are installed beside the library, by name: packages that offer `fogbound.papers`."""
    return {paper.name: paper for paper in sorted(entry_points(group="fogbound.papers"), key=lambda p: p.name)}


def title(paper: EntryPoint) -> str:
    """A document's number, author and title: from its package, since the document itself imports all solvers."""
    return str(import_module(paper.module.rpartition(".")[0]).TITLE)


def main(words: list[str]) -> int:
    documents = papers()
    if not documents:
        raise SpecError("no documents are installed: reinstall fogbound, which brings fogbound_papers along")
    parser = make_parser(
        "reproduce",
        "What the documents claim, what we get, and the verdict: reproduced, refuted (with the evidence), not "
        "reproduced (ours shows neither), not stated (in no document, or of nothing that can be compared).",
        "  fogbound reproduce 000 003 -o figures\n  fogbound reproduce 002 --full -o figures\n\nThe documents:\n"
        + "\n".join(f"  {title(paper)}" for paper in documents.values()),
    )
    parser.add_argument("documents", metavar="DOCUMENT", nargs="*", help=f"of {', '.join(documents)} (default: all)")
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", help="also write the documents' figures and tables into FOLDER"
    )
    parser.add_argument("--full", action="store_true", help=FULL)
    parser.add_argument("--json", action="store_true", help="one JSON object: claims by document, and tables")
    args = parser.parse_args(words)
    for name in args.documents:
        if name not in documents:
            known = ", ".join(documents)
            raise SpecError(f"unknown document {name!r}{suggestion(name, documents)}; there are {known}")
    folder = Path(args.output) if args.output else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    by_document: dict[str, list[Any]] = {}
    stopped = False
    for name in args.documents or documents:
        stopped = _run(documents[name], by_document.setdefault(name, []), folder, args.full, args.json)
        if stopped:
            break
    _conclude(by_document, folder, args.json)
    return STOPPED if stopped else 0


def _run(paper: EntryPoint, results: list[Any], folder: Path | None, full: bool, json: bool) -> bool:
    """Add what a document yields to `results`, and tell of it; whether it was stopped."""
    began, stopped = time.monotonic(), False
    document: ModuleType = paper.load()
    try:
        with document_progress(title(paper)) as show:
            for result in _results(document, folder, full, show, json):
                results.append(result)
    except KeyboardInterrupt:
        stopped = True
        whisper(f"fogbound: stopped in document {paper.name} after {many(len(results), 'result')}, which follow")
    claims = _claims(results)
    if claims and not json:
        say(f"\n{title(paper)}   ({time.monotonic() - began:.1f} s)")
        say("\n".join(claim_lines(claims)))
        for table in results:
            if isinstance(table, PaperTable):
                say("\n" + "\n".join(table.lines()))
    return stopped


def _results(document: ModuleType, folder: Path | None, full: bool, show: Show, json: bool) -> Iterator[Any]:
    """Claims, and tables where a document has them and somebody wants them."""
    if hasattr(document, "results"):
        return iter(document.results(folder, full, show, tables=json or folder is not None))
    return iter(document.claims(folder))


def _claims(results: list[Any]) -> list[PaperClaim]:
    return [result for result in results if isinstance(result, PaperClaim)]


def _conclude(by_document: dict[str, list[Any]], folder: Path | None, json: bool) -> None:
    """Everything as one object, or how the verdicts add up."""
    if json:
        listed = {name: [asdict(claim) for claim in _claims(results)] for name, results in by_document.items()}
        tables = {
            name: [asdict(r) for r in results if not isinstance(r, PaperClaim)] for name, results in by_document.items()
        }
        say_json({**listed, "tables": {name: each for name, each in tables.items() if each}})
        return
    claims = [claim for results in by_document.values() for claim in _claims(results)]
    counts = {verdict: sum(c.verdict == verdict for c in claims) for verdict in SIGNS}
    say("\n" + ", ".join(f"{number} {verdict}" for verdict, number in counts.items()))
    if folder is not None and any(folder.iterdir()):
        say(f"figures and tables in {folder}")
