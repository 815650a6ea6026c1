"""`/reproduce`: the documents. `/reproduce/000`: what one claims, beside what we get, once somebody had it computed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from fogbound.core.bounded import read_bytes
from fogbound.core.errors import FogboundError
from fogbound.web.pages import render_page, see_other
from fogbound.web.processes.job_routes import add_job_routes, progress_words
from fogbound.web.refusal import Refusal
from fogbound.web.site import Here, Site
from fogbound_papers.claim import VERDICTS, Claim
from fogbound_papers.report import claims_list
from fogbound_papers.reproduction import Reproduction, figures, paper_title, papers

router = APIRouter(prefix="/reproduce")
MOST_BYTES = 16_000_000
QUICK = ("statement", "where", "published", "ours", "verdict")


@router.get("")
def all_documents(request: Request, site: Here) -> Response:
    """The documents, and how the verdicts add up where they are known."""
    listed = documents()
    found = {number: _stored(site, number) for number in listed}
    counts = {number: {} if one is None else one.counts() for number, one in found.items()}
    states = {number: site.reproductions.state(number) for number in listed}
    return render_page(
        request, "reproduce/documents.html", documents=listed, counts=counts, states=states, meanings=VERDICTS
    )


@router.get("/{number}")
def one_document(request: Request, site: Here, number: str) -> Response:
    """The claims of a document."""
    shown, state = require_document(number), site.reproductions.state(number)
    found = _stored(site, number)
    return render_page(
        request,
        "reproduce/document.html",
        document=shown,
        documents=documents(),
        counts={} if found is None else {word: count for word, count in found.counts().items() if count},
        claims=None if found is None else Markup(claims_list(found)),
        state=state,
        progress=progress_words(state),
        meanings=VERDICTS,
    )


@router.post("/{number}/run")
def run(site: Here, number: str) -> Response:
    """Have a document's claims computed."""
    require_document(number)
    words = ["reproduce", number, "--json", "-o", str(_figures(site, number))]
    site.reproductions.start(number, words)
    return see_other(f"/reproduce/{number}")


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


def require_document(number: str) -> PaperDocument:
    """One of them; Refusal where there is none of that number."""
    listed = documents()
    if number not in listed:
        raise Refusal(404, f"There is no document {number[:20]!r}; there are {', '.join(listed)}.")
    return listed[number]


def _stored(site: Site, number: str) -> Reproduction | None:
    """What was found out about a document; None where nothing was, or the file is none of ours."""
    try:
        held: Any = json.loads(read_bytes(site.reproductions.path(number), MOST_BYTES, "a result"))
        claims = tuple(_claim(one) for one in held[number])
    except (ValueError, KeyError, TypeError, RecursionError, FogboundError):
        return None
    drawn = _figures(site, number)
    pictures = figures(drawn, number) if drawn.is_dir() else ()
    return Reproduction(number, paper_title(papers()[number]), claims, pictures)


def _figures(site: Site, number: str) -> Path:
    """The folder that a document's figures are drawn into."""
    return site.settings.folder / "reproduce" / f"{number}-figures"


def _claim(given: Mapping[str, Any]) -> Claim:
    if any(name not in given for name in QUICK):
        raise ValueError("no claim")
    return Claim(**{field.name: str(given.get(field.name, "")) for field in fields(Claim)})


add_job_routes(router, lambda site: site.reproductions, lambda _, number: require_document(number))
