"""Any policy with finitely many memories as a controller, by walking the game it is played in."""

from __future__ import annotations

from typing import Any

from fogbound.core.dist import Dist
from fogbound.core.errors import LimitError
from fogbound.core.game import AnyGame, Seen
from fogbound.core.policy import AnyPolicy
from fogbound.forms.product import moves
from fogbound.forms.table import START, Table, table
from fogbound.policies.controller import Controller

MOST_NODES = 100_000


def controller(game: AnyGame | Table, player: int, policy: AnyPolicy, limit: int = MOST_NODES) -> Controller:
    """The controller that plays `policy` for `player`, whatever the others do.

    Pairs of a state and the policy's memory are explored, the other players being free to do anything;
    LimitError past `limit` memories.
    """
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
        self.memories: list[Any] = []
        self.ids: dict[Any, int] = {}
        self.queue: list[tuple[int, int]] = []
        self.met: set[tuple[int, int]] = set()

    def run(self) -> None:
        game = self.game
        for o in range(game.out[START], game.out[START + 1]):
            seen = game.sights[self.player][game.seen[game.event[o], self.player]]
            node = self._node(self.policy.begin(seen))
            self.first[seen] = node
            self._meet(int(game.next[o]), node)
        for state, node in self.queue:  # grows while it is walked
            self._expand(state, node)

    def _node(self, memory: Any) -> int:
        node = self.ids.get(memory)
        if node is None:
            node = self.ids[memory] = len(self.memories)
            self.memories.append(memory)
            self.choices.append(None)
            if node >= self.limit:
                raise LimitError(f"{self.game.spec}: over {self.limit:,} memories, so the policy has no controller")
        return node

    def _meet(self, state: int, node: int) -> None:
        if (state, node) not in self.met:
            self.met.add((state, node))
            self.queue.append((state, node))

    def _expand(self, state: int, node: int) -> None:
        """All that may follow at `state` when the player is at `node`: every move that it might make."""
        game, crew = self.game, self.game.crew[state]
        actors = game.crew_actors[crew, : game.crew_size[crew]].tolist()
        sizes = [int(game.menu_size[m]) for m in game.menu[state, : len(actors)]]
        mine = actors.index(self.player) if self.player in actors else -1
        played: dict[int, Any] = {}
        if mine >= 0:
            labels = game.menu_labels(int(game.menu[state, mine]))
            chosen = moves(self.policy, self.memories[node], labels)
            self.choices[node] = Dist(tuple((labels[k], p) for k, p in chosen))
            played = {k: labels[k] for k, _ in chosen}
        stride = 1
        for size in sizes[mine + 1 :]:
            stride *= size
        for r in range(game.row[state], game.row[state + 1]):
            move = (r - int(game.row[state])) // stride % sizes[mine] if mine >= 0 else -1
            if mine >= 0 and move not in played:
                continue
            for o in range(game.out[r], game.out[r + 1]):
                seen = game.sights[self.player][game.seen[game.event[o], self.player]]
                key = (node, played.get(move), seen)
                if key not in self.arrows:
                    self.arrows[key] = self._node(self.policy.update(self.memories[node], key[1], seen))
                self._meet(int(game.next[o]), self.arrows[key])
