"""Pursuit and evasion: a grid of cells joined by lines, the pursuers, and the evader or the fog that hides it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from fogbound.core.drawing import Drawing
from fogbound.core.svg import FOG_4, INK_2, document, line, text
from fogbound.games.scenes.graph import Place, chances_beside, halos, places, told
from fogbound.games.scenes.pieces import EDGE_ROOM, SMALL, WIDTH, spoken_label, tone_of

PURSUERS, EVADER = 0, 1
STEP, MARGIN = 84.0, 34.0  # from cell to cell at most, and around all


def hunt(
    names: Sequence[str],
    columns: int,
    pursuers: Sequence[int],
    evader: int | None,
    chances: Mapping[int, float],
    player: int | None,
    shown: str,
    terminal: str,
) -> Drawing:
    """The grid as `player` sees it; `evader` None: it is hidden, and in each cell as likely as `chances` say."""
    step = min(STEP, (WIDTH - 2 * MARGIN) / max(1, columns - 1))
    left = (WIDTH - step * (columns - 1)) / 2
    at: list[Place] = [(left + step * (k % columns), MARGIN + step * (k // columns)) for k in range(len(names))]
    standing = {cell: ("P" * count, tone_of(PURSUERS, player)) for cell, count in Counter(pursuers).items()}
    if evader is not None:
        standing[evader] = ("E", tone_of(EVADER, player))
    body = halos(at, chances)
    for k in range(len(names)):
        body += [line(*at[k], *at[k + 1], FOG_4, 1.6)] if (k + 1) % columns else []
        body += [line(*at[k], *at[k + columns], FOG_4, 1.6)] if k + columns < len(names) else []
    body += places(at, names, standing, foggy=evader is None and not chances)
    body += chances_beside(at, chances)
    y = at[-1][1] + MARGIN + 22
    body.append(text(EDGE_ROOM, y, "P: a pursuer, E: the evader", INK_2, SMALL))
    if shown:
        y += 24
        body.append(text(EDGE_ROOM, y, shown, INK_2, SMALL))
    hunted = f"the evader is in {names[evader]}" if evader is not None else "where the evader is you do not see"
    likely = f"it may be in {told(names, chances)}" if chances else ""
    hunters = ", ".join(names[cell] for cell in pursuers)
    label = spoken_label(f"a grid of {len(names)} cells: pursuers in {hunters}", hunted, likely, shown.lower())
    return document(WIDTH, y + 18, body, label, terminal)
