"""The arrows of a controller's picture: curves between layers, and roads below for those that lead back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fogbound.draw import measure, svg
from fogbound.draw.layers import Layers, Size
from fogbound.draw.svg import FOG_4, FOG_5, INK_2, LINE, SURFACE, at

TEXT, LEADING = 11, 14
STEP, LANES = 6, 4  # roads side by side in the gap between two layers
CORNER = 8.0
FAR = 1e9  # below everything


@dataclass(frozen=True)
class Labels:
    """What stands on each arrow, and how much room that takes."""

    lines: Sequence[Sequence[str]]
    sizes: Sequence[Size]


def draw_arrows(
    plan: Layers, arrows: Sequence[tuple[int, int]], labels: Labels
) -> tuple[list[str], list[str], float, float]:
    """The curves, the labels that lie on them, and the lowest and rightmost point of all."""
    leave, arrive = _ports(plan, arrows)
    curves, pills = [], []
    for k, chain in plan.chains.items():
        curves.append(_curve(plan, chain, leave[k], arrive.get(k)))
        label = plan.items[chain[1]]
        pills.append(pill(label.x, label.y, labels.lines[k], labels.sizes[k]))
    low, wide = plan.bottom, plan.right[-1]
    for n, k in enumerate(_by_span(plan, arrows)):
        source, target = (plan.items[v] for v in arrows[k])
        width, height = labels.sizes[k]
        road, end = low + 14 + height / 2, plan.left[target.layer]
        out = plan.right[source.layer] + 12 + STEP * (n % LANES)
        back = end - 16 - STEP * (arrows[k][1] % LANES)
        into = target.x - target.width / 2
        curves.append(_road(source.x + source.width / 2, leave[k], out, road, back, into, arrive[k]))
        middle = max((out + back) / 2, plan.left[0] + width / 2)
        pills.append(pill(middle, road, labels.lines[k], labels.sizes[k]))
        low, wide = road + height / 2, max(wide, out, middle + width / 2)
    return curves, pills, low, wide


def _by_span(plan: Layers, arrows: Sequence[tuple[int, int]]) -> list[int]:
    """Arrows that lead back, the shortest and lowest first: they take the upper roads, inside the others."""

    def span(k: int) -> tuple[int, float]:
        source, target = (plan.items[v] for v in arrows[k])
        return source.layer - target.layer, -source.y

    return sorted(plan.back, key=span)


def _ports(plan: Layers, arrows: Sequence[tuple[int, int]]) -> tuple[dict[int, float], dict[int, float]]:
    """Where arrows leave and reach their boxes: spread over the side, in the order of where they go.

    Arrows that lead back leave below the others, each for itself, and arrive together, below the others too.
    """
    leaving: dict[int, dict[int, float]] = {}
    reaching: dict[int, dict[int, float]] = {}
    for k, (source, target) in enumerate(arrows):
        chain = plan.chains.get(k)
        leaving.setdefault(source, {})[k] = plan.items[chain[1]].y if chain else FAR + k
        if target >= 0:
            reaching.setdefault(target, {})[k] = plan.items[chain[-2]].y if chain else FAR
    return _spread(plan, leaving), _spread(plan, reaching)


def _spread(plan: Layers, sides: dict[int, dict[int, float]]) -> dict[int, float]:
    """Heights along a box's side, evenly spaced; the round start has one for all."""
    port: dict[int, float] = {}
    for v, wanted in sides.items():
        item, ranks = plan.items[v], sorted(set(wanted.values()))
        for k, y in wanted.items():
            share = (ranks.index(y) + 1) / (len(ranks) + 1) if v else 0.5
            port[k] = item.y + item.height * (share - 0.5)
    return port


def _curve(plan: Layers, chain: list[int], leave: float, arrive: float | None) -> str:
    """Straight across layers, bent between them; dotted up to its label where it leads out of the picture."""
    source = plan.items[chain[0]]
    x, y = plan.right[source.layer], leave
    steps = [f"M{at(source.x + source.width / 2)} {at(y)} H{at(x)}"]
    for i in chain[1:] if arrive is None else chain[1:-1]:
        layer, to = plan.items[i].layer, plan.items[i].y
        steps += [_bend(x, y, plan.left[layer], to), f"H{at(plan.right[layer])}"]
        x, y = plan.right[layer], to
    if arrive is None:
        return svg.path(" ".join([*steps[:-1], f"H{at(plan.items[chain[-1]].x)}"]), FOG_4, dashes="1 5")
    target = plan.items[chain[-1]]
    end = target.x - target.width / 2
    steps += [_bend(x, y, plan.left[target.layer] - 6, arrive), f"H{at(end - 6)}"]
    return svg.path(" ".join(steps), FOG_4) + _head(end, arrive)


def _bend(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = at((x + to_x) / 2)
    return f"C{middle} {at(y)} {middle} {at(to_y)} {at(to_x)} {at(to_y)}"


def _road(x: float, y: float, out: float, road: float, back: float, end: float, arrive: float) -> str:
    """Out to the right, down, along below everything, up, and into the target from the left."""
    r = at(CORNER)
    steps = (
        f"M{at(x)} {at(y)} H{at(out - CORNER)} q{r} 0 {r} {r} V{at(road - CORNER)} q0 {r} -{r} {r} "
        f"H{at(back + CORNER)} q-{r} 0 -{r} -{r} V{at(arrive + CORNER)} q0 -{r} {r} -{r} H{at(end - 6)}"
    )
    return svg.path(steps, FOG_4) + _head(end, arrive)


def _head(x: float, y: float) -> str:
    return svg.path(f"M{at(x)} {at(y)} l-8 -4 v8 Z", "none", fill=FOG_5)


def pill(x: float, y: float, lines: Sequence[str], size: Size) -> str:
    """An arrow's label, in the middle of a small plate."""
    if not lines:
        return ""
    width, height = size
    plate = svg.box(x - width / 2, y - height / 2, width, height, SURFACE, LINE, 10)
    top = y - LEADING * len(lines) / 2 + 10.5
    return plate + "".join(svg.text(x, top + LEADING * k, line, INK_2, TEXT, "middle") for k, line in enumerate(lines))


def labels_of(told: Sequence[Sequence[str]], room: float, most: int) -> Labels:
    """Set what is seen on each arrow in lines."""
    lines = [measure.wrap(list(words), room, TEXT, most=most) for words in told]
    sizes = [
        (max(measure.width_of(w, TEXT) for w in ws) + 16, LEADING * len(ws) + 6.0) if ws else (0, 4) for ws in lines
    ]
    return Labels(lines, sizes)
