"""What is known of a match without playing on: the one play that decides, or exact expected scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod

from fogbound.arena.episode import MOST_STEPS
from fogbound.arena.match import Match, Standing
from fogbound.arena.outcome import ExactOutcome, only_play, outcome
from fogbound.core.errors import LimitError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy, kinds, thinks
from fogbound.forms.table import Table, enumerate_table

CHEAP_POINTS, CHEAP_KINDS = 10_000, 100  # exact scores are given beside simulated ones up to these sizes


def cheap_table(game: AnyGame) -> Callable[[], Table]:
    """The table of a game where it is small enough, made when it is first asked for and then kept."""
    return cache(lambda: enumerate_table(game, CHEAP_POINTS))


def decide(game: AnyGame, policies: Sequence[Strategy], most_steps: int) -> ExactOutcome | None:
    """The outcome where one play decides; None where something is drawn, or play goes on past `most_steps`."""
    try:
        return only_play(game, policies, most_steps)
    except LimitError:  # such a game is cut off, and counted as cut
        return None


def standings(decided: ExactOutcome, names: Sequence[str], ties: str) -> Match:
    """The one play as the standings of a match of one game, its intervals closed."""
    assert decided.returns is not None
    wins = decided.wins(ties) or ()
    players = tuple(
        Standing(name, won, (won, won), paid, (paid, paid), int(lost))
        for name, won, paid, lost in zip(names, wins, decided.returns, decided.lost)
    )
    return Match(1, ties, int(decided.winner is None), int(decided.cycle is not None), 0, players, exact=decided)


def expect(game: AnyGame, policies: Sequence[Strategy], form: Callable[[], Table] | None = None) -> ExactOutcome | None:
    """Exact expected scores, where they are cheap: policies that need not think, few points.

    `form` gives the game's table where several ask for it; it is only called when it is needed.
    """
    listed = [[kind for kind, p in kinds(policy) if p > 0] for policy in policies]
    if prod(map(len, listed)) > CHEAP_KINDS or any(thinks(kind) for some in listed for kind in some):
        return None
    try:
        return outcome(game, policies, form or cheap_table(game), MOST_STEPS, CHEAP_POINTS)
    except LimitError:
        return None
