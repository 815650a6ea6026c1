"""Finite-state controllers: policies whose memory is a node.

Every finite policy can be written as one, so this is the form in which policies are saved, drawn, counted
and put inside other players' POMDPs.

Any policy with finitely many memories as a controller, by walking the game it is played in.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.errors import LimitError, PolicyError, brief, many
from fogbound.core.game import AnyGame, Observation
from fogbound.core.policy import AnyPolicy, Mixed
from fogbound.core.simulator import Branch, by_observation, legal_for, successors
from fogbound.forms.induced import moves
from fogbound.forms.protocol import derive
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import TableSimulator
from fogbound.policies.vocabulary import Vocabulary

LOST = -1  # the node after something that the controller was not made for; it plays uniformly from there

Arrow = tuple[int, Hashable | None, Observation]
Arrows = dict[tuple[Hashable | None, Observation], int]  # of one node


@dataclass(frozen=True, eq=False, repr=False)
class Controller:
    """Nodes with a distribution over actions, arrows labelled (own action or None, what is seen).

    A controller may be partial: a best reply to one opponent need not say what to do after an observation that
    this opponent never causes. Then it is LOST and plays uniformly; matches count how often that happens. What its
    game never shows at all is a different thing, and refused: solvers give it the game's `vocabulary`, and one that is
    written by hand without knows the observations of its own arrows only.
    Observations may be told plainly, as `"growl-left"`, where that can mean one of them only.

    Parameters
    ----------
    first
        The node after each first observation.
    arrows
        (node, own action or None, observation) -> the node that follows.
    choices
        What each node plays; None where the player is not asked to move.
    notes
        A word about each node, for drawings.
    vocabulary
        What the player may see and do at all: ``Vocabulary.of(table, player)``. Without it, the observations at which
        it begins or goes on; one that knows none plays at random.
    at_random
        Whether a node without a choice plays uniformly when it is asked to move, as plans do that end at some belief.
        Otherwise it refuses to move.

    Raises
    ------
    PolicyError
        A node that is named does not exist, or a choice is no distribution; or the controller is told an observation
        or an action that is none of its words, or is asked to move at a node that has no choice.

    Examples
    --------
    >>> from fogbound import Dist, Observation
    >>> from fogbound.policies import Controller
    >>> start, heard = Observation(None, None), Observation("growl-left", None)
    >>> listener = Controller({start: 0}, {(0, "listen", heard): 0}, (Dist.sure("listen"),))
    >>> node = listener.update(listener.begin(start), "listen", heard)
    >>> listener.act(node, ["listen", "open-left"]).support()
    ('listen',)
    """

    first: Mapping[Observation, int]
    arrows: Mapping[Arrow, int]
    choices: tuple[Dist[Hashable] | None, ...]  # None where the player is not asked to move
    notes: tuple[str, ...] = field(default=(), repr=False)  # a word about each node, for drawings
    vocabulary: Vocabulary | None = field(default=None, repr=False)
    at_random: bool = False

    def __post_init__(self) -> None:
        fault = self.fault()
        if fault:
            raise PolicyError(f"a controller of {many(self.size, 'node')}: {fault}")

    def fault(self) -> str | None:
        """What is not valid, in words, or None: nodes exist, choices are distributions, own actions are chosen."""
        size, choices = self.size, self.choices
        for node in self.first.values():
            if not LOST <= node < size:
                return f"begins at node {node}, expected {LOST} to {size - 1}"
        for (node, action, _), target in self.arrows.items():
            if not 0 <= node < size or not LOST <= target < size:
                return f"an arrow from node {node} to {target}, expected nodes up to {size - 1}"
            if action is not None and choices[node] is None:
                return f"node {node} goes on after {brief(action)}, but has no choice"
        for node, choice in enumerate(choices):
            wrong = choice.fault() if choice is not None else None
            if wrong:
                return f"node {node} has {wrong}"
        return f"{len(self.notes)} notes" if self.notes and len(self.notes) != size else None

    def __repr__(self) -> str:
        return f"<Controller, {many(self.size, 'node')}, {many(len(self.arrows), 'arrow')}>"

    @property
    def size(self) -> int:
        return len(self.choices)

    def begin(self, observation: Observation) -> int:
        node = self.first.get(observation)
        return self.first.get(self._words.observation(observation), LOST) if node is None else node

    def update(self, memory: int, action: Hashable | None, observation: Observation) -> int:
        node = self.arrows.get((memory, action, observation))
        if node is not None:
            return node
        words = self._words
        return self.arrows.get((memory, words.action(action), words.observation(observation)), LOST)

    @cached_property
    def _words(self) -> Vocabulary | _OwnWords:
        return self.vocabulary or _OwnWords(self)

    def act(self, memory: int, actions: Sequence[Hashable]) -> Dist[Hashable]:
        if memory == LOST:
            return Dist.uniform(actions)
        choice = self.choices[memory]
        if choice is None:
            if self.at_random:
                return Dist.uniform(actions)
            raise PolicyError(f"node {memory} has no choice, but the player is asked for one of {brief(actions)}")
        for action, _ in choice:
            if action not in actions:
                raise PolicyError(f"node {memory} plays {brief(action)}, but the legal actions are {brief(actions)}")
        return choice

    def minimal(self) -> Controller:
        """The smallest controller that behaves alike: nodes with equal futures merged, the rest dropped.

        Moore's partition refinement: start from nodes that choose alike, split while some arrow tells two
        nodes of a class apart. A missing arrow only equals a missing arrow, so partial stays partial.
        """
        after = self._used_arrows()
        live = self._reachable(after)
        classes = _backwards(live, after, self.choices) or self._refined(live, after)
        return self._quotient(live, classes, after)

    def _refined(self, live: list[int], after: list[Arrows]) -> dict[int, int]:
        """The coarsest classes that no arrow tells apart, where nodes can come back to themselves."""
        classes = _classes({node: self.choices[node] for node in live})
        while True:
            marks: dict[int, Hashable] = {
                node: (classes[node], frozenset((word, classes[t]) for word, t in after[node].items())) for node in live
            }
            finer = _classes(marks)
            if len(set(finer.values())) == len(set(classes.values())):
                break
            classes = finer
        return classes

    def _used_arrows(self) -> list[Arrows]:
        """Each node's arrows, without those for actions that the node never chooses."""
        after: list[Arrows] = [{} for _ in self.choices]
        for (node, action, seen), target in self.arrows.items():
            choice = self.choices[node]
            if target != LOST and (action is None or choice is None or choice[action] > 0):
                after[node][action, seen] = target
        return after

    def _reachable(self, after: list[Arrows]) -> list[int]:
        """Nodes that play can reach, breadth first."""
        reached = dict.fromkeys(self.first.values())
        queue = list(reached)
        for node in queue:
            for target in after[node].values():
                if target not in reached:
                    reached[target] = None
                    queue.append(target)
        return queue

    def _quotient(self, live: list[int], classes: dict[int, int], after: list[Arrows]) -> Controller:
        numbers = {c: k for k, c in enumerate(dict.fromkeys(classes[node] for node in live))}
        number = {node: numbers[classes[node]] for node in live}
        choices: list[Dist[Hashable] | None] = [None] * len(numbers)
        notes = [""] * len(numbers)
        for node in reversed(live):
            choices[number[node]] = self.choices[node]
            notes[number[node]] = self.notes[node] if self.notes else ""
        arrows = {
            (number[node], action, seen): number[target]
            for node in live
            for (action, seen), target in after[node].items()
        }
        first = {s: number[n] for s, n in self.first.items()}
        return Controller(first, arrows, tuple(choices), tuple(notes), self.vocabulary, self.at_random)


