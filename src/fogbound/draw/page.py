"""A page of its own around pictures and tables: no script, nothing fetched, the page forbids itself both."""

from __future__ import annotations

import re
from pathlib import Path

from fogbound._version import __version__
from fogbound.core.drawing import quoted

_PAINTED = re.compile(r'(fill|stroke)="(#[0-9a-f]{6})"')
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def whole_page(title: str, sentence: str, body: str, command: str, nav: str = "") -> str:
    """A page of its own around `body`, in the looks of all pages: no script, nothing fetched.

    Parameters
    ----------
    title, sentence
        What it is about.
    body
        HTML below the heading.
    command
        What makes this page.
    nav
        HTML in the bar at the top.

    Returns
    -------
    str
        A whole HTML document.
    """
    made = f"<code>{quoted(command)}</code> makes this page from nothing. " if command else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{quoted(title)} · Fogbound</title>\n<style>{_CSS}</style></head>\n<body>"
        f'<header class="bar"><div><span class="mark">{_MARK}<span>Fogbound</span></span>'
        f"{nav}</div></header>\n<main>"
        f'<div class="head"><h1>{quoted(title)}</h1><p>{quoted(sentence)}</p></div>\n{body}'
        f'<p class="say">{made}'
        f"Fogbound {quoted(__version__)}.</p></main></body></html>\n"
    )


def themed(picture: str) -> str:
    """A picture from a file with the page's colours for the fallbacks: the opposite of `Drawing.plain`.

    Parameters
    ----------
    picture
        SVG as it was saved.

    Examples
    --------
    >>> from fogbound.draw.page import themed
    >>> themed('<rect fill="#ffffff"/>')
    '<rect fill="var(--surface, #ffffff)"/>'
    """
    return _PAINTED.sub(lambda found: f'{found[1]}="{_BY_FALLBACK.get(found[2], found[2])}"', picture)


_MARK = (
    '<svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true"><circle cx="13" cy="10" r="6" '
    'fill="var(--lamp-fill)"/><g fill="none" stroke="var(--ink)" stroke-width="2" stroke-linecap="round">'
    '<path d="M2.5 14.5h21" stroke="var(--paper)" stroke-width="6"/><path d="M2 14h8M13 14h11"/>'
    '<path d="M5 18.5h15"/><path d="M9 23h8"/></g></svg>'
)
_CSS = Path(__file__).with_name("page.css").read_text("utf-8")  # colours in light and dark, then the looks
_BY_FALLBACK = {
    colour: f"var({name}, {colour})"
    for name, colour in re.findall(r"(--[a-z0-9-]+):(#\w+)", _CSS.partition("@media")[0])
}
