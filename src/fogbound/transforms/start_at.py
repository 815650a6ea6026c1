"""A game begun in the middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fogbound.core import Dist, GameError, Outcome
from fogbound.transforms.wrapped import Wrapped


@dataclass(frozen=True)
class StartAt(Wrapped):
    """The same game from `state`. The first step pays undiscounted.

    Parameters
    ----------
    game
        The game.
    state
        One state, or a `Dist` over states or outcomes. A plain state shows the players nothing (public None): they
        know the distribution, as they know the rules. To tell them more, give outcomes with what each player sees.

    Examples
    --------
    >>> import fogbound as fb
    >>> from fogbound.transforms.start_at import StartAt
    >>> fb.forms.table(StartAt(fb.game("tic-tac-toe"), "xoxoxo...")).size < 100
    True
    """

    state: Any
    name = "start-at"

    def __post_init__(self) -> None:
        super().__post_init__()
        fault = self.state.fault() if isinstance(self.state, Dist) else None
        if fault:
            raise GameError(f"start-at: the start has {fault}")

    def start(self) -> Dist[Outcome[Any]]:
        if not isinstance(self.state, Dist):
            return Dist.sure(_shown(self.state))
        return Dist(tuple((_shown(value), p) for value, p in self.state))

    def canonical(self, state: Any) -> Any:
        return self.game.canonical(state)


def _shown(value: Any) -> Outcome[Any]:
    """An outcome as it is; a bare state as an outcome that shows nothing."""
    return value if isinstance(value, Outcome) else Outcome(value)
