"""A game with fewer actions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fogbound.core import GameError, GameRecord, SpecError
from fogbound.core.errors import brief
from fogbound.transforms.wrapped import Wrapped, index_of

Choice = Callable[[Any, int, Sequence[Any]], Collection[Any]]
Pairs = tuple[tuple[int, tuple[Any, ...]], ...]


@dataclass(frozen=True)
class Restrict(Wrapped):
    """The same game with only some of its actions, in the game's order.

    As everywhere, what is legal must follow from what the player knows. A mapping is stored as sorted pairs.

    Parameters
    ----------
    game
        The game.
    allow
        A mapping from players, by index or name, to the actions they keep (players left out keep all), in a spec a
        list of pairs; or a function `allow(state, player, actions)` that returns the actions to keep. An action may
        also be given as it is described.

    Raises
    ------
    GameError
        Somewhere nothing is left to do (when that state is met).

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.transforms.restrict import Restrict
    >>> fb.forms.sequence(Restrict(fb.game("king-ace"), {0: ["raise"]})).describe()
    'sequence form, 3 + 5 sequences (17 nodes)'
    >>> fb.forms.sequence(fb.game("restrict(king-ace, [[first, [raise]]])")).describe()
    'sequence form, 3 + 5 sequences (17 nodes)'
    """

    allow: Choice | Mapping[int, Collection[Any]] | Pairs
    name = "restrict"
    record = GameRecord("{game.title} with fewer actions")

    def __post_init__(self) -> None:
        super().__post_init__()
        if callable(self.allow):
            return
        try:
            pairs = {index_of(self.game, player): actions for player, actions in dict(self.allow).items()}.items()
        except (TypeError, ValueError):
            found = brief(self.allow)
            raise SpecError(
                f"restrict: allow is {found}, expected pairs such as [[{self.players[0]}, [an action]]], or a function"
            ) from None
        wrong = [player for player, _ in pairs if player not in range(len(self.players))]
        if wrong:
            listed = ", ".join(f"{i} ({name})" for i, name in enumerate(self.players))
            raise SpecError(f"restrict: allow names player {brief(wrong[0])}, expected one of {listed}")
        bare = [(player, actions) for player, actions in pairs if isinstance(actions, str)]
        if bare:
            player, word = bare[0]
            raise SpecError(f"restrict: player {player} keeps {brief(word)}, expected a list of actions: [{word}]")
        kept = sorted((player, tuple(sorted(actions, key=repr))) for player, actions in pairs)
        object.__setattr__(self, "allow", tuple(kept))

    def actions(self, state: Any, player: int) -> Sequence[Any]:
        legal = self.game.actions(state, player)
        if callable(self.allow):
            wanted = self.allow(state, player, legal)
        else:
            wanted = dict(self.allow).get(player, legal)
        kept = tuple(action for action in legal if action in wanted or self.describe(action) in wanted)
        if not kept:
            raise GameError(
                f"restrict: nothing is left for {self.players[player]} to do at state {brief(state)}, "
                f"where {self.game} has {brief(tuple(legal))}; allow at least one of them"
            )
        return kept
