"""Any policy with finitely many memories as a controller, by walking the game it is played in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.errors import LimitError, PolicyError
from fogbound.core.game import AnyGame, Seen
from fogbound.core.policy import AnyPolicy, Mixed
from fogbound.forms.knowledge import menu_of, outcomes_of
from fogbound.forms.product import moves
from fogbound.forms.table import START, Table, table
from fogbound.policies.controller import Controller

MOST_NODES = 100_000


def controller(game: AnyGame | Table, player: int, policy: AnyPolicy, limit: int = MOST_NODES) -> Controller:
    """The controller that plays `policy` for `player`, whatever the others do.

    A node is what the policy remembers together with the states the player may take for possible: these decide
    what it is offered, so that a policy whose one memory meets several menus (uniform play) becomes a controller
    too. `minimal()` then merges what behaves alike. LimitError past `limit` nodes.
    """
    if isinstance(policy, Mixed):
        raise PolicyError(
            "a mixture is drawn before the game and has no memory of its own: convert its members, or its behaviour, "
            "Tabular(form.tree, seat, evaluate.behaviour(form, seat, mixture)).controller()"
        )
    source = game if isinstance(game, Table) else table(game)
    walk = _Walk(source, player, policy, limit)
    walk.run()
    return Controller(walk.first, walk.arrows, tuple(walk.choices))


class _Walk:
    def __init__(self, game: Table, player: int, policy: AnyPolicy, limit: int) -> None:
        self.game, self.player, self.policy, self.limit = game, player, policy, limit
        self.first: dict[Seen, int] = {}
        self.arrows: dict[tuple[int, Any, Seen], int] = {}
        self.choices: list[Dist[Any] | None] = []
        self.nodes: list[tuple[tuple[int, ...], Any]] = []  # (possible states, the policy's memory)
        self.ids: dict[tuple[tuple[int, ...], Any], int] = {}

    def run(self) -> None:
        game = self.game
        for seen, states in self._split(range(game.out[START], game.out[START + 1])):
            self.first[seen] = self._node(states, self.policy.begin(seen))
        for node, (states, memory) in enumerate(self.nodes):  # grows while it is walked
            self._expand(node, states, memory)

    def _split(self, outcomes: Iterable[int]) -> list[tuple[Seen, tuple[int, ...]]]:
        """The states that each sight leaves possible, games that are over left out."""
        game, groups = self.game, dict[int, set[int]]()
        for o in outcomes:
            if game.crew[game.next[o]] != 0:
                groups.setdefault(int(game.seen[game.event[o], self.player]), set()).add(int(game.next[o]))
        return [(game.sights[self.player][seen], tuple(sorted(states))) for seen, states in groups.items()]

    def _node(self, states: tuple[int, ...], memory: Any) -> int:
        node = self.ids.get((states, memory))
        if node is None:
            node = self.ids[states, memory] = len(self.nodes)
            self.nodes.append((states, memory))
            self.choices.append(None)
            if node >= self.limit:
                raise LimitError(f"{self.game.spec}: over {self.limit:,} memories, so the policy has no controller")
        return node

    def _expand(self, node: int, states: tuple[int, ...], memory: Any) -> None:
        """All that may follow at a node: every move that the policy might make, or none where it is not asked."""
        game = self.game
        asked = [s for s in states if menu_of(game, s, self.player) is not None]
        waiting = [s for s in states if s not in asked]
        if asked:
            labels = game.menu_labels(int(menu_of(game, asked[0], self.player) or 0))
            chosen = moves(self.policy, memory, labels)
            self.choices[node] = Dist(tuple((labels[k], p) for k, p in chosen))
            for k, _ in chosen:
                self._follow(node, memory, labels[k], (o for s in asked for o in outcomes_of(game, s, self.player, k)))
        self._follow(node, memory, None, (o for s in waiting for o in outcomes_of(game, s, self.player, None)))

    def _follow(self, node: int, memory: Any, action: Any, outcomes: Iterable[int]) -> None:
        for seen, states in self._split(outcomes):
            self.arrows[node, action, seen] = self._node(states, self.policy.update(memory, action, seen))
