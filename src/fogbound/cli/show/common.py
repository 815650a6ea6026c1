"""What the views of `fogbound show` share: the game of an answer, what a player faces in it, endings of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from fogbound import archive
from fogbound.api import naming
from fogbound.core.drawing import PICTURES, Drawing, require_ending
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame

if TYPE_CHECKING:
    from fogbound.forms import POMDP

MOST_STATES = 20_000  # of a game that is enumerated only to be shown


class Shown(NamedTuple):
    """What is shown, made only when it is asked for: as text, as a picture, and for Graphviz where that is known."""

    text: Callable[[], str]
    picture: Callable[[], Drawing]
    dot: Callable[[], str] | None = None

    def save(self, path: str) -> None:
        """Write the picture; other endings are refused before anything is drawn."""
        require_ending(path, *PICTURES, *([".dot"] if self.dot else []))
        if self.dot and path.endswith(".dot"):
            archive.write(path, self.dot().encode())
        else:
            self.picture().save(path)


def game_of(args: Any, solution: Any) -> AnyGame:
    """The game of a stored solution. A person's own file is run only when named on the command line."""
    stored = str(solution.provenance.get("game"))
    if args.game:
        game = naming.game(args.game)
        if str(game).rpartition("/")[2] != stored.rpartition("/")[2]:
            raise SpecError(f"{args.what}: is a solution of {stored}, not of {game}")
        return game
    try:
        return naming.game_named_in_a_file(stored)
    except SpecError as error:
        raise SpecError(f"{args.what}: {error} with --game") from error


def pomdp_facing(game: AnyGame, player: int, profile: dict[int, Any]) -> POMDP:
    """What the player faces when the others play as in `profile`; LimitError where that is large."""
    from fogbound import forms

    if isinstance(game, forms.ModelGame):
        return game.form
    others = {other: policy for other, policy in profile.items() if other != player}
    return forms.pomdp(forms.table(game, MOST_STATES), player, others)
