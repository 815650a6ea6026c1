"""Document 003's pseudo-code for minimax and alpha-beta, run as it is printed, beside the library's."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import fogbound as fb
from fogbound import forms
from fogbound.forms.tree import END
from fogbound_papers.claim import Claim, verdict

GAMES = ("slide-tree", "nim(heaps=[3, 2, 1])", "nim(heaps=[3, 3], misere=true)")


@dataclass
class PrintedSearch:
    """MAX-VALUE and MIN-VALUE of the slides on a tree without chance; `leaves` counts the ends that were looked at."""

    tree: forms.Tree
    prune: bool
    leaves: int = 0

    def decision(self) -> tuple[int, float]:
        """MINIMAX-DECISION and ALPHA-BETA-SEARCH: the first of the best actions, and its value."""
        best, found, alpha = -math.inf, -1, -math.inf
        for action, child in enumerate(self._children(0)):
            value = self.value(child, alpha, math.inf)
            if value > best:
                best, found = value, action
            alpha = max(alpha, best)
        return found, best

    def value(self, node: int, alpha: float, beta: float) -> float:
        """MAX-VALUE where the first player moves, MIN-VALUE where the second does, UTILITY at an end."""
        if self.tree.mover[node] == END:
            self.leaves += 1
            return float(self.tree.payoff[node, 0])
        if self.tree.mover[node] == 0:
            v = -math.inf
            for child in self._children(node):
                v = max(v, self.value(child, alpha, beta))
                if self.prune and v >= beta:
                    return v
                alpha = max(alpha, v)
            return v
        v = math.inf
        for child in self._children(node):
            v = min(v, self.value(child, alpha, beta))
            if self.prune and v <= alpha:
                return v
            beta = min(beta, v)
        return v

    def _children(self, node: int) -> range:
        return range(self.tree.child[node], self.tree.child[node + 1])


def claims() -> Iterator[Claim]:
    """Both programs as printed."""
    values, found, looked = [], [], []
    for spec in GAMES:
        tree = forms.tree(fb.game(spec))
        plain, pruned = (PrintedSearch(tree, prune) for prune in (False, True))
        found.append((plain.decision(), pruned.decision()))
        values.append(found[-1][0][1] == fb.solve(spec, "minimax").value)
        looked.append(f"{pruned.leaves} of {plain.leaves}")
    words = f"the pseudo-code as printed against `minimax`, on {', '.join(GAMES)}"
    ours = f"{sum(values)} of {len(GAMES)} values"
    yield Claim("MINIMAX-DECISION as printed", "tree backup", "v", ours, verdict(all(values)), words)
    right = [plain == pruned for plain, pruned in found]
    words = f"the same action and value as without pruning; ends looked at: {', '.join(looked)}"
    ours = f"{sum(right)} of {len(GAMES)} games"
    yield Claim("ALPHA-BETA-SEARCH as printed", "alpha-beta", "the same action", ours, verdict(all(right)), words)
