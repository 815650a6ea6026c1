"""The arrows of a controller's picture: curves between layers, roads below for those that lead back, and their
labels.

What stands on a controller's arrows: the observations in lines, on a small plate.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fogbound.core import measure, svg
from fogbound.core.svg import EMBER, FOG_4, FOG_5, INK_2, LINE, SURFACE, at
from fogbound.draw.layout.layered import LayeredLayout, Size

TEXT, LEADING = 11, 14


@dataclass(frozen=True)
class ArrowLabels:
    """What stands on each arrow, and how much room that takes."""

    lines: Sequence[Sequence[str]]
    sizes: Sequence[Size]


def arrow_labels(observations: Sequence[Sequence[str]], room: float, most: int) -> ArrowLabels:
    """Set what is seen on each arrow in lines."""
    lines = [measure.wrap(list(words), room, TEXT, most=most) for words in observations]
    sizes = [
        (max(measure.width_of(w, TEXT) for w in ws) + 16, LEADING * len(ws) + 6.0) if ws else (0, 4) for ws in lines
    ]
    return ArrowLabels(lines, sizes)


def pill(x: float, y: float, lines: Sequence[str], size: Size, edge: str = LINE) -> str:
    """An arrow's label, in the middle of a small plate."""
    if not lines:
        return ""
    width, height = size
    plate = svg.box(x - width / 2, y - height / 2, width, height, SURFACE, edge, 10)
    top = y - LEADING * len(lines) / 2 + 10.5
    return plate + "".join(svg.text(x, top + LEADING * k, line, INK_2, TEXT, "middle") for k, line in enumerate(lines))


STEP, LANES = 6, 4  # roads side by side in the gap between two layers
CORNER = 8.0
FAR = 1e9  # below everything


@dataclass(frozen=True)
class Stroke:
    """How an arrow is drawn: its line, its head, and the edge of its label."""

    line: str
    width: float
    head: str
    edge: str


PLAIN, HEAVY = Stroke(FOG_4, 1.5, FOG_5, LINE), Stroke(EMBER, 2.5, EMBER, EMBER)


def draw_arrows(
    placement: LayeredLayout, arrows: Sequence[tuple[int, int]], labels: ArrowLabels, heavy: Collection[int] = ()
) -> tuple[list[str], list[str], float, float]:
    """The curves, the labels that lie on them, and the lowest and rightmost point of all; heavy curves lie on top."""
    leave, arrive = _ports(placement, arrows)
    curves, pills = dict[int, str](), []
    stroke = {k: HEAVY if k in heavy else PLAIN for k in range(len(arrows))}
    for k, chain in placement.chains.items():
        curves[k] = _curve(placement, chain, leave[k], arrive.get(k), stroke[k])
        label = placement.items[chain[1]]
        pills.append(pill(label.x, label.y, labels.lines[k], labels.sizes[k], stroke[k].edge))
    low, wide = placement.bottom, placement.right[-1]
    for n, k in enumerate(_by_span(placement, arrows)):
        source, target = (placement.items[v] for v in arrows[k])
        width, height = labels.sizes[k]
        road, end = low + 14 + height / 2, placement.left[target.layer]
        out = placement.right[source.layer] + 12 + STEP * (n % LANES)
        back = end - 16 - STEP * (arrows[k][1] % LANES)
        into = target.x - target.width / 2
        steps = _road(source.x + source.width / 2, leave[k], out, road, back, into, arrive[k])
        curves[k] = svg.path(steps, stroke[k].line, stroke[k].width) + _head(into, arrive[k], stroke[k])
        middle = max((out + back) / 2, placement.left[0] + width / 2)
        pills.append(pill(middle, road, labels.lines[k], labels.sizes[k], stroke[k].edge))
        low, wide = road + height / 2, max(wide, out, middle + width / 2)
    return [curves[k] for k in sorted(curves, key=lambda k: k in heavy)], pills, low, wide


def _by_span(placement: LayeredLayout, arrows: Sequence[tuple[int, int]]) -> list[int]:
    """Arrows that lead back, the shortest and lowest first: they take the upper roads, inside the others."""

    def span(k: int) -> tuple[int, float]:
        source, target = (placement.items[v] for v in arrows[k])
        return source.layer - target.layer, -source.y

    return sorted(placement.back, key=span)


def _ports(placement: LayeredLayout, arrows: Sequence[tuple[int, int]]) -> tuple[dict[int, float], dict[int, float]]:
    """Where arrows leave and reach their boxes: spread over the side, in the order of where they go.

    Arrows that lead back leave below the others, each for itself, and arrive together, below the others too.
    """
    leaving: dict[int, dict[int, float]] = {}
    reaching: dict[int, dict[int, float]] = {}
    for k, (source, target) in enumerate(arrows):
        chain = placement.chains.get(k)
        leaving.setdefault(source, {})[k] = placement.items[chain[1]].y if chain else FAR + k
        if target >= 0:
            reaching.setdefault(target, {})[k] = placement.items[chain[-2]].y if chain else FAR
    return _spread(placement, leaving), _spread(placement, reaching)


def _spread(placement: LayeredLayout, sides: dict[int, dict[int, float]]) -> dict[int, float]:
    """Heights along a box's side, evenly spaced; the round start has one for all."""
    port: dict[int, float] = {}
    for v, wanted in sides.items():
        item, ranks = placement.items[v], sorted(set(wanted.values()))
        for k, y in wanted.items():
            share = (ranks.index(y) + 1) / (len(ranks) + 1) if v else 0.5
            port[k] = item.y + item.height * (share - 0.5)
    return port


def _curve(placement: LayeredLayout, chain: list[int], leave: float, arrive: float | None, stroke: Stroke) -> str:
    """Straight across layers, bent between them; dotted up to its label where it leads out of the picture."""
    source = placement.items[chain[0]]
    x, y = placement.right[source.layer], leave
    steps = [f"M{at(source.x + source.width / 2)} {at(y)} H{at(x)}"]
    for i in chain[1:] if arrive is None else chain[1:-1]:
        layer, to = placement.items[i].layer, placement.items[i].y
        steps += [
            svg.bend(y, (x + placement.left[layer]) / 2, placement.left[layer], to),
            f"H{at(placement.right[layer])}",
        ]
        x, y = placement.right[layer], to
    if arrive is None:
        steps[-1] = f"H{at(placement.items[chain[-1]].x)}"
        return svg.path(" ".join(steps), stroke.line, stroke.width, dashes="1 5")
    target = placement.items[chain[-1]]
    end, near = target.x - target.width / 2, placement.left[target.layer] - 6
    steps += [svg.bend(y, (x + near) / 2, near, arrive), f"H{at(end - 6)}"]
    return svg.path(" ".join(steps), stroke.line, stroke.width) + _head(end, arrive, stroke)


def _road(x: float, y: float, out: float, road: float, back: float, end: float, arrive: float) -> str:
    """Out to the right, down, along below everything, up, and into the target from the left."""
    r = at(CORNER)
    return (
        f"M{at(x)} {at(y)} H{at(out - CORNER)} q{r} 0 {r} {r} V{at(road - CORNER)} q0 {r} -{r} {r} "
        f"H{at(back + CORNER)} q-{r} 0 -{r} -{r} V{at(arrive + CORNER)} q0 -{r} {r} -{r} H{at(end - 6)}"
    )


def _head(x: float, y: float, stroke: Stroke) -> str:
    return svg.path(f"M{at(x)} {at(y)} l-8 -4 v8 Z", "none", fill=stroke.head)
