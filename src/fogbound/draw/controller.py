"""A controller as a picture: boxes act, arrows wait for what is seen."""

from __future__ import annotations

from fogbound.draw import measure, svg
from fogbound.draw.belief import squares
from fogbound.draw.controller_belief import key, tones
from fogbound.draw.controller_box import Boxes
from fogbound.draw.controller_graph import MORE, START, Graph, graph
from fogbound.draw.controller_routes import draw_arrows, labels_of
from fogbound.draw.heights import Item
from fogbound.draw.layers import layers
from fogbound.draw.svg import INK, MARGIN, SURFACE
from fogbound.draw.words import Describe
from fogbound.evaluate.occupancy import Occupancy
from fogbound.policies.controller import Controller

TOP, KEY = 78, 760  # where the graph begins; how wide the key of the states may be
LABEL, MOST_LINES = 150, 5  # of an arrow: room for a line, lines


def controller(policy: Controller, describe: Describe = str, most: int = 60, occupancy: Occupancy | None = None) -> str:
    """The controller from its start at the left. Over `most` nodes the nearest to the start are drawn.

    A dotted arrow leads to nodes that are not drawn; the second line of the title counts them. With an occupancy
    (evaluate.occupancy) each box says what is believed there, and each arrow how likely its sights are.
    """
    shape = graph(policy, describe, most, occupancy)
    colours = tones(occupancy, shape.nodes)
    boxes = Boxes(policy, describe, occupancy, colours)
    number = {START: 0, MORE: -1, **{node: k for k, node in enumerate(shape.nodes, 1)}}
    arrows = [(number[source], number[target]) for source, target in shape.arrows]
    told = [[*seen, "…"] if target == MORE else seen for (_, target), seen in shape.arrows.items()]
    labels = labels_of(told, LABEL, MOST_LINES)
    legend, top, key_width = _key(key(colours, occupancy, shape.nodes))
    plan = layers([(40.0, 40.0), *map(boxes.size, shape.nodes)], arrows, labels.sizes, (MARGIN, top))
    curves, pills, low, wide = draw_arrows(plan, arrows, labels)
    size = f"{policy.size:,} node{'s' if policy.size != 1 else ''}"
    title, title_width = svg.heading(f"Controller with {size}", _left_out(shape, occupancy))
    drawn = [boxes.box(node, plan.items[number[node]]) for node in shape.nodes]
    body = [title, *legend, *curves, *pills, _start(plan.items[0]), *drawn]
    label = f"Controller with {size}, {len(shape.nodes):,} of them drawn, from the start to the right."
    return svg.document(max(wide + MARGIN, title_width, key_width), low + MARGIN, body, label)


def _key(names: list[tuple[str, str]]) -> tuple[list[str], float, float]:
    """Which colour stands for which state, where the graph may begin below it, and how wide it is."""
    if not names:
        return [], TOP, 0.0
    body, y = squares(names, MARGIN, TOP, KEY)
    one_row = MARGIN + sum(18 + measure.width_of(name) + 18 for name, _ in names)
    return body, y + 26, min(KEY, one_row) + MARGIN


def _left_out(shape: Graph, occupancy: Occupancy | None) -> str:
    """What the picture does not show, or how to read it when it shows everything."""
    said = [f"the {len(shape.nodes):,} nearest to the start, {shape.hidden:,} more not drawn"] if shape.hidden else []
    said += [f"{shape.unreachable:,} that play never reaches"] if shape.unreachable else []
    how = "Boxes act on what is believed there" if occupancy else "Boxes act"
    return "; ".join(said) or f"{how}, arrows wait for what is seen"


def _start(item: Item) -> str:
    return svg.dot(item.x, item.y, 20, INK) + svg.text(item.x, item.y + 4, "start", SURFACE, 11, "middle", 600)
