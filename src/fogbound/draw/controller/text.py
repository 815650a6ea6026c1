"""A controller in words: a plain listing, and DOT for people with Graphviz. Nothing is left out unasked."""

from __future__ import annotations

from fogbound.core.errors import one_line
from fogbound.draw import words
from fogbound.draw.belief.strip import belief_note as believed
from fogbound.draw.controller.graph import MORE, START, controller_graph
from fogbound.draw.words import Describe
from fogbound.evaluate.visitation import Visitation
from fogbound.policies.controller import Controller

WAITS = "waits"


def controller_text(
    policy: Controller, describe: Describe = str, most: int | None = None, occupancy: Visitation | None = None
) -> str:
    """Each node that play reaches: its number, what it does, its note; then what is seen and where that leads.

    An occupancy makes the notes beliefs and adds to each observation how likely it is. Over `most` nodes the nearest to
    the start are listed, and the last line counts the others.
    """
    shape = controller_graph(policy, describe, policy.size if most is None else most, occupancy)
    lines = [f"controller with {policy.size:,} node{'s' if policy.size != 1 else ''}"]
    lines += [f"{shape.unreachable:,} that play never reaches"] if shape.unreachable else []
    ways: dict[int, list[tuple[str, str]]] = {}
    for (source, target), told in shape.arrows.items():
        ways.setdefault(source, []).append((", ".join(told), "…" if target == MORE else str(target)))
    for node in (START, *shape.nodes):
        lines += ["", "start" if node == START else _line(policy, node, describe, occupancy)]
        width = max((len(told) for told, _ in ways.get(node, ())), default=0)
        lines += [f"    {told.ljust(width)} → {target}" for told, target in ways.get(node, ())]
    lines += ["", f"… {shape.hidden:,} more nodes, farther from the start"] if shape.hidden else []
    return "\n".join(lines) + "\n"


def _line(policy: Controller, node: int, describe: Describe, occupancy: Visitation | None) -> str:
    acts, note = _words(policy, node, describe, occupancy)
    return f"{node}  {acts}" + (f" · {note}" if note else "")


def _words(policy: Controller, node: int, describe: Describe, occupancy: Visitation | None) -> tuple[str, str]:
    """What a node does, and its note."""
    choice = policy.choices[node]
    given = one_line(policy.notes[node]) if node < len(policy.notes) else ""
    note = believed(occupancy.beliefs[node]) if occupancy else given
    return (WAITS if choice is None else words.choice(describe, choice)), note


def controller_dot(policy: Controller, describe: Describe = str, occupancy: Visitation | None = None) -> str:
    """The graph in Graphviz' language: `dot -Tsvg` lays it out."""
    shape = controller_graph(policy, describe, policy.size, occupancy)
    lines = ["digraph controller {", "  rankdir=LR;", '  node [shape=box, style=rounded, fontname="Helvetica"];']
    lines += ['  edge [fontname="Helvetica", fontsize=10];', "  start [shape=circle];"]
    for node in shape.nodes:
        acts, note = _words(policy, node, describe, occupancy)
        waits = ', style="rounded,dashed"' if policy.choices[node] is None else ""
        lines.append(f"  n{node} [label={_quoted(acts, note)}{waits}];")
    for (source, target), told in shape.arrows.items():
        lines.append(f"  {'start' if source == START else f'n{source}'} -> n{target} [label={_quoted(*told)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(*lines: str) -> str:
    """Lines as one DOT string: backslashes and quotes are the language's own."""
    safe = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines if line)
    return '"' + "\\n".join(safe) + '"'
