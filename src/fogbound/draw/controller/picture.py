"""A controller as a picture: boxes act, arrows wait for what is seen."""

from __future__ import annotations

from dataclasses import dataclass, field

from fogbound.core.drawing import Drawing
from fogbound.core.errors import many, one_line
from fogbound.core.numerals import number
from fogbound.core.profile import Profile
from fogbound.draw import measure, svg, words
from fogbound.draw.belief.bars import NAMES
from fogbound.draw.belief.strip import THIN, StateColours, belief_note, belief_strip, colour_key, state_colours
from fogbound.draw.controller.arrows import arrow_labels, draw_arrows
from fogbound.draw.controller.graph import (
    MORE,
    START,
    ControllerGraph,
    ControllerPath,
    controller_graph,
    controller_path,
)
from fogbound.draw.controller.text import listing
from fogbound.draw.key import key, square
from fogbound.draw.layout.layered import LayoutItem, layered_layout
from fogbound.draw.stacked import BarPart, stacked_bar
from fogbound.draw.subject import the_policy
from fogbound.draw.svg import EDGE, EMBER, EXACT, INK, INK_3, MARGIN, PALETTE, SURFACE, at
from fogbound.draw.words import Describe
from fogbound.evaluate.visitation import Visitation
from fogbound.forms.decisions import History
from fogbound.policies.controller import Controller

# One node of a controller as a box: what it does, its number, what it believes.


NARROW, WIDE, PADDING = 72, 236, 12


@dataclass(frozen=True)
class NodeBoxes:
    """How the nodes of one controller are drawn; with an visitation by what they believe, else by their notes."""

    policy: Controller
    describe: Describe
    visitation: Visitation | None
    tones: StateColours  # of the states, where beliefs are drawn as strips
    followed: ControllerPath = field(default_factory=ControllerPath)  # the game whose boxes stand out

    def size(self, node: int) -> tuple[float, float]:
        acts = measure.width_of(self._acts(node), 13, bold=True) + measure.width_of(f"  {node}", 11)
        wide = max(acts, measure.width_of(self._note(node), 11)) + 2 * PADDING + 2
        return min(WIDE, max(NARROW, wide)), 30 + (16 if self._note(node) else 0) + (9 if self._has_strip(node) else 0)

    def box(self, node: int, item: LayoutItem) -> str:
        """A strip shows what is believed, or else where the node mixes; the outline is broken where it waits.

        It is heavy where the game that is followed comes by.
        """
        x, y, room = item.x - item.width / 2, item.y - item.height / 2, item.width - 2 * PADDING
        acts, said, waits = self._acts(node), self._note(node), self.policy.choices[node] is None
        shown = measure.clip(acts, room - measure.width_of(f" {node}", 11), 13, bold=not waits)
        edge, heavy = (EMBER, 2.2) if node in self.followed.nodes else (EDGE, 1.2)
        outline = _outline(x, y, item.width, item.height)
        parts = [svg.path(outline, edge, heavy, SURFACE, dashes="4 4" if waits else "")]
        parts += [svg.text(x + PADDING, y + 20, shown, INK_3 if waits else INK, 13, weight=400 if waits else 600)]
        parts += [svg.text(x + item.width - PADDING, y + 20, str(node), INK_3, 11, "end")]
        parts += [svg.text(x + PADDING, y + 36, measure.clip(said, room, 11), INK_3, 11)] if said else []
        parts += [self._strip(node, x + PADDING, y + item.height - 12, room)] if self._has_strip(node) else []
        facts = (f"node {node}: {acts}", said, self._visits(node), self.followed.visits(node))
        hint = "; ".join(filter(None, facts))
        return svg.group(parts, hint, f' data-node="{node}"')

    def _acts(self, node: int) -> str:
        choice = self.policy.choices[node]
        return words.WAITS if choice is None else words.choice(self.describe, choice)

    def _note(self, node: int) -> str:
        """The belief; else a word that came with the node, which would only take room where nothing is decided."""
        if self.visitation:
            return belief_note(self.visitation.beliefs[node], WIDE - 2 * PADDING)
        if self.policy.choices[node] is None:
            return ""
        return one_line(self.policy.notes[node]) if node < len(self.policy.notes) else ""

    def _visits(self, node: int) -> str:
        """How often play comes there, for the hint."""
        return f"visited {number(self.visitation.visits[node], 3)} times" if self.visitation else ""

    def _has_strip(self, node: int) -> bool:
        if self.visitation:
            return bool(self.tones and self.visitation.beliefs[node])
        choice = self.policy.choices[node]
        return choice is not None and sum(p > EXACT for _, p in choice) > 1

    def _strip(self, node: int, x: float, y: float, room: float) -> str:
        """The belief, or a mixed choice, as a thin bar."""
        if self.visitation:
            return belief_strip(self.visitation.beliefs[node], self.tones, x, y, room)
        chances = (p for _, p in self.policy.choices[node] or ())
        parts = (BarPart(p, PALETTE[k % len(PALETTE)]) for k, p in enumerate(chances))
        return stacked_bar(parts, x, y, room, THIN)


