"""Which moves alpha-beta tries first: the sooner a good one comes, the more of the rest is cut.

In this order: the move that was best when the state was met before; what pays most at once; what cut most often
elsewhere (the history heuristic, Schaeffer 1989). Cheap to ask, and only the number of nodes depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable

from fogbound.solvers.perfect import Perfect


class MoveOrder:
    """The order of moves in a game, learning from cuts; with `used` false, the author's own order."""

    def __init__(self, game: Perfect, used: bool) -> None:
        self.game, self.used = game, used
        self.cuts: dict[int, int] = {}  # action label -> how often it cut

    def moves(self, state: int, hint: int) -> Iterable[int]:
        """The moves at `state` in the order to try them; `hint` is the best one of an earlier visit, or -1."""
        rows = self.game.moves[state]
        if not self.used:
            return range(len(rows))
        sign = 1 if self.game.mover[state] == 0 else -1
        now = [sign * sum(p * pay[0] for p, _, pay in row) for row in rows]
        cuts = [self.cuts.get(label, 0) for label in self._labels(state)]
        return sorted(range(len(rows)), key=lambda move: (move != hint, -now[move], -cuts[move]))

    def note(self, state: int, move: int) -> None:
        """`move` has cut off the rest at `state`."""
        if self.used:
            label = self._labels(state)[move]
            self.cuts[label] = self.cuts.get(label, 0) + 1

    def _labels(self, state: int) -> list[int]:
        table = self.game.table
        labels: list[int] = table.menu_actions[table.menu[state, 0]].tolist()
        return labels
