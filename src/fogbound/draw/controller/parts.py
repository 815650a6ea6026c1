"""What a controller's picture is made of: boxes for nodes, arrows between them, and the labels on arrows.

Arrows are curves between layers, or roads below everything for those that lead back.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from fogbound.core import measure, svg
from fogbound.core.errors import one_line
from fogbound.core.numerals import EXACT, number
from fogbound.core.svg import (
    EDGE,
    EMBER,
    FOG_4,
    FOG_5,
    INK,
    INK_2,
    INK_3,
    LAMP_LINE,
    LAMP_WASH,
    LINE,
    PALETTE,
    SURFACE,
    Link,
    at,
)
from fogbound.draw.belief.bars import THIN, StateColours, belief_strip
from fogbound.draw.controller.graph import ControllerPath
from fogbound.draw.layout.layered import LayeredLayout, LayoutItem, Size
from fogbound.draw.stacked import BarPart, stacked_bar
from fogbound.evaluation.belief_words import belief_note
from fogbound.evaluation.visitation import Visitation
from fogbound.forms import words
from fogbound.forms.words import Describe
from fogbound.policies.controller import Controller

TEXT, LEADING = 11, 14


@dataclass(frozen=True)
class ArrowLabels:
    """What stands on each arrow, and how much room that takes."""

    lines: Sequence[Sequence[str]]
    sizes: Sequence[Size]


def arrow_labels(observations: Sequence[Sequence[str]], room: float, most: int) -> ArrowLabels:
    """Set what is seen on each arrow in lines."""
    lines = [measure.wrap(list(words), room, TEXT, most=most) for words in observations]
    sizes = [
        (max(measure.width_of(w, TEXT) for w in ws) + 16, LEADING * len(ws) + 6.0) if ws else (0, 4) for ws in lines
    ]
    return ArrowLabels(lines, sizes)


def pill(x: float, y: float, lines: Sequence[str], size: Size, edge: str = LINE) -> str:
    """An arrow's label, in the middle of a small plate."""
    if not lines:
        return ""
    width, height = size
    plate = svg.box(x - width / 2, y - height / 2, width, height, SURFACE, edge, 10)
    top = y - LEADING * len(lines) / 2 + 10.5
    return plate + "".join(svg.text(x, top + LEADING * k, line, INK_2, TEXT, "middle") for k, line in enumerate(lines))


STEP, LANES = 6, 4  # roads side by side in the gap between two layers
CORNER = 8.0
FAR = 1e9  # below everything


@dataclass(frozen=True)
class Stroke:
    """How an arrow is drawn: its line, its head, and the edge of its label."""

    line: str
    width: float
    head: str
    edge: str


PLAIN, HEAVY = Stroke(FOG_4, 1.5, FOG_5, LINE), Stroke(EMBER, 2.5, EMBER, EMBER)


def draw_arrows(
    placement: LayeredLayout, arrows: Sequence[tuple[int, int]], labels: ArrowLabels, heavy: Collection[int] = ()
) -> tuple[list[str], list[str], float, float]:
    """The curves, the labels that lie on them, and the lowest and rightmost point of all; heavy curves lie on top."""
    leave, arrive = _ports(placement, arrows)
    curves, pills = dict[int, str](), []
    stroke = {k: HEAVY if k in heavy else PLAIN for k in range(len(arrows))}
    for k, chain in placement.chains.items():
        curves[k] = _curve(placement, chain, leave[k], arrive.get(k), stroke[k])
        label = placement.items[chain[1]]
        pills.append(pill(label.x, label.y, labels.lines[k], labels.sizes[k], stroke[k].edge))
    low, wide = placement.bottom, placement.right[-1]
    for n, k in enumerate(_by_span(placement, arrows)):
        source, target = (placement.items[v] for v in arrows[k])
        width, height = labels.sizes[k]
        road, end = low + 14 + height / 2, placement.left[target.layer]
        out = placement.right[source.layer] + 12 + STEP * (n % LANES)
        back = end - 16 - STEP * (arrows[k][1] % LANES)
        into = target.x - target.width / 2
        steps = _road(source.x + source.width / 2, leave[k], out, road, back, into, arrive[k])
        curves[k] = svg.path(steps, stroke[k].line, stroke[k].width) + _head(into, arrive[k], stroke[k])
        middle = max((out + back) / 2, placement.left[0] + width / 2)
        pills.append(pill(middle, road, labels.lines[k], labels.sizes[k], stroke[k].edge))
        low, wide = road + height / 2, max(wide, out, middle + width / 2)
    return [curves[k] for k in sorted(curves, key=lambda k: k in heavy)], pills, low, wide