class _OwnWords:
    """The words of a controller without a vocabulary: those of its arrows. One without any plays at random."""

    def __init__(self, owner: Controller) -> None:
        seen = dict.fromkeys([*owner.first, *(seen for _, _, seen in owner.arrows)])
        self.known = Vocabulary(tuple(seen), ())

    def observation(self, told: Any) -> Observation:
        """What is meant: one of the words that it knows."""
        if not self.known.observations and isinstance(told, Observation):
            return told
        return self.known.observation(told)

    def action(self, told: Hashable | None) -> Hashable | None:
        return told


def _backwards(
    live: list[int], after: list[Arrows], choices: tuple[Dist[Hashable] | None, ...]
) -> dict[int, int] | None:
    """Classes of a controller without cycles, in one pass from its last nodes to its first; None with cycles."""
    waiting = {node: len(set(after[node].values())) for node in live}
    before: dict[int, list[int]] = {node: [] for node in live}
    for node in live:
        for target in set(after[node].values()):
            before[target].append(node)
    ready = [node for node in live if not waiting[node]]
    ids: dict[Hashable, int] = {}
    classes: dict[int, int] = {}
    for node in ready:  # grows while it is walked
        mark = (choices[node], frozenset((word, classes[target]) for word, target in after[node].items()))
        classes[node] = ids.setdefault(mark, len(ids))
        for earlier in before[node]:
            waiting[earlier] -= 1
            if not waiting[earlier]:
                ready.append(earlier)
    return classes if len(classes) == len(live) else None


