"""`fogbound reproduce`: every claim of a document, the published figure, ours, and the verdict."""

from __future__ import annotations

import importlib
import time
from dataclasses import asdict
from pathlib import Path

from fogbound.cli.watching import working
from fogbound.cli.words import claim_lines, make_parser, say, say_json
from fogbound.core.errors import SpecError
from fogbound.core.registry import suggestion

DOCUMENTS = {
    "000": "fogbound.reproduce.d000",
    "001": "fogbound.reproduce.d001",
    "002": "fogbound.reproduce.d002",
    "003": "fogbound.reproduce.d003",
}


def main(words: list[str]) -> int:
    parser = make_parser(
        "reproduce",
        "What the documents claim, what we get, and the verdict: reproduced, refuted (with the evidence), not stated.",
        "  fogbound reproduce 000 003 -o figures",
    )
    parser.add_argument("documents", metavar="DOCUMENT", nargs="*", help=f"of {', '.join(DOCUMENTS)} (default: all)")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="also write the documents' figures into FOLDER")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    args = parser.parse_args(words)
    for name in args.documents:
        if name not in DOCUMENTS:
            known = ", ".join(DOCUMENTS)
            raise SpecError(f"unknown document {name!r}{suggestion(name, DOCUMENTS)}; there are {known}")
    folder = Path(args.output) if args.output else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in args.documents or DOCUMENTS:
        began = time.monotonic()
        document = importlib.import_module(DOCUMENTS[name])
        with working(document.TITLE):
            found[name] = list(document.claims(folder))
        if not args.json:
            say(f"\n{document.TITLE}   ({time.monotonic() - began:.1f} s)")
            say("\n".join(claim_lines(found[name])))
    claims = [claim for listed in found.values() for claim in listed]
    if args.json:
        say_json({name: [asdict(claim) for claim in listed] for name, listed in found.items()})
        return 0
    counts = {verdict: sum(c.verdict == verdict for c in claims) for verdict in ("reproduced", "refuted", "not stated")}
    say("\n" + ", ".join(f"{number} {verdict}" for verdict, number in counts.items()))
    if folder is not None:
        say(f"figures in {folder}")
    return 0
