"""One node of a controller as a box: what it does, its number, what it believes."""

from __future__ import annotations

from dataclasses import dataclass, field

from fogbound.core import measure, svg
from fogbound.core.errors import one_line
from fogbound.core.numerals import EXACT, number
from fogbound.core.svg import EDGE, EMBER, INK, INK_3, LAMP_LINE, LAMP_WASH, PALETTE, SURFACE, Link, at
from fogbound.draw.belief.strip import THIN, StateColours, belief_strip
from fogbound.draw.controller.graph import ControllerPath
from fogbound.draw.layout.layered import LayoutItem
from fogbound.draw.stacked import BarPart, stacked_bar
from fogbound.evaluation.belief_words import belief_note
from fogbound.evaluation.visitation import Visitation
from fogbound.forms import words
from fogbound.forms.words import Describe
from fogbound.policies.controller import Controller

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
            return belief_note(self.visitation.beliefs[node], WIDE - 2 * PADDING)
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
