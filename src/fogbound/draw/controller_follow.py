"""One game followed through a controller: which nodes it visits, and which arrows of the picture it takes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from fogbound.core.errors import SpecError, brief, one_line
from fogbound.draw.controller_graph import MORE, START
from fogbound.forms.tree import History
from fogbound.policies.controller import LOST, Controller

LONGEST = 120  # characters of a list of steps or nodes


@dataclass(frozen=True)
class Followed:
    """The nodes in the order of play, and how many sights the game held: more than nodes where it left them."""

    nodes: tuple[int, ...] = ()
    sights: int = 0

    def arrows(self, drawn: Collection[int]) -> set[tuple[int, int]]:
        """The arrows taken, as (from, to); from a node that is drawn to one that is not, they lead to MORE."""
        ends = pairwise((START, *self.nodes))
        return {(a, b if b in drawn else MORE) for a, b in ends if a == START or a in drawn}

    def said(self) -> str:
        """What the heavy line is. The last sight leads nowhere where the game ended with it: that goes unsaid."""
        if not self.sights:
            return ""
        taken, steps = max(0, len(self.nodes) - 1), self.sights - 1
        left = f", which leaves the controller after {taken:,} of {steps:,} steps" if taken + 1 < steps else ""
        return f"the heavy line is one game{left}"

    def visits(self, node: int) -> str:
        """When the game came to a node, for the hint: colour and weight alone do not tell the order."""
        times = [f"{k:,}" for k, visited in enumerate(self.nodes) if visited == node]
        return f"the game is here after step {one_line(', '.join(times), LONGEST)}" if times else ""

    def aloud(self) -> str:
        """The path in words, for those who do not see it."""
        return f"one game goes through nodes {one_line(', '.join(map(str, self.nodes)), LONGEST)}" if self.nodes else ""


def follow(policy: Controller, history: History) -> Followed:
    """Walk the controller as its player lived a game: (first sight, (own action or None, sight), …).

    The walk ends where the controller has no arrow, at the end of the game or where it is lost. A game that it
    cannot have played is refused, since a path through it would be made up.
    """
    if not history:
        return Followed()
    node = policy.begin(history[0])
    if node == LOST:
        raise SpecError(f"follow: the controller begins no game with {brief(history[0])}, expected a game it played")
    nodes = [node]
    for step, pair in enumerate(history[1:], 1):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise SpecError(f"follow: step {step} is {brief(pair)}, expected (own action or None, what was seen)")
        own, seen = pair
        choice = policy.choices[node]
        if own is not None and choice is not None and not choice[own] > 0:
            found = f"step {step} does {brief(own)}, which node {node} never chooses"
            raise SpecError(f"follow: {found}, expected a game that this controller played")
        node = policy.update(node, own, seen)
        if node == LOST:
            break
        nodes.append(node)
    return Followed(tuple(nodes), len(history))
