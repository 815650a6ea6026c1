"""A state as environments show it: as text, as SVG, or in pixels (the extra `fogbound[pictures]`)."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import SpecError, brief
from fogbound.core.game import AnyGame
from fogbound.core.printing import pictures_extra, png

MODES = ("ansi", "rgb_array", "svg")


def require_mode(mode: str | None) -> None:
    """Refuse a way to render that there is not."""
    if mode is not None and mode not in MODES:
        raise SpecError(f"render_mode is {brief(mode)}, expected {', '.join(MODES)} or None")


def rendered(game: AnyGame, state: Any, player: int | None, mode: str) -> str | NDArray[np.uint8]:
    """The state as `player` sees it, or all of it where `player` is None.

    Parameters
    ----------
    game
        The rules, which draw.
    state
        The state.
    player
        Whose eyes these are.
    mode
        One of `MODES`.

    Returns
    -------
    str or array [height, width, 3]
    """
    drawing = game.draw(state, player)
    if mode == "ansi":
        return drawing.text
    if mode == "svg":
        return drawing.plain()
    return _pixels(drawing.plain())


def _pixels(svg: str) -> NDArray[np.uint8]:
    with pictures_extra():
        from PIL import Image
    picture = Image.open(BytesIO(png(svg, zoom=1.0))).convert("RGBA")
    paper = Image.new("RGBA", picture.size, "white")
    paper.alpha_composite(picture)
    return np.asarray(paper.convert("RGB"))
