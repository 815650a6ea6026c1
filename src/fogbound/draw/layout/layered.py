"""Layered drawing of a graph, left to right (Sugiyama, Tagawa and Toda 1981).

Arrows that close a circle are set aside; the others point right. Nodes stand in even layers by the longest
way from the first node, an arrow's label in the odd layer behind its source, and long arrows hold a place
in every layer that they pass, so that nothing is drawn over anything else.

How high the items of a layered drawing stand: near their neighbours, apart from each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

APART = {"node": 22.0, "label": 8.0, "pass": 8.0}  # above and below, by kind
HEIGHT_SWEEPS, STRAIGHTER = 48, 3


@dataclass
class LayoutItem:
    """A node, an arrow's label, or a place where an arrow passes a layer; x and y are its middle."""

    kind: str
    layer: int
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)


def place_heights(items: list[LayoutItem], rows: list[list[int]], chains: list[list[int]], top: float) -> None:
    """Every item as near to its neighbours' mean as its row allows, arrows straight, and nothing above `top`."""
    for row in rows:
        _settle(items, row, [0.0] * len(row))
    for sweep in range(HEIGHT_SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            near = [items[i].before + items[i].after for i in row]
            _settle(items, row, [sum(items[j].y for j in js) / len(js) if js else 0.0 for js in near])
    for chain in chains * STRAIGHTER:
        _straighten(items, rows, chain)
    above = min(item.y - item.height / 2 for item in items)
    for item in items:
        item.y += top - above


def _settle(items: list[LayoutItem], row: list[int], want: list[float]) -> None:
    """The places nearest to those wanted, in least squares, that keep the order and the distances.

    With the distances subtracted this is a regression on rising sequences.
    """
    shifts = [0.0]
    for a, b in pairwise(items[i] for i in row):
        shifts.append(shifts[-1] + _distance(a, b))
    means = nearest_rising([w - s for w, s in zip(want, shifts)])
    for i, mean, s in zip(row, means, shifts):
        items[i].y = mean + s


def nearest_rising(wanted: Sequence[float]) -> list[float]:
    """The rising sequence nearest to the wanted one in least squares: pool adjacent violators (Ayer et al. 1955)."""
    pools: list[tuple[float, int]] = []  # (mean, members)
    for mean in wanted:
        count = 1
        while pools and pools[-1][0] > mean:
            other, members = pools.pop()
            mean, count = (mean * count + other * members) / (count + members), count + members
        pools.append((mean, count))
    return [mean for mean, count in pools for _ in range(count)]


def _distance(a: LayoutItem, b: LayoutItem) -> float:
    """From middle to middle of two items of a row, at least."""
    return (a.height + b.height) / 2 + max(APART[a.kind], APART[b.kind])


def _straighten(items: list[LayoutItem], rows: list[list[int]], chain: list[int]) -> None:
    """Move the places where a long arrow passes to one height, as far along it as the rows leave room."""
    run: list[int] = []
    low, high = -math.inf, math.inf
    for i in [i for i in chain if items[i].kind == "pass"]:
        under, over = _room(items, rows[items[i].layer], i)
        if max(low, under) > min(high, over):
            _level(items, run, low, high)
            run, low, high = [], -math.inf, math.inf
        run, low, high = [*run, i], max(low, under), min(high, over)
    _level(items, run, low, high)


def _room(items: list[LayoutItem], row: list[int], i: int) -> tuple[float, float]:
    """The heights that an item's neighbours in its row leave it; where it stands is always one of them."""
    k, item = row.index(i), items[i]
    under = items[row[k - 1]].y + _distance(items[row[k - 1]], item) if k else -math.inf
    over = items[row[k + 1]].y - _distance(item, items[row[k + 1]]) if k + 1 < len(row) else math.inf
    return min(under, item.y), max(over, item.y)


def _level(items: list[LayoutItem], run: list[int], low: float, high: float) -> None:
    if run:
        mean = sum(items[i].y for i in run) / len(run)
        for i in run:
            items[i].y = min(max(mean, low), high)


GAP = 44  # between layers: here arrows bend
ORDER_SWEEPS = 12

Size = tuple[float, float]  # width, height


@dataclass(frozen=True)
class LayeredLayout:
    """Items by number (the nodes first), the items along each arrow that points right, and the others."""

    items: list[LayoutItem]
    chains: dict[int, list[int]]  # arrow -> source node, label, places, target node
    back: list[int]  # arrows that close a circle
    left: list[float]  # [layer] its edges
    right: list[float]

    @property
    def bottom(self) -> float:
        return max(item.y + item.height / 2 for item in self.items)


def layered_layout(
    sizes: Sequence[Size], arrows: Sequence[tuple[int, int]], labels: Sequence[Size], origin: tuple[float, float]
) -> LayeredLayout:
    """Place nodes 0 .. n-1, of which 0 comes first. An arrow to -1 leads out of the picture: its label ends it."""
    back, order = _circles(len(sizes), arrows)
    depth = _depths(len(sizes), arrows, back, order)
    items = [LayoutItem("node", 2 * depth[v], *size) for v, size in enumerate(sizes)]
    chains = {k: _chain(items, arrows[k], labels[k], depth) for k in range(len(arrows)) if k not in back}
    rows = _ordered(items)
    place_heights(items, rows, list(chains.values()), origin[1])
    left, right, x = list[float](), list[float](), origin[0]
    for row in rows:
        wide = max((items[i].width for i in row), default=0.0)
        left.append(x)
        right.append(x + wide)
        for i in row:
            items[i].x = x + wide / 2
        x += wide + GAP
    return LayeredLayout(items, chains, sorted(back), left, right)


def _circles(size: int, arrows: Sequence[tuple[int, int]]) -> tuple[set[int], list[int]]:
    """Depth first from node 0: the arrows that lead back to an open node, and a topological order of the rest."""
    out: list[list[int]] = [[] for _ in range(size)]
    for k, (source, _) in enumerate(arrows):
        out[source].append(k)
    back: set[int] = set()
    done: list[int] = []
    state, stack = [0] * size, [(v, 0) for v in reversed(range(size))]  # 0 new, 1 open, 2 done
    while stack:
        v, k = stack.pop()
        if state[v] == 2 or (k == 0 and state[v] == 1):
            continue
        state[v] = 1
        if k == len(out[v]):
            state[v] = 2
            done.append(v)
            continue
        stack.append((v, k + 1))
        target = arrows[out[v][k]][1]
        if target >= 0 and state[target] == 1:
            back.add(out[v][k])
        elif target >= 0 and state[target] == 0:
            stack.append((target, 0))
    return back, done[::-1]


def _depths(size: int, arrows: Sequence[tuple[int, int]], back: set[int], order: list[int]) -> list[int]:
    """The longest way from the first node."""
    out: list[list[int]] = [[] for _ in range(size)]
    for k, (source, target) in enumerate(arrows):
        if k not in back and target >= 0:
            out[source].append(target)
    depth = [0] * size
    for v in order:
        for target in out[v]:
            depth[target] = max(depth[target], depth[v] + 1)
    return depth


def _chain(items: list[LayoutItem], arrow: tuple[int, int], label: Size, depth: list[int]) -> list[int]:
    """The items along an arrow: new ones for its label and for each layer that it passes."""
    source, target = arrow
    last = 2 * depth[target] if target >= 0 else 2 * depth[source] + 2
    chain = [source]
    for layer in range(2 * depth[source] + 1, last):
        kind, size = ("label", label) if len(chain) == 1 else ("pass", (0.0, 4.0))
        chain.append(len(items))
        items.append(LayoutItem(kind, layer, *size))
    chain += [target] if target >= 0 else []
    for i, j in pairwise(chain):
        items[i].after.append(j)
        items[j].before.append(i)
    return chain


def _ordered(items: list[LayoutItem]) -> list[list[int]]:
    """Barycentre sweeps, to and fro; the order with the fewest crossings wins."""
    rows: list[list[int]] = [[] for _ in range(1 + max(item.layer for item in items))]
    for i, item in enumerate(items):
        rows[item.layer].append(i)
    best, fewest = [list(row) for row in rows], _crossings(items, rows)
    for sweep in range(ORDER_SWEEPS):
        place = {i: float(k) for row in rows for k, i in enumerate(row)}
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            near = {i: items[i].before if sweep % 2 == 0 else items[i].after for i in row}
            want = {i: sum(place[j] for j in near[i]) / len(near[i]) if near[i] else place[i] for i in row}
            row.sort(key=want.__getitem__)
            place.update({i: float(k) for k, i in enumerate(row)})
        now = _crossings(items, rows)
        if now < fewest:
            best, fewest = [list(row) for row in rows], now
    return best


def _crossings(items: list[LayoutItem], rows: list[list[int]]) -> int:
    place, total = {i: k for row in rows for k, i in enumerate(row)}, 0
    for row in rows:
        ends = [place[j] for i in row for j in sorted(items[i].after, key=place.__getitem__)]
        total += sum(a > b for k, a in enumerate(ends) for b in ends[k + 1 :])
    return total
