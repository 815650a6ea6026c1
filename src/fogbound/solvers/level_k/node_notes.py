"""What a node of a level's controller believes, in a few words: the board, and the level it plays against."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fogbound.forms.arrays import Longs
from fogbound.solvers.level_k.induced import IncrementalInducedModel
from fogbound.solvers.level_k.reply import LevelReply

MOST_PARTS = 3  # parts of a belief that are named


def node_notes(
    induced: IncrementalInducedModel, reply: LevelReply, levels: Mapping[int, list[int]], named: Longs
) -> Callable[[int], str]:
    """A word about each node of a level's controller: the first belief that it stands for.

    Parameters
    ----------
    induced, reply
        What the player has found out, and its reply.
    levels
        By node of the other player, the levels that come to it.
    named : [nodes]
        The node of the player's automaton that each node of the reply is.
    """
    beliefs: dict[int, int] = {}
    for node, belief in zip(named.tolist(), reply.solved.plan.listed[1:].tolist()):
        beliefs.setdefault(node, belief)
    graph, pairs, states = reply.asked.belief_graph.graph, induced.pairs, induced.table.states

    def believed(node: int) -> str:
        belief = beliefs[node]
        entries = range(graph.first[belief], graph.first[belief + 1])
        parts = sorted(((float(graph.weight[e]), int(graph.state[e])) for e in entries), key=lambda part: -part[0])
        words = [
            f"{weight:.3g} {states[int(pairs.state[point])]} "
            f"level {level_ranges(levels.get(int(pairs.node[point]), []))}"
            for weight, point in parts[:MOST_PARTS]
        ]
        return "; ".join(words) + (f"; {len(parts) - MOST_PARTS} more" if len(parts) > MOST_PARTS else "")

    return believed


def level_ranges(levels: list[int]) -> str:
    """Levels as ranges: 0, 2-4."""
    parts: list[list[int]] = []
    for level in sorted(levels):
        if parts and level == parts[-1][1] + 1:
            parts[-1][1] = level
        else:
            parts.append([level, level])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts) or "0"
