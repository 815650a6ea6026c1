"""An SVG as PNG or PDF, with a font of its own: the same picture on every machine.

What turns it is the extra `fogbound[pictures]`: resvg for pixels, svglib and reportlab for pages. Neither looks for
fonts on the machine. Where labels would otherwise come out as empty boxes, the picture is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from fogbound.core.errors import SpecError

FAMILY = "DejaVu Sans Condensed"  # no wider than `core.measure` thinks
FONTS = {
    "normal": Path(__file__).parent / "fonts" / "DejaVuSansCondensed.ttf",
    "bold": Path(__file__).parent / "fonts" / "DejaVuSansCondensed-Bold.ttf",
}
BOLD = 600  # from this weight on
ZOOM = 4.0  # pixels for one of the SVG's: a column of 8.5 cm at over 600 dots an inch
MOST_PIXELS = 100e6  # larger pictures get fewer pixels for one
SVG = "http://www.w3.org/2000/svg"


def png(svg: str, zoom: float = ZOOM) -> bytes:
    """The picture in pixels, `zoom` for one of its own each way, fewer where it is very large."""
    with pictures_extra():
        from resvg_py import svg_to_bytes
    root = _set_in_own_font(svg)
    area = float(root.get("width", "1")) * float(root.get("height", "1"))
    return bytes(
        svg_to_bytes(
            svg_string=ElementTree.tostring(root, "unicode"),
            zoom=min(zoom, math.sqrt(MOST_PIXELS / area)),
            skip_system_fonts=True,
            font_files=[str(path) for path in FONTS.values()],
        )
    )


def pdf(svg: str) -> bytes:
    """The picture as a page of its own size, with the letters that it uses; the same bytes each time."""
    with pictures_extra():
        from reportlab.graphics import renderPDF
        from reportlab.pdfgen.canvas import Canvas
        from svglib.fonts import FontMap
        from svglib.svglib import svg2rlg
    root, fonts = _set_in_own_font(svg), FontMap()
    for weight, path in FONTS.items():
        fonts.register_font(FAMILY, str(path), weight)
    page: Any = svg2rlg(StringIO(ElementTree.tostring(root, "unicode")), font_map=fonts)
    written = BytesIO()
    sheet = Canvas(written, (page.width, page.height), invariant=1)
    renderPDF.draw(page, sheet, 0, 0)
    sheet.save()
    return written.getvalue()


@contextmanager
def pictures_extra() -> Iterator[None]:
    """Imports of the extra, or a line that says how to get it."""
    try:
        yield
    except ImportError as error:
        raise SpecError(
            f"PNG and PDF need {error.name}, which is not installed: pip install 'fogbound[pictures]', or write .svg"
        ) from error


def _set_in_own_font(svg: str) -> ElementTree.Element:
    """The picture with every label in the font that is carried along, in one of its two weights."""
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        element.attrib.pop("font-family", None)
        if weight := element.attrib.pop("font-weight", ""):
            heavy = weight == "bold" or (weight.isdecimal() and int(weight) >= BOLD)
            element.set("font-weight", "bold" if heavy else "normal")
    root.set("font-family", FAMILY)
    for letter in "".join(text for label in root.iter(f"{{{SVG}}}text") for text in label.itertext()):
        if letter not in _known():
            raise SpecError(f"the font of PNG and PDF has no {letter!r} (U+{ord(letter):04X}): write .svg")
    return root


@cache
def _known() -> frozenset[str]:
    """The letters that the font has in both weights."""
    with pictures_extra():
        from reportlab.pdfbase.ttfonts import TTFontFace
    faces = [TTFontFace(str(path)).charToGlyph for path in FONTS.values()]
    return frozenset(map(chr, set(faces[0]) & set(faces[1])))
