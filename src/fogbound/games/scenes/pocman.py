"""Pocman: the maze, himself, ghosts (or a fog where they may be), and food as dense as it is likely."""

from __future__ import annotations

from collections.abc import Mapping

from fogbound.core.drawing import Drawing
from fogbound.core.numerals import EXACT
from fogbound.core.svg import FOG_1, FOG_4, FOG_5, INK_2, LAMP_FILL, LAMP_LINE, box, document, dot, path, text
from fogbound.games.pocman.mazes import Maze
from fogbound.games.scenes.graph import told
from fogbound.games.scenes.pieces import EDGE_ROOM, MINE, SMALL, THEIRS, WIDTH, faded, spoken_label

LARGEST, TOP = 44, 18  # cells


def maze(
    on: Maze, pocman: int, power: int, ghosts: Mapping[int, float] | None, food: Mapping[int, float], terminal: str
) -> Drawing:
    """How likely each cell holds a ghost (None: nobody has said) and food; `power`: steps that a pill still works."""
    size = min(LARGEST, (WIDTH - 2 * EDGE_ROOM) / on.width)
    left = (WIDTH - size * on.width) / 2
    middle = [(left + size * (x + 0.5), TOP + size * (on.height - y - 0.5)) for x, y in on.cells]
    body = [box(left, TOP, size * on.width, size * on.height, FOG_4, round_by=4)]
    body += [box(x - size / 2, y - size / 2, size, size, FOG_1, round_by=0) for x, y in middle]
    for cell, p in food.items():
        pill = bool(on.bit[cell] & on.pills)
        body.append(faded(dot(*middle[cell], size * (0.28 if pill else 0.12), LAMP_FILL, LAMP_LINE, 1), p))
    for cell, p in (ghosts or {}).items():
        if p > 1 - EXACT:
            body.append(_ghost(*middle[cell], size))
        elif p > EXACT:
            x, y = middle[cell]
            body.append(faded(box(x - size / 2, y - size / 2, size, size, FOG_5, round_by=0), 0.1 + 0.7 * p))
    body.append(_pocman(*middle[pocman], size))
    foot = TOP + size * on.height + 28
    works = f"a pill works for {power} more step{'s' * (power != 1)}" if power else ""
    words = "Ghosts and food are hidden" if ghosts is None else "Ghosts and food, as likely as they are dense"
    body.append(text(EDGE_ROOM, foot, works[:1].upper() + works[1:] or words, INK_2, SMALL))
    label = spoken_label(
        f"Pocman at {_at(on, pocman)} of a maze", works, _where(on, ghosts), f"{_pills(on, food)} left"
    )
    return document(WIDTH, foot + 18, body, label, terminal)


def _at(on: Maze, cell: int) -> str:
    x, y = on.cells[cell]
    return f"{x}, {y}"


def _where(on: Maze, ghosts: Mapping[int, float] | None) -> str:
    """Where ghosts are, or how likely they are in the likeliest cells."""
    if ghosts is None:
        return "the ghosts are hidden"
    names = [f"at {_at(on, cell)}" for cell in range(len(on.cells))]
    if all(p > 1 - EXACT for p in ghosts.values()):
        return "ghosts " + " and ".join(names[cell] for cell in ghosts)
    return f"a ghost {told(names, ghosts).partition(', others ')[0]}"


def _pills(on: Maze, food: Mapping[int, float]) -> str:
    count = sum(bool(on.bit[cell] & on.pills) for cell in food)
    return f"{count} power pill{'s' * (count != 1)}"


def _pocman(x: float, y: float, size: float) -> str:
    """A disc with an open mouth."""
    r = 0.42 * size
    return path(
        f"M{x:.1f} {y:.1f} l{0.8 * r:.1f} {-0.6 * r:.1f} a{r:.1f} {r:.1f} 0 1 0 0 {1.2 * r:.1f} Z",
        MINE.ink,
        1,
        MINE.fill,
    )


def _ghost(x: float, y: float, size: float) -> str:
    """A sheet with a round top."""
    r = 0.38 * size
    return path(
        f"M{x - r:.1f} {y + r:.1f} v{-r:.1f} a{r:.1f} {r:.1f} 0 0 1 {2 * r:.1f} 0 v{r:.1f} "
        f"l{-0.5 * r:.1f} {-0.4 * r:.1f} l{-0.5 * r:.1f} {0.4 * r:.1f} l{-0.5 * r:.1f} {-0.4 * r:.1f} Z",
        THEIRS.ink,
        1,
        THEIRS.fill,
    )
