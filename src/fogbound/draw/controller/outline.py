"""A controller of many nodes as an outline that fits a column: a line for each node, branches set in below it.

What is reached in one way only stands where it is reached. What several branches lead to stands after all of them, at
the height of the node that they come from, as the code after an `if`: that node is the dominator. So a line says
"→ 7" only where the way goes elsewhere, and an outline is never deep where branches meet again. Dominators are found
as Cooper, Harvey and Kennedy (2001) do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fogbound.core import measure, svg
from fogbound.core.svg import EMBER, FOG_1, FOG_4, INK, INK_2, INK_3, LAMP_WASH, MARGIN, SEA, SURFACE
from fogbound.draw.controller.graph import MORE, START, ControllerGraph
from fogbound.draw.controller.parts import NodeBoxes

WIDTH = 470  # of the picture: with labels of 12 pixels, about 6.5 points in a column of 8.5 cm
ROW, STEP, DEEPEST = 26.0, 22.0, 6  # the height of a line; how far branches are set in, and how often at most
BADGE, SMALL = 13, 11
STRIP = 64.0  # the bar of a belief, at the right
LABEL = 0.42  # of a line, at most, for what is seen
ELSEWHERE = "→ "

Ways = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class OutlineRow:
    """One line: what is seen before it and the node that acts then; or several ways to elsewhere, where it has none."""

    depth: int
    above: int  # the row that it branches off, or follows; -1 = none
    seen: str = ""
    node: int | None = None
    ways: Ways = ()  # (what is seen, where that leads); of a node only where it leads elsewhere whatever is seen
    branch: bool = False  # one of several ways from the row above


def outline_rows(shape: ControllerGraph) -> list[OutlineRow]:
    """The lines from the top down: each node once, what is likelier first."""
    rank = {node: k for k, node in enumerate(shape.nodes)}
    ways: dict[int, list[tuple[int, str]]] = {START: []}
    for (source, target), seen in shape.arrows.items():
        ways.setdefault(source, []).append((target, ", ".join(seen)))
    for out in ways.values():
        out.sort(key=lambda way: rank.get(way[0], len(rank)))
    after = {node: [target for target, _ in out if target != MORE] for node, out in ways.items()}
    parent = dominators(START, after)
    reached = [target for out in after.values() for target in out]
    alone = {node for node in rank if reached.count(node) == 1}  # one way leads there: it stands where it is reached
    joins: dict[int, list[int]] = {}
    for node in rank:
        if node not in alone:
            joins.setdefault(parent[node], []).append(node)
    rows, later = list[OutlineRow](), deque([OutlineRow(0, -1, node=START)])
    while later:
        rows += _block(later.popleft(), ways, alone, joins, later, len(rows))
    return rows


def _block(
    first: OutlineRow,
    ways: dict[int, list[tuple[int, str]]],
    alone: set[int],
    joins: dict[int, list[int]],
    later: deque[OutlineRow],
    before: int,
) -> Iterator[OutlineRow]:
    """A line and all below it; what would be set in too far waits in `later`, to begin at the left again."""
    stack, made = [first], before
    while stack:
        row = stack.pop()
        here, made = made, made + 1
        if row.node is None:
            yield row
            continue
        out, deep = ways.get(row.node, []), row.depth + 1
        stack += [OutlineRow(row.depth, -1, node=node) for node in reversed(joins.get(row.node, []))]
        if len(out) == 1:
            target, _ = out[0]
            if target in alone:
                stack.append(OutlineRow(row.depth, here, node=target))
                yield row
            else:
                yield replace(row, ways=(("", target),))
            continue
        yield row
        inside = [way for way in out if way[0] in alone and deep <= DEEPEST]
        stack += [OutlineRow(deep, here, seen, target, branch=True) for target, seen in reversed(inside)]
        elsewhere = _packed([(seen, target) for target, seen in out if (target, seen) not in inside], deep)
        stack += [OutlineRow(deep, here, ways=ways, branch=True) for ways in reversed(elsewhere)]
        later.extend(OutlineRow(0, -1, node=target) for target, _ in out if target in alone and deep > DEEPEST)


def _packed(ways: list[tuple[str, int]], depth: int) -> list[Ways]:
    """Ways to elsewhere beside each other, as many as fit in a line."""
    lines, room = list[list[tuple[str, int]]](), 0.0
    for way in ways:
        wide = _way_width(way, depth)
        if not lines or wide > room:
            lines.append([])
            room = _room(depth)
        lines[-1].append(way)
        room -= wide
    return [tuple(line) for line in lines]


def _way_width(way: tuple[str, int], depth: int) -> float:
    seen, target = way
    words = measure.clip(seen, LABEL * _room(depth), SMALL)
    return measure.width_of(words, SMALL) + 6 + measure.width_of(_elsewhere(target), 12, bold=True) + 16


def draw_outline(
    shape: ControllerGraph, boxes: NodeBoxes, taken: set[tuple[int, int]], top: float
) -> tuple[list[str], float]:
    """The outline from `top` on, and where it ends; `taken` are the arrows that a game took."""
    rows = outline_rows(shape)
    rails, body = list[str](), list[str]()
    for k, row in enumerate(rows):
        y = top + ROW * (k + 0.5)
        ends = {row.node} if row.node is not None else {target for _, target in row.ways}
        heavy = row.above >= 0 and any((rows[row.above].node, end) in taken for end in ends)
        rails += _rail(row, rows, y, top, EMBER if heavy else FOG_4, 2.2 if heavy else 1.3)
        body.append(_line(row, boxes, y))
    return [*rails, *body], top + ROW * len(rows)


def _left(depth: int) -> float:
    return MARGIN + BADGE + STEP * depth


def _room(depth: int) -> float:
    """How wide a line is."""
    return WIDTH - MARGIN - _left(depth) + BADGE


def _rail(row: OutlineRow, rows: list[OutlineRow], y: float, top: float, tone: str, width: float) -> list[str]:
    """From the line above that this one branches off or follows."""
    if row.above < 0:
        return []
    x, start = _left(rows[row.above].depth), top + ROW * (row.above + 0.5) + 10
    if not row.branch:
        return [svg.line(x, start, x, y - 10, tone, width)]
    end = _left(row.depth) - BADGE
    return [svg.path(f"M{svg.at(x)} {svg.at(start)} V{svg.at(y - 6)} q0 6 6 6 H{svg.at(end)}", tone, width)]


def _line(row: OutlineRow, boxes: NodeBoxes, y: float) -> str:
    """What is seen, the node's number, what it does, what it believes, and where the way goes on."""
    x, right = _left(row.depth) - BADGE, float(WIDTH - MARGIN)
    if row.node is None:
        return "".join(
            _way(way, boxes, row.depth, x + sum(_way_width(w, row.depth) for w in row.ways[:k]), y)
            for k, way in enumerate(row.ways)
        )
    parts = []
    if row.seen:
        seen = measure.clip(row.seen, LABEL * _room(row.depth), SMALL)
        parts.append(svg.text(x + 4, y + 4, seen, SEA, SMALL))
        x += measure.width_of(seen, SMALL) + 12
    to = _elsewhere(row.ways[0][1]) if row.ways else ""
    if row.node == START:
        parts += [svg.box(x, y - 10, 44, 20, INK, round_by=10)]
        parts += [svg.text(x + 22, y + 4, "start", SURFACE, SMALL, "middle", 600)]
        parts += [svg.text(x + 52, y + 4, to, INK_2, 12, weight=600)] if to else []
        return svg.group(parts)
    waits = boxes.policy.choices[row.node] is None
    wide = max(2.0 * BADGE, measure.width_of(str(row.node), SMALL) + 10)
    ground = LAMP_WASH if row.node == boxes.chosen else FOG_1
    parts.append(svg.box(x, y - 10, wide, 20, ground, boxes.edge(row.node)[0], 6))
    parts.append(svg.text(x + wide / 2, y + 4, str(row.node), INK_2, SMALL, "middle"))
    x += wide + 8
    if boxes.has_strip(row.node):
        parts.append(boxes.strip(row.node, right - STRIP, y - 3, STRIP))
        right -= STRIP + 8
    room = right - x - (measure.width_of(to, 12, bold=True) + 10 if to else 0)
    acts = measure.clip(boxes.acts(row.node), room, 13, bold=not waits)
    parts.append(svg.text(x, y + 4.5, acts, INK_3 if waits else INK, 13, weight=400 if waits else 600))
    x += measure.width_of(acts, 13, bold=not waits) + 10
    if to:
        parts.append(svg.text(x, y + 4, to, INK_2, 12, weight=600))
        x += measure.width_of(to, 12, bold=True) + 10
    note = boxes.note(row.node)
    if note and measure.width_of(note, SMALL) <= right - x:
        parts.append(svg.text(right, y + 4, note, INK_3, SMALL, "end"))
    return svg.group(parts, boxes.hint(row.node), f' data-node="{row.node}"', boxes.href(row.node))


