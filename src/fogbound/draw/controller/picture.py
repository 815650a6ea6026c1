"""A controller as a picture: boxes act, arrows wait for what is seen."""

from __future__ import annotations

import math

from fogbound.core import measure, svg
from fogbound.core.drawing import Drawing
from fogbound.core.errors import many, one_line
from fogbound.core.profile import Profile, the_policy
from fogbound.core.svg import INK, MARGIN, SURFACE, Link
from fogbound.draw.belief.bars import NAMES, colour_key, state_colours
from fogbound.draw.controller.graph import (
    MORE,
    START,
    ControllerGraph,
    ControllerPath,
    controller_graph,
    controller_path,
    listing,
)
from fogbound.draw.controller.outline import WIDTH, draw_outline
from fogbound.draw.controller.parts import NodeBoxes, arrow_labels, draw_arrows
from fogbound.draw.key import key, square
from fogbound.draw.layout.layered import LayoutItem, layered_layout
from fogbound.evaluation.visitation import Visitation
from fogbound.forms.decisions import History
from fogbound.forms.words import Describe
from fogbound.policies.controller import Controller

FEW = 8  # nodes that are drawn as a graph; more are an outline
TOP, KEY = 78, 760  # where the graph begins; how wide the key of the states may be at least
LABEL, MOST_LINES = 150, 5  # of an arrow: room for a line, lines


MOST = 24


def draw_controller(
    policy: Profile,
    *,
    player: int | None = None,
    visitation: Visitation | None = None,
    follow: History = (),
    describe: Describe = str,
    title: str = "",
    most: int = MOST,
    link: Link | None = None,
    chosen: int | None = None,
) -> Drawing:
    """Draw a finite-state controller: a graph from the left to the right, or an outline where it has many nodes.

    In the graph, of up to eight nodes, boxes act and arrows wait for what is seen. In the outline each node has a line,
    its branches are set in below it, and → says where the way goes on. Dots stand for nodes that are not drawn; the
    second line of the title counts them. The text lists the
    nodes: what each does, then what is seen and where that leads.

    Parameters
    ----------
    policy : Controller, or a profile with such a policy
        The controller: a policy, a `Solution`, a dict by player or a list.
    player : int, optional
        Whose policy, where a profile has several.
    visitation : Visitation, optional
        What `evaluation.visitation` finds: each box says what is believed there, each arrow how likely it is.
    follow : History
        A game as the player lived it (`arena.Record.histories` has such), drawn with heavy lines.
    describe : callable
        An action in words, such as `game.describe`.
    title : str
        The first line of the picture.
    most : int
        How many nodes are shown: with a visitation the likeliest, else the nearest to the start.
    link : callable, optional
        The address of a node by its number: then every node is a link.
    chosen : int, optional
        The node that is looked at, which carries the lamp.

    Returns
    -------
    Drawing

    Raises
    ------
    PolicyError
        Where the player's policy is no controller.
    SpecError
        Where the controller cannot have played the game to follow.

    Examples
    --------
    >>> from fogbound.core import Dist, Observation
    >>> nothing, growl = Observation(None, None), Observation("growl", None)
    >>> nodes = (Dist.sure("listen"), Dist.sure("open"))
    >>> print(draw_controller(Controller({nothing: 0}, {(0, "listen", growl): 1}, nodes)).text, end="")
    controller with 2 nodes
    <BLANKLINE>
    start
         → 0
    <BLANKLINE>
    0  listen
        growl → 1
    <BLANKLINE>
    1  open
    """
    fsc = the_policy(Controller, policy, player)
    shape = controller_graph(fsc, describe, most, visitation)
    game = controller_path(fsc, follow)
    colours = state_colours(visitation, shape.nodes)
    boxes = NodeBoxes(fsc, describe, visitation, colours, game, link, chosen)
    head, head_width, label = _heading(fsc, shape, one_line(title), visitation, game)
    parts, wide, low = (_graph if len(shape.nodes) <= FEW else _outline)(shape, boxes, game)
    text = listing(fsc, shape, describe, visitation)
    return svg.document(max(wide, head_width), low + MARGIN, [head, *parts], label, text)