def _by_span(placement: LayeredLayout, arrows: Sequence[tuple[int, int]]) -> list[int]:
    """Arrows that lead back, the shortest and lowest first: they take the upper roads, inside the others."""

    def span(k: int) -> tuple[int, float]:
        source, target = (placement.items[v] for v in arrows[k])
        return source.layer - target.layer, -source.y

    return sorted(placement.back, key=span)


def _ports(placement: LayeredLayout, arrows: Sequence[tuple[int, int]]) -> tuple[dict[int, float], dict[int, float]]:
    """Where arrows leave and reach their boxes: spread over the side, in the order of where they go.

    Arrows that lead back leave below the others, each for itself, and arrive together, below the others too.
    """
    leaving: dict[int, dict[int, float]] = {}
    reaching: dict[int, dict[int, float]] = {}
    for k, (source, target) in enumerate(arrows):
        chain = placement.chains.get(k)
        leaving.setdefault(source, {})[k] = placement.items[chain[1]].y if chain else FAR + k
        if target >= 0:
            reaching.setdefault(target, {})[k] = placement.items[chain[-2]].y if chain else FAR
    return _spread(placement, leaving), _spread(placement, reaching)


def _spread(placement: LayeredLayout, sides: dict[int, dict[int, float]]) -> dict[int, float]:
    """Heights along a box's side, evenly spaced; the round start has one for all."""
    port: dict[int, float] = {}
    for v, wanted in sides.items():
        item, ranks = placement.items[v], sorted(set(wanted.values()))
        for k, y in wanted.items():
            share = (ranks.index(y) + 1) / (len(ranks) + 1) if v else 0.5
            port[k] = item.y + item.height * (share - 0.5)
    return port


def _curve(placement: LayeredLayout, chain: list[int], leave: float, arrive: float | None, stroke: Stroke) -> str:
    """Straight across layers, bent between them; dotted up to its label where it leads out of the picture."""
    source = placement.items[chain[0]]
    x, y = placement.right[source.layer], leave
    steps = [f"M{at(source.x + source.width / 2)} {at(y)} H{at(x)}"]
    for i in chain[1:] if arrive is None else chain[1:-1]:
        layer, to = placement.items[i].layer, placement.items[i].y
        steps += [
            svg.bend(y, (x + placement.left[layer]) / 2, placement.left[layer], to),
            f"H{at(placement.right[layer])}",
        ]
        x, y = placement.right[layer], to
    if arrive is None:
        steps[-1] = f"H{at(placement.items[chain[-1]].x)}"
        return svg.path(" ".join(steps), stroke.line, stroke.width, dashes="1 5")
    target = placement.items[chain[-1]]
    end, near = target.x - target.width / 2, placement.left[target.layer] - 6
    steps += [svg.bend(y, (x + near) / 2, near, arrive), f"H{at(end - 6)}"]
    return svg.path(" ".join(steps), stroke.line, stroke.width) + _head(end, arrive, stroke)


def _road(x: float, y: float, out: float, road: float, back: float, end: float, arrive: float) -> str:
    """Out to the right, down, along below everything, up, and into the target from the left."""
    r = at(CORNER)
    return (
        f"M{at(x)} {at(y)} H{at(out - CORNER)} q{r} 0 {r} {r} V{at(road - CORNER)} q0 {r} -{r} {r} "
        f"H{at(back + CORNER)} q-{r} 0 -{r} -{r} V{at(arrive + CORNER)} q0 -{r} {r} -{r} H{at(end - 6)}"
    )


def _head(x: float, y: float, stroke: Stroke) -> str:
    return svg.path(f"M{at(x)} {at(y)} l-8 -4 v8 Z", "none", fill=stroke.head)


NARROW, WIDE, PADDING = 72, 236, 12


