"""Other people's worlds: Fogbound's games where their programs learn and play, and what was trained there, back here.

`interop.gymnasium` and `interop.pettingzoo` make environments of games (the extra `fogbound[environments]`), `view` is
one player's side of such an environment without any of it, and `agent` makes a policy of what was trained in one.
`batch` steps many games at once, as plain arrays, and needs no extra.
`interop.openspiel` takes OpenSpiel's games, policies and bots in, and ours out (`fogbound[openspiel]`).

What answers is imported when it is first asked: nothing here needs an extra until it is used.
"""

from typing import TYPE_CHECKING

from fogbound.core.lazy import lazy

if TYPE_CHECKING:
    from fogbound.interop.agents import trained_agent as agent
    from fogbound.interop.batch import GameBatch as batch
    from fogbound.interop.views import view_for_learner as view

__all__ = ["agent", "batch", "view"]

lazy(__name__)
