"""`/reproduce`: the documents. `/reproduce/000`: what one claims, beside what we get, once somebody had it computed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import RedirectResponse, Response
from markupsafe import Markup

from fogbound.web.pages import page
from fogbound.web.processes.followed import follow, in_words
from fogbound.web.reproduce.kept import document, documents, kept
from fogbound.web.site import Site, site_of
from fogbound_papers.claim import VERDICTS
from fogbound_papers.report import claims_list
from fogbound_papers.reproduction import Reproduction

router = APIRouter(prefix="/reproduce")
Here = Annotated[Site, Depends(site_of)]


@router.get("")
def all_documents(request: Request, site: Here) -> Response:
    """The documents, and how the verdicts add up where they are known."""
    listed = documents()
    found = {number: _kept(site, number) for number in listed}
    counts = {number: {} if one is None else one.counts() for number, one in found.items()}
    states = {number: site.reproductions.state(number) for number in listed}
    return page(request, "reproduce/documents.html", documents=listed, counts=counts, states=states, meanings=VERDICTS)


@router.get("/{number}")
def one_document(request: Request, site: Here, number: str) -> Response:
    """The claims of a document."""
    shown, state = document(number), site.reproductions.state(number)
    found = _kept(site, number)
    return page(
        request,
        "reproduce/document.html",
        document=shown,
        documents=documents(),
        counts={} if found is None else {word: count for word, count in found.counts().items() if count},
        claims=None if found is None else Markup(claims_list(found)),
        state=state,
        progress=in_words(state),
        meanings=VERDICTS,
    )


@router.post("/{number}/run")
def run(site: Here, number: str) -> Response:
    """Have a document's claims computed."""
    document(number)
    words = ["reproduce", number, "--json", "-o", str(site.settings.folder / "reproduce" / f"{number}-figures")]
    site.reproductions.start(number, words)
    return RedirectResponse(f"/reproduce/{number}", 303)


@router.post("/{number}/stop")
def stop(site: Here, number: str) -> Response:
    """Stop that, and keep what there is."""
    document(number)
    site.reproductions.stop(number)
    return RedirectResponse(f"/reproduce/{number}", 303)


@router.get("/{number}/live")
def live(site: Here, number: str) -> Response:
    """Follow it."""
    document(number)
    return follow(site.reproductions, number)


def _kept(site: Site, number: str) -> Reproduction | None:
    return kept(site.reproductions.path(number), number, site.settings.folder / "reproduce" / f"{number}-figures")
