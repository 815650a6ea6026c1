"""How likely each candidate is to have left a log of games.

What one player did and saw in the games of a log, in a table's numbers, common beginnings shared.

Most games of a log begin alike. Kept as one tree of beginnings, each beginning is judged once for every candidate,
and one log likelihood a node serves all the games that passed there.

The likelihood of a player's own moves when hands are shown: the product of what it would have done each time.

Chance and the other players enter alike under every candidate, so they cancel and are left out.

The likelihood of what I saw when no hands are shown: an exact forward filter over all that I did not see.

The hidden part is the state of the table and what the opponent remembers. Given my own moves, the weights of all
such pairs that agree with what I saw so far are carried forward a step at a time; their sum is the probability of my
observations (the forward algorithm of hidden Markov models, Baum and Petrie 1966). Weights are scaled to sum to one
at each step and the logarithms of the scales added up, so that no length of play underflows. That a game stopped is
no evidence beyond what was seen: a game may have been broken off.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from fogbound.arena.log import Record
from fogbound.core.errors import FormError, brief
from fogbound.core.game import Observation
from fogbound.core.policy import Strategy
from fogbound.core.simulator import by_observation, legal_for, successors
from fogbound.forms.arrays import Floats
from fogbound.forms.induced import FixedPlayer, InducedGame, Memory, Point
from fogbound.forms.table import Table
from fogbound.forms.table_simulator import WAIT, TableSimulator

ROOT = -1  # the parent of a first observation
States = tuple[int, ...]


class Histories:
    """A tree of beginnings; node k was entered from `parent[k]` by doing `action[k]` and seeing `seen[k]`.

    `legal` and `place` say which choice the action was: what was offered is what the states allow that the player could
    take for possible, whatever the others did. A history that no play of the game can give is refused.
    """

    def __init__(self, table: Table, player: int, log: Sequence[Record]) -> None:
        self.table, self.player = table, player
        self.parent: list[int] = []
        self.action: list[int] = []  # label, or WAIT
        self.seen: list[int] = []
        self.legal: list[int] = []  # WAIT where the player was not asked
        self.place: list[int] = []  # in that list, or WAIT
        self.goes_on: list[bool] = []  # whether any game went on from here
        self._children: dict[tuple[int, Hashable, Observation], int] = {}
        self._states: list[States] = []  # what the player could take for possible
        self._simulator = TableSimulator(table)
        self._after: dict[tuple[States, Hashable], dict[int, dict[int, None]]] = {}
        self._actions = {label: k for k, label in enumerate(table.actions)}
        self._observations = {observation: k for k, observation in enumerate(table.observations[player])}
        self.end = [self._end_of(number, kept) for number, kept in enumerate(log)]

    def __len__(self) -> int:
        return len(self.parent)

    def _end_of(self, number: int, kept: Record) -> int:
        """The node at which a game of the log ended."""
        table = self.table
        history = kept.histories[self.player] if len(kept.histories) == len(table.players) else None
        if history is None:
            name = table.players[self.player]
            raise FormError(f"{table.spec}: game {number} of the log does not say what {name} saw and did")
        node = ROOT
        for action, seen in ((None, history[0]), *history[1:]):
            child = self._children.get((node, action, seen))
            if child is None:
                child = self._grow(node, action, seen)
                if child is None:
                    did = f"{brief(action)} and " if action is not None else ""
                    raise FormError(
                        f"{table.spec}: game {number} of the log is no game of it: {table.players[self.player]} "
                        f"cannot have met {did}{brief(tuple(seen))} at that point"
                    )
                self._children[node, action, seen] = child
            node = child
        return node

    def _grow(self, node: int, action: Hashable | None, seen: Observation) -> int | None:
        """A new node, or None where the rules do not allow it."""
        observation = self._observations.get(seen)
        label = WAIT if action is None else self._actions.get(action)
        if observation is None or label is None:
            return None
        legal = place = WAIT
        if label != WAIT:
            legal = self._legal(self._states[node])
            offered = self.table.legal_labels(legal) if legal != WAIT else ()
            if action not in offered:
                return None
            place = offered.index(action)
        states = self._possible(self._states[node] if node != ROOT else None, action, observation)
        if not states:
            return None
        if node != ROOT:
            self.goes_on[node] = True
        columns = (self.parent, self.action, self.seen, self.legal, self.place, self.goes_on, self._states)
        for column, value in zip(columns, (node, label, observation, legal, place, False, states)):
            column.append(value)  # type: ignore[attr-defined]
        return len(self.parent) - 1

    def _legal(self, states: States) -> int:
        """What the player is offered, the same in all states that ask it (games are checked for that)."""
        lists = (legal_for(self._simulator, state, self.player) for state in states)
        return next((legal for legal in lists if legal is not None), WAIT)

    def _possible(self, before: States | None, action: Hashable | None, observation: int) -> States:
        """The states that the player can take for possible after a step; `before` is None at the start."""
        key = (before or (), action)
        groups = self._after.get(key)
        if groups is None:
            after = successors(self._simulator, before or (), self.player, action)
            branches = self._simulator.start() if before is None else after
            groups = self._after[key] = by_observation(self._simulator, self.player, branches)
        return tuple(groups.get(observation, ()))


def shown_log_likelihood(histories: Histories, policy: Strategy) -> Floats:
    """[nodes] the log probability that `policy` made the moves on the way to each node of its own histories."""
    fixed = FixedPlayer(TableSimulator(histories.table), histories.player, policy)
    types = [_of_type(histories, fixed, type_) for type_ in range(len(fixed.types))]
    if len(types) == 1:
        return types[0]
    log_likelihood: Floats = np.logaddexp.reduce([math.log(p) + log for p, log in zip(fixed.prior, types)], axis=0)
    return log_likelihood


def _of_type(histories: Histories, fixed: FixedPlayer, type_: int) -> Floats:
    """The same for one of the policies that a mixture may turn out to be."""
    logs: list[float] = []
    memories: list[Memory | None] = []  # None: a candidate cannot have come here, or need not go on
    h = histories
    for parent, action, seen, legal, place, goes_on in zip(h.parent, h.action, h.seen, h.legal, h.place, h.goes_on):
        if parent == ROOT:
            logs.append(0.0)
            memories.append(fixed.begin(seen)[type_][0])
            continue
        memory, log = memories[parent], logs[parent]
        if memory is not None and action != WAIT:
            choice = fixed.act(memory, legal)
            log += math.log(choice.probs[choice.places.index(place)]) if place in choice.places else -math.inf
        logs.append(log)
        alive = memory is not None and goes_on and log > -math.inf
        memories.append(fixed.update(memory, action, seen) if alive else None)
    return np.array(logs)


Weights = dict[Point, float]


def hidden_log_likelihood(histories: Histories, policy: Strategy) -> Floats:
    """[nodes] the log probability that I see what leads to each node, doing as I did, when the other is `policy`."""
    forward = _Forward(histories.table, histories.player, policy)
    children: list[list[int]] = [[] for _ in range(len(histories))]
    waiting: list[tuple[int, Weights | None]] = []
    for node, parent in enumerate(histories.parent):
        if parent == ROOT:
            waiting.append((node, None))
        else:
            children[parent].append(node)
    logs = np.full(len(histories), -math.inf)
    while waiting:  # depth first, so that few weights are kept at a time
        node, before = waiting.pop()
        observation = histories.seen[node]
        after = (
            forward.begin(observation) if before is None else forward.step(before, histories.place[node], observation)
        )
        total = math.fsum(after.values())
        if total > 0:
            logs[node] = math.log(total) + (logs[histories.parent[node]] if before is not None else 0.0)
            scaled = {point: weight / total for point, weight in after.items()}
            waiting += [(child, scaled) for child in children[node]]
    return logs


class _Forward:
    """Pairs of a state and the opponent's memory, and where they lead, asked once each."""

    def __init__(self, table: Table, player: int, policy: Strategy) -> None:
        self.game, self.player = InducedGame(TableSimulator(table), {1 - player: policy}, sys.maxsize), player
        self.after: dict[tuple[Point, int], dict[int, list[tuple[Point, float]]]] = {}

    def begin(self, observation: int) -> Weights:
        """The start, as far as it looks like `observation` to me."""
        return _summed((point, p) for point, _, p in self.game.start(observation))

    def step(self, before: Weights, place: int, observation: int) -> Weights:
        """One step further: my move is the one at `place` of what I was offered, WAIT where I was not asked."""
        return _summed(
            (point, weight * p)
            for earlier, weight in before.items()
            for point, p in self._after(earlier, place).get(observation, ())
        )

    def _after(self, point: Point, place: int) -> dict[int, list[tuple[Point, float]]]:
        """By what I see of it, where a pair leads; nowhere when it does not ask me what I was asked."""
        successors = self.after.get((point, place))
        if successors is None:
            successors = self.after[point, place] = {}
            fits = (point.place >= 0) == (place != WAIT)
            for after, event, p in self.game.after(point, place) if fits else ():
                successors.setdefault(self.game.simulator.observed(event, self.player), []).append((after, p))
        return successors


