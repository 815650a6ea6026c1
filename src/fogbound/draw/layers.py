"""Layered drawing of a graph, left to right (Sugiyama, Tagawa and Toda 1981).

Arrows that close a circle are set aside; the others point right. Nodes stand in even layers by the longest
way from the first node, an arrow's label in the odd layer behind its source, and long arrows hold a place
in every layer that they pass, so that nothing is drawn over anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fogbound.draw.heights import Item, place

GAP = 44  # between layers: here arrows bend
SWEEPS = 12

Size = tuple[float, float]  # width, height


@dataclass(frozen=True)
class Layers:
    """Items by number (the nodes first), the items along each arrow that points right, and the others."""

    items: list[Item]
    chains: dict[int, list[int]]  # arrow -> source node, label, places, target node
    back: list[int]  # arrows that close a circle
    left: list[float]  # [layer] its edges
    right: list[float]

    @property
    def bottom(self) -> float:
        return max(item.y + item.height / 2 for item in self.items)


def layers(
    sizes: Sequence[Size], arrows: Sequence[tuple[int, int]], labels: Sequence[Size], origin: tuple[float, float]
) -> Layers:
    """Place nodes 0 .. n-1, of which 0 comes first. An arrow to -1 leads out of the picture: its label ends it."""
    back, order = _circles(len(sizes), arrows)
    depth = _depths(len(sizes), arrows, back, order)
    items = [Item("node", 2 * depth[v], *size) for v, size in enumerate(sizes)]
    chains = {k: _chain(items, arrows[k], labels[k], depth) for k in range(len(arrows)) if k not in back}
    rows = _ordered(items)
    place(items, rows, list(chains.values()), origin[1])
    left, right, x = list[float](), list[float](), origin[0]
    for row in rows:
        wide = max((items[i].width for i in row), default=0.0)
        left.append(x)
        right.append(x + wide)
        for i in row:
            items[i].x = x + wide / 2
        x += wide + GAP
    return Layers(items, chains, sorted(back), left, right)


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


def _chain(items: list[Item], arrow: tuple[int, int], label: Size, depth: list[int]) -> list[int]:
    """The items along an arrow: new ones for its label and for each layer that it passes."""
    source, target = arrow
    last = 2 * depth[target] if target >= 0 else 2 * depth[source] + 2
    chain = [source]
    for layer in range(2 * depth[source] + 1, last):
        kind, size = ("label", label) if len(chain) == 1 else ("pass", (0.0, 4.0))
        chain.append(len(items))
        items.append(Item(kind, layer, *size))
    chain += [target] if target >= 0 else []
    for i, j in pairwise(chain):
        items[i].after.append(j)
        items[j].before.append(i)
    return chain


def _ordered(items: list[Item]) -> list[list[int]]:
    """Barycentre sweeps, to and fro; the order with the fewest crossings wins."""
    rows: list[list[int]] = [[] for _ in range(1 + max(item.layer for item in items))]
    for i, item in enumerate(items):
        rows[item.layer].append(i)
    best, fewest = [list(row) for row in rows], _crossings(items, rows)
    for sweep in range(SWEEPS):
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


def _crossings(items: list[Item], rows: list[list[int]]) -> int:
    place, total = {i: k for row in rows for k, i in enumerate(row)}, 0
    for row in rows:
        ends = [place[j] for i in row for j in sorted(items[i].after, key=place.__getitem__)]
        total += sum(a > b for k, a in enumerate(ends) for b in ends[k + 1 :])
    return total
