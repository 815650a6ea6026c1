"""Forms and files: the tree form straight from a file, and a tree or a matrix of ours as a file of Gambit's.

A game that can be solved and not played, since its times do not align, becomes a tree form. There a player knows its
own information sets and moves, one after the other, and nothing of how much happened between. In a file floats become
the simplest fractions that are read back as the same floats; the probabilities of a lottery are made to sum to 1
exactly, as other readers want them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from fogbound.core.errors import FormError
from fogbound.core.game import Observation
from fogbound.files.gambit.efg import CHANCE, END, ExtensiveFile, MoveSet
from fogbound.files.gambit.nfg import StrategicFile
from fogbound.files.gambit.structure import PERFECT, menu, recall, set_labels
from fogbound.forms.normal import NormalForm
from fogbound.forms.tree import Tree

NOTHING = 0  # the number of the observation that shows nothing


def tree_of(file: ExtensiveFile) -> Tree:
    """The tree form of a file whose players have perfect recall.

    Parameters
    ----------
    file
        The file.

    Raises
    ------
    FormError
        A player forgets what it did or knew.
    """
    called = set_labels(file)
    if (found := recall(file)).kind != PERFECT:
        raise FormError(f"{file.path}: {found.kind} recall ({called[found.index]}), so there is no tree form")
    return _Builder(file, called).tree()


class _Builder:
    """Nodes breadth first, and what every player knows at each of them."""

    def __init__(self, file: ExtensiveFile, called: list[str]) -> None:
        self.file, self.called, self.many = file, called, len(file.players)
        self.actions: dict[Hashable, int] = {}
        self.menus: dict[tuple[str, ...], int] = {}
        self.seen: list[dict[Observation, int]] = [{Observation(None, None): NOTHING} for _ in range(self.many)]
        self.trie = [(-1, 0, 0, -1)] * self.many  # (up, code's parts …) of memories; the first are the players' own
        self.steps: list[tuple[int, int]] = [(0, NOTHING)] * self.many  # (own action + 1, what is seen)
        self.sets: dict[int, int] = {}  # the file's index -> ours
        self.rows: list[tuple[int, int, int, int]] = []  # of ours: memory, menu, first sequence, owner
        self.after: dict[tuple[int, int], int] = {}  # (our set, move) -> memory
        self.sequences = [1] * self.many

    def _remember(self, up: int, action: int, seen: int, sequence: int, infoset: int) -> int:
        self.trie.append((up, 0, sequence, infoset))
        self.steps.append((action, seen))
        return len(self.trie) - 1

    def _arrive(self, index: int, memory: int) -> int:
        """Our number of an information set; its owner comes to it remembering `memory`."""
        if index in self.sets:
            return self.sets[index]
        one = self.file.sets[index]
        moves, views = menu(one.moves), self.seen[one.player]
        for move in moves:
            self.actions.setdefault(move, len(self.actions))
        seen = views.setdefault(Observation(None, self.called[index]), len(views))
        number = self.sets[index] = len(self.rows)
        here = self._remember(memory, 0, seen, self.trie[memory][2], number)
        first = self.sequences[one.player]
        self.rows.append((here, self.menus.setdefault(moves, len(self.menus)), first, one.player))
        self.sequences[one.player] += len(moves)
        for k, move in enumerate(moves):
            self.after[number, k] = self._remember(here, self.actions[move] + 1, NOTHING, first + k, -1)
        return number

    def tree(self) -> Tree:
        file, n = self.file, self.many
        children, order = file.children(), list[int]()
        waiting, size = deque([0]), file.size
        mover, parent, infoset = (np.full(size, -1, np.int32) for _ in range(3))
        child, prob, reach = np.zeros(size + 1, np.int32), np.ones(size), np.ones(size)
        payoff, memory = np.zeros((size, n)), np.zeros((size, n), np.int32)
        memory[0] = np.arange(n)
        begun = 1
        while waiting:
            old, at = waiting.popleft(), len(order)
            order.append(old)
            if file.outcome[old]:
                payoff[at] += [float(paid) for paid in file.outcomes[file.outcome[old]][1]]
            child[at] = begun
            index, below = file.set_of[old], children[old]
            mover[at] = END if index < 0 else file.sets[index].player
            if index >= 0 and mover[at] != CHANCE:
                player = int(mover[at])
                infoset[at] = self._arrive(index, int(memory[at, player]))
                memory[at, player] = self.rows[infoset[at]][0]
            for k in range(len(below)):
                new = begun + k
                parent[new], payoff[new], reach[new], memory[new] = at, payoff[at], reach[at], memory[at]
                if mover[at] == CHANCE:
                    prob[new] = float(file.sets[index].chances[k])
                    reach[new] *= prob[new]
                else:
                    memory[new, mover[at]] = self.after[int(infoset[at]), k]
            waiting.extend(below)
            begun += len(below)
        child[size] = begun
        return self._form(mover, parent, child, prob, reach, payoff, infoset, memory)

    def _form(self, mover, parent, child, prob, reach, payoff, infoset, memory) -> Tree:  # type: ignore[no-untyped-def]
        wide = [len(views) for views in self.seen]
        owner = list(range(self.many)) + [-1] * (len(self.trie) - self.many)
        for k in range(self.many, len(self.trie)):
            owner[k] = owner[self.trie[k][0]]
        code = [action * wide[who] + seen for (action, seen), who in zip(self.steps, owner)]
        up, _, sequence, asked = (np.array(column, np.int32) for column in zip(*self.trie))
        rows = np.array(self.rows, np.int32).reshape(-1, 4)
        menus = tuple(self.menus)
        return Tree(
            spec=self.file.path,
            players=menu(self.file.players),
            mover=mover,
            parent=parent,
            child=child,
            prob=prob,
            reach=reach,
            payoff=payoff,
            infoset=infoset,
            memory=memory,
            state=np.full(len(mover), -1, np.int32),
            memory_up=up,
            memory_code=np.array(code, np.int64),
            memory_sequence=sequence,
            memory_infoset=asked,
            set_memory=rows[:, 0].copy(),
            set_legal=rows[:, 1].copy(),
            set_first=rows[:, 2].copy(),
            set_owner=rows[:, 3].copy(),
            set_size=np.array([len(menus[k]) for k in rows[:, 1]], np.int32),
            legal_sets=menus,
            actions=list(self.actions),
            observations=tuple(list(views) for views in self.seen),
            states=[],
        )


SIMPLE = 10**6  # denominators up to which a fraction is taken for what was meant


def extensive_of(form: Tree, knowledge: Callable[[int], str], describe: Callable[[object], str]) -> ExtensiveFile:
    """The tree as a file says it.

    Parameters
    ----------
    form
        The tree.
    knowledge
        What an information set is called.
    describe
        What a move is called.
    """
    file = ExtensiveFile(form.spec, form.spec, form.players)
    names = menu(tuple(knowledge(infoset) for infoset in range(len(form.set_owner))))
    numbers = [0] * len(form.players)
    for infoset, name in enumerate(names):
        owner = int(form.set_owner[infoset])
        numbers[owner] += 1
        moves = menu(tuple(describe(move) for move in form.moves(infoset)))
        file.sets.append(MoveSet(owner, numbers[owner], name, moves))
    lotteries = 0
    outcomes: dict[tuple[Fraction, ...], int] = {}
    waiting = [(0, -1)]
    while waiting:
        node, up = waiting.pop()
        at, first, last = file.size, int(form.child[node]), int(form.child[node + 1])
        mover = int(form.mover[node])
        file.parent.append(up)
        if mover == END:
            pays = tuple(simple(float(paid)) for paid in form.payoff[node])
            number = outcomes.setdefault(pays, len(outcomes) + 1)
            file.outcomes.setdefault(number, ("", pays))
            file.set_of.append(-1)
            file.outcome.append(number)
            continue
        file.outcome.append(0)
        if mover == CHANCE:
            chances = summing([float(p) for p in form.prob[first:last]])
            file.set_of.append(len(file.sets))
            lotteries += 1
            moves = tuple(str(k + 1) for k in range(last - first))
            file.sets.append(MoveSet(CHANCE, lotteries, "", moves, chances))
        else:
            file.set_of.append(int(form.infoset[node]))
        waiting += [(child, at) for child in range(last - 1, first - 1, -1)]
    return file


def strategic_of(form: NormalForm, describe: Callable[[object], str]) -> StrategicFile:
    """The matrix as a file says it: a strategy is called by its moves.

    Parameters
    ----------
    form
        The normal form.
    describe
        What a move is called.
    """
    names = tuple(
        menu(tuple(" ".join(describe(move) for move in words.values()) or "nothing" for words in strategies))
        for strategies in form.strategies
    )
    cells = product(*(range(len(listed)) for listed in reversed(names)))
    payoffs = tuple(tuple(simple(float(paid)) for paid in form.payoff[tuple(reversed(cell))]) for cell in cells)
    return StrategicFile(form.spec, form.spec, "", form.players, names, payoffs)


def simple(value: float) -> Fraction:
    """The simplest fraction that is read as this float: 1/3 where that was meant, else its decimals."""
    near = Fraction(value).limit_denominator(SIMPLE)
    return near if float(near) == value else Fraction(repr(value))


def summing(values: Sequence[float]) -> tuple[Fraction, ...]:
    """Probabilities as fractions that sum to 1; what rounding left over goes to the largest."""
    found = [simple(value) for value in values]
    left = 1 - sum(found, Fraction(0))
    if abs(left) > Fraction(1, 10**9):
        raise FormError(f"found probabilities that sum to {float(1 - left):.12g}, expected 1")
    largest = max(range(len(found)), key=lambda k: found[k])
    found[largest] += left
    return tuple(found)
