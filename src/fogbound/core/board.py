"""A state drawn once, shown twice: as SVG for pages and papers, as text for the terminal.

A board is rows of tiles with a caption. Cards, heaps, grids and tables of dice all fit. What a player may
not see is drawn as fog: the author decides per tile, in the game's `board(state, player)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fogbound.core.drawing import Drawing

_CELL, _GAP, _MARGIN, _LINE, _SIZE = 46, 6, 18, 22, 16
_NARROW = 384  # captions are broken at this width, or at that of the tiles


@dataclass(frozen=True, slots=True)
class Tile:
    """One square of a board: a few characters and a tone from `svg.TONES`.

    Parameters
    ----------
    text
        What stands on it.
    tone
        How it looks: plain, mine, theirs, fog, lamp or blank.
    chance
        How likely something hidden is there: the fog gets as dense, and where there is no text the tile says so. None:
        nothing is said of it.

    Examples
    --------
    >>> from fogbound import Board, Tile
    >>> print(Board.grid([[Tile("", "fog", 0.75), Tile("", "fog", 0.25)]], "where is the treasure?").text())
    75\u202f% 25\u202f%
    where is the treasure?
    """

    text: str = ""
    tone: str = "plain"
    chance: float | None = None

    @property
    def words(self) -> str:
        """What stands on it: its text, or how likely something is there."""
        from fogbound.core.svg import percent

        return self.text or ("" if self.chance is None else percent(self.chance))


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
        width = max((len(t.words) for row in self.rows for t in row), default=1) or 1
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
        from fogbound.core import svg
        from fogbound.core.measure import lines_of, width_of

        gutter = max((width_of(label, _SIZE) + 14 for label in self.labels), default=0.0)
        cell = max([_CELL, *(18 + width_of(t.words, _SIZE, bold=True) for row in self.rows for t in row)])
        tiles = gutter + max((len(row) for row in self.rows), default=0) * (cell + _GAP) - _GAP * bool(self.rows)
        captions = [part for line in self.caption.splitlines() for part in lines_of(line, max(tiles, _NARROW), _SIZE)]
        width = 2 * _MARGIN + max([tiles, *(width_of(line, _SIZE) for line in captions)])
        body, y = [], float(_MARGIN)
        for r, row in enumerate(self.rows):
            if r < len(self.labels):
                body.append(svg.text(_MARGIN, y + _CELL / 2 + 6, self.labels[r], svg.INK_2, _SIZE))
            body += [_tile(_MARGIN + gutter + c * (cell + _GAP), y, cell, t) for c, t in enumerate(row)]
            y += _CELL + _GAP
        for line in captions:
            y += _LINE
            body.append(svg.text(_MARGIN, y - 2, line, svg.INK, _SIZE))
        shown = self.text()
        label = shown.replace("\n", "; ").rstrip(".") + "."
        return svg.document(width, y + _MARGIN, body, label, shown)

    def _repr_svg_(self) -> str:
        return self.draw().svg


def _cell_text(tile: Tile, width: int) -> str:
    if tile.tone == "fog":
        return (tile.words or "▒" * width).center(width)
    if tile.tone == "blank":
        return tile.words.center(width)
    return (tile.words or "·").center(width)


def _tile(x: float, y: float, cell: float, tile: Tile) -> str:
    from fogbound.core import svg

    fill, edge, ink = svg.TONES[tile.tone]
    body = svg.box(x, y, cell, _CELL, fill, edge, 8)
    if tile.chance:
        body += svg.group(
            [svg.box(x, y, cell, _CELL, svg.FOG_5, round_by=8)], more=f' opacity="{0.6 * tile.chance:.2f}"'
        )
        ink = svg.INK
    words = svg.text(x + cell / 2, y + _CELL / 2 + 6, tile.words, ink, _SIZE, "middle", 600)
    return body + words if tile.words else body
