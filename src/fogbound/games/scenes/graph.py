"""Places joined by lines: who stands where, and halos of fog where a hidden piece may be, denser = more probable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fogbound.core.numerals import EXACT
from fogbound.core.svg import FOG_2, FOG_4, INK, INK_2, dot, group, percent, text
from fogbound.games.scenes.pieces import PLAINLY, SMALL, Tone, halo, token, word_plate

Place = tuple[float, float]
RADIUS, PIECE = 16, 19  # of an empty place, of one where somebody stands
MOST_NAMED = 5  # places whose chance is written beside them
MOST_TOLD = 12  # places whose chance is said


def places(
    at: Sequence[Place], names: Sequence[str], standing: Mapping[int, tuple[str, Tone]], foggy: bool
) -> list[str]:
    """Every place: with the piece that stands there, else its name; in fog where nothing is known of it."""
    body = []
    for number, (x, y) in enumerate(at):
        if number in standing:
            letters, tone = standing[number]
            body.append(token(x, y, letters, tone, PIECE))
        else:
            fill, edge, ink = (FOG_2, FOG_4, INK) if foggy else (PLAINLY.wash, PLAINLY.fill, INK_2)
            body.append(dot(x, y, RADIUS, fill, edge, 1.2) + text(x, y + 5, names[number], ink, SMALL, "middle"))
    return body


def halos(at: Sequence[Place], chances: Mapping[int, float], reach: float = 34) -> list[str]:
    """Fog around the places where a hidden piece may be; it goes below what stands there."""
    top = max(chances.values(), default=0.0)
    return [group([halo(*at[n], reach, p / top)]) for n, p in chances.items() if p > EXACT]


def chances_beside(at: Sequence[Place], chances: Mapping[int, float]) -> list[str]:
    """How likely the likeliest places are, written below them."""
    named = sorted(chances, key=lambda n: -chances[n])[:MOST_NAMED]
    return [word_plate(at[n][0], at[n][1] + RADIUS + 8, percent(chances[n])) for n in named if chances[n] > EXACT]


def told(names: Sequence[str], chances: Mapping[int, float]) -> str:
    """The likeliest places in words, and how likely the others are together."""
    listed = sorted((n for n in chances if chances[n] > EXACT), key=lambda n: -chances[n])
    words = [f"{names[n]} with {percent(chances[n])}" for n in listed[:MOST_TOLD]]
    rest = sum(chances[n] for n in listed[MOST_TOLD:])
    return ", ".join(words + [f"others {percent(rest)}"] * (rest > EXACT))
