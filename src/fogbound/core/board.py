"""A state drawn once, shown twice: as SVG for pages and papers, as text for the terminal.

A board is rows of tiles with a caption. Cards, heaps, grids and tables of dice all fit. What a player may
not see is drawn as fog: the author decides per tile, in the game's `board(state, player)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fogbound.core.drawing import Drawing, quoted

# tone -> (fill, outline, ink); CSS variables let a page restyle the same picture, the fallbacks serve files
TONES: dict[str, tuple[str, str, str]] = {
    "plain": ("var(--surface, #ffffff)", "var(--edge, #788792)", "var(--ink, #14212b)"),
    "mine": ("var(--sea-fill, #2b8f9a)", "var(--sea, #0b6a76)", "#ffffff"),
    "theirs": ("var(--ember-fill, #cf6b45)", "var(--ember, #a8401f)", "#ffffff"),
    "fog": ("var(--fog-3, #b3c3cd)", "var(--fog-4, #8aa0ae)", "var(--ink-2, #445562)"),
    "lamp": ("var(--lamp-fill, #f0a63a)", "var(--lamp-line, #bd7408)", "#14212b"),
    "blank": ("none", "none", "var(--ink-2, #445562)"),
}
_CELL, _GAP, _MARGIN, _LINE = 44, 6, 16, 22
_FONT = "font-family=\"Inter, 'Segoe UI', system-ui, sans-serif\""


@dataclass(frozen=True, slots=True)
class Tile:
    """One square of a board: a few characters and a tone from `TONES`.

    Parameters
    ----------
    text
        What stands on it.
    tone
        How it looks: plain, mine, theirs, fog, lamp or blank.
    """

    text: str = ""
    tone: str = "plain"


@dataclass(frozen=True, slots=True)
class Board:
    """Rows of tiles under a caption.

    Parameters
    ----------
    rows
        The tiles, from top to bottom.
    caption
        What stands below; a board may be nothing else.
    labels
        `labels[r]`, where given, stands left of row r.

    Examples
    --------
    >>> from fogbound import Board
    >>> print(Board.grid([["x", ""], ["", "o"]], "x to move").text())
    x ·
    · o
    x to move
    """

    rows: tuple[tuple[Tile, ...], ...]
    caption: str = ""
    labels: tuple[str, ...] = ()

    @classmethod
    def of_text(cls, text: str) -> Board:
        """A board that is only words."""
        return cls((), text)

    @classmethod
    def grid(cls, rows: Iterable[Sequence[Tile | str]], caption: str = "", labels: Sequence[str] = ()) -> Board:
        """Rows of tiles; plain strings become plain tiles."""
        tiled = tuple(tuple(t if isinstance(t, Tile) else Tile(t) for t in row) for row in rows)
        return cls(tiled, caption, tuple(labels))

    def text(self) -> str:
        """The board for a terminal: fog is ▒, other tiles show their text."""
        width = max((len(t.text) for row in self.rows for t in row), default=1) or 1
        gutter = max((len(label) for label in self.labels), default=0)
        lines = []
        for r, row in enumerate(self.rows):
            label = self.labels[r] if r < len(self.labels) else ""
            cells = " ".join(_cell_text(tile, width) for tile in row)
            lines.append(f"{label:<{gutter}}  {cells}" if gutter else cells)
        if self.caption:
            lines.append(self.caption)
        return "\n".join(line.rstrip() for line in lines)

    def draw(self) -> Drawing:
        """The board as a picture, whose text is the board for a terminal.

        Returns
        -------
        Drawing
            Rows of tiles under each other, the caption below.

        Examples
        --------
        >>> Board.grid([["K", Tile(tone="fog")]], "one card is hidden").draw().text
        'K ▒\\none card is hidden'
        """
        gutter = max((10 * len(label) + 6 for label in self.labels), default=0)
        cell = max(_CELL, 16 + 10 * max((len(t.text) for row in self.rows for t in row), default=1))
        columns = max((len(row) for row in self.rows), default=0)
        captions = self.caption.splitlines()
        width = 2 * _MARGIN + max(gutter + columns * (cell + _GAP), 8 * max(map(len, captions), default=1))
        body, y = [], _MARGIN
        for r, row in enumerate(self.rows):
            if r < len(self.labels):
                body.append(_words(_MARGIN, y + _CELL / 2 + 5, self.labels[r], "start", "var(--ink-2, #445562)"))
            body += [_tile(_MARGIN + gutter + c * (cell + _GAP), y, cell, t) for c, t in enumerate(row)]
            y += _CELL + _GAP
        for line in captions:
            y += _LINE
            body.append(_words(_MARGIN, y - 6, line, "start", "var(--ink, #14212b)"))
        text = self.text()
        label = text.replace("\n", "; ")
        return Drawing(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{y + _MARGIN:g}" '
            f'viewBox="0 0 {width:g} {y + _MARGIN:g}" role="img" aria-label="{quoted(label)}">'
            + "".join(body)
            + "</svg>",
            label,
            text,
        )

    def _repr_svg_(self) -> str:
        return self.draw().svg


def _cell_text(tile: Tile, width: int) -> str:
    if tile.tone == "fog":
        return (tile.text or "▒" * width).center(width)
    if tile.tone == "blank":
        return tile.text.center(width)
    return (tile.text or "·").center(width)


def _tile(x: float, y: float, cell: float, tile: Tile) -> str:
    fill, edge, ink = TONES[tile.tone]
    box = f'<rect x="{x:g}" y="{y:g}" width="{cell:g}" height="{_CELL}" rx="6" fill="{fill}" stroke="{edge}"/>'
    return box + _words(x + cell / 2, y + _CELL / 2 + 6, tile.text, "middle", ink)


def _words(x: float, y: float, text: str, anchor: str, ink: str) -> str:
    if not text:
        return ""
    return f'<text x="{x:g}" y="{y:g}" {_FONT} font-size="15" text-anchor="{anchor}" fill="{ink}">{quoted(text)}</text>'
