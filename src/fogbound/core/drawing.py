"""A picture as a value: SVG for pages, notebooks and papers, text for a terminal, one sentence to be read aloud."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path

from fogbound.core.atomic import write
from fogbound.core.errors import SpecError, one_line


def _png(svg: str) -> bytes:
    from fogbound.core.printing import png

    return png(svg)


def _pdf(svg: str) -> bytes:
    from fogbound.core.printing import pdf

    return pdf(svg)


def _tex(svg: str) -> bytes:
    from fogbound.core.tikz import tikz

    return tikz(svg).encode()


# by how a file ends
PICTURES: dict[str, Callable[[str], bytes]] = {".svg": str.encode, ".png": _png, ".pdf": _pdf, ".tex": _tex}
_VARIABLE = r"var\(--[a-z0-9-]+, ([^)]+)\)"  # patterns are compiled when a picture is made
_UNFIT = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # XML has no way to write these
_SIZE = r'<svg [^>]*?width="([^"]+)" height="([^"]+)"'


@dataclass(frozen=True, slots=True, repr=False)
class Drawing:
    """A picture: what every function of `fogbound.draw` and `Game.draw` return.

    In a notebook it shows itself. It has no scripts, styles or ids, so that several stand on one page under a strict
    content policy. Its colours are CSS variables, which a page may set; a file gets their fallbacks (`plain`).

    Parameters
    ----------
    svg : str
        One self-contained `<svg>` element.
    label : str
        What it shows, in one sentence: what a screen reader says.
    text : str
        The same for a terminal: a table, a listing or a board where there is such a form, else the label.

    Examples
    --------
    >>> from fogbound.core.board import Board
    >>> picture = Board.grid(["xo.", ".x.", "..o"], "x to move").draw()
    >>> picture
    <Drawing 186 × 214: x o .; . x .; . . o; x to move.>
    >>> print(picture.text)
    x o .
    . x .
    . . o
    x to move
    >>> picture.save("board.gif")
    Traceback (most recent call last):
    fogbound.core.errors.SpecError: board.gif: found the ending '.gif', expected .svg or .png or .pdf or .tex
    """

    svg: str
    label: str
    text: str

    def plain(self) -> str:
        """The SVG with its fallback colours alone, for programs that do not know CSS variables."""
        return re.sub(_VARIABLE, r"\1", self.svg)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to; it must end in `.svg`, in `.tex` (TikZ, for LaTeX), or in `.png` or `.pdf`, which need the extra
            `fogbound[pictures]`.

        Raises
        ------
        SpecError
            For any other ending, without the extra, and where a label has letters that its font has not.
        FileError
            Where nothing can be written there.
        """
        require_ending(path, *PICTURES)
        write(path, PICTURES[Path(path).suffix](self.plain()))

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        size = re.match(_SIZE, self.svg)
        extent = f" {size[1]} × {size[2]}" if size else ""
        return f"<Drawing{extent}: {one_line(self.label, 100)}>"


def quoted(words: str) -> str:
    """Anything as text that may stand in XML, inside an attribute too."""
    return escape(re.sub(_UNFIT, "�", words), quote=False).replace('"', "&quot;")


def require_ending(path: str | os.PathLike[str], *endings: str) -> None:
    """Refuse a file's name that asks for another format than these."""
    ending = Path(path).suffix
    if ending not in endings:
        raise SpecError(f"{os.fspath(path)}: found the ending {ending!r}, expected {' or '.join(endings)}")