def _way(way: tuple[str, int], boxes: NodeBoxes, depth: int, x: float, y: float) -> str:
    """What is seen, and which node that leads to."""
    seen = measure.clip(way[0], LABEL * _room(depth), SMALL)
    place = x + 4 + measure.width_of(seen, SMALL) + 4
    parts = [
        svg.text(x + 4, y + 4, seen, SEA, SMALL),
        svg.text(place, y + 4, _elsewhere(way[1]), INK_2, 12, weight=600),
    ]
    return svg.group(parts, way[0], href="" if way[1] == MORE else boxes.href(way[1]))


def _elsewhere(node: int) -> str:
    return ELSEWHERE + ("…" if node == MORE else str(node))


def dominators(root: int, after: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """For each node that the root leads to, the last node before it that no way there avoids; the root's is itself."""
    order = _finished_last_first(root, after)
    rank = {node: k for k, node in enumerate(order)}
    before: dict[int, list[int]] = {node: [] for node in order}
    for node in order:
        for target in after.get(node, ()):
            before[target].append(node)
    found, settled = {root: root}, False
    while not settled:
        settled = True
        for node in order[1:]:
            known = [other for other in before[node] if other in found]
            meet = known[0]
            for other in known[1:]:
                meet = _meet(found, rank, meet, other)
            if found.get(node) != meet:
                found[node], settled = meet, False
    return found


def _meet(found: dict[int, int], rank: dict[int, int], one: int, other: int) -> int:
    """The nearest node that dominates both."""
    while one != other:
        while rank[one] > rank[other]:
            one = found[one]
        while rank[other] > rank[one]:
            other = found[other]
    return one


def _finished_last_first(root: int, after: Mapping[int, Sequence[int]]) -> list[int]:
    """Reverse postorder of a walk in depth, without recursion."""
    seen, done, stack = {root}, list[int](), [(root, iter(after.get(root, ())))]
    while stack:
        fresh = next((target for target in stack[-1][1] if target not in seen), None)
        if fresh is None:
            done.append(stack.pop()[0])
        else:
            seen.add(fresh)
            stack.append((fresh, iter(after.get(fresh, ()))))
    return done[::-1]
