"""Every history of a small game of OpenSpiel's, and what its players can tell apart: without a clock, and with one.

OpenSpiel's players know their own information states and moves, and nothing of how much happened in between. Fogbound's
see every step go by. So, where histories can be counted, it is looked whether the clock of moves tells anybody more,
and whether equal strings stand for different pasts of their reader, who then forgets.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fogbound.core.cancel import check
from fogbound.files.gambit.efg import CHANCE, ExtensiveFile, MoveSet
from fogbound.files.gambit.forms import simple, summing
from fogbound.interop.openspiel.moves import WAIT, MoveByMove, after_move

PROBES = 9  # random games that tell how many histories there may be
MOST_MOVES = 240  # in random games that are only looked at
LOOKS = 1_000  # histories between two looks at the clock


@dataclass
class HistoryTree:
    """What was found in a walk over all histories.

    Parameters
    ----------
    file
        The tree, with information sets that keep what their players knew before: own sets and moves, no clock.
    moved : [N]
        What each node adds to OpenSpiel's history of the node above.
    clock_tells
        What OpenSpiel tells a player whom the clock of moves would tell more; None where it tells nobody anything.
    forgets
        What OpenSpiel tells a player after different own pasts; None where all strings keep them.
    """

    file: ExtensiveFile
    moved: list[tuple[int, ...]] = field(default_factory=list)
    clock_tells: str | None = None
    forgets: str | None = None

    def path(self, node: int) -> tuple[int, ...]:
        """OpenSpiel's history of a node, flat."""
        found: list[tuple[int, ...]] = []
        while node >= 0:
            found.append(self.moved[node])
            node = self.file.parent[node]
        return tuple(number for numbers in reversed(found) for number in numbers)


def histories(rules: MoveByMove, limit: int) -> HistoryTree | None:
    """All histories of a game that tells information states; None where there are more than `limit`.

    Parameters
    ----------
    rules
        The game, move by move.
    limit
        How many histories there may be.
    """
    return None if _surely_over(rules, limit) else _Walk(rules, limit).found()