@dataclass(frozen=True)
class NodeBoxes:
    """How the nodes of one controller are drawn; with an visitation by what they believe, else by their notes."""

    policy: Controller
    describe: Describe
    visitation: Visitation | None
    tones: StateColours  # of the states, where beliefs are drawn as strips
    followed: ControllerPath = field(default_factory=ControllerPath)  # the game whose boxes stand out
    link: Link | None = None  # the address of a node
    chosen: int | None = None  # the node that is looked at

    def size(self, node: int) -> tuple[float, float]:
        """Width and height of its box."""
        acts = measure.width_of(self.acts(node), 13, bold=True) + measure.width_of(f"  {node}", 11)
        wide = max(acts, measure.width_of(self.note(node), 11)) + 2 * PADDING + 2
        return min(WIDE, max(NARROW, wide)), 30 + (16 if self.note(node) else 0) + (9 if self.has_strip(node) else 0)

    def box(self, node: int, item: LayoutItem) -> str:
        """A strip shows what is believed, or else where the node mixes; the outline is broken where it waits.

        It is heavy where the game that is followed comes by.
        """
        x, y, room = item.x - item.width / 2, item.y - item.height / 2, item.width - 2 * PADDING
        acts, said, waits = self.acts(node), self.note(node), self.policy.choices[node] is None
        shown = measure.clip(acts, room - measure.width_of(f" {node}", 11), 13, bold=not waits)
        edge, heavy = self.edge(node)
        outline = _outline(x, y, item.width, item.height)
        ground = LAMP_WASH if node == self.chosen else SURFACE
        parts = [svg.path(outline, edge, heavy, ground, dashes="4 4" if waits else "")]
        parts += [svg.text(x + PADDING, y + 20, shown, INK_3 if waits else INK, 13, weight=400 if waits else 600)]
        parts += [svg.text(x + item.width - PADDING, y + 20, str(node), INK_3, 11, "end")]
        parts += [svg.text(x + PADDING, y + 36, measure.clip(said, room, 11), INK_3, 11)] if said else []
        parts += [self.strip(node, x + PADDING, y + item.height - 12, room)] if self.has_strip(node) else []
        return svg.group(parts, self.hint(node), f' data-node="{node}"', self.href(node))

    def edge(self, node: int) -> tuple[str, float]:
        """Colour and weight of an outline: that of the node looked at, of one that the game came by, of any other."""
        if node == self.chosen:
            return LAMP_LINE, 2.4
        return (EMBER, 2.2) if node in self.followed.nodes else (EDGE, 1.2)

    def href(self, node: int) -> str:
        """The address of a node; empty where nodes have none."""
        return self.link(node) if self.link else ""

    def hint(self, node: int) -> str:
        """All about a node, for the pointer: a box may have no room for it."""
        facts = (f"node {node}: {self.acts(node)}", self.note(node), self._visits(node), self.followed.visits(node))
        return "; ".join(filter(None, facts))

    def acts(self, node: int) -> str:
        """What it does."""
        choice = self.policy.choices[node]
        return words.WAITS if choice is None else words.choice(self.describe, choice)

    def note(self, node: int) -> str:
        """The belief; else a word that came with the node, which would only take room where nothing is decided."""
        if self.visitation:
            return belief_note(self.visitation.beliefs[node], WIDE - 2 * PADDING, told=self.visitation.told)
        if self.policy.choices[node] is None:
            return ""
        return one_line(self.policy.notes[node]) if node < len(self.policy.notes) else ""

    def _visits(self, node: int) -> str:
        """How often play comes there, for the hint."""
        return f"visited {number(self.visitation.visits[node], 3)} times" if self.visitation else ""

    def has_strip(self, node: int) -> bool:
        """Whether there is something to show as a bar."""
        if self.visitation:
            return bool(self.tones and self.visitation.beliefs[node])
        choice = self.policy.choices[node]
        return choice is not None and sum(p > EXACT for _, p in choice) > 1

    def strip(self, node: int, x: float, y: float, room: float) -> str:
        """The belief, or a mixed choice, as a thin bar."""
        if self.visitation:
            return belief_strip(self.visitation.beliefs[node], self.tones, x, y, room)
        chances = (p for _, p in self.policy.choices[node] or ())
        parts = (BarPart(p, PALETTE[k % len(PALETTE)]) for k, p in enumerate(chances))
        return stacked_bar(parts, x, y, room, THIN)


def _outline(x: float, y: float, width: float, height: float) -> str:
    steps = f"M{at(x + 8)} {at(y)} h{at(width - 16)} q8 0 8 8 v{at(height - 16)} q0 8 -8 8 "
    return steps + f"h{at(16 - width)} q-8 0 -8 -8 v{at(16 - height)} q0 -8 8 -8 Z"
