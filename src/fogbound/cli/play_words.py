"""What a lifted fog says, in lines of text: who they may be, what may be hidden, what each move is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fogbound.cli.play_hidden import WIDEST, guess_lines, hidden_lines, named, share
from fogbound.core.errors import FogboundError, one_line
from fogbound.core.game import AnyGame
from fogbound.draw.svg import number

if TYPE_CHECKING:
    from fogbound.forms.tree import History
    from fogbound.solvers.lifted import Fog, Posterior, Worth

BAR = 24


def fog_lines(game: AnyGame, fog: Fog, history: History) -> list[str]:
    """Everything, for a seat that is to move now."""
    posterior = fog.after(history, asked=True)
    try:
        worths = worth_lines(game, fog.worths(posterior))
    except FogboundError as error:
        worths = [f"what your moves are worth cannot be said: {error}"]
    return [
        *_unsettled(fog),
        *_surprise(posterior),
        *_suspects(game, posterior),
        *hidden_lines(game, posterior),
        *guess_lines(game, posterior),
        *worths,
    ]


def _unsettled(fog: Fog) -> list[str]:
    """Levels are only as good as what is known of them."""
    climb = fog.climb
    loose = sorted({rung.level for rung in climb.rungs if not rung.settled})
    return [f"! not settled, so only about right: {named(loose)}"] if loose else []


def _surprise(posterior: Posterior) -> list[str]:
    if posterior.impossible_at is None:
        return []
    when = f"step {posterior.impossible_at}" if posterior.impossible_at else "the start"
    fog = posterior.fog
    anybody = "" if fog.level_of(len(fog.members) - 1) is not None else " and random play"
    return [
        f"! what you saw at {when} had probability 0 in all that you held possible: they tremble, or are no such level",
        f"  belief reset: levels 0 to {fog.climb.levels}{anybody} equally likely, given all that you have seen",
    ]


def _suspects(game: AnyGame, posterior: Posterior) -> list[str]:
    """The level of the other, before and now."""
    listed = posterior.suspects
    wide = max(16, *(len(named(suspect.levels)) for suspect in listed))
    lines = [f"{'who ' + game.players[posterior.fog.other] + ' is':<{wide + 2}}  before    now"]
    for suspect in listed:
        bar = "━" * round(BAR * suspect.now)
        cells = f"{share(suspect.before):>6}  {share(suspect.now):>5}"
        lines.append(f"  {named(suspect.levels):<{wide}}  {cells}  {bar}".rstrip())
    return lines


def worth_lines(game: AnyGame, worths: Sequence[Worth]) -> list[str]:
    """Moves with their worth as bars from zero; all that are best are marked."""
    from fogbound.solvers.lifted import best

    top = best(tuple(worths))
    most = max(max(abs(worth.lower), abs(worth.upper)) for worth in worths) or 1.0
    texts = [one_line(game.describe(worth.action), WIDEST) for worth in worths]
    values = [valued(worth) for worth in worths]
    wide, broad = max(16, *map(len, texts)), max(map(len, values))
    exact = "exact" if all(worth.exact for worth in worths) else "guaranteed to at most"
    lines = [f"what your moves are worth from here on, if you play on as well as can be ({exact})"]
    for worth, text, value in zip(worths, texts, values):
        bar = "━" * round(BAR * abs(worth.lower) / most)
        lines.append(f"  {text:<{wide}}  {value:>{broad}}  {bar}{'  ● best' if worth in top else ''}".rstrip())
    return lines


def valued(worth: Worth) -> str:
    """A worth, or its bounds."""
    low, high = (number(value, 4, sign=True) for value in (worth.lower, worth.upper))
    return low if worth.exact or low == high else f"{low} to {high}"
