"""Choices that are made apart from each other, what each is worth, and how that changes with what the others do.

In the *agent form* (Selten 1975; McKelvey and Palfrey 1998) every information set chooses for itself, and a choice is
worth what its owner gets on average once the set is reached. In the *normal form* (McKelvey and Palfrey 1995) a player
chooses among its strategies, once: one information set a player, and the cells of the matrix are the ends.

Everything is computed from logarithms of probabilities, so that choices which rational players hardly ever make, and
sets which they hardly ever reach, keep all their digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fogbound.core.errors import LimitError, one_line
from fogbound.evaluation.dominance import strategy_names
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.decisions import History
from fogbound.forms.normal import NormalForm
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.equilibrium import behaviour_of

MOST_CHOICES = 600  # whose matrix is factorised at every step
MOST_ENDS = 200_000


@dataclass(frozen=True, eq=False)
class LogitChoices:
    """K choices in sets that choose apart, E ends that they lead to, N ways in which sets are reached.

    Parameters
    ----------
    form
        The sequence form that answers are about.
    owner, place : [K]
        The player and the set (numbered over all players) of each choice; those of a set are neighbours.
    labels
        Each choice in words.
    through : sparse [E, K]
        1 where an end lies behind a choice.
    before : [K, K]
        1 where a choice's own player must have made another (or this one) to make it.
    chance, payoff : [E], [E, n]
        The logarithm of chance's part, and what is paid, in units of `scale`.
    reaching : sparse [N, K]
        For each way to reach a set, 1 for the choices of the others on it.
    reached, luck : [N]
        The set that is reached, and the logarithm of chance's part.
    scale
        The widest range of a player's payoffs.
    """

    form: SequenceForm
    owner: Longs
    place: Longs
    labels: tuple[str, ...]
    through: Any  # scipy sparse
    before: Floats
    chance: Floats
    payoff: Floats
    reaching: Any  # scipy sparse
    reached: Longs
    luck: Floats
    scale: float
    matrix: NormalForm | None = None

    @cached_property
    def first(self) -> Longs:
        """[sets] the first choice of each."""
        return np.flatnonzero(np.diff(self.place, prepend=-1)).astype(np.int64)

    @cached_property
    def uniform(self) -> Floats:
        return np.asarray(1.0 / np.bincount(self.place)[self.place])

    @cached_property
    def behind(self) -> tuple[Longs, Longs]:
        """The pairs of an end and a choice before it."""
        pairs = self.through.tocoo()
        return pairs.row.astype(np.int64), pairs.col.astype(np.int64)

    def values(self, b: Floats) -> tuple[Floats, Floats]:
        """([K] what each choice is worth once its set is reached, [K, K] its derivatives by the logarithms b)."""
        from scipy.sparse import csr_matrix

        ends, ways = self.chance + self.through @ b, self.luck + self.reaching @ b
        top = np.full(len(self.first), -np.inf)
        np.maximum.at(top, self.reached, ways)
        weight = np.exp(ways - top[self.reached])
        total = np.bincount(self.reached, weight, len(top))
        log_reach = top + np.log(total)  # [sets]
        belief = weight / total[self.reached]  # [N] of the ways, given the set
        end, choice = self.behind
        given = ends[end] - (self.before @ b + log_reach[self.place])[choice]
        likely = np.exp(np.minimum(given, 0.0))  # of an end, once the set is reached and the choice made
        paid = likely * self.payoff[end, self.owner[choice]]
        worth: Floats = np.bincount(choice, paid, len(b)).astype(np.float64)
        held = csr_matrix((belief, (self.reached, np.arange(len(belief)))), (len(top), len(belief))) @ self.reaching
        moved = csr_matrix((paid, (choice, end)), (len(b), len(ends))) @ self.through
        slope = moved.toarray() - worth[:, None] * (self.before + held.toarray()[self.place])
        return worth, slope

    def played(self, x: Floats) -> list[Floats]:
        """Probabilities of the choices as behaviour of each player on the tree."""
        total = np.bincount(self.place, x)[self.place]
        even = np.where(total > 0, x / np.where(total > 0, total, 1.0), self.uniform)
        parts = [even[self.owner == i] for i in range(len(self.form.players))]
        if self.matrix is not None:
            return behaviour_of(self.matrix, parts)
        return [np.concatenate([[1.0], part]) for part in parts]


def _range(payoff: Floats) -> float:
    return float(np.ptp(payoff, axis=0).max(initial=0.0)) or 1.0


def _require_small(spec: str, choices: int, ends: int) -> None:
    if choices > MOST_CHOICES or ends > MOST_ENDS:
        raise LimitError(
            f"quantal-response: {spec} has {choices:,} choices and {ends:,} ends, over the {MOST_CHOICES} and "
            f"{MOST_ENDS:,} that it takes; use cfr, which reports regret"
        )


def agent_form(form: SequenceForm) -> LogitChoices:
    """Every information set of a tree chooses for itself."""
    from scipy.sparse import csr_matrix

    tree = form.tree
    _require_small(form.spec, form.size - len(form.plexes), len(tree.ends))
    offset = np.cumsum([0, *(plex.sequences - 1 for plex in form.plexes)])
    many, owner, place, labels, sets = int(offset[-1]), list[int](), list[int](), list[str](), 0
    before = np.zeros((many, many))
    for i, plex in enumerate(form.plexes):
        for h, parent, first, size in zip(plex.sets.tolist(), plex.parent, plex.first, plex.size.tolist()):
            for k, move in enumerate(form.decisions.moves(h)):
                here = offset[i] + first - 1 + k
                before[here] = before[offset[i] + parent - 1] if parent else 0.0
                before[here, here] = 1.0
                labels.append(_label(form, i, h, move))
            owner += [i] * size
            place += [sets] * size
            sets += 1
    follows = [np.vstack([np.zeros(many), before[offset[i] : offset[i + 1]]]) for i in range(len(form.plexes))]
    number = {h: s for s, h in enumerate(h for plex in form.plexes for h in plex.sets.tolist())}
    nodes = np.flatnonzero((tree.infoset >= 0) & (tree.reach > 0))
    ends = tree.ends[tree.reach[tree.ends] > 0]
    sequence = _last_moves(form)
    through = sum(follow[sequence[ends, i]] for i, follow in enumerate(follows))
    reaching = sum(follow[sequence[nodes, i]] * (tree.mover[nodes] != i)[:, None] for i, follow in enumerate(follows))
    payoff = tree.payoff[ends]
    scale = _range(payoff)
    return LogitChoices(
        form,
        *(np.array(owner), np.array(place), tuple(labels), csr_matrix(through), before, np.log(tree.reach[ends])),
        (payoff - payoff.mean(axis=0)) / scale,
        *(csr_matrix(reaching), np.array([number[int(tree.infoset[v])] for v in nodes]), np.log(tree.reach[nodes])),
        scale,
    )


def _last_moves(form: SequenceForm) -> Longs:
    """[nodes, players] the sequence that each player has followed to a node, moves of the same step included."""
    tree = form.tree
    mover, infoset, parent = tree.mover.tolist(), tree.infoset.tolist(), tree.parent.tolist()
    followed = np.zeros((tree.size, len(form.players)), np.int64)
    for node in range(1, tree.size):
        above = parent[node]
        followed[node] = followed[above]
        if mover[above] >= 0:
            followed[node, mover[above]] = tree.set_first[infoset[above]] + node - tree.child[above]
    return followed


def _label(form: SequenceForm, player: int, infoset: int, move: object) -> str:
    """A choice in words: who, what it knows where that must be told, and the move."""
    alone = len(form.plexes[player].sets) == 1
    known = [] if alone else [_known(form.decisions.history(player, int(form.decisions.set_memory[infoset])))]
    return ": ".join([form.players[player], *known, str(move)])


def _known(history: History) -> str:
    """What a player has seen and done, as short as it can be told."""
    first, *steps = history or (None,)
    seen = [*(first or ()), *(part for action, observation in steps for part in (action, *observation))]
    told = list(dict.fromkeys(str(part) for part in seen if part is not None))
    return one_line(", ".join(told) or "at first", 40).replace(": ", " ")


def normal_form(matrix: NormalForm) -> LogitChoices:
    """Every player chooses one of its strategies, once."""
    from scipy.sparse import csr_matrix

    shape = matrix.payoff.shape[:-1]
    many, cells = sum(shape), int(np.prod(shape, dtype=np.int64))
    _require_small(matrix.spec, many, cells)
    owner: Longs = np.repeat(np.arange(len(shape)), shape)
    offset = np.cumsum([0, *shape])
    chosen = np.array(np.unravel_index(np.arange(cells), shape)) + offset[:-1, None]  # [players, cells]
    places = (np.tile(np.arange(cells), len(shape)), chosen.ravel())
    through = csr_matrix((np.ones(chosen.size), places), (cells, many))
    payoff = matrix.payoff.reshape(cells, -1)
    scale, names = _range(payoff), strategy_names(matrix, str).strategies
    return LogitChoices(
        matrix.sequence,
        *(owner, owner, _named(matrix, names), through, np.eye(many), np.zeros(cells)),
        (payoff - payoff.mean(axis=0)) / scale,
        *(csr_matrix((len(shape), many)), np.arange(len(shape)), np.zeros(len(shape)), scale, matrix),
    )


def _named(matrix: NormalForm, names: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(f"{player}: {name}" for player, listed in zip(matrix.players, names) for name in listed)
