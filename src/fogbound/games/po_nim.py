"""Partially observable nim: two heaps, and each player sees only its own.

Both heaps start with `n` objects. In turn a player takes one or more from its own heap or from the hidden
one; whoever leaves exactly one object on the board wins. A move fails when the hidden heap has fewer
objects than were reached for, or when nothing at all would be left: the board stays as it was, the mover
pays and the turn passes. After each move a player sees its own heap and whether the move succeeded, never
the move itself. Players may fail for ever, so the game can cycle.

Rosello, "Fully-Nested Interactive POMDPs for Partially-Observable Turn-Based Games" (document 000), section
I. `fail` is the paper's r_u, `win` its r_w. `discount` is taken at each move; the paper's rounds are two
moves long, so a discount a round is the square of it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from fogbound.core import Board, Dist, Drawing, Game, GameGroup, GameRecord, Outcome, SpecError, Tile
from fogbound.games.parameters import require_ranges

FIRST, SECOND = 0, 1
State = tuple[int, int, int]  # (the first player's heap, the second's, who moves next)
Action = tuple[str, int]  # ("own" or "hidden", how many)


@dataclass(frozen=True)
class PONim(Game[State, Action]):
    """Nim with one heap of `n` each that the other cannot see.

    Parameters
    ----------
    n
        How many objects each heap begins with.
    win
        What whoever leaves one object on the board wins, and the other loses.
    fail
        What a move that fails costs its mover, as a number below 0.
    discount
        By how much each move takes from what comes after it; 1 for not at all.
    """

    name = "po-nim"
    record = GameRecord("Partially observable nim", GameGroup.CARDS)

    n: int = 3
    win: float = 10.0
    fail: float = -1.0
    discount: float = 1.0
    players = ("first", "second")

    def __post_init__(self) -> None:
        require_ranges(self, n=(1, 100))
        if not (self.win > 0 and math.isfinite(self.win)):
            raise SpecError(f"po-nim: win is {self.win}, expected a finite number above 0")
        if not (self.fail <= 0 and math.isfinite(self.fail)):
            raise SpecError(f"po-nim: fail is {self.fail}, expected a finite number of at most 0")

    def start(self) -> Dist[Outcome[State]]:
        return Dist.sure(Outcome((self.n, self.n, FIRST), private=(self.n, self.n)))

    def actors(self, state: State) -> tuple[int, ...]:
        return () if _over(state) else (state[2],)

    def actions(self, state: State, player: int) -> list[Action]:
        own = [("own", amount) for amount in range(1, state[player] + 1)]
        return own + [("hidden", amount) for amount in range(1, self.n + 1)]

    def step(self, state: State, joint: tuple[Action, ...]) -> Dist[Outcome[State]]:
        ((which, amount),) = joint
        mover = state[2]
        heaps = [state[FIRST], state[SECOND]]
        heaps[mover if which == "own" else 1 - mover] -= amount
        if min(heaps) < 0 or heaps == [0, 0]:
            return self._outcome(state[:2], mover, self._rewards(mover, self.fail, 0.0), "failed")
        if sum(heaps) == 1:
            return self._outcome(heaps, mover, self._rewards(mover, self.win, -self.win), "won")
        return self._outcome(heaps, mover, (), "succeeded")

    def _outcome(
        self, heaps: Sequence[int], mover: int, rewards: tuple[float, ...], public: str
    ) -> Dist[Outcome[State]]:
        """Each sees its own heap; all see how the move went."""
        first, second = heaps
        return Dist.sure(Outcome((first, second, 1 - mover), rewards, public, (first, second)))

    def _rewards(self, mover: int, mine: float, theirs: float) -> tuple[float, float]:
        return (mine, theirs) if mover == FIRST else (theirs, mine)

    def describe(self, action: Action) -> str:
        which, amount = action
        return f"take {amount} of {'yours' if which == 'own' else 'theirs'}"

    def describe_state(self, state: State) -> str:
        first, second, _ = state
        return f"heaps of {first} and {second}; {self._caption(state)}"

    def describe_public(self, seen: Hashable) -> str:
        return f"the move {seen}"

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        return f"a heap of {seen}"

    def _caption(self, state: State) -> str:
        return f"{self.players[1 - state[2]]} has won" if _over(state) else f"{self.players[state[2]]} to move"

    def board(self, state: State, player: int | None = None) -> Board:
        ended = _over(state)
        rows = [self._heap(p, state[p], player in (None, p) or ended) for p in (FIRST, SECOND)]
        return Board.grid(rows, self._caption(state), self.players)

    def hidden_words(self, state: State, player: int) -> str:
        return f"stones left: {state[1 - player]}"

    def draw(self, state: State, player: int | None = None, belief: Dist[State] | None = None) -> Drawing:
        from fogbound.games.scenes.nim import nim

        heaps = [state[p] if player in (None, p) or _over(state) else None for p in (FIRST, SECOND)]
        hidden = belief.map(lambda held: held[1 - player]) if belief and player is not None else None
        mover, text = None if _over(state) else state[2], self.board(state, player).text()
        return nim((heaps[FIRST], heaps[SECOND]), self.n, hidden, mover, self.players, player, text)

    def _heap(self, owner: int, objects: int, visible: bool) -> list[Tile]:
        if not visible:
            return [Tile("?", "fog")] * self.n
        return [Tile("●", ("mine", "theirs")[owner])] * objects + [Tile()] * (self.n - objects)


def _over(state: State) -> bool:
    """One object is left: whoever left it has won."""
    return state[FIRST] + state[SECOND] == 1