def _outline(x: float, y: float, width: float, height: float) -> str:
    steps = f"M{at(x + 8)} {at(y)} h{at(width - 16)} q8 0 8 8 v{at(height - 16)} q0 8 -8 8 "
    return steps + f"h{at(16 - width)} q-8 0 -8 -8 v{at(16 - height)} q0 -8 8 -8 Z"


TOP, KEY = 78, 760  # where the graph begins; how wide the key of the states may be at least
LABEL, MOST_LINES = 150, 5  # of an arrow: room for a line, lines


MOST = 60


def controller(
    policy: Profile,
    *,
    player: int | None = None,
    visitation: Visitation | None = None,
    follow: History = (),
    describe: Describe = str,
    title: str = "",
    most: int = MOST,
) -> Drawing:
    """Draw a finite-state controller, from its start at the left: boxes act, arrows wait for what is seen.

    A dotted arrow leads to nodes that are not drawn; the second line of the title counts them. The text lists the
    nodes: what each does, then what is seen and where that leads.

    Parameters
    ----------
    policy : Controller, or a profile with such a policy
        The controller: a policy, a `Solution`, a dict by player or a list.
    player : int, optional
        Whose policy, where a profile has several.
    visitation : Visitation, optional
        What `evaluate.visitation` finds: each box says what is believed there, each arrow how likely it is.
    follow : History
        A game as the player lived it (`arena.Record.histories` has such), drawn with heavy lines.
    describe : callable
        An action in words, such as `game.describe`.
    title : str
        The first line of the picture.
    most : int
        How many nodes are shown, the nearest to the start.

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
    >>> print(controller(Controller({nothing: 0}, {(0, "listen", growl): 1}, nodes)).text, end="")
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
    boxes = NodeBoxes(fsc, describe, visitation, colours, game)
    number = {START: 0, MORE: -1, **{node: k for k, node in enumerate(shape.nodes, 1)}}
    arrows = [(number[source], number[target]) for source, target in shape.arrows]
    seen_by_arrow = [[*seen, "…"] if target == MORE else seen for (_, target), seen in shape.arrows.items()]
    labels = arrow_labels(seen_by_arrow, LABEL, MOST_LINES)
    placement = layered_layout([(40.0, 40.0), *map(boxes.size, shape.nodes)], arrows, labels.sizes, (MARGIN, 0.0))
    legend, top, key_width = _key(colour_key(colours, visitation, shape.nodes), max(KEY, placement.right[-1]))
    for item in placement.items:
        item.y += top  # only now known: the key is as wide as the graph, and the graph stands below it
    taken = game.arrows(shape.nodes)
    heavy = {k for k, ends in enumerate(shape.arrows) if ends in taken}
    curves, pills, low, wide = draw_arrows(placement, arrows, labels, heavy)
    head, head_width, label = _heading(fsc, shape, one_line(title), visitation, game)
    drawn = [boxes.box(node, placement.items[number[node]]) for node in shape.nodes]
    body = [head, *legend, *curves, *pills, _start(placement.items[0]), *drawn]
    text = listing(fsc, shape, describe, visitation)
    return svg.document(max(wide + MARGIN, head_width, key_width), low + MARGIN, body, label, text)


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
    aloud = f"{named}, {len(shape.nodes):,} of them drawn, from the start to the right"
    return body, width, "; ".join(filter(None, (aloud, game.aloud()))) + "."


def _left_out(shape: ControllerGraph, visitation: Visitation | None) -> str:
    """What the picture does not show, or how to read it when it shows everything."""
    said = [f"the {len(shape.nodes):,} nearest to the start, {shape.hidden:,} more not drawn"] if shape.hidden else []
    said += [f"{shape.unreachable:,} that play never reaches"] if shape.unreachable else []
    how = "Boxes act on what is believed there" if visitation else "Boxes act"
    return "; ".join(said) or f"{how}, arrows wait for what is seen"


def _start(item: LayoutItem) -> str:
    return svg.dot(item.x, item.y, 20, INK) + svg.text(item.x, item.y + 4, "start", SURFACE, 11, "middle", 600)
