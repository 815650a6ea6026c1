"""A tree or a matrix of ours as a file of Gambit's.

Floats become the simplest fractions that are read back as the same floats; the probabilities of a lottery are made to
sum to 1 exactly, as other readers want them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

from fogbound.core.errors import FormError
from fogbound.files.gambit.extensive import CHANCE, END, ExtensiveFile, MoveSet
from fogbound.files.gambit.nfg import StrategicFile
from fogbound.files.gambit.structure import menu
from fogbound.forms.normal import NormalForm
from fogbound.forms.tree import Tree

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
