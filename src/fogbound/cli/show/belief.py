"""`fogbound show` of beliefs: one game as it was believed, and value by belief."""

from __future__ import annotations

from typing import Any

from fogbound.api.looking import Look, believed
from fogbound.cli.show.common import Shown
from fogbound.core.drawing import Drawing
from fogbound.core.errors import FileError, SpecError
from fogbound.naming import games as naming


def belief(looked: Look, player: int, seed: int, head: str) -> Shown:
    """The belief after each of the first steps of a game that `seed` draws."""
    title = f"What {looked.game.players[player]} believed"

    def drawn() -> Drawing:
        return looked.beliefs(player, seed=seed, title=f"{looked.game}: {title.lower()}")

    return Shown(lambda: f"{head}\n{title}\n{drawn().text}", drawn)


def value_function(args: Any) -> Shown:
    """A file of vectors, for the game that --game names."""
    from fogbound import draw, files, forms

    if not args.game:
        raise SpecError(f"{args.what}: holds vectors alone; name the model that they are for with --game")
    game = naming.game(args.game)
    policy = files.read_vectors(args.what, forms.pomdp(game))
    if args.view == "belief":
        title = f"What {game.players[0]} believed"

        def followed() -> Drawing:
            return believed(game, {0: policy}, policy.pomdp, args.seed, f"{game}: {title.lower()}")

        return Shown(lambda: f"{game}   {args.what}\n{title}\n{followed().text}", followed)
    if args.view not in ("auto", "vectors"):
        raise SpecError(f"--view {args.view}: a file of vectors is shown with --view vectors or --view belief")

    def drawn() -> Drawing:
        return draw.vectors(policy, describe=game.describe)

    return Shown(lambda: f"{game}   {args.what}\n{drawn().text}", drawn)


def vectors(name: str, looked: Look, player: int, head: str) -> Shown:
    """Value by belief of a saved solution."""

    def drawn() -> Drawing:
        try:
            return looked.vectors(player)
        except SpecError as error:
            raise SpecError(f"{name}: {error}") from error
        except FileError as error:
            raise FileError(f"{name}: {error}") from error

    return Shown(lambda: f"{head}\n{drawn().text}", drawn)
