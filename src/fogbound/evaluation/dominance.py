"""What no careful player plays: pure strategies that another does better than, whatever the others do.

Taking strictly dominated strategies away, again and again, loses no equilibrium, and the order does not
matter. Taking weakly dominated ones away can lose equilibria (never all), and here all that are dominated go
at once, players included, so that the result is still determined. Dominance by mixed strategies needs linear
programs: `fogbound.solvers.matrix.dominance`.

Short names for pure strategies: the action where one is chosen, else one letter for each information set.

`rock` is a strategy of one choice. Where there are several, names are those of tables on slides: King-Ace's `rk` raises
with the ace and checks with the king. A dot stands where the strategy's own earlier moves rule the information set out;
forced moves are not written. Where letters cannot tell the moves apart, strategies are numbered.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from fogbound.core.errors import one_line
from fogbound.core.game import AnyGame
from fogbound.forms.arrays import Floats
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import Form, derive

MOST_SETS = 12  # a name with more letters than this is no name
LONGEST = 12  # letters of an action that is a name itself
RULED_OUT, NOTHING_TO_DO = "·", "–"


@dataclass(frozen=True)
class StrategyNames:
    """The pure strategies of each player by name, and what the letters mean (None: they are numbers; {}: words)."""

    strategies: tuple[tuple[str, ...], ...]
    letters: tuple[dict[Hashable, str] | None, ...]


def strategy_names(form: NormalForm, describe: Callable[[Any], str] = str) -> StrategyNames:
    """A name for every pure strategy. Letters are told apart over all players where that is possible."""
    legal_sets = [_moves(form, i) for i in range(len(form.weights))]
    of_all = letters(dict.fromkeys(move for legal in legal_sets for move in legal), describe)
    spellings: list[dict[Hashable, str] | None] = []
    for i, legal in enumerate(legal_sets):
        short = of_all or letters(legal, describe)
        spellings.append(short if len(choices(form, i)) <= MOST_SETS else None)
    listed = [_spelled(form, i, short) for i, short in enumerate(spellings)]
    for i, in_words in enumerate(_words(form, i, describe) for i in range(len(listed))):
        if in_words:
            listed[i], spellings[i] = in_words, {}
    return StrategyNames(tuple(listed), tuple(spellings))


def choices(form: NormalForm, player: int) -> list[int]:
    """The information sets in which the player has a choice: a letter each, in this order."""
    tree = form.sequence.decisions
    return [h for h in tree.sets_of(player).tolist() if tree.set_size[h] > 1]


def letters(moves: Iterable[Hashable], describe: Callable[[Any], str] = str) -> dict[Hashable, str] | None:
    """A character for each move, all different; None where there are none that a reader would guess.

    Moves that differ in one character only (`bid 1`, `bid 2`) are told by it. Of words the shortest has its
    initial, the next one its initial or else its last free letter: `call` is c, `check` is k, as in poker.
    """
    words = {move: one_line(describe(move)) for move in moves}
    marks = _differing(list(words.values()))
    if marks:
        return dict(zip(words, marks))
    letter: dict[Hashable, str] = {}
    for move in sorted(words, key=lambda move: len(words[move])):  # stable: equal lengths keep their order
        word = words[move].lower() if len(words[move]) > 1 else words[move]
        free = [c for c in word[:1] + word[::-1] if c.isalpha() and c not in letter.values()]
        if not free or (len(word) > 1 and not word[0].isalpha()):
            return None
        letter[move] = free[0]
    return {move: letter[move] for move in words}


def _differing(words: list[str]) -> list[str] | None:
    """What is left of words without their common beginning and end, where that is one character of each."""
    if len(words) < 2:
        return words if words and len(words[0]) == 1 else None
    start = _shared(words)
    end = _shared([word[start:][::-1] for word in words])
    marks = [word[start : len(word) - end] for word in words]
    alike = all(len(mark) == 1 and mark.isalnum() for mark in marks) and len(set(marks)) == len(marks)
    return marks if alike else None


def _shared(words: list[str]) -> int:
    """How many characters all words begin with."""
    return next((k for k, column in enumerate(zip(*words)) if len(set(column)) > 1), min(map(len, words)))


def _moves(form: NormalForm, player: int) -> dict[Hashable, None]:
    """All moves that a player may choose, in the order in which its information sets offer them."""
    tree = form.sequence.decisions
    return dict.fromkeys(move for h in choices(form, player) for move in tree.moves(h))


def _words(form: NormalForm, player: int, describe: Callable[[Any], str]) -> tuple[str, ...] | None:
    """The player's strategies by their actions, where each is one action with a short name of its own."""
    sets = choices(form, player)
    if len(sets) != 1:
        return None
    actions = {k: one_line(describe(move)) for k, move in enumerate(form.sequence.decisions.moves(sets[0]))}
    if len(set(actions.values())) < len(actions) or max(map(len, actions.values())) > LONGEST:
        return None
    chosen = _chosen(form, player, sets[0])
    return tuple(actions[k] for k in chosen) if len(set(chosen)) == len(chosen) and min(chosen) >= 0 else None


