"""What is hidden, in words: a state without what its player sees anyway."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fogbound.core.errors import one_line
from fogbound.core.game import AnyGame
from fogbound.forms import words

WIDEST = 60  # characters for a state
NOTHING = "nothing is hidden"


def hidden_texts(game: AnyGame, states: Sequence[Any], player: int) -> list[str]:
    """What is hidden of states in the game's own words, or in its picture without what `player` sees anyway; with the
    state's own name where these clash.

    Examples
    --------
    >>> import fogbound as fb
    >>> hidden_texts(fb.game("po-nim(n=2)"), [(2, 1, 0), (2, 2, 0)], 0)
    ['stones left: 1', 'stones left: 2']
    """
    texts = [_hidden(game, state, player) for state in states]
    if len(set(texts)) == len(texts):
        return texts
    named = [words.label(state) for state in states]
    return [one_line(name if text == NOTHING else f"{text} {name}".strip(), WIDEST) for text, name in zip(texts, named)]


def _hidden(game: AnyGame, state: Any, player: int) -> str:
    """The game's own words, else the lines of the uncovered picture that look different to `player`."""
    if told := game.hidden_words(state, player):
        return one_line(told, WIDEST)
    whole, seen = game.board(state, None), game.board(state, player)
    if whole is None:
        return words.label(state)
    visible = [] if seen is None else seen.text().splitlines()
    lines = [" ".join(line.split()) for line in whole.text().splitlines() if line not in visible]
    return one_line(" / ".join(lines), WIDEST) or NOTHING
