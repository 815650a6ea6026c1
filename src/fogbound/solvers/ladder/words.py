"""What a node of a level's controller believes, in a few words: the board, and the level it plays against."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fogbound.solvers.ladder.duel import Duel

if TYPE_CHECKING:
    from fogbound.solvers.ladder.climb import Climb, Rung

MOST = 3  # parts of a belief that are named


def note(climb: Climb, rung: Rung) -> Callable[[int], str] | None:
    """A word about each node of a rung's controller: the first belief that it stands for."""
    side = climb.sides[rung.seat]
    if not isinstance(side, Duel):
        return None
    other = climb.automata[1 - rung.seat]
    levels: dict[int, list[int]] = {}
    for level, kind in enumerate(climb.kinds[1 - rung.seat][: rung.level]):
        for node in other.reach(kind).tolist() or [0]:
            levels.setdefault(node, []).append(level)
    beliefs: dict[int, int] = {}
    reply = climb.reply(rung)
    if reply.by != "beliefs":
        return None
    for node, belief in zip(rung.named.tolist(), reply.found.plan.listed[1:].tolist()):
        beliefs.setdefault(node, belief)
    graph, pairs, states = reply.asked.survey.graph, side.meeting.pairs, climb.table.states

    def told(node: int) -> str:
        belief = beliefs[node]
        entries = range(graph.first[belief], graph.first[belief + 1])
        parts = sorted(((float(graph.weight[e]), int(graph.state[e])) for e in entries), key=lambda part: -part[0])
        words = [
            f"{weight:.3g} {states[int(pairs.state[point])]} level {spans(levels.get(int(pairs.node[point]), []))}"
            for weight, point in parts[:MOST]
        ]
        return "; ".join(words) + (f"; {len(parts) - MOST} more" if len(parts) > MOST else "")

    return told


def spans(levels: list[int]) -> str:
    """Levels as ranges: 0, 2-4."""
    parts: list[list[int]] = []
    for level in sorted(levels):
        if parts and level == parts[-1][1] + 1:
            parts[-1][1] = level
        else:
            parts.append([level, level])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts) or "0"
