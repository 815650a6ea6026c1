"""What was computed of a document, read back from the file that the command printed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fogbound.core.errors import FogboundError
from fogbound.web.refusal import Refusal
from fogbound_papers.claim import Claim
from fogbound_papers.reproduction import Reproduction, figures, paper_title, papers

MOST_BYTES = 16_000_000
QUICK = ("statement", "where", "published", "ours", "verdict")


@dataclass(frozen=True)
class PaperDocument:
    """A document: its number, who wrote it, and its title."""

    number: str
    author: str
    title: str


def documents() -> dict[str, PaperDocument]:
    """The documents that are installed."""
    found = {}
    for number, paper in papers().items():
        author, _, title = paper_title(paper).partition("  ")[2].partition(', "')
        found[number] = PaperDocument(number, author, title.rstrip('"').replace('" (', " ("))
    return found


def document(number: str) -> PaperDocument:
    """One of them; Refusal where there is none of that number."""
    listed = documents()
    if number not in listed:
        raise Refusal(404, f"There is no document {number[:20]!r}; there are {', '.join(listed)}.")
    return listed[number]


def kept(path: Path, number: str, drawn: Path) -> Reproduction | None:
    """What was found out about a document; None where nothing was, or the file is none of ours."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        held: Any = json.loads(path.read_bytes())
        claims = tuple(_claim(one) for one in held[number])
    except (OSError, ValueError, KeyError, TypeError, RecursionError, FogboundError):
        return None
    pictures = figures(drawn, number) if drawn.is_dir() else ()
    return Reproduction(number, paper_title(papers()[number]), claims, pictures)


def _claim(given: Mapping[str, Any]) -> Claim:
    if any(name not in given for name in QUICK):
        raise ValueError("no claim")
    return Claim(**{field.name: str(given.get(field.name, "")) for field in fields(Claim)})
