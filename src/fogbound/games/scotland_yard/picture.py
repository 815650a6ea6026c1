"""The town of Scotland Yard as a map: nodes where the distances put them, edges by transport, who stands where.

Towns come without places. Those that keep the rides between nodes in proportion are found by stress majorisation
(Gansner, Koren and North 2004), one node at a time.
"""

from __future__ import annotations

import math
from functools import cache

from fogbound.core.board import TONES, Board
from fogbound.core.drawing import Drawing, quoted
from fogbound.games.scotland_yard.town import TRANSPORTS, Cops, Town

Place = tuple[float, float]
APART, RADIUS, MARGIN = 64.0, 15, 30.0  # pixels: of one ride, of a node, around the map
SWEEPS = 150
BESIDE = 5.0  # between the lines of two transports that join the same nodes
LINES = (  # by transport: colour, width, dashes; told apart without colours as well
    ("var(--lamp-line, #bd7408)", 1.6, ""),
    ("var(--sea-fill, #2b8f9a)", 2.6, ""),
    ("var(--ember-fill, #cf6b45)", 2.6, "6 5"),
)
INK, SIZE = "var(--ink, #14212b)", 13
FONT = "font-family=\"Inter, 'Segoe UI', system-ui, sans-serif\""


def picture(town: Town, cops: Cops, thief: int | None, board: Board) -> Drawing:
    """The map; `thief` None: who looks does not see him, and every node without a cop is fog. The board is its text."""
    places = town_map(town)
    body = [_edge(places[a], places[b], kind, beside) for a, b, kind, beside in _edges(town)]
    body += [_node(node, place, cops, thief) for node, place in enumerate(places)]
    right, low = (max(place[axis] for place in places) + MARGIN for axis in (0, 1))
    x, width = MARGIN / 2, right
    for kind, name in enumerate(TRANSPORTS):
        body.append(_line((x, low + 6), (x + 26, low + 6), kind))
        body.append(_words(x + 32, low + 10, name, "start"))
        x += 50 + 8 * len(name)
        width = max(width, x)
    for k, line in enumerate(board.caption.splitlines(), 1):
        body.append(_words(MARGIN / 2, low + 10 + 20 * k, line, "start"))
        width = max(width, MARGIN + 8 * len(line))
    height = low + 24 + 20 * len(board.caption.splitlines())
    label = board.text().replace("\n", "; ")
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{quoted(label)}" {FONT}>'
    )
    return Drawing(svg + "".join(body) + "</svg>", label, board.text())


@cache
def town_map(town: Town) -> tuple[Place, ...]:
    """Nodes as far apart as the rides between them, as nearly as a plane allows (stress majorisation)."""
    nodes, rides = range(town.nodes), _rides(town)
    angle = 2 * math.pi / town.nodes
    places = [(math.cos(angle * node) * town.nodes / 6, math.sin(angle * node) * town.nodes / 6) for node in nodes]
    for _ in range(SWEEPS):
        for node in nodes:
            x = y = total = 0.0
            for other in nodes:
                if other != node:
                    away, wanted = math.dist(places[node], places[other]) or 1e-9, rides[node][other]
                    weight, pull = wanted**-2.0, wanted / away
                    x += weight * (places[other][0] + pull * (places[node][0] - places[other][0]))
                    y += weight * (places[other][1] + pull * (places[node][1] - places[other][1]))
                    total += weight
            if total:
                places[node] = (x / total, y / total)
    left, top = (min(place[axis] for place in places) for axis in (0, 1))
    near = min((math.dist(a, b) for k, a in enumerate(places) for b in places[:k]), default=1.0)
    scale = APART * max(1.0, 0.7 / max(near, 0.2))  # nodes that came close still do not touch
    return tuple((MARGIN + scale * (x - left), MARGIN + scale * (y - top)) for x, y in places)


def _rides(town: Town) -> list[list[int]]:
    """How many rides lead from each node to each other; where none do, one more than anywhere else."""
    found = []
    for node in range(town.nodes):
        steps, fresh = {node: 0}, [node]
        for at in fresh:  # grows while it is walked
            new = [to for to in town.neighbours[at] if to not in steps]
            steps.update(dict.fromkeys(new, steps[at] + 1))
            fresh += new
        found.append(steps)
    farthest = 1 + max(max(steps.values()) for steps in found)
    return [[steps.get(other, farthest) for other in range(town.nodes)] for steps in found]


def _edges(town: Town) -> list[tuple[int, int, int, float]]:
    """Every edge once: its ends, its transport, and how far it lies beside the straight line."""
    kinds: dict[tuple[int, int], list[int]] = {}
    for kind, edges in enumerate(town.edges):
        for one, other in edges:
            kinds.setdefault((min(one, other), max(one, other)), []).append(kind)
    return [
        (a, b, kind, BESIDE * (k - (len(all_kinds) - 1) / 2))
        for (a, b), all_kinds in kinds.items()
        for k, kind in enumerate(dict.fromkeys(all_kinds))
    ]


def _edge(a: Place, b: Place, kind: int, beside: float) -> str:
    long = math.dist(a, b) or 1.0
    across, up = -(b[1] - a[1]) / long * beside, (b[0] - a[0]) / long * beside
    return _line((a[0] + across, a[1] + up), (b[0] + across, b[1] + up), kind)


def _line(a: Place, b: Place, kind: int) -> str:
    tone, width, dashes = LINES[kind]
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    steps = f"M{a[0]:.1f} {a[1]:.1f} L{b[0]:.1f} {b[1]:.1f}"
    return f'<path d="{steps}" fill="none" stroke="{tone}" stroke-width="{width:g}"{dash}/>'


def _node(node: int, place: Place, cops: Cops, thief: int | None) -> str:
    tone = "mine" if node in cops else "fog" if thief is None else "theirs" if node == thief else "plain"
    fill, edge, ink = TONES[tone]
    said = f"{'C' if node in cops else 'T' if node == thief else ''}{node}"
    circle = f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{RADIUS}" fill="{fill}" stroke="{edge}"/>'
    return circle + _words(place[0], place[1] + 4.5, said, "middle", ink)


def _words(x: float, y: float, said: str, anchor: str, ink: str = INK) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" font-size="{SIZE}" text-anchor="{anchor}"'
    return f'<text {place} fill="{ink}">{quoted(said)}</text>'
