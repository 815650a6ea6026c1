"""A controller as a graph: its nodes by distance from the start, its arrows merged, and one game's path through it.

The graph is what pictures show, and what a plain listing and DOT (for Graphviz) say in words.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import pairwise

from fogbound.core.errors import SpecError, brief, many, one_line
from fogbound.core.game import Observation
from fogbound.core.numerals import EXACT, decimal
from fogbound.core.profile import Profile, the_policy
from fogbound.core.record import NOTHING
from fogbound.evaluation.belief_words import belief_note
from fogbound.evaluation.visitation import Visitation
from fogbound.forms import words
from fogbound.forms.decisions import History
from fogbound.forms.words import Describe
from fogbound.policies.controller import LOST, Controller

START, MORE = -1, -2  # where play begins; any node that is not drawn
NEVER = "never"
Arrows = dict[tuple[int, int], list[str]]  # (from, to) -> what is seen on the way
ObservationChances = dict[str, float | None]  # what is seen, and how likely that is where it is known


@dataclass(frozen=True)
class ControllerGraph:
    """The nodes shown, nearest to the start first, and for each pair of them what leads from one to the other."""

    nodes: tuple[int, ...]
    arrows: Arrows
    hidden: int  # nodes that play can reach but that are not shown
    unreachable: int


def controller_graph(
    policy: Controller, describe: Describe, most: int, visitation: Visitation | None = None
) -> ControllerGraph:
    """At most `most` nodes, the nearest to the start; arrows to the others lead to MORE.

    With a visitation they are the likeliest ones, and observations say how likely they are, counting how likely a node
    that mixes takes the action before them.
    """
    after = _used(policy)
    reached = dict.fromkeys(policy.first.values())
    queue = list(reached)
    for node in queue:  # grows while it is walked
        fresh = dict.fromkeys(target for _, _, target in after[node] if target not in reached)
        reached.update(fresh)
        queue += fresh
    kept = set(_likeliest(policy, after, most, visitation) if visitation else queue[: max(1, most)])
    shown, arrows = tuple(node for node in queue if node in kept), dict[tuple[int, int], ObservationChances]()
    for seen, target in policy.first.items():
        chance = visitation.first.get(seen, 0.0) if visitation else None
        _add(arrows, START, target if target in kept else MORE, words.observed(seen), chance)
    for node in shown:
        mixed = len({own for own, _, _ in after[node]}) > 1
        visited = visitation if visitation and visitation.visits[node] > 0 else None
        for own, seen, target in after[node]:
            said = words.step_texts(describe, [(own, seen)])[0] if mixed else words.observed(seen)
            chance = visited.chances.get((node, own, seen), 0.0) * _share(policy, node, own) if visited else None
            _add(arrows, node, target if target in kept else MORE, said, chance)
    tidy = {ends: _tidy(chances) for ends, chances in arrows.items()}
    return ControllerGraph(shown, tidy, len(queue) - len(shown), policy.size - len(queue))


def _likeliest(
    policy: Controller,
    after: list[list[tuple[Hashable | None, Observation, int]]],
    most: int,
    visitation: Visitation,
) -> list[int]:
    """The nodes that play visits most, grown from the start so that each is reached through others that are shown."""
    found, waiting = list[int](), [(-visitation.visits[node], node) for node in dict.fromkeys(policy.first.values())]
    heapify(waiting)
    known = {node for _, node in waiting}
    while waiting and len(found) < max(1, most):
        _, node = heappop(waiting)
        found.append(node)
        for target in {target for _, _, target in after[node]} - known:
            known.add(target)
            heappush(waiting, (-visitation.visits[target], target))
    return found


def _share(policy: Controller, node: int, own: Hashable | None) -> float:
    """How likely a node takes an action: what follows different ones is added up, so it must be weighed by them."""
    choice = policy.choices[node]
    return 1.0 if own is None or choice is None else choice[own]


def _add(
    arrows: dict[tuple[int, int], ObservationChances], source: int, target: int, said: str, chance: float | None
) -> None:
    chances = arrows.setdefault((source, target), {})
    before = chances.get(said)
    chances[said] = chance if before is None or chance is None else before + chance


def _tidy(chances: ObservationChances) -> list[str]:
    """Numbers in their order, runs of them as `3 to 8`, other observations with the likeliest first.

    Nothing is said where nothing is seen, and that is sure.
    """
    if not all(word.isdecimal() and str(int(word)) == word for word in chances):
        alone = chances.get(NOTHING, 0.0) if len(chances) == 1 else 0.0
        if alone is None or alone > 1 - EXACT:
            return []
        return [_said(word, p) for word, p in sorted(chances.items(), key=lambda pair: -round(pair[1] or 0.0, 9))]
    runs: list[list[int]] = []
    chance = {int(word): p for word, p in chances.items()}
    for value in sorted(chance):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    parts = [part for run in runs for part in ([run] if len(run) > 2 else [[value] for value in run])]
    return [_said(str(part[0]) if len(part) == 1 else f"{part[0]} to {part[-1]}", _sum(chance, part)) for part in parts]


def _sum(chance: dict[int, float | None], part: list[int]) -> float | None:
    known = [p for value in part if (p := chance[value]) is not None]
    return sum(known) if known else None


def _said(word: str, chance: float | None) -> str:
    """An observation with its chance; a colon keeps them apart where what is seen ends in a digit."""
    if chance is None:
        return word
    return f"{word}{':' if word[-1:].isdecimal() else ''} {decimal(chance) if chance > 0 else NEVER}"


def _used(policy: Controller) -> list[list[tuple[Hashable | None, Observation, int]]]:
    """Each node's arrows, without those for actions that the node never chooses."""
    after: list[list[tuple[Hashable | None, Observation, int]]] = [[] for _ in policy.choices]
    for (node, own, seen), target in policy.arrows.items():
        choice = policy.choices[node]
        if own is None or choice is None or choice[own] > 0:
            after[node].append((own, seen, target))
    return after