def _classes(marks: Mapping[int, Hashable]) -> dict[int, int]:
    """Number the nodes so that equal marks get equal numbers."""
    ids: dict[Hashable, int] = {}
    return {node: ids.setdefault(mark, len(ids)) for node, mark in marks.items()}


MOST_NODES = 100_000


def controller(
    game: AnyGame | Table, player: int, policy: AnyPolicy, limit: int = MOST_NODES, total: bool = False
) -> Controller:
    """The controller that plays `policy` for `player`, whatever the others do.

    A node is what the policy remembers together with the states the player may take for possible: these decide
    what it is offered, so that a policy whose one memory meets several lists of legal actions (uniform play) becomes
    a controller too. `minimal()` then merges what behaves alike.

    Parameters
    ----------
    game
        The game, or its table.
    player
        By index.
    policy
        A policy, but no mixture.
    limit
        How many nodes there may be.
    total
        Whether it also knows how to go on after actions that the policy never takes.

    Returns
    -------
    Controller

    Raises
    ------
    PolicyError
        `policy` is a mixture, which has no memory of its own.
    LimitError
        There are more than `limit` nodes.

    Examples
    --------
    >>> from fogbound import games, policies
    >>> automaton = policies.controller(games.make("tiger"), 0, policies.Uniform())
    >>> automaton.size, automaton.minimal().size
    (1, 1)
    """
    if isinstance(policy, Mixed):
        raise PolicyError(
            "a mixture is drawn before the game and has no memory of its own: convert its members, or its behaviour, "
            "Tabular(form.decisions, player, evaluation.behaviour(form, player, mixture)).controller()"
        )
    source = derive(game, Table)
    walk = _Conversion(source, player, policy, limit, total)
    walk.run()
    return Controller(walk.first, walk.arrows, tuple(walk.choices), vocabulary=Vocabulary.of(source, player))


class _Conversion:
    def __init__(self, game: Table, player: int, policy: AnyPolicy, limit: int, total: bool) -> None:
        self.game, self.player, self.policy, self.limit, self.total = game, player, policy, limit, total
        self.simulator = TableSimulator(game)
        self.first: dict[Observation, int] = {}
        self.arrows: dict[tuple[int, Any, Observation], int] = {}
        self.choices: list[Dist[Any] | None] = []
        self.nodes: list[tuple[tuple[int, ...], Any]] = []  # (possible states, the policy's memory)
        self.ids: dict[tuple[tuple[int, ...], Any], int] = {}

    def run(self) -> None:
        for seen, states in self._split(self.simulator.start()):
            self.first[seen] = self._node(states, self.policy.begin(seen))
        for node, (states, memory) in enumerate(self.nodes):  # grows while it is walked
            self._expand(node, states, memory)

    def _split(self, branches: Iterable[Branch]) -> list[tuple[Observation, tuple[int, ...]]]:
        """The states that each observation leaves possible, games that are over left out."""
        going_on = (branch for branch in branches if self.simulator.actors(branch[0]))
        groups = by_observation(self.simulator, self.player, going_on)
        label = self.simulator.observation_label
        return [(label(self.player, seen), tuple(sorted(states))) for seen, states in groups.items()]

    def _node(self, states: tuple[int, ...], memory: Any) -> int:
        node = self.ids.get((states, memory))
        if node is None:
            node = self.ids[states, memory] = len(self.nodes)
            self.nodes.append((states, memory))
            self.choices.append(None)
            if node >= self.limit:
                raise LimitError(f"{self.game.spec}: over {self.limit:,} memories, so the policy has no controller")
        return node

    def _expand(self, node: int, states: tuple[int, ...], memory: Any) -> None:
        """All that may follow at a node: every move that the policy might (or could) make, or none where not asked."""
        lists = (legal_for(self.simulator, state, self.player) for state in states)
        legal = next((offered for offered in lists if offered is not None), None)  # the same wherever it is asked
        if legal is not None:
            labels = self.simulator.legal_labels(legal)
            choice = self.choices[node] = Dist(tuple((labels[k], p) for k, p in moves(self.policy, memory, labels)))
            for action in labels if self.total else choice.support():
                self._follow(node, states, memory, action)
        self._follow(node, states, memory, None)

    def _follow(self, node: int, states: tuple[int, ...], memory: Any, action: Any) -> None:
        for seen, after in self._split(successors(self.simulator, states, self.player, action)):
            self.arrows[node, action, seen] = self._node(after, self.policy.update(memory, action, seen))