def _summed(pairs: Iterable[tuple[Point, float]]) -> Weights:
    weights: Weights = {}
    for point, weight in pairs:
        weights[point] = weights.get(point, 0.0) + weight
    return weights


def histories_for(table: Table, player: int, log: Sequence[Record], view: int | None = None) -> Histories:
    """What a log tells about `player`: its own histories, or with a `view` only those of the other player."""
    players = len(table.players)
    if view is not None and (players != 2 or view != 1 - player):
        raise FormError(
            f"{table.spec} has {players} players and the view is player {view}'s, expected 2 players and the other "
            f"player than {player}; leave the view out where the log holds what player {player} saw"
        )
    return Histories(table, player if view is None else view, log)


def log_likelihoods(histories: Histories, player: int, policies: Sequence[Strategy]) -> Floats:
    """[games, policies] the log likelihood of each game if `player` played each policy; minus infinity where it cannot.

    From the player's own histories: the probability of its moves. From the other's: of all that the other saw, given
    the other's moves. Only differences between policies mean anything.
    """
    judge = shown_log_likelihood if histories.player == player else hidden_log_likelihood
    columns = [judge(histories, policy)[histories.end] for policy in policies]
    return np.stack(columns, axis=1) if columns else np.zeros((len(histories.end), 0))