LONGEST = 120  # characters of a list of steps or nodes


@dataclass(frozen=True)
class ControllerPath:
    """The nodes in the order of play, and how many observations the game held: more than nodes where it left them."""

    nodes: tuple[int, ...] = ()
    observations: int = 0

    def arrows(self, drawn: Collection[int]) -> set[tuple[int, int]]:
        """The arrows taken, as (from, to); from a node that is drawn to one that is not, they lead to MORE."""
        ends = pairwise((START, *self.nodes))
        return {(a, b if b in drawn else MORE) for a, b in ends if a == START or a in drawn}

    def said(self) -> str:
        """What the heavy line is. The last observation leads nowhere where the game ended with it: that goes unsaid."""
        if not self.observations:
            return ""
        taken, steps = max(0, len(self.nodes) - 1), self.observations - 1
        left = f", which leaves the controller after {taken:,} of {steps:,} steps" if taken + 1 < steps else ""
        return f"the heavy line is one game{left}"

    def visits(self, node: int) -> str:
        """When the game came to a node, for the hint: colour and weight alone do not tell the order."""
        times = [f"{k:,}" for k, visited in enumerate(self.nodes) if visited == node]
        return f"the game is here after step {one_line(', '.join(times), LONGEST)}" if times else ""

    def aloud(self) -> str:
        """The path in words, for those who do not see it."""
        return f"one game goes through nodes {one_line(', '.join(map(str, self.nodes)), LONGEST)}" if self.nodes else ""


def controller_path(policy: Controller, history: History) -> ControllerPath:
    """Walk the controller as its player lived a game: (first observation, (own action or None, observation), …).

    The walk ends where the controller has no arrow, at the end of the game or where it is lost. A game that it
    cannot have played is refused, since a path through it would be made up.
    """
    if not history:
        return ControllerPath()
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
    return ControllerPath(tuple(nodes), len(history))


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
    note = belief_note(visitation.beliefs[node], told=visitation.told) if visitation else given
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
