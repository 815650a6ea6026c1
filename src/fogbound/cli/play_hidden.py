"""What is hidden in a game, in lines of text: the states that may be, and what the other may believe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fogbound.core.errors import one_line
from fogbound.core.game import AnyGame
from fogbound.draw import words
from fogbound.draw.belief import bits
from fogbound.draw.svg import decimal

if TYPE_CHECKING:
    from fogbound.solvers.lifted import Fog, Guess, Posterior

MOST_STATES, MOST_GUESSES, MOST_PARTS = 8, 6, 3
WIDEST = 60  # characters for a state
RANDOM, NOTHING = "random play", "nothing is hidden"


def named(levels: Sequence[int]) -> str:
    """A class of levels: level 2, or level 3, 4 or 7."""
    from fogbound.arena.levels import named as of_levels

    return of_levels(levels) if levels else RANDOM


def hidden_lines(game: AnyGame, posterior: Posterior) -> list[str]:
    """The states that may be, jointly with the level of the other."""
    states = posterior.states()
    texts = hidden_texts(game, [state for state, _ in states], posterior.fog.me)
    shown, rest = states[:MOST_STATES], states[MOST_STATES:]
    heads = ["all", *(named(suspect.levels) for suspect in posterior.suspects)]
    wide = max(16, *map(len, texts[:MOST_STATES]))
    fog = bits(posterior.belief_of_states)
    lines = [f"{'what is hidden':<{wide + 2}}" + "".join(f"  {head:>5}" for head in heads) + f"   {fog}"]
    for text, (_, shares) in zip(texts, shown):
        lines.append(f"  {text:<{wide}}" + _cells([shares.sum(), *shares], heads))
    if rest:
        others = [sum(column) for column in zip(*(shares for _, shares in rest))]
        lines.append(f"  {f'{len(rest):,} more':<{wide}}" + _cells([sum(others), *others], heads))
    return lines


def _cells(shares: Iterable[Any], heads: Sequence[str]) -> str:
    return "".join(f"  {share(float(p)):>{max(5, len(head))}}" for p, head in zip(shares, heads))


def share(p: float) -> str:
    """A probability; what is excluded shows as a dot, so that it is not taken for something very unlikely."""
    return decimal(p) if p > 0 else words.NOTHING


def hidden_texts(game: AnyGame, states: Sequence[Any], eye: int) -> list[str]:
    """States in the game's own picture, without what `eye` sees anyway; with the state's own name where these clash."""
    texts = [_hidden(game, state, eye) for state in states]
    if len(set(texts)) == len(texts):
        return texts
    return [one_line(f"{text} {words.label(state)}".strip(), WIDEST) for text, state in zip(texts, states)]


def _hidden(game: AnyGame, state: Any, eye: int) -> str:
    """The lines of the uncovered picture that look different to `eye`."""
    whole, seen = game.board(state, None), game.board(state, eye)
    if whole is None:
        return words.label(state)
    visible = [] if seen is None else seen.text().splitlines()
    lines = [line.strip() for line in whole.text().splitlines() if line not in visible]
    return one_line(" / ".join(lines), WIDEST) or NOTHING


def guess_lines(game: AnyGame, posterior: Posterior) -> list[str]:
    """What the other may believe: of the state, and of you."""
    said: dict[str, float] = {}
    for guess in posterior.guesses():
        text = _believed(game, posterior.fog, guess)
        said[text] = said.get(text, 0.0) + guess.probability
    ranked = sorted(said.items(), key=lambda part: -round(part[1], 9))
    lines = [f"what {game.players[posterior.fog.other]} may believe"]
    lines += [f"  {decimal(p):>5}  {text}" for text, p in ranked[:MOST_GUESSES]]
    rest = ranked[MOST_GUESSES:]
    if rest:
        lines.append(f"  {decimal(sum(p for _, p in rest)):>5}  {len(rest):,} more")
    return lines


def _believed(game: AnyGame, fog: Fog, guess: Guess) -> str:
    who = RANDOM if guess.level is None else f"level {guess.level}"
    if guess.thought is None:
        idle = not guess.level  # level 0, or nobody of any level
        return f"{who}: believes nothing{'' if idle else ' that is known: it plays on without a plan'}"
    states, levels = dict[int, float](), dict[tuple[int, ...], float]()
    for state, own, p in guess.thought:
        states[state] = states.get(state, 0.0) + p
        levels[own] = levels.get(own, 0.0) + p
    ranked = sorted(states.items(), key=lambda part: -part[1])
    texts = hidden_texts(game, [fog.climb.table.states[state] for state, _ in ranked], fog.other)
    of_state = _parts(list(zip(texts, (p for _, p in ranked))))
    of_me = _parts([(named(own), p) for own, p in sorted(levels.items(), key=lambda part: -part[1])])
    return f"{who}: {of_state}; you are {of_me}"


def _parts(parts: Sequence[tuple[str, float]]) -> str:
    """The likeliest parts of a belief with their probabilities; the only one without."""
    if len(parts) == 1:
        return parts[0][0]
    said = ", ".join(f"{text} {decimal(p)}" for text, p in parts[:MOST_PARTS])
    return said + (f", {len(parts) - MOST_PARTS} more" if len(parts) > MOST_PARTS else "")
