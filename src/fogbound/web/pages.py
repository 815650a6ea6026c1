"""From a template to an answer: the whole page, or its main part alone for a page that is open already.

Everything that is put into a page is escaped; pictures are Fogbound's own and come as `Markup`. A request with the
header X-Fragment gets the block `main` of the same template: what works without JavaScript is what works with it.
"""

from __future__ import annotations

import math
import re
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fogbound._version import __version__
from fogbound.core.drawing import Drawing
from fogbound.core.numerals import number
from fogbound.draw.chart import duration
from fogbound.driver.solution import column

SCREENS = {"/": "Table", "/solve": "Solve", "/explore": "Explore", "/arena": "Arena", "/reproduce": "Reproduce"}
MEDIA_TYPES = {
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".tex": "application/x-tex",
    ".csv": "text/csv",
    ".py": "text/plain",
}


def _picture(drawing: Drawing) -> Markup:
    """A drawing as part of a page: its colours are the page's."""
    return Markup(drawing.svg)


def signed(value: float) -> str:
    """A figure with its sign, as gains and losses are written."""
    return "0" if value == 0 else ("+" if value > 0 else "") + number(value, 4)


def _percent(p: float) -> str:
    """A probability in per cent; what is next to nothing is not called nothing."""
    return "< 1\u202f%" if 0 < p < 0.005 else f"{math.floor(100 * p + 0.5)}\u202f%"


def prose(text: str) -> Markup:
    """Words out of a docstring: lines of a paragraph joined, what stands in backticks as code."""
    joined = re.sub(r"\n(?![ *-])", " ", text)
    return Markup(re.sub(r"`+([^`]+)`+", r"<code>\1</code>", str(escape(joined))))


def _sentence(words: str) -> str:
    """A clause as a sentence: a capital before it, a full stop after it."""
    return words if not words else words[0].upper() + words[1:].rstrip(".") + "."


environment = Environment(
    loader=PackageLoader("fogbound.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
environment.filters |= {
    "number": number,
    "column": column,
    "signed": signed,
    "percent": _percent,
    "picture": _picture,
    "prose": prose,
}
environment.filters |= {"sentence": _sentence, "duration": duration, "made_here": Markup}  # SVG that our process drew
environment.globals |= {"screens": SCREENS, "version": __version__}


def render_page(request: Request, template: str, status: int = 200, **shown: Any) -> HTMLResponse:
    """An answer in HTML.

    Parameters
    ----------
    request
        Who asks; with the header X-Fragment, for the main part alone.
    template
        A file of `templates`, which extends ``base.html``. It is handed `shown`, and `screen`: the address of the
        screen that it belongs to.
    status
        The status of the answer.
    """
    found = environment.get_template(template)
    context = {"screen": "/" + request.url.path.strip("/").partition("/")[0], **shown}
    if request.headers.get("x-fragment"):
        text = "".join(found.blocks["main"](found.new_context(context)))
        title = "".join(found.blocks["title"](found.new_context(context)))
        return HTMLResponse(text, status, {"x-title": title.encode("ascii", "xmlcharrefreplace").decode()})
    return HTMLResponse(found.render(context), status)


def see_other(address: str) -> RedirectResponse:
    """After a change, the address of the page that shows it: a reload asks for that page alone."""
    return RedirectResponse(address, 303)


def attachment(name: str, data: bytes | str, kind: str = "") -> Response:
    """A file to take away, of the media type that its ending says unless given."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=kind or MEDIA_TYPES[name[name.rindex(".") :]], headers=headers)
