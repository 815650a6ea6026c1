"""A controller as a picture: boxes act, arrows wait for what is seen."""

from __future__ import annotations

from fogbound.core.errors import one_line
from fogbound.draw import measure, svg, words
from fogbound.draw.controller_graph import MORE, START, Graph, graph
from fogbound.draw.controller_routes import draw_arrows, labels_of
from fogbound.draw.heights import Item
from fogbound.draw.layers import layers
from fogbound.draw.svg import EDGE, EXACT, INK, INK_3, MARGIN, PALETTE, SURFACE, at
from fogbound.draw.words import Describe
from fogbound.policies.controller import Controller

TOP, NARROW, WIDE = 78, 72, 236
LABEL, MOST_LINES = 150, 5  # of an arrow: room for a line, lines
WAITS = "waits"


def controller(policy: Controller, describe: Describe = str, most: int = 60) -> str:
    """The controller from its start at the left. Over `most` nodes the nearest to the start are drawn.

    A dotted arrow leads to nodes that are not drawn; the second line of the title counts them.
    """
    shape = graph(policy, describe, most)
    number = {START: 0, MORE: -1, **{node: k for k, node in enumerate(shape.nodes, 1)}}
    arrows = [(number[source], number[target]) for source, target in shape.arrows]
    told = [[*seen, "…"] if target == MORE else seen for (_, target), seen in shape.arrows.items()]
    labels = labels_of(told, LABEL, MOST_LINES)
    sizes = [(40.0, 40.0)] + [_size(policy, node, describe) for node in shape.nodes]
    plan = layers(sizes, arrows, labels.sizes, (MARGIN, TOP))
    curves, pills, low, wide = draw_arrows(plan, arrows, labels)
    boxes = [_box(policy, node, plan.items[number[node]], describe) for node in shape.nodes]
    size = f"{policy.size:,} node{'s' if policy.size != 1 else ''}"
    title, title_width = svg.heading(f"Controller with {size}", _left_out(shape))
    body = [title, *curves, *pills, _start(plan.items[0]), *boxes]
    label = f"Controller with {size}, {len(shape.nodes):,} of them drawn, from the start to the right."
    return svg.document(max(wide + MARGIN, title_width), low + MARGIN, body, label)


def _left_out(shape: Graph) -> str:
    """What the picture does not show, or how to read it when it shows everything."""
    said = [f"the {len(shape.nodes):,} nearest to the start, {shape.hidden:,} more not drawn"] if shape.hidden else []
    said += [f"{shape.unreachable:,} that play never reaches"] if shape.unreachable else []
    return "; ".join(said) or "Boxes act, arrows wait for what is seen"


def _acts(policy: Controller, node: int, describe: Describe) -> str:
    choice = policy.choices[node]
    return WAITS if choice is None else words.choice(describe, choice)


def _note(policy: Controller, node: int) -> str:
    """A word about the belief; where nothing is decided it would only take room."""
    if policy.choices[node] is None:
        return ""
    return one_line(policy.notes[node]) if node < len(policy.notes) else ""


def _size(policy: Controller, node: int, describe: Describe) -> tuple[float, float]:
    acts = measure.width_of(_acts(policy, node, describe), 13, bold=True) + measure.width_of(f"  {node}", 11)
    wide = max(acts, measure.width_of(_note(policy, node), 11)) + 26
    return min(WIDE, max(NARROW, wide)), 30 + (16 if _note(policy, node) else 0) + (9 if _mixed(policy, node) else 0)


def _mixed(policy: Controller, node: int) -> bool:
    choice = policy.choices[node]
    return choice is not None and sum(p > EXACT for _, p in choice) > 1


def _box(policy: Controller, node: int, item: Item, describe: Describe) -> str:
    """What the node does, its number, its note; a strip where it mixes; a broken outline where it waits."""
    x, y, room = item.x - item.width / 2, item.y - item.height / 2, item.width - 24
    acts, note, waits = _acts(policy, node, describe), _note(policy, node), policy.choices[node] is None
    number = measure.width_of(f" {node}", 11)
    shown = measure.clip(acts, room - number, 13, bold=not waits)
    outline = f"M{at(x + 8)} {at(y)} h{at(item.width - 16)} q8 0 8 8 v{at(item.height - 16)} q0 8 -8 8 "
    outline += f"h{at(16 - item.width)} q-8 0 -8 -8 v{at(16 - item.height)} q0 -8 8 -8 Z"
    parts = [svg.path(outline, EDGE, 1.2, SURFACE, dashes="4 4" if waits else "")]
    parts += [svg.text(x + 12, y + 20, shown, INK_3 if waits else INK, 13, weight=400 if waits else 600)]
    parts += [svg.text(x + item.width - 12, y + 20, str(node), INK_3, 11, "end")]
    parts += [svg.text(x + 12, y + 36, measure.clip(note, room, 11), INK_3, 11)] if note else []
    parts += [_strip(policy, node, x + 12, y + item.height - 12, room)] if _mixed(policy, node) else []
    return svg.group(parts, "; ".join(filter(None, (f"node {node}: {acts}", note))), f' data-node="{node}"')


def _strip(policy: Controller, node: int, x: float, y: float, room: float) -> str:
    """A mixed choice as a thin bar."""
    parts = []
    for k, (_, p) in enumerate(policy.choices[node] or ()):
        parts += [svg.box(x, y, max(0.5, p * room - 1), 5, PALETTE[k % len(PALETTE)], round_by=2)] if p > EXACT else []
        x += p * room
    return "".join(parts)


def _start(item: Item) -> str:
    return svg.dot(item.x, item.y, 20, INK) + svg.text(item.x, item.y + 4, "start", SURFACE, 11, "middle", 600)
