"""What `fogbound match` knows without playing on: the one play that decides, or exact expected scores."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from fogbound.arena import Match, Standing, exact
from fogbound.arena.outcome import ExactOutcome, only_play
from fogbound.cli.console import number, say
from fogbound.core.errors import LimitError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy, kinds, thinks

CHEAP_POINTS, CHEAP_KINDS = 10_000, 100  # exact scores are given beside simulated ones up to these sizes
CYCLES = "With discount 1 a play that cycles is a tie of all, with what had been paid when a situation first came back"
ETERNAL = "with a discount the cycle's pay is summed to eternity"


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
    return Match(1, ties, int(decided.winner is None), int(decided.cycle is not None), 0, players)


def expect(game: AnyGame, policies: Sequence[Strategy]) -> ExactOutcome | None:
    """Exact expected scores beside simulated ones, where they are cheap: policies that need not think, few points."""
    listed = [[kind for kind, p in kinds(policy) if p > 0] for policy in policies]
    if prod(map(len, listed)) > CHEAP_KINDS or any(thinks(kind) for some in listed for kind in some):
        return None
    try:
        return exact(game, policies, limit=CHEAP_POINTS)
    except LimitError:
        return None


def exact_words(decided: ExactOutcome | None, expected: ExactOutcome | None, ties: str) -> dict[str, Any]:
    """What JSON says about exactness: the one play, or exact expectations beside the simulated ones."""
    if decided:
        return {"exact": True, **decided.plain()}
    scores, wins = (expected.returns, expected.wins(ties)) if expected else (None, None)
    return {"exact": False, "exact_scores": scores, "exact_wins": wins}


def tell_decided(decided: ExactOutcome, result: Match, players: tuple[str, ...], discount: float) -> None:
    """The one play: what each gets, who wins, how it ended."""
    name = max(len(f"{player} {standing.policy}") for player, standing in zip(players, result.players))
    for player, standing in zip(players, result.players):
        said = f"wins {number(standing.wins, 3):>5}   score {number(standing.score)}"
        say(f"{player + ' ' + standing.policy:<{name}}   {said}")
    steps = f"{decided.steps} step{'s' if decided.steps != 1 else ''}"
    if decided.cycle:
        begins, length = decided.cycle
        rule = CYCLES if discount == 1 else ETERNAL[0].upper() + ETERNAL[1:]
        say(f"From step {begins} on play repeats the same {length} steps and never ends. {rule}.")
    else:
        say(f"{'Over' if decided.ended == 'over' else 'Discounted to nothing'} after {steps}.")
    say("Exact: nothing is left to chance, so playing more games would show the same.")
