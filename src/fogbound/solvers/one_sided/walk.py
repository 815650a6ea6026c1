"""The walk of PG-HSVI in plain Python, with any of the three ways to solve stage games.

Horak, Bosansky, Kovarik and Kiekintveld (2023). The twin of the compiled walk: with compiled stages it takes the same
way and finds the same bounds, which is what the compiled one is held against; with linear programs nothing that
matters is compiled.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fogbound.forms.table import Floats
from fogbound.solvers.one_sided.bounded import DEEPEST, Bounded
from fogbound.solvers.one_sided.stages.compiled import Mixed
from fogbound.solvers.one_sided.stages.solvers import stage_solver

UNMIXED, UNLIKELY = 1e-9, 1e-12  # shares and probabilities up to which nothing is looked at
Path = list[tuple[int, int]]  # partitions, each with the branch that was followed from it; -1: none


class Walker:
    """Walks through a game that add what they find to its bounds."""

    def __init__(self, bounded: Bounded, kind: str) -> None:
        self.bounded, self.kind = bounded, kind
        self.stages = stage_solver(bounded, kind, add=True)
        self.tighten = False

    def explore(self, gap: float, share: float, stopping: Callable[[], bool] = lambda: False) -> list[Path]:
        """One walk from each partition in which play may begin, for a gap at the start of at most `gap`.

        Stage games are solved to a `share` of the gap. A walk may be stopped after any stage: what is known by then
        holds.
        """
        form, aim = self.bounded.form, gap / self.bounded.scaled.scale
        self.stages = stage_solver(self.bounded, self.kind, add=True)  # a resumed run knows no models of earlier walks
        found, self.tighten = [], self.bounded.tightens()
        for p in self.bounded.parts.tolist():
            start = form.start[form.first[p] : form.first[p + 1]]
            found.append(self._walk(p, start / start.sum(), aim, share * aim, stopping))
        return found

    def _walk(self, start: int, belief: Floats, aim: float, tolerance: float, stopping: Callable[[], bool]) -> Path:
        discount = self.bounded.form.discount
        slack = 0.5 * (1 - discount) * aim
        p, left = start, aim
        above: list[tuple[int, Floats]] = []
        path: Path = []
        while not stopping():
            _, _, y = self.stages.lower(p, belief, tolerance)
            _, _, mixed = self.stages.upper(p, belief, tolerance)
            self._note(mixed)
            left = (left - slack) / discount if discount > 0 else np.inf
            branch = self._promising(p, y, mixed, left)
            if branch < 0 or len(above) == DEEPEST:
                path.append((p, -1))
                break
            path.append((p, branch))
            above.append((p, belief))
            tau, total = self._spread(p, branch, y)
            p, belief = int(self.bounded.game.target[branch]), tau / total
            known = self.stages.heaviest(p, tau) if self.tighten else None
            belief = belief if known is None else known
        for p, belief in reversed(above):
            if stopping():
                break
            self.stages.lower(p, belief, tolerance)
            self.stages.upper(p, belief, tolerance)
        return path

    def _note(self, mixed: Mixed) -> None:
        """Remember which slots were mixed."""
        for slot, share in mixed:
            if share > UNMIXED:
                self.bounded.touched[slot] = True

    def _promising(self, partition: int, y: Floats, mixed: Mixed, left: float) -> int:
        """The branch with the largest weighted excess of the gap over `left`; -1 when there is none.

        The blind player's mixture is that of the upper stage, y that of the lower one.
        """
        game = self.bounded.game
        most, found = 0.0, -1
        for slot, share in mixed:
            for branch in range(*game.branch[slot : slot + 2].tolist()) if share > UNMIXED else ():
                tau, total = self._spread(partition, branch, y)
                if total > UNLIKELY:
                    low, high = self.stages.at(int(game.target[branch]), tau)
                    excess = share * (high - low - left * total)
                    if excess > most:
                        most, found = excess, branch
        return found

    def _spread(self, partition: int, branch: int, y: Floats) -> tuple[Floats, float]:
        """What the blind player is left with after a branch, not normalised, and its sum: added one by one."""
        game, target = self.bounded.game, int(self.bounded.game.target[branch])
        own = slice(game.entry[branch], game.entry[branch + 1])
        first, size = game.first[target], int(game.first[target + 1] - game.first[target])
        base = game.row[game.first[partition]]
        weight = y[game.source[own] - base] * game.prob[own]
        tau = np.bincount(game.to[own] - first, weight, size).astype(np.float64)  # no entries: whole numbers
        return tau, float(sum(weight.tolist()))
