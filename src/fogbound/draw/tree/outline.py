"""A game tree for a terminal: a line for each node, indented below the one before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fogbound.draw.layout.tree import TreeLayout
from fogbound.forms import words
from fogbound.forms.tree import CHANCE, END

APART = "nodes with the same #number cannot be told apart by the player who moves there"


def tree_outline(
    placement: TreeLayout, labels: Mapping[int, tuple[str, str]], ends: Mapping[int, Sequence[str]], head: Sequence[str]
) -> str:
    """The nodes that are shown, each with the move into it, and who moves there or what is paid.

    Parameters
    ----------
    placement
        The tree, and how much of it is shown.
    labels
        By node, the move into it and how likely that is.
    ends
        By end, what is paid.
    head
        The lines above.
    """
    form, lines = placement.form, [*head, ""]
    number = {h: k + 1 for k, h in enumerate(placement.bands)}
    waiting = [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        into = " ".join(filter(None, labels.get(node, ())))
        if form.mover[node] == END:
            here = " ".join(ends[node])
        elif form.mover[node] == CHANCE:
            here = "chance"
        else:
            here = f"{words.label(form.players[int(form.mover[node])])} #{number[int(form.infoset[node])]}"
        lines.append("  " * depth + (f"{into}: {here}" if into else here))
        if node in placement.more:
            lines.append("  " * (depth + 1) + f"… {placement.more[node][0]:,} more")
        waiting += [(child, depth + 1) for child in reversed(placement.children(node))]
    hidden = any(len(nodes) > 1 for nodes in placement.bands.values())
    return "\n".join([*lines, *(["", APART] if hidden else [])]) + "\n"
