"""What players do, see and know, and what is hidden from them, in a few words: labels of tables, listings, drawings."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.errors import one_line
from fogbound.core.game import AnyGame, Observation
from fogbound.core.numerals import EXACT, decimal
from fogbound.core.record import NOTHING, plain_words
from fogbound.forms.decisions import History
from fogbound.forms.tree import Tree

Describe = Callable[[Any], str]
Told = Callable[[Sequence[Any]], Sequence[str]]  # states in words that tell them apart
LONGEST = 60  # characters of a single label
SHOWN = "nothing is hidden"
START, WAITED, WAITS = "at the start", "waited", "waits"


def label(value: object) -> str:
    """A value of a game in one short line; tuples become words beside each other."""
    return one_line(plain_words(value), LONGEST)


def labels(states: Sequence[Any]) -> list[str]:
    """States by their labels, for what knows no game."""
    return [label(state) for state in states]


def told_by(game: AnyGame, player: int) -> Told:
    """States in the game's words for what is hidden from `player`."""
    return partial(hidden_texts, game, player=player)


def apart(names: Iterable[str]) -> tuple[str, ...]:
    """Names that differ: those that come again are numbered."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(told)


def action(describe: Describe, move: Hashable) -> str:
    """A move in the game's words, or in its own where the caller gave none."""
    return label(move) if describe is str else one_line(describe(move), LONGEST)


def move_into(describe: Describe, form: Tree, node: int) -> str:
    """The move of a player that leads to a node of a tree."""
    up = int(form.parent[node])
    return action(describe, form.moves(int(form.infoset[up]))[node - int(form.child[up])])


def choice(describe: Describe, dist: Dist[Hashable], most: int = 6) -> str:
    """What is chosen: a move, or moves with their probabilities."""
    likely = [(move, p) for move, p in dist if p > EXACT]
    if len(likely) == 1:
        return action(describe, likely[0][0])
    said = [f"{action(describe, move)} {decimal(p)}" for move, p in likely[:most]]
    return ", ".join(said) + (f", … {len(likely) - most} more" if len(likely) > most else "")


def did(describe: Describe, action_taken: Hashable | None, step: int) -> str:
    """What was done in a step of a game; the first is its start."""
    if action_taken is None:
        return START if step == 0 else WAITED
    return action(describe, action_taken)


def observed(observation: Observation) -> str:
    """What is seen in one step, the public part first."""
    return label(tuple(observation))


def step_texts(describe: Describe, history: Sequence[tuple[Hashable | None, Observation]]) -> list[str]:
    """The steps of a history in words. An own action that is seen by all is said once."""
    return [_step(describe, own, seen) for own, seen in history]


def _step(describe: Describe, own: Hashable | None, observation: Observation) -> str:
    shown = observed(observation)
    if own is None:
        return shown
    said, plain = action(describe, own), label(own)
    if shown in (NOTHING, plain, said):
        return said
    if shown.startswith(f"{plain} "):
        return said + shown[len(plain) :]
    return f"{said}: {shown}"


def history_text(describe: Describe, history: History) -> str:
    """All that a player knows, such as `4 · check → bet`."""
    if not history:
        return START
    dealt, after = observed(history[0]), " → ".join(step_texts(describe, history[1:]))
    if dealt == NOTHING:
        return after or START
    return f"{dealt} · {after}" if after else dealt


def aligned(rows: Sequence[Sequence[str]], sides: str = "<<>") -> list[str]:
    """Rows of text in columns, to the left or right by their letters in `sides`, whose last goes for the rest."""
    widths = [max(len(row[c]) for row in rows if c < len(row)) for c in range(max(map(len, rows)))]
    pads = [f"{sides[min(c, len(sides) - 1)]}{width}" for c, width in enumerate(widths)]
    return ["  ".join(f"{cell:{pad}}" for cell, pad in zip(row, pads)).rstrip() for row in rows]


def hidden_texts(game: AnyGame, states: Sequence[Any], player: int) -> list[str]:
    """What is hidden of states in the game's own words, or in its picture without what `player` sees anyway; with the
    state's sentence or label where these clash.

    Examples
    --------
    >>> import fogbound as fb
    >>> hidden_texts(fb.game("po-nim(n=2)"), [(2, 1, 0), (2, 2, 0)], 0)
    ['stones left: 1', 'stones left: 2']
    """
    texts = [_hidden(game, state, player) for state in states]
    if len(set(texts)) == len(texts):
        return texts
    if game.tells_states:
        return [one_line(game.describe_state(state), LONGEST) for state in states]
    named = [label(state) for state in states]
    return [one_line(name if text == SHOWN else f"{text} {name}".strip(), LONGEST) for text, name in zip(texts, named)]


def _hidden(game: AnyGame, state: Any, player: int) -> str:
    """The game's own words, else the lines of the uncovered board that look different to `player`."""
    if told := game.hidden_words(state, player) or (game.describe_state(state) if game.tells_states else ""):
        return one_line(told, LONGEST)
    whole, seen = game.board(state, None), game.board(state, player)
    if whole is None:
        return label(state)
    visible = [] if seen is None else seen.text().splitlines()
    lines = [" ".join(line.split()) for line in whole.text().splitlines() if line not in visible]
    return one_line(" / ".join(lines), LONGEST) or SHOWN
