"""The town of Scotland Yard as a map: nodes where the distances put them, edges by transport, who stands where.

Towns come without places. Those that keep the rides between nodes in proportion are found by stress majorisation
(Gansner, Koren and North 2004), one node at a time; nodes that came too close are pushed apart, and the town is turned
so that it is as narrow as can be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

from fogbound.core.board import Board
from fogbound.core.drawing import Drawing
from fogbound.core.measure import width_of
from fogbound.core.svg import EMBER_FILL, INK, INK_2, LAMP_LINE, SEA_FILL, document, line, text
from fogbound.games.scenes.graph import Place, chances_beside, halos, places, told
from fogbound.games.scenes.pieces import EDGE_ROOM, SMALL, WIDTH, spoken_label, tone_of
from fogbound.games.scotland_yard.town import TRANSPORTS, Cops, Town

APART, NEAREST, MARGIN = 64.0, 42.0, 30.0  # pixels: of one ride, at least between two nodes, around the map
SWEEPS, CLOSE = 300, 0.9  # of the layout; in its second half, rides below which two nodes are pushed apart
TURNS = 36  # directions that are tried
BESIDE = 5.0  # between the lines of two transports that join the same nodes
LINES = ((LAMP_LINE, 1.6, ""), (SEA_FILL, 2.6, ""), (EMBER_FILL, 2.6, "6 5"))  # by transport: dashes tell, too
COPS, THIEF = 0, 1


def picture(
    town: Town, cops: Cops, thief: int | None, chances: Mapping[int, float], player: int | None, board: Board
) -> Drawing:
    """The map as `player` sees it; `thief` None: he is hidden, and where he may be is as likely as `chances` say.

    Where nothing is said either, every node without a cop is fog. The board is the picture's text.
    """
    where, names = town_map(town), [str(node) for node in range(town.nodes)]
    standing = {node: (f"C{node}", tone_of(COPS, player)) for node in cops}
    if thief is not None:
        standing[thief] = (f"T{thief}", tone_of(THIEF, player))
    body = halos(where, chances)
    body += [_edge(where[a], where[b], kind, beside) for a, b, kind, beside in _edges(town)]
    body += places(where, names, standing, foggy=thief is None and not chances)
    body += chances_beside(where, chances)
    y = max(place[1] for place in where) + MARGIN + 22
    x: float = EDGE_ROOM
    for kind, name in enumerate(TRANSPORTS):
        body.append(line(x, y - 5, x + 26, y - 5, *LINES[kind]))
        body.append(text(x + 33, y, name, INK_2, SMALL))
        x += 55 + width_of(name, SMALL)
    for words in board.caption.splitlines():
        y += 24
        body.append(text(EDGE_ROOM, y, words, INK, SMALL))
    width = max(WIDTH, max(place[0] for place in where) + MARGIN)
    return document(width, y + 18, body, _label(cops, thief, chances, names, board), board.text())


def _label(cops: Cops, thief: int | None, chances: Mapping[int, float], names: list[str], board: Board) -> str:
    hunted = f"the thief is in {thief}" if thief is not None else "where the thief is you do not see"
    likely = f"he may be in {told(names, chances)}" if chances else ""
    tickets = board.caption.splitlines()[1:]
    return spoken_label(f"a map of {len(names)} nodes: cops in {', '.join(map(str, cops))}", hunted, likely, *tickets)


@cache
def town_map(town: Town) -> tuple[Place, ...]:
    """Nodes as far apart as the rides between them, as nearly as a plane allows (stress majorisation)."""
    nodes, rides = range(town.nodes), _rides(town)
    angle = 2 * math.pi / town.nodes
    places = [(math.cos(angle * node) * town.nodes / 6, math.sin(angle * node) * town.nodes / 6) for node in nodes]
    for sweep in range(SWEEPS):
        for node in nodes:
            x = y = total = 0.0
            for other in nodes:
                if other != node:
                    away, wanted = math.dist(places[node], places[other]) or 1e-9, float(rides[node][other])
                    weight = wanted**-2.0
                    if away < CLOSE and 2 * sweep > SWEEPS:
                        weight, wanted = 8 * weight, 1.2 * CLOSE
                    pull = wanted / away
                    x += weight * (places[other][0] + pull * (places[node][0] - places[other][0]))
                    y += weight * (places[other][1] + pull * (places[node][1] - places[other][1]))
                    total += weight
            if total:
                places[node] = (x / total, y / total)
    return _fitted(min((_turned(places, math.pi * k / TURNS) for k in range(TURNS)), key=_across))


def _turned(places: list[Place], angle: float) -> list[Place]:
    cos, sin = math.cos(angle), math.sin(angle)
    return [(cos * x - sin * y, sin * x + cos * y) for x, y in places]


def _across(places: list[Place]) -> float:
    return max(x for x, _ in places) - min(x for x, _ in places)


def _fitted(places: list[Place]) -> tuple[Place, ...]:
    """In pixels, as wide as a scene where nodes do not touch then, in its middle."""
    near = min((math.dist(a, b) for k, a in enumerate(places) for b in places[:k]), default=1.0)
    fits = (WIDTH - 2 * MARGIN) / max(_across(places), 1e-9)
    scale = max(min(APART, fits), NEAREST / max(near, 0.2))
    left, top = (min(place[axis] for place in places) for axis in (0, 1))
    inset = max(MARGIN, (WIDTH - scale * _across(places)) / 2)
    return tuple((inset + scale * (x - left), MARGIN + scale * (y - top)) for x, y in places)


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
    return line(a[0] + across, a[1] + up, b[0] + across, b[1] + up, *LINES[kind])
