"""Short names for pure strategies: the action where one is chosen, else one letter for each information set.

`rock` is a strategy of one choice. Where there are several, names are those of tables on slides: King-Ace's `rk` raises
with the ace and checks with the king. A dot stands where the strategy's own earlier moves rule the information set out;
forced moves are not written. Where letters cannot tell the moves apart, strategies are numbered.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fogbound.core.errors import one_line
from fogbound.forms.normal import NormalForm

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
