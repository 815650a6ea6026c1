"""One node of a controller as a box: what it does, its number, what it believes."""

from __future__ import annotations

from dataclasses import dataclass, field

from fogbound.core.errors import one_line
from fogbound.draw import measure, svg, words
from fogbound.draw.controller_belief import Tones, note, strip
from fogbound.draw.controller_follow import Followed
from fogbound.draw.heights import Item
from fogbound.draw.svg import EDGE, EMBER, EXACT, INK, INK_3, PALETTE, SURFACE, at
from fogbound.draw.words import Describe
from fogbound.evaluate.occupancy import Occupancy
from fogbound.policies.controller import Controller

NARROW, WIDE, PADDING = 72, 236, 12
WAITS = "waits"


@dataclass(frozen=True)
class Boxes:
    """How the nodes of one controller are drawn; with an occupancy by what they believe, else by their notes."""

    policy: Controller
    describe: Describe
    occupancy: Occupancy | None
    tones: Tones  # of the states, where beliefs are drawn as strips
    followed: Followed = field(default_factory=Followed)  # the game whose boxes stand out

    def size(self, node: int) -> tuple[float, float]:
        acts = measure.width_of(self._acts(node), 13, bold=True) + measure.width_of(f"  {node}", 11)
        wide = max(acts, measure.width_of(self._note(node), 11)) + 2 * PADDING + 2
        return min(WIDE, max(NARROW, wide)), 30 + (16 if self._note(node) else 0) + (9 if self._has_strip(node) else 0)

    def box(self, node: int, item: Item) -> str:
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
        told = (f"node {node}: {acts}", said, self._visits(node), self.followed.visits(node))
        hint = "; ".join(filter(None, told))
        return svg.group(parts, hint, f' data-node="{node}"')

    def _acts(self, node: int) -> str:
        choice = self.policy.choices[node]
        return WAITS if choice is None else words.choice(self.describe, choice)

    def _note(self, node: int) -> str:
        """The belief; else a word that came with the node, which would only take room where nothing is decided."""
        if self.occupancy:
            return note(self.occupancy.beliefs[node], WIDE - 2 * PADDING)
        if self.policy.choices[node] is None:
            return ""
        return one_line(self.policy.notes[node]) if node < len(self.policy.notes) else ""

    def _visits(self, node: int) -> str:
        """How often play comes there, for the hint."""
        return f"visited {svg.number(self.occupancy.visits[node], 3)} times" if self.occupancy else ""

    def _has_strip(self, node: int) -> bool:
        if self.occupancy:
            return bool(self.tones and self.occupancy.beliefs[node])
        choice = self.policy.choices[node]
        return choice is not None and sum(p > EXACT for _, p in choice) > 1

    def _strip(self, node: int, x: float, y: float, room: float) -> str:
        """The belief, or a mixed choice, as a thin bar."""
        if self.occupancy:
            return strip(self.occupancy.beliefs[node], self.tones, x, y, room)
        parts = []
        for k, (_, p) in enumerate(self.policy.choices[node] or ()):
            tone = PALETTE[k % len(PALETTE)]
            parts += [svg.box(x, y, max(0.5, p * room - 1), 5, tone, round_by=2)] if p > EXACT else []
            x += p * room
        return "".join(parts)


def _outline(x: float, y: float, width: float, height: float) -> str:
    steps = f"M{at(x + 8)} {at(y)} h{at(width - 16)} q8 0 8 8 v{at(height - 16)} q0 8 -8 8 "
    return steps + f"h{at(16 - width)} q-8 0 -8 -8 v{at(16 - height)} q0 -8 8 -8 Z"
