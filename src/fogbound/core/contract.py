"""What every game must keep, in the words in which its breach is reported: shared by builders and by play."""

from __future__ import annotations

from collections.abc import Hashable
from numbers import Real
from typing import Any

from fogbound.core.errors import FogboundError, FormError, GameError, LimitError, SpecError, brief
from fogbound.core.game import AnyGame, Game
from fogbound.core.memory import Cost, available, raised_limit


def no_game(found: object) -> str:
    """The complaint about what is no game: names are known at the front door only."""
    return f"found {brief(found)}, expected a game or a form of one; fb.game(...) makes games from names and files"


def require_others(spec: object, players: tuple[str, ...]) -> None:
    """Refuse opponents in a game that has none."""
    if len(players) == 1:
        raise SpecError(f"{spec} has one player, so there is nobody to play against: leave against= out")


MOST_REWARD = 1e150  # its square is still a number; beyond, sums and squares of values are none


def require_moderate(spec: object, largest: float) -> None:
    """Refuse rewards so large that sums, products and squares of values would leave the numbers there are."""
    if largest > MOST_REWARD:
        raise GameError(
            f"{spec}: a reward of {largest:.3g} in size, expected at most {MOST_REWARD:.0e}: "
            "write rewards in larger units"
        )


DISCOUNT, DISCOUNT_OR_0 = "above 0 and at most 1", "from 0 to 1"  # what is expected of a discount, in words


def is_discount(found: object, zero: bool = False) -> bool:
    """Whether something is a number above 0 and at most 1; with `zero` also 0, where only the first step counts."""
    if not isinstance(found, Real):
        return False
    return 0 <= float(found) <= 1 and (zero or float(found) > 0)  # nan is neither


def require_discount(
    spec: object, found: object, error: type[FogboundError] = FormError, *, zero: bool = False
) -> None:
    """Refuse what is no discount, in one line."""
    if not is_discount(found, zero):
        raise error(f"{spec}: discount is {brief(found)}, expected {DISCOUNT_OR_0 if zero else DISCOUNT}")


def require_players(game: AnyGame) -> None:
    """Refuse what is no game, and a game whose players or discount are not what they must be."""
    if not isinstance(game, Game):
        raise SpecError(no_game(game))
    players, discount = game.players, game.discount
    if not isinstance(players, tuple) or not players or not all(isinstance(name, str) and name for name in players):
        raise GameError(f"{type(game).__name__}: players is {brief(players)}, expected a tuple of names, one a player")
    if len(set(players)) != len(players):
        raise GameError(f"{type(game).__name__}: players {brief(players)} hold one name twice")
    require_discount(game, discount, GameError)


def ordered(game: AnyGame, offered: Any, state: Any) -> tuple[Hashable, ...]:
    """Legal actions as a tuple; a set has no order of its own, so what it offers could not be told again."""
    if isinstance(offered, set | frozenset | dict | str):
        kind = type(offered).__name__
        raise GameError(f"{game}: actions at state {brief(state)} are a {kind}, expected a tuple or a list")
    return tuple(offered)


def no_action(game: AnyGame, player: int, state: Any) -> str:
    """The complaint about a player who must move and cannot."""
    return (
        f"{game}: player {player} ({game.players[player]}) moves at state {brief(state)} but has no action, "
        "expected at least one (or leave it out of actors)"
    )


def too_many_states(game: str, limit: int, each: Cost) -> LimitError:
    """The error for a game that has more states than are to be enumerated, with what fits."""
    fits = raised_limit(each, limit, available())
    return LimitError(
        f"{game}: more than {limit:,} states, over the limit. {fits}make the game smaller, or use a solver that only "
        "samples"
    )


def too_many_outcomes(game: str, most: int, limit: int, each: Cost) -> LimitError:
    """The error for a game whose states are few enough, but lead to more than can be held; `each` is about states."""
    return LimitError(
        f"{game}: more than {most:,} outcomes, over what a limit of {limit:,} states allows. "
        f"{raised_limit(each, limit, available())}make the game smaller, or use a solver that only samples"
    )
