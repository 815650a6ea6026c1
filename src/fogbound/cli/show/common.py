"""What the views of `fogbound show` share: the game of an answer, endings of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fogbound import archive
from fogbound.core.drawing import PICTURES, Drawing, require_ending
from fogbound.core.errors import SpecError
from fogbound.core.game import AnyGame
from fogbound.naming import games as naming
from fogbound.naming.solved import require_solved


class Shown(NamedTuple):
    """What is shown, made only when it is asked for: as text, as a picture, and for Graphviz where that is known."""

    text: Callable[[], str]
    picture: Callable[[], Drawing]
    dot: Callable[[], str] | None = None

    @staticmethod
    def below(head: str, drawn: Callable[[], Drawing]) -> Shown:
        """A picture, and its text below a heading."""
        return Shown(lambda: f"{head}\n{drawn().text}", drawn)

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
    else:
        try:
            game = naming.game_named_in_a_file(stored)
        except SpecError as error:
            raise SpecError(f"{args.what}: {error} with --game") from error
    require_solved(solution, game, args.what)
    return game