def _graph(shape: ControllerGraph, boxes: NodeBoxes, game: ControllerPath) -> tuple[list[str], float, float]:
    """Boxes and arrows from the left to the right; how wide they are and where they end."""
    number = {START: 0, MORE: -1, **{node: k for k, node in enumerate(shape.nodes, 1)}}
    arrows = [(number[source], number[target]) for source, target in shape.arrows]
    seen_by_arrow = [[*seen, "…"] if target == MORE else seen for (_, target), seen in shape.arrows.items()]
    labels = arrow_labels(seen_by_arrow, LABEL, MOST_LINES)
    placement = layered_layout([(40.0, 40.0), *map(boxes.size, shape.nodes)], arrows, labels.sizes, (MARGIN, 0.0))
    names = colour_key(boxes.tones, boxes.visitation, shape.nodes)
    legend, top, key_width = _key(names, max(KEY, placement.right[-1]))
    for item in placement.items:
        item.y += top  # only now known: the key is as wide as the graph, and the graph stands below it
    taken = game.arrows(shape.nodes)
    heavy = {k for k, ends in enumerate(shape.arrows) if ends in taken}
    curves, pills, low, wide = draw_arrows(placement, arrows, labels, heavy)
    drawn = [boxes.box(node, placement.items[number[node]]) for node in shape.nodes]
    return [*legend, *curves, *pills, _start(placement.items[0]), *drawn], max(wide + MARGIN, key_width), low


def _outline(shape: ControllerGraph, boxes: NodeBoxes, game: ControllerPath) -> tuple[list[str], float, float]:
    """A line for each node, from the top down, no wider than a column."""
    names = colour_key(boxes.tones, boxes.visitation, shape.nodes)
    legend, top, _ = _key(names, WIDTH - MARGIN)
    body, low = draw_outline(shape, boxes, game.arrows(shape.nodes), top - 14)
    return [*legend, *body], WIDTH, low


def _key(names: list[tuple[str, str]], right: float) -> tuple[list[str], float, float]:
    """Which colour stands for which state, where the graph may begin below it, and how wide it is."""
    if not names:
        return [], TOP, 0.0
    entries = [square(measure.clip(name, NAMES), tone) for name, tone in names]
    legend, one_row = key(entries, MARGIN, TOP, right), key(entries, MARGIN, TOP).right
    return [legend.body], legend.y + 26, min(right, one_row) + MARGIN


def _heading(
    policy: Controller, shape: ControllerGraph, title: str, visitation: Visitation | None, game: ControllerPath
) -> tuple[str, float, str]:
    """The two lines at the top, their width, and the sentence read aloud. A title moves the size to the second line."""
    size = many(policy.size, "node")
    said = "; ".join(filter(None, (_left_out(shape, visitation), game.said())))
    named = f"{title}: controller with {size}" if title else f"Controller with {size}"
    second = f"Controller with {size}: {said[0].lower()}{said[1:]}" if title else said
    body, width = svg.heading(title or named, second)
    way = "to the right" if len(shape.nodes) <= FEW else "down"
    aloud = f"{named}, {len(shape.nodes):,} of them drawn, from the start {way}"
    return body, width, "; ".join(filter(None, (aloud, game.aloud()))) + "."


def _left_out(shape: ControllerGraph, visitation: Visitation | None) -> str:
    """What the picture does not show, or how to read it when it shows everything."""
    said = []
    if shape.hidden and visitation:
        said.append(f"the {len(shape.nodes):,} likeliest{_covered(shape, visitation)}, {shape.hidden:,} more not drawn")
    elif shape.hidden:
        said.append(f"the {len(shape.nodes):,} nearest to the start, {shape.hidden:,} more not drawn")
    said += [f"{shape.unreachable:,} never reached"] if shape.unreachable else []
    if not said and len(shape.nodes) > FEW:
        return "A line for each node, what may be seen set in below; → goes on elsewhere"
    how = "Boxes act on what is believed there" if visitation else "Boxes act"
    return "; ".join(said) or f"{how}, arrows wait for what is seen"


def _covered(shape: ControllerGraph, visitation: Visitation) -> str:
    """How much of play happens in the nodes shown, rounded down: it is never all."""
    total, shown = sum(visitation.visits), sum(visitation.visits[node] for node in shape.nodes)
    return f", {math.floor(100 * shown / total)} % of play" if total > 0 else ""


def _start(item: LayoutItem) -> str:
    return svg.dot(item.x, item.y, 20, INK) + svg.text(item.x, item.y + 4, "start", SURFACE, 11, "middle", 600)
