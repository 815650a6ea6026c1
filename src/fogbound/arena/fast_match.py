"""A match in compiled loops, where policies can be asked once for everything and play surely ends or fades.

Plain play (`arena.match`) also knows games that come back to where they were and go on for ever; so whatever may do
that without a discount is left to it, as are policies that search at every move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from fogbound.arena.episode import EpisodeResult
from fogbound.arena.match import Match, summed
from fogbound.core.errors import LimitError
from fogbound.core.game import AnyGame
from fogbound.core.policy import Mediated, Strategy, kinds, thinks
from fogbound.forms.pomdp import POMDP, ModelGame
from fogbound.forms.recurrence import topological_order
from fogbound.forms.table import Table

MOST_KINDS = 1_000  # that mixtures may turn out to be


def fast_form(game: AnyGame, policies: Sequence[Strategy], table: Callable[[], Table]) -> Table | POMDP | None:
    """What such a match is played over; None where it is not for compiled loops. `table` makes the game's table."""
    listed = [[kind for kind, p in kinds(policy) if p > 0] for policy in policies]
    if any(thinks(kind) for some in listed for kind in some) or prod(map(len, listed)) > MOST_KINDS:
        return None
    if any(isinstance(policy, Mediated) for policy in policies):  # their kinds are not drawn apart
        return None
    try:
        form: Table | POMDP = game.form if isinstance(game, ModelGame) else table()
    except LimitError:
        return None
    return form if form.discount < 1 or topological_order(form)[1] < 0 else None


def fast_match(
    game: AnyGame,
    form: Table | POMDP,
    policies: Sequence[Strategy],
    games: int,
    seed: int,
    ties: str,
    names: Sequence[str],
    most_steps: int,
    watch: Callable[[int], None] | None = None,
) -> Match:
    """The standings of `games` games, each with a stream of its own by its number."""
    from fogbound.evaluation.episodes import CUT, FADED, play_episodes

    played = play_episodes(form, policies, games, seed, most_steps, watch)
    ends = {int(CUT): "cut", int(FADED): "faded"}
    listed = [
        EpisodeResult(tuple(paid), steps, ends.get(ended, "over"), tuple(lost))
        for paid, steps, ended, lost in zip(
            played.paid.tolist(), played.steps.tolist(), played.ended.tolist(), played.lost.tolist()
        )
    ]
    return summed(game, listed, ties, names, played.interrupted)