def _chosen(form: NormalForm, player: int, infoset: int) -> list[int]:
    """Which of an information set's moves each strategy makes; -1 where it rules the set out."""
    tree = form.sequence.decisions
    first = int(tree.set_first[infoset])
    part = form.weights[player][:, first : first + len(tree.moves(infoset))]
    return list(np.where(part.any(axis=1), part.argmax(axis=1), -1).tolist())


def _spelled(form: NormalForm, player: int, short: dict[Hashable, str] | None) -> tuple[str, ...]:
    rows, tree = form.weights[player], form.sequence.decisions
    if short is None:
        return tuple(str(j + 1) for j in range(len(rows)))
    spelled = [""] * len(rows)
    for h in choices(form, player):
        moves, chosen = tree.moves(h), _chosen(form, player, h)
        spelled = [name + (short[moves[k]] if k >= 0 else RULED_OUT) for name, k in zip(spelled, chosen)]
    return tuple(name or NOTHING_TO_DO for name in spelled)


SLACK = 1e-13  # of the largest payoff: differences below are rounding
GLANCE = 16  # situations that rule most rivals out
MixedStrategy = Mapping[int, float]  # strategy -> probability
# (payoffs of each strategy against all that the others may do, which strategy, strictly?, slack) -> what dominates it
Dominator = Callable[[Floats, int, bool, float], MixedStrategy | None]


@dataclass(frozen=True)
class Removed:
    """A pure strategy that was taken away, and the pure or mixed one that does better: in words, and as it is."""

    player: int
    strategy: int
    label: str
    by: str
    mixture: tuple[tuple[int, float], ...] = ()  # (strategy, probability) of what does better


@dataclass(frozen=True, eq=False)
class Elimination:
    """What iterated dominance leaves of a matrix game: strategies by number, and their payoffs.

    Attributes
    ----------
    strict
        Whether only strictly dominated strategies were removed.
    rounds
        What was removed, round by round.
    kept
        The strategies that are left, of each player.
    payoff : [kept of 0, kept of 1, …, n]
        The payoffs of what is left.
    """

    strict: bool
    rounds: tuple[tuple[Removed, ...], ...]
    kept: tuple[tuple[int, ...], ...]
    payoff: Floats = field(repr=False)  # [kept of 0, kept of 1, …, n]

    @property
    def removed(self) -> dict[tuple[int, int], tuple[int, Removed]]:
        """(player, strategy) -> (round, counted from 1, what was said of it)."""
        numbered = enumerate(self.rounds, 1)
        return {(gone.player, gone.strategy): (number, gone) for number, round_ in numbered for gone in round_}


