"""`fogbound reproduce`: every claim of a document, the published figure, ours, and the verdict."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

from fogbound.cli.console import PrintedTable, claim_lines, make_parser, say, say_json, whisper
from fogbound.cli.progress import document_progress
from fogbound.core.atomic import write
from fogbound.core.errors import FileError, SpecError, many
from fogbound.core.registry import suggestion
from fogbound_papers.claim import VERDICTS
from fogbound_papers.reproduction import Reproduction, figures, paper_title, papers, results

STOPPED = 130
FULL = (
    "run as much as the document did: for 002 as many random subsets (100, 50 and 12) and more draws, about 8 minutes "
    "instead of one; for 004 1,000 games a row instead of 60, 10,000 of POMCP against random players, and budgets to "
    "100,000 a decision. Ctrl-C returns what is there. The other documents have "
    "nothing longer to run"
)
HTML = (
    "also write one page that holds everything, figures too: a single file, `report` becomes report.html. It needs no "
    "script and fetches nothing"
)


def main(words: list[str]) -> int:
    documents = papers()
    if not documents:
        raise SpecError("no documents are installed: reinstall fogbound, which brings fogbound_papers along")
    parser = make_parser(
        "reproduce",
        "What the documents claim, what we get, and the verdict:\n"
        + "\n".join(f"  {verdict:<18} {meaning}" for verdict, meaning in VERDICTS.items()),
        "  fogbound reproduce 000 003 -o figures\n  fogbound reproduce --html report\n"
        "  fogbound reproduce 002 --full -o figures\n\nThe documents:\n"
        + "\n".join(f"  {paper_title(paper)}" for paper in documents.values()),
    )
    parser.add_argument("documents", metavar="DOCUMENT", nargs="*", help=f"of {', '.join(documents)} (default: all)")
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", help="also write the documents' figures and tables into FOLDER"
    )
    parser.add_argument("--html", metavar="FILE", help=HTML)
    parser.add_argument("--full", action="store_true", help=FULL)
    parser.add_argument("--json", action="store_true", help="one JSON object: claims by document, and tables")
    args = parser.parse_args(words)
    for name in args.documents:
        if name not in documents:
            known = ", ".join(documents)
            raise SpecError(f"unknown document {name!r}{suggestion(name, documents)}; there are {known}")
    page = _page(args.html) if args.html else None
    found: list[Reproduction] = []
    with _folder(args.output, page is not None) as folder:
        for name in dict.fromkeys(args.documents or documents):
            tables = args.json or folder is not None
            found.append(_run(documents[name], folder, args.full, tables, quiet=args.json))
            if found[-1].stopped:
                break
        _conclude(found, Path(args.output) if args.output else None, args.json)
        if page is not None:
            _write_page(page, found, folder, " ".join(["fogbound reproduce", *words]))
    return STOPPED if found[-1].stopped else 0


def _page(name: str) -> Path:
    """Where the page goes: refused before anything is run for it."""
    path = Path(name)
    path = path if path.suffix == ".html" else path.with_name(f"{path.name}.html")
    if not path.parent.is_dir():
        raise FileError(f"{path}: cannot be written: there is no folder {path.parent}")
    if path.is_dir():
        raise FileError(f"{path}: cannot be written: it is a folder")
    return path


@contextmanager
def _folder(named: str | None, wanted: bool) -> Iterator[Path | None]:
    """Where documents draw: the folder that was named, or one for as long as the page needs it."""
    if named:
        folder = Path(named)
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    elif wanted:
        with tempfile.TemporaryDirectory() as drawn:
            yield Path(drawn)
    else:
        yield None


def _run(paper: EntryPoint, folder: Path | None, full: bool, tables: bool, quiet: bool) -> Reproduction:
    """What a document yields, told as soon as it is there; when it is stopped, what there is by then."""
    began, stopped, told = time.monotonic(), False, []
    document: ModuleType = paper.load()
    try:
        with document_progress(paper_title(paper)) as show:
            for result in results(document, folder, full, show, tables):
                told.append(result)
    except KeyboardInterrupt:
        stopped = True
        whisper(f"fogbound: stopped in document {paper.name} after {many(len(told), 'result')}, which follow")
    seconds = time.monotonic() - began
    found = Reproduction(paper.name, paper_title(paper), tuple(told), (), seconds, full, stopped)
    if found.claims and not quiet:
        say(f"\n{found.title}   ({seconds:.1f} s)")
        say("\n".join(claim_lines(found.claims)))
        for table in found.tables:
            if isinstance(table, PrintedTable):
                say("\n" + "\n".join(table.lines()))
    return found


def _conclude(found: Sequence[Reproduction], folder: Path | None, json: bool) -> None:
    """Everything as one object, or how the verdicts add up."""
    if json:
        listed = {one.number: [asdict(claim) for claim in one.claims] for one in found}
        tables = {one.number: [asdict(table) for table in one.tables] for one in found if one.tables}
        say_json({**listed, "tables": tables})
        return
    counts = {verdict: sum(one.counts()[verdict] for one in found) for verdict in VERDICTS}
    say("\n" + ", ".join(f"{number} {verdict}" for verdict, number in counts.items()))
    if folder is not None and any(folder.iterdir()):
        say(f"figures and tables in {folder}")


def _write_page(page: Path, found: Sequence[Reproduction], folder: Path | None, command: str) -> None:
    from fogbound_papers.report import report_page

    assert folder is not None  # whoever asked for a page has one to draw in
    drawn = [replace(one, figures=figures(folder, one.number)) for one in found]
    write(page, report_page(drawn, command).encode())
    whisper(f"fogbound: the page is {page}")
