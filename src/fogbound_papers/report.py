"""The documents' claims as HTML: one document's list for a page, or one file with all of them.

`claims_list` is a fragment for any page with the style of `fogbound.draw.page`; `report` is a page of its own. Neither
needs a script, and nothing is fetched: the page forbids itself both. All text is escaped; figures are the SVG that
documents drew, with the page's colours put back for the fallbacks that files have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fogbound.core.drawing import quoted
from fogbound.draw.page import themed, whole_page
from fogbound_papers.claim import VERDICTS, Claim
from fogbound_papers.reproduction import PaperFigure, Reproduction, ResultTable

LOOKS = {  # of a verdict's tag: colour never alone, so each has a shape of its own as well
    "reproduced": "gain",
    "refuted": "loss no",
    "not reproduced": "soft part",
    "cannot be checked": "soft dash",
    "not stated": "soft ours",
}


def report_page(reproductions: Sequence[Reproduction], command: str) -> str:
    """One self-contained page: how the verdicts add up, then every document.

    Parameters
    ----------
    reproductions
        The documents, in the order in which they are shown.
    command
        What makes this page.

    Returns
    -------
    str
        A whole HTML document.
    """
    title = "What the documents claim, and what we get"
    links = "".join(f'<a href="#d{quoted(one.number)}">{quoted(one.number)}</a>' for one in reproductions)
    body = "".join(_section(one) for one in reproductions)
    nav = f'<nav aria-label="Documents">{links}</nav>'
    return whole_page(title, _sentence(reproductions), f"{_overview(reproductions)}{body}", command, nav)


def claims_list(reproduction: Reproduction) -> str:
    """One document's claims, a row each that opens to why, the command and the figure.

    Parameters
    ----------
    reproduction
        The document.

    Returns
    -------
    str
        A fragment of HTML.
    """
    figures = {figure.name: figure for figure in reproduction.figures}
    head = "".join(f"<span>{words}</span>" for words in ("Claim", "Published", "Ours", "Verdict"))
    rows = []
    shown = set[str]()
    for claim in reproduction.claims:
        figure = figures.get(claim.figure)
        rows.append(_row(claim, reproduction, figure, again=claim.figure in shown))
        shown.add(claim.figure)
    return f'<div class="card claims"><div class="cells top" aria-hidden="true">{head}</div>{"".join(rows)}</div>'


def _row(claim: Claim, document: Reproduction, figure: PaperFigure | None, again: bool) -> str:
    cells = (
        f'<span class="claim">{quoted(claim.statement)} <span class="quiet">{quoted(claim.where)}</span></span>'
        f'<span data-l="published">{quoted(claim.published)}</span>'
        f'<span data-l="ours"><b>{quoted(claim.ours)}</b></span>'
        f'<span class="verdict"><span class="tag {LOOKS[claim.verdict]}">{quoted(claim.verdict)}</span></span>'
    )
    why = quoted(claim.evidence) or "The two figures are the whole of it."
    command = quoted(claim.command or document.command)
    picture = ""
    if figure is not None:
        link = f'<p>Its figure is <a href="#{quoted(figure.name)}">{quoted(figure.name)}</a>, above.</p>'
        picture = link if again else _figure(figure)
    return (
        f'<details class="row"><summary class="cells">{cells}</summary><div class="why"><p>{why}</p>'
        f"<p><code>{command}</code></p>{picture}</div></details>"
    )


def _figure(figure: PaperFigure) -> str:
    inside = themed(figure.content) if figure.is_svg else f"<pre>{quoted(figure.content)}</pre>"
    return (
        f'<figure id="{quoted(figure.name)}" tabindex="0"><div class="scroll">{inside}</div>'
        f"<figcaption>{quoted(figure.name)}</figcaption></figure>"
    )


def _section(document: Reproduction) -> str:
    """A document: its claims, its tables, and the figures that no claim has."""
    number, _, title = document.title.partition("  ")
    length = "as much as the document ran" if document.full else "the quick way"
    words = f"{len(document.claims)} claims, {length}, {document.seconds:.0f} s"
    stopped = "; stopped before its end" if document.stopped else ""
    taken = {claim.figure for claim in document.claims}
    rest = [figure for figure in document.figures if figure.name not in taken]
    more = "".join(map(_table, document.tables))
    if rest:
        count = "One more figure" if len(rest) == 1 else f"{len(rest)} more figures"
        more += f'<details class="more"><summary>{count}</summary>{"".join(map(_figure, rest))}</details>'
    return (
        f'<section id="d{quoted(document.number)}"><div class="head"><h2>{quoted(number)} {quoted(title)}</h2>'
        f"<p>{quoted(words + stopped)} · <code>{quoted(document.command)}</code></p></div>"
        f"{claims_list(document)}{more}</section>\n"
    )


def _table(table: ResultTable) -> str:
    columns = list(table.rows[0]) if table.rows else []
    head = "".join(f"<th>{quoted(column)}</th>" for column in columns)
    rows = "".join(f"<tr>{''.join(_cell(value) for value in row.values())}</tr>" for row in table.rows)
    note = f'<p class="say">{quoted(table.note)}</p>' if table.note else ""
    return (
        f'<details class="more"><summary>{quoted(table.title)}</summary><div class="scroll" tabindex="0">'
        f'<table class="list"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{note}</details>'
    )


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return f"<td>{quoted(value)}</td>"
    said = "–" if value is None else f"{value:.3g}" if isinstance(value, float) and abs(value) < 1 else f"{value:,}"
    if isinstance(value, float) and abs(value) >= 1:
        said = f"{value:,.2f}"
    return f'<td class="r">{quoted(said.replace("-", "−"))}</td>'


def _sentence(documents: Iterable[Reproduction]) -> str:
    """How many claims there are, and what became of them."""
    listed = [one.counts() for one in documents]
    counts = {verdict: sum(each[verdict] for each in listed) for verdict in VERDICTS}
    told = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    return f"{sum(counts.values())} claims: {', '.join(told)}."


def _overview(documents: Sequence[Reproduction]) -> str:
    """Verdicts by document, and what each word means."""
    heads = "".join(f'<th class="r">{quoted(verdict)}</th>' for verdict in VERDICTS)
    rows = "".join(
        f'<tr><td><a href="#d{quoted(one.number)}">{quoted(" ".join(one.title.split()))}</a></td>'
        + "".join(f'<td class="r">{count or "–"}</td>' for count in one.counts().values())
        + "</tr>"
        for one in documents
    )
    meanings = "".join(
        f'<div><dt><span class="tag {LOOKS[verdict]}">{quoted(verdict)}</span></dt><dd>{quoted(meaning)}</dd></div>'
        for verdict, meaning in VERDICTS.items()
    )
    return (
        f'<div class="card scroll" tabindex="0"><table class="list"><thead><tr><th>Document</th>{heads}</tr></thead>'
        f'<tbody>{rows}</tbody></table></div><dl class="meanings">{meanings}</dl>\n'
    )
