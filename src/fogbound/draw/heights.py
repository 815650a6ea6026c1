"""How high the items of a layered drawing stand: near their neighbours, apart from each other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

APART = {"node": 22.0, "label": 8.0, "pass": 8.0}  # above and below, by kind
SWEEPS, STRAIGHTER = 48, 3


@dataclass
class Item:
    """A node, an arrow's label, or a place where an arrow passes a layer; x and y are its middle."""

    kind: str
    layer: int
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)


def place(items: list[Item], rows: list[list[int]], chains: list[list[int]], top: float) -> None:
    """Every item as near to its neighbours' mean as its row allows, arrows straight, and nothing above `top`."""
    for row in rows:
        _settle(items, row, [0.0] * len(row))
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            near = [items[i].before + items[i].after for i in row]
            _settle(items, row, [sum(items[j].y for j in js) / len(js) if js else 0.0 for js in near])
    for chain in chains * STRAIGHTER:
        _straighten(items, rows, chain)
    above = min(item.y - item.height / 2 for item in items)
    for item in items:
        item.y += top - above


def _settle(items: list[Item], row: list[int], want: list[float]) -> None:
    """The places nearest to those wanted, in least squares, that keep the order and the distances.

    With the distances subtracted this is a regression on rising sequences, solved by pooling neighbours.
    """
    shifts = [0.0]
    for a, b in pairwise(items[i] for i in row):
        shifts.append(shifts[-1] + _distance(a, b))
    pools: list[tuple[float, int]] = []  # (mean, members)
    for w, s in zip(want, shifts):
        mean, count = w - s, 1
        while pools and pools[-1][0] > mean:
            other, members = pools.pop()
            mean, count = (mean * count + other * members) / (count + members), count + members
        pools.append((mean, count))
    means = [mean for mean, count in pools for _ in range(count)]
    for i, mean, s in zip(row, means, shifts):
        items[i].y = mean + s


def _distance(a: Item, b: Item) -> float:
    """From middle to middle of two items of a row, at least."""
    return (a.height + b.height) / 2 + max(APART[a.kind], APART[b.kind])


def _straighten(items: list[Item], rows: list[list[int]], chain: list[int]) -> None:
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


def _room(items: list[Item], row: list[int], i: int) -> tuple[float, float]:
    """The heights that an item's neighbours in its row leave it; where it stands is always one of them."""
    k, item = row.index(i), items[i]
    under = items[row[k - 1]].y + _distance(items[row[k - 1]], item) if k else -math.inf
    over = items[row[k + 1]].y - _distance(item, items[row[k + 1]]) if k + 1 < len(row) else math.inf
    return min(under, item.y), max(over, item.y)


def _level(items: list[Item], run: list[int], low: float, high: float) -> None:
    if run:
        mean = sum(items[i].y for i in run) / len(run)
        for i in run:
            items[i].y = min(max(mean, low), high)
