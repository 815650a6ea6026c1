"""The tiger problem: two doors, behind them tiger and prize, or as much of a growl as the tiger is believed there."""

from __future__ import annotations

from fogbound.core import svg
from fogbound.core.dist import Dist
from fogbound.core.drawing import Drawing
from fogbound.core.svg import at, box, document, dot, group, path, percent, text
from fogbound.games.scenes.pieces import EDGE_ROOM, HUGE, PLAIN, SMALL, WIDTH, bank, faded, spoken_label

SIDES = ("left", "right")
DOOR, HIGH, TOP = 128, 196, 26
LOW = TOP + HIGH


def doors(state: str, states: tuple[str, str], player: int | None, belief: Dist[str] | None, terminal: str) -> Drawing:
    """Both doors, open where `player` is None, else with a tiger as dense as it is believed behind each.

    `states` are those in which the tiger is behind the left door and behind the right one.
    """
    seen, held = player is None, Dist.sure(state) if player is None else belief
    tiger = (held[states[0]], held[states[1]]) if held else None
    body = [] if seen else [bank(WIDTH, LOW - 10)]
    for side, x in enumerate((EDGE_ROOM + 36, WIDTH - EDGE_ROOM - 36 - DOOR)):
        p = tiger[side] if tiger else None
        middle = x + DOOR / 2
        body.append(_door(x, open_=seen))
        if seen:
            body.append(_tiger(middle, TOP + 118) if p else _prize(middle, LOW - 62))
        elif p is not None:
            body.append(faded(_tiger(middle, TOP + 112), 0.06 + 0.94 * p))
            body.append(_growl(middle, TOP + 112, p))
        else:
            body.append(text(middle, TOP + 122, "?", svg.INK, HUGE, "middle", 600))
        body.append(text(middle, LOW + 24, f"{SIDES[side]} door", svg.INK_2, SMALL, "middle"))
        if p is not None:
            words = ("tiger" if p else "prize") if seen else percent(p)
            body.append(text(middle, LOW + 46, words, svg.INK, PLAIN, "middle", 600))
    return document(WIDTH, LOW + 64, body, _label(tiger, seen), terminal)


def _label(tiger: tuple[float, float] | None, seen: bool) -> str:
    if tiger is None:
        return spoken_label("two closed doors: a tiger is behind one of them, a prize behind the other")
    if seen:
        return spoken_label(
            f"two doors: the tiger is behind the {SIDES[tiger.index(1.0)]} one, the prize behind the other"
        )
    left, right = map(percent, tiger)
    return spoken_label(
        f"two closed doors: the tiger is behind the left one with {left}, behind the right one with {right}"
    )


def _door(x: float, open_: bool) -> str:
    """A door with a round top and a handle; open, one sees what is behind."""
    arch = (
        f"M{at(x)} {LOW} V{TOP + 58} C{at(x)} {TOP - 18} {at(x + DOOR)} {TOP - 18} {at(x + DOOR)} {TOP + 58} V{LOW} Z"
    )
    frame = path(arch, svg.FOG_5, 3, svg.SURFACE if open_ else svg.FOG_1)
    grain = " ".join(f"M{at(x + DOOR * k / 4)} {TOP + (9 if k == 2 else 18)} V{LOW - 3}" for k in (1, 2, 3))
    planks = "" if open_ else path(grain, svg.FOG_4, 1)
    handle = "" if open_ else dot(x + DOOR - 11, TOP + 122, 5, svg.LAMP_FILL, svg.LAMP_LINE, 1.5)
    step = box(x - 12, LOW - 1, DOOR + 24, 8, svg.FOG_5, round_by=3)
    return frame + planks + handle + step


def _tiger(x: float, y: float) -> str:
    """A tiger's face."""
    ink, fur = "#14212b", svg.EMBER_FILL
    ears = [dot(x + dx, y - 30, 13, fur, ink, 1.5) for dx in (-27, 27)]
    face = f'<ellipse cx="{at(x)}" cy="{at(y)}" rx="42" ry="38" fill="{fur}" stroke="{ink}" stroke-width="1.5"/>'
    muzzle = f'<ellipse cx="{at(x)}" cy="{at(y + 17)}" rx="20" ry="14" fill="#ffffff" opacity="0.9"/>'
    eyes = [dot(x + dx, y - 7, 6, "#ffffff", ink, 1) + dot(x + dx, y - 6, 2.6, ink, ink, 0.5) for dx in (-16, 16)]
    nose = path(f"M{at(x - 6)} {at(y + 10)} h12 l-6 7 Z M{at(x)} {at(y + 17)} v4 m-8 3 q8 5 16 0", ink, 1.5, ink)
    stripes = " ".join(
        f"M{at(x + way * 41)} {at(y + dy)} q{at(-way * 8)} 1 {at(-way * 14)} 5" for way in (-1, 1) for dy in (-8, 2, 12)
    )
    brow = f"M{at(x)} {at(y - 37)} v13 M{at(x - 10)} {at(y - 35)} l2 9 M{at(x + 10)} {at(y - 35)} l-2 9"
    return group([*ears, face, muzzle, *eyes, nose, path(f"{stripes} {brow}", ink, 3)])


def _growl(x: float, y: float, p: float) -> str:
    """Rings of sound around a door, as loud as the tiger is likely there."""
    arcs = " ".join(
        f"M{at(x + way * (70 + 9 * k))} {at(y - 12 - 5 * k)} q{way * (7 + 2 * k)} {12 + 5 * k} 0 {24 + 10 * k}"
        for way in (-1, 1)
        for k in range(3)
    )
    return faded(path(arcs, svg.FOG_5, 2.4), p)


def _prize(x: float, y: float) -> str:
    """A chest."""
    chest = box(x - 38, y, 76, 46, svg.LAMP_FILL, svg.LAMP_LINE, 6)
    lid = path(
        f"M{at(x - 38)} {at(y + 6)} C{at(x - 38)} {at(y - 30)} {at(x + 38)} {at(y - 30)} {at(x + 38)} {at(y + 6)} Z",
        svg.LAMP_LINE,
        1.5,
        svg.LAMP_FILL,
    )
    bands = path(
        f"M{at(x - 38)} {at(y + 10)} h76 M{at(x - 22)} {at(y - 14)} v60 M{at(x + 22)} {at(y - 14)} v60",
        svg.LAMP_LINE,
        2,
    )
    return lid + chest + bands + box(x - 7, y + 4, 14, 16, svg.SURFACE, svg.LAMP_LINE, 3)
