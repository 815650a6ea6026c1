"""A controller in words: a plain listing, and DOT for people with Graphviz. Nothing is left out unasked."""

from __future__ import annotations

from fogbound.core.errors import many, one_line
from fogbound.core.profile import Profile
from fogbound.draw.controller.graph import MORE, START, ControllerGraph, controller_graph
from fogbound.draw.subject import the_policy
from fogbound.evaluation.belief_words import belief_note
from fogbound.evaluation.visitation import Visitation
from fogbound.forms import words
from fogbound.forms.words import Describe
from fogbound.policies.controller import Controller


def controller_text(policy: Controller, describe: Describe, most: int, visitation: Visitation | None) -> str:
    """The listing of at most `most` nodes, the nearest to the start."""
    return listing(policy, controller_graph(policy, describe, most, visitation), describe, visitation)


def listing(policy: Controller, shape: ControllerGraph, describe: Describe, visitation: Visitation | None) -> str:
    """Each node of the graph: its number, what it does, its note; then what is seen and where that leads.

    A visitation makes the notes beliefs and adds to each observation how likely it is. The last line counts the nodes
    that are not in the graph.
    """
    lines = [f"controller with {many(policy.size, 'node')}"]
    lines += [f"{shape.unreachable:,} that play never reaches"] if shape.unreachable else []
    ways: dict[int, list[tuple[str, str]]] = {}
    for (source, target), seen in shape.arrows.items():
        ways.setdefault(source, []).append((", ".join(seen), "…" if target == MORE else str(target)))
    for node in (START, *shape.nodes):
        lines += ["", "start" if node == START else _line(policy, node, describe, visitation)]
        width = max((len(seen) for seen, _ in ways.get(node, ())), default=0)
        lines += [f"    {seen.ljust(width)} → {target}" for seen, target in ways.get(node, ())]
    lines += ["", f"… {many(shape.hidden, 'more node')}, farther from the start"] if shape.hidden else []
    return "\n".join(lines) + "\n"


def _line(policy: Controller, node: int, describe: Describe, visitation: Visitation | None) -> str:
    acts, note = _words(policy, node, describe, visitation)
    return f"{node}  {acts}" + (f" · {note}" if note else "")


def _words(policy: Controller, node: int, describe: Describe, visitation: Visitation | None) -> tuple[str, str]:
    """What a node does, and its note."""
    choice = policy.choices[node]
    given = one_line(policy.notes[node]) if node < len(policy.notes) else ""
    note = belief_note(visitation.beliefs[node]) if visitation else given
    return (words.WAITS if choice is None else words.choice(describe, choice)), note


def controller_dot(
    policy: Profile, *, player: int | None = None, visitation: Visitation | None = None, describe: Describe = str
) -> str:
    """Write a controller in Graphviz' language: `dot -Tsvg` lays it out. Nothing is left out.

    Parameters
    ----------
    policy, player, visitation, describe
        As for `controller`.

    Returns
    -------
    str
        The graph in DOT.

    Examples
    --------
    >>> from fogbound.core import Dist, Observation
    >>> nothing, growl = Observation(None, None), Observation("growl", None)
    >>> nodes = (Dist.sure("listen"), Dist.sure("open"))
    >>> print(controller_dot(Controller({nothing: 0}, {(0, "listen", growl): 1}, nodes)).splitlines()[-2])
      n0 -> n1 [label="growl"];
    """
    fsc = the_policy(Controller, policy, player)
    shape = controller_graph(fsc, describe, fsc.size, visitation)
    lines = ["digraph controller {", "  rankdir=LR;", '  node [shape=box, style=rounded, fontname="Helvetica"];']
    lines += ['  edge [fontname="Helvetica", fontsize=10];', "  start [shape=circle];"]
    for node in shape.nodes:
        acts, note = _words(fsc, node, describe, visitation)
        waits = ', style="rounded,dashed"' if fsc.choices[node] is None else ""
        lines.append(f"  n{node} [label={_quoted(acts, note)}{waits}];")
    for (source, target), seen in shape.arrows.items():
        lines.append(f"  {'start' if source == START else f'n{source}'} -> n{target} [label={_quoted(*seen)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(*lines: str) -> str:
    """Lines as one DOT string: backslashes and quotes are the language's own."""
    safe = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines if line)
    return '"' + "\\n".join(safe) + '"'
