"""One game as text: the board, who does what, what each sees of it, and what everybody gets.

The content of Figure 2 of Rosello's paper (document 000), for any game.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Protocol

from fogbound.core.errors import many, one_line
from fogbound.core.game import AnyGame, Outcome
from fogbound.core.numerals import number
from fogbound.forms import words

INDENT = "  "
ENDS = {
    "over": "Over",
    "cycle": "Play is back where it was and would cycle for ever",
    "faded": "All that could follow is discounted to nothing",
    "cut": "Cut off",
}


class TranscriptStep(Protocol):
    """One step as everybody at the table lived it; `joint` is None at the start."""

    @property
    def before(self) -> Any: ...
    @property
    def joint(self) -> tuple[Hashable, ...] | None: ...
    @property
    def outcome(self) -> Outcome[Any]: ...


class TranscriptResult(Protocol):
    """How the game went."""

    @property
    def returns(self) -> tuple[float, ...]: ...
    @property
    def steps(self) -> int: ...
    @property
    def ended(self) -> str: ...


class TranscriptSource(Protocol):
    """A game about to be played: `arena.Episode(game, policies, rng)`."""

    game: AnyGame

    def steps(self) -> Iterator[TranscriptStep]: ...
    def played(self) -> TranscriptResult: ...


def transcript(episode: TranscriptSource) -> str:
    """Play a game and tell it: the board, who does what, what each sees of it, and what everybody gets.

    It shows the whole truth: boards uncovered, and what every player saw.

    Parameters
    ----------
    episode : arena.Episode
        A game about to be played.

    Returns
    -------
    str
        Plain text.

    Examples
    --------
    >>> import numpy as np
    >>> from fogbound import arena, games, policies
    >>> uniform = policies.Uniform()
    >>> game = games.make("rock-paper-scissors")
    >>> print(transcript(arena.Episode(game, [uniform, uniform], np.random.default_rng(2))), end="")
    rock-paper-scissors(biased=false)
      | Both throw at once.
    <BLANKLINE>
    1. first: rock; second: rock
      all see: first throws rock, second rock
      paid: first +0.5, second +0.5
      | first   rock
      | second  rock
      | a draw
    <BLANKLINE>
    Over, after 1 step.
    a tie: first +0.5, second +0.5
    """
    game = episode.game
    lines = [str(game)]
    for count, step in enumerate(episode.steps()):
        if step.joint is not None:
            moves = zip(game.actors(step.before), step.joint)
            did = "; ".join(f"{game.players[i]}: {words.action(game.describe, move)}" for i, move in moves)
            lines += ["", f"{count}. {did}"]
        lines += [INDENT + said for said in _seen(game, step.outcome)]
        lines += [INDENT + said for said in _reward_lines(game.players, step.outcome.rewards)]
        lines += [INDENT + "| " + said for said in _board(game, step.outcome.state)]
    return "\n".join([*lines, "", *_end(game, episode.played())]) + "\n"


def _seen(game: AnyGame, outcome: Outcome[Any]) -> list[str]:
    """What each sees; said once where all of it is public, not at all where nothing is seen."""
    observations = [outcome.observation(i) for i in range(len(game.players))]
    if any(observation.private is not None for observation in observations):
        told = [one_line(game.describe_observation(seen, i)) for i, seen in enumerate(observations)]
        return [f"{name} sees: {seen}" for name, seen in zip(game.players, told)]
    return [] if outcome.public is None else [f"all see: {one_line(game.describe_public(outcome.public))}"]


def _reward_lines(players: Sequence[str], rewards: tuple[float, ...]) -> list[str]:
    paid = [f"{name} {number(reward, 6, sign=True)}" for name, reward in zip(players, rewards) if reward]
    return [f"paid: {', '.join(paid)}"] if paid else []


def _board(game: AnyGame, state: Any) -> list[str]:
    """The state uncovered, in the game's own picture, or in its own text where it draws nothing."""
    board = game.board(state, None)
    text = board.text() if board is not None else game.describe_state(state)
    return [one_line(line) for line in text.splitlines() if line.strip()]


def _end(game: AnyGame, played: TranscriptResult) -> list[str]:
    """How it ended and who has most. Play that never ends is a tie unless its rewards fade, as in a match."""
    got = ", ".join(f"{name} {number(paid, 6, sign=True)}" for name, paid in zip(game.players, played.returns))
    open_end = played.ended == "cut" or (played.ended == "cycle" and game.discount == 1)
    best = [name for name, paid in zip(game.players, played.returns) if open_end or paid == max(played.returns)]
    who = f"{best[0]} wins: " if len(best) == 1 else "a tie: "
    return [f"{ENDS[played.ended]}, after {many(played.steps, 'step')}.", (who if len(game.players) > 1 else "") + got]