def _surely_over(rules: MoveByMove, limit: int) -> bool:
    """Whether random games say that there are far too many to begin (Knuth 1975), always the same ones."""
    rng, estimates = random.Random(0), []
    for _ in range(PROBES):
        at, width, total = rules.source.new_initial_state(), 1.0, 1.0
        while not at.is_terminal() and total <= 100 * limit:
            if at.is_simultaneous_node():
                lists = [at.legal_actions(player) or [0] for player in range(len(rules.players))]
                move: Any = tuple(rng.choice(listed) for listed in lists)
                for listed in lists:
                    width *= len(listed)
            else:
                listed = [a for a, _ in at.chance_outcomes()] if at.is_chance_node() else at.legal_actions()
                move = rng.choice(listed)
                width *= len(listed)
            at, total = after_move(at, move), total + width
        estimates.append(total)
    return sorted(estimates)[PROBES // 2] > 3 * limit


class Glimpse(NamedTuple):
    """What some random games showed of a game whose histories are too many to look at.

    Parameters
    ----------
    clock_tells, forgets
        As in `HistoryTree`. None says that nothing was seen, which shows nothing.
    """

    clock_tells: str | None = None
    forgets: str | None = None


def glimpse(rules: MoveByMove, most: int = MOST_MOVES) -> Glimpse:
    """Whether random games show that the clock tells, or that somebody forgets; always the same games.

    Parameters
    ----------
    rules
        The game, move by move.
    most
        After how many moves no further game is begun.
    """
    rng, made, clock_tells, forgets = random.Random(0), 0, None, None
    first: dict[tuple[int, str], tuple[int, int]] = {}  # what was told -> (step, own past as a number)
    pasts: dict[Hashable, int] = {}
    while made < most:
        at, step, own = rules.source.new_initial_state(), 0, [0] * len(rules.players)
        while not at.is_terminal() and made < 2 * most:
            made += 1
            if at.is_chance_node():
                numbers, chances = zip(*at.chance_outcomes())
                at.apply_action(rng.choices(numbers, chances)[0])
                step += not rules.folds
                continue
            joint = []
            for player, string in enumerate(rules.told(at)):
                joint.append(rng.choice(at.legal_actions(player)) if string is not None else 0)
                if string is None:
                    continue
                own[player] = pasts.setdefault((own[player], string), len(pasts) + 1)
                before = first.setdefault((player, string), (step, own[player]))
                clock_tells = clock_tells or (string if before[0] != step else None)
                forgets = forgets or (string if before[1] != own[player] else None)
                own[player] = pasts.setdefault((own[player], joint[-1]), len(pasts) + 1)
            together = at.is_simultaneous_node()
            at.apply_actions(joint) if together else at.apply_action(joint[at.current_player()])
            step += 1
    return Glimpse(clock_tells, forgets)


class _Visit(NamedTuple):
    """A node to come: OpenSpiel's state, and what each player has of the past."""

    at: Any
    up: int
    moved: tuple[int, ...]
    known: tuple[Hashable, ...]  # by player: the number of what it knows without a clock
    clocked: tuple[int, ...]  # by player: the number of what it remembers with one
    acted: tuple[str | None, ...]  # by player: what it did since the last step
    deciding: tuple[int, ...] = ()  # who is still to choose at this state; () before anybody was told anything
    chosen: tuple[int, ...] = ()  # what the players before them do


class _Walk:
    """The walk itself: depth first, so that the file is written in its own order."""

    def __init__(self, rules: MoveByMove, limit: int) -> None:
        self.rules, self.limit, self.many = rules, limit, len(rules.players)
        self.nobody = (None,) * self.many
        text = str(rules)
        self.result = HistoryTree(ExtensiveFile(text, text, rules.players))
        self.sets: dict[tuple[int, Hashable], int] = {}  # (player, what it knows) -> index of its set
        self.numbers = [0] * self.many
        self.lotteries: dict[tuple[tuple[int, float], ...], int] = {}
        self.ends: dict[tuple[float, ...], int] = {}  # what is paid -> the number of the outcome
        self.memories: dict[Hashable, int] = {}
        self.by_known: dict[int, int] = {}
        self.by_string: dict[tuple[int, str], int] = {}

    def found(self) -> HistoryTree | None:
        waiting = [_Visit(self.rules.source.new_initial_state(), -1, (), self.nobody, (0,) * self.many, self.nobody)]
        file, made = self.result.file, self.result.moved
        while waiting:
            if len(made) >= self.limit:
                return None
            if len(made) % LOOKS == 0:
                check()
            visit = waiting.pop()
            file.parent.append(visit.up)
            made.append(visit.moved)
            waiting += self._below(visit, len(made) - 1)[::-1]
        return self.result

    def _below(self, visit: _Visit, node: int) -> list[_Visit]:
        at = visit.at
        if at.is_terminal():
            self._end(tuple(at.returns()))
            return []
        self.result.file.outcome.append(0)
        if at.is_chance_node():
            return self._chance(visit, node)
        return self._decision(visit if visit.deciding else self._told(visit), node)

    def _end(self, returns: tuple[float, ...]) -> None:
        file = self.result.file
        number = self.ends.get(returns)
        if number is None:
            number = self.ends[returns] = len(self.ends) + 1
            file.outcomes[number] = ("", tuple(map(simple, returns)))
        file.set_of.append(-1)
        file.outcome.append(number)

    def _chance(self, visit: _Visit, node: int) -> list[_Visit]:
        file, at = self.result.file, visit.at
        drawn = tuple((number, p) for number, p in at.chance_outcomes() if p > 0)
        index = self.lotteries.get(drawn)
        if index is None:
            index = self.lotteries[drawn] = len(file.sets)
            words = tuple(str(number) for number, _ in drawn)
            file.sets.append(MoveSet(CHANCE, len(self.lotteries), "", words, summing([p for _, p in drawn])))
        file.set_of.append(index)
        clocked, acted = visit.clocked, visit.acted
        if not self.rules.folds:  # a step of its own, at which everybody waits
            clocked = self._remembering(clocked, acted, self.nobody)
            acted = (WAIT,) * self.many
        return [_Visit(after_move(at, number), node, (number,), visit.known, clocked, acted) for number, _ in drawn]

    def _told(self, visit: _Visit) -> _Visit:
        """Whoever decides here is told its information state: what it knows without a clock, and with one."""
        at = visit.at
        told = self.rules.told(at)
        known, deciding = list(visit.known), []
        clocked = self._remembering(visit.clocked, visit.acted, told)
        for player, string in enumerate(told):
            if string is None:
                continue
            deciding.append(player)
            knows = self._numbered(("told", player, visit.known[player], string))
            known[player] = knows
            if self.by_known.setdefault(knows, clocked[player]) != clocked[player]:
                self.result.clock_tells = self.result.clock_tells or string
            if self.by_string.setdefault((player, string), knows) != knows:
                self.result.forgets = self.result.forgets or string
            self._describe(at, player, knows, string)
        return _Visit(at, visit.up, (), tuple(known), clocked, self.nobody, tuple(deciding))

    def _describe(self, at: Any, player: int, knows: int, string: str) -> None:
        """The information set of whoever is told this; the same moves wherever it is told."""
        labels = self.rules.menu_of(at, player)[0]
        if (player, knows) not in self.sets:
            self.sets[player, knows] = len(self.result.file.sets)
            self.numbers[player] += 1
            self.result.file.sets.append(MoveSet(player, self.numbers[player], string, labels))
        self.rules.require_same_menu(self.result.file.sets[self.sets[player, knows]].moves, labels, player)

    def _remembering(
        self, clocked: tuple[int, ...], acted: tuple[str | None, ...], told: tuple[str | None, ...]
    ) -> tuple[int, ...]:
        """One step more in everybody's memory."""
        return tuple([self._numbered((player, *one)) for player, one in enumerate(zip(clocked, acted, told))])

    def _numbered(self, what: Hashable) -> int:
        return self.memories.setdefault(what, len(self.memories) + 1)

    def _decision(self, visit: _Visit, node: int) -> list[_Visit]:
        """One player's choice; of a simultaneous move that of the next who has not chosen."""
        at, (player, *rest) = visit.at, visit.deciding
        index = self.sets[player, visit.known[player]]
        self.result.file.set_of.append(index)
        idle, behind = tuple[int, ...](), tuple[int, ...]()  # of a simultaneous move: those who take no part
        if at.is_simultaneous_node():
            idle = (0,) * (player - len(visit.chosen))
            behind = () if rest else (0,) * (self.many - player - 1)
        found = []
        for label, number in zip(self.result.file.sets[index].moves, at.legal_actions(player)):
            knows = self._numbered(("did", player, visit.known[player], label))
            known = (*visit.known[:player], knows, *visit.known[player + 1 :])
            acted = (*visit.acted[:player], label, *visit.acted[player + 1 :])
            adds = (*idle, number, *behind)
            joint = (*visit.chosen, *adds)
            if rest:
                found.append(_Visit(at, node, adds, known, visit.clocked, acted, tuple(rest), joint))
            else:
                after = after_move(at, joint if at.is_simultaneous_node() else number)
                found.append(_Visit(after, node, adds, known, visit.clocked, acted))
        return found