def pure_dominator(payoff: Floats, strategy: int, strict: bool, slack: float) -> MixedStrategy | None:
    """The first pure strategy that dominates `strategy`."""
    rivals = np.flatnonzero((payoff[:, :GLANCE] >= payoff[strategy, :GLANCE] - slack).all(axis=1))  # few are left
    gain = payoff[rivals] - payoff[strategy]
    if strict:
        better = (gain > slack).all(axis=1)
    else:
        better = (gain > slack).any(axis=1) & (gain >= -slack).all(axis=1)
    return {int(rivals[better.argmax()]): 1.0} if better.any() else None


def iterated_dominance(form: AnyGame | Form, strict: bool = True, dominator: Dominator = pure_dominator) -> Elimination:
    """Take dominated strategies away, round by round, until there are none.

    Parameters
    ----------
    form
        The normal form, or what it can be derived from.
    strict
        Whether a strategy must do worse whatever the others do; otherwise never better and sometimes worse suffices,
        which can lose equilibria (never all).
    dominator
        What finds a strategy that dominates a given one: by default among pure strategies; among mixed ones with
        `fogbound.solvers.matrix.dominance.mixed_dominator`.

    Returns
    -------
    Elimination
        What was removed in each round and by what, what is kept, and its payoffs.

    Examples
    --------
    >>> import fogbound as fb
    >>> left = fb.evaluation.iterated_dominance(fb.forms.normal(fb.game("king-ace")), strict=False)
    >>> left.kept, len(left.rounds)
    (((1,), (1,)), 2)
    """
    form = derive(form, NormalForm)
    labels, payoff, rounds = strategy_names(form).strategies, form.payoff, list[tuple[Removed, ...]]()
    kept = [list(range(len(w))) for w in form.weights]
    slack = SLACK * float(np.abs(payoff).max(initial=0.0))
    while True:
        gone: list[Removed] = []
        for i, mine in enumerate(kept):
            own = np.moveaxis(payoff[..., i], i, 0).reshape(len(mine), -1)
            for k, strategy in enumerate(mine):
                by = dominator(own, k, strict, slack)
                if by is not None:
                    better = _mixed({labels[i][mine[other]]: p for other, p in by.items()})
                    mixture = tuple((mine[other], p) for other, p in by.items())
                    gone.append(Removed(i, strategy, labels[i][strategy], better, mixture))
        if not gone:
            return Elimination(strict, tuple(rounds), tuple(map(tuple, kept)), payoff)
        rounds.append(tuple(gone))
        lost = {(r.player, r.strategy) for r in gone}
        for i, mine in enumerate(kept):
            stays = [k for k, strategy in enumerate(mine) if (i, strategy) not in lost]
            payoff, kept[i] = np.take(payoff, stays, axis=i), [mine[k] for k in stays]


def _mixed(labels: Mapping[str, float]) -> str:
    """A mixed strategy in words, such as `1/2 rk + 1/2 kk`."""
    if len(labels) == 1:
        return next(iter(labels))
    return " + ".join(f"{_share(p)} {label}" for label, p in labels.items())


def _share(p: float) -> str:
    simple = Fraction(p).limit_denominator(60)
    return str(simple) if abs(float(simple) - p) < 1e-9 else f"{p:.3g}"


def pure_equilibria(form: AnyGame | Form) -> list[tuple[int, ...]]:
    """The cells in which every player's strategy is a best reply; saddle points where the sum is constant.

    Parameters
    ----------
    form
        The normal form, or what it can be derived from.

    Returns
    -------
    list of tuples
        The strategies of the players, by number; [] where every equilibrium mixes.

    Examples
    --------
    >>> import fogbound as fb
    >>> fb.evaluation.pure_equilibria(fb.forms.normal(fb.game("king-ace")))
    [(1, 1), (3, 1)]
    """
    payoff = derive(form, NormalForm).payoff
    stable = np.ones(payoff.shape[:-1], bool)
    slack = SLACK * float(np.abs(payoff).max(initial=0.0))
    for i in range(payoff.shape[-1]):
        stable &= payoff[..., i] >= payoff[..., i].max(axis=i, keepdims=True) - slack
    return [tuple(cell) for cell in np.argwhere(stable).tolist()]
