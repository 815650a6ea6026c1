"""A controller as a picture: boxes act, arrows wait for what is seen."""

from __future__ import annotations

from fogbound.core.errors import one_line
from fogbound.draw import measure, svg
from fogbound.draw.belief import squares
from fogbound.draw.controller_belief import key, tones
from fogbound.draw.controller_box import Boxes
from fogbound.draw.controller_follow import Followed
from fogbound.draw.controller_follow import follow as walk
from fogbound.draw.controller_graph import MORE, START, Graph, graph
from fogbound.draw.controller_labels import labels_of
from fogbound.draw.controller_routes import draw_arrows
from fogbound.draw.heights import Item
from fogbound.draw.layers import layers
from fogbound.draw.svg import INK, MARGIN, SURFACE
from fogbound.draw.words import Describe
from fogbound.evaluate.occupancy import Occupancy
from fogbound.forms.tree import History
from fogbound.policies.controller import Controller

TOP, KEY = 78, 760  # where the graph begins; how wide the key of the states may be at least
LABEL, MOST_LINES = 150, 5  # of an arrow: room for a line, lines


def controller(
    policy: Controller,
    describe: Describe = str,
    most: int = 60,
    occupancy: Occupancy | None = None,
    title: str = "",
    follow: History = (),
) -> str:
    """The controller from its start at the left. Over `most` nodes the nearest to the start are drawn.

    A dotted arrow leads to nodes that are not drawn; the second line of the title counts them. With an occupancy
    (evaluate.occupancy) each box says what is believed there, and each arrow how likely its sights are. A game
    to `follow`, as the player lived it (`arena.Record.histories` has such), is drawn with heavy lines.
    """
    shape = graph(policy, describe, most, occupancy)
    game = walk(policy, follow)
    colours = tones(occupancy, shape.nodes)
    boxes = Boxes(policy, describe, occupancy, colours, game)
    number = {START: 0, MORE: -1, **{node: k for k, node in enumerate(shape.nodes, 1)}}
    arrows = [(number[source], number[target]) for source, target in shape.arrows]
    told = [[*seen, "…"] if target == MORE else seen for (_, target), seen in shape.arrows.items()]
    labels = labels_of(told, LABEL, MOST_LINES)
    plan = layers([(40.0, 40.0), *map(boxes.size, shape.nodes)], arrows, labels.sizes, (MARGIN, 0.0))
    legend, top, key_width = _key(key(colours, occupancy, shape.nodes), max(KEY, plan.right[-1]))
    for item in plan.items:
        item.y += top  # only now known: the key is as wide as the graph, and the graph stands below it
    taken = game.arrows(shape.nodes)
    heavy = {k for k, ends in enumerate(shape.arrows) if ends in taken}
    curves, pills, low, wide = draw_arrows(plan, arrows, labels, heavy)
    head, head_width, label = _heading(policy, shape, one_line(title), occupancy, game)
    drawn = [boxes.box(node, plan.items[number[node]]) for node in shape.nodes]
    body = [head, *legend, *curves, *pills, _start(plan.items[0]), *drawn]
    return svg.document(max(wide + MARGIN, head_width, key_width), low + MARGIN, body, label)


def _key(names: list[tuple[str, str]], right: float) -> tuple[list[str], float, float]:
    """Which colour stands for which state, where the graph may begin below it, and how wide it is."""
    if not names:
        return [], TOP, 0.0
    body, y = squares(names, MARGIN, TOP, right)
    one_row = MARGIN + sum(18 + measure.width_of(name) + 18 for name, _ in names)
    return body, y + 26, min(right, one_row) + MARGIN


def _heading(
    policy: Controller, shape: Graph, title: str, occupancy: Occupancy | None, game: Followed
) -> tuple[str, float, str]:
    """The two lines at the top, their width, and the sentence read aloud. A title moves the size to the second line."""
    size = f"{policy.size:,} node{'s' if policy.size != 1 else ''}"
    said = "; ".join(filter(None, (_left_out(shape, occupancy), game.said())))
    named = f"{title}: controller with {size}" if title else f"Controller with {size}"
    second = f"Controller with {size}: {said[0].lower()}{said[1:]}" if title else said
    body, width = svg.heading(title or named, second)
    aloud = f"{named}, {len(shape.nodes):,} of them drawn, from the start to the right"
    return body, width, "; ".join(filter(None, (aloud, game.aloud()))) + "."


def _left_out(shape: Graph, occupancy: Occupancy | None) -> str:
    """What the picture does not show, or how to read it when it shows everything."""
    said = [f"the {len(shape.nodes):,} nearest to the start, {shape.hidden:,} more not drawn"] if shape.hidden else []
    said += [f"{shape.unreachable:,} that play never reaches"] if shape.unreachable else []
    how = "Boxes act on what is believed there" if occupancy else "Boxes act"
    return "; ".join(said) or f"{how}, arrows wait for what is seen"


def _start(item: Item) -> str:
    return svg.dot(item.x, item.y, 20, INK) + svg.text(item.x, item.y + 4, "start", SURFACE, 11, "middle", 600)
