"""Games altered in ways whose effect on the value is known: the other half of every metamorphic test."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from fogbound.core import Dist, Game, Outcome
from fogbound.transforms.wrapped import Wrapped, moved


def outcomes(dist, change):
    return Dist(tuple((change(outcome), p) for outcome, p in dist))


@dataclass(frozen=True)
class Scaled(Wrapped):
    """Every pay times `factor`."""

    factor: float

    def _change(self, outcome):
        return replace(outcome, rewards=tuple(self.factor * r for r in outcome.rewards))

    def start(self):
        return outcomes(self.game.start(), self._change)

    def step(self, state, joint):
        return outcomes(self.game.step(state, joint), self._change)


@dataclass(frozen=True)
class Shifted(Wrapped):
    """Player 0 gets `amount` more at the start, player 1 as much less."""

    amount: float

    def start(self):
        def change(outcome):
            rewards = outcome.rewards or (0.0,) * len(self.players)
            return replace(outcome, rewards=(rewards[0] + self.amount, rewards[1] - self.amount, *rewards[2:]))

        return outcomes(self.game.start(), change)


@dataclass(frozen=True)
class Swapped(Wrapped):
    """Seats 0 and 1 change places."""

    def _change(self, outcome):
        return replace(outcome, rewards=outcome.rewards[::-1], private=outcome.private[::-1])

    def start(self):
        return outcomes(self.game.start(), self._change)

    def actors(self, state):
        return tuple(sorted(1 - p for p in self.game.actors(state)))

    def actions(self, state, player):
        return self.game.actions(state, 1 - player)

    def step(self, state, joint):
        return outcomes(self.game.step(state, joint[::-1]), self._change)


@dataclass(frozen=True)
class Reordered(Wrapped):
    """Actions offered in reverse order, under other names, and outcomes listed in reverse order."""

    def start(self):
        return Dist(self.game.start().pairs[::-1])

    def actions(self, state, player):
        return tuple(("move", a) for a in reversed(self.game.actions(state, player)))

    def step(self, state, joint):
        return Dist(self.game.step(state, tuple(a for _, a in joint)).pairs[::-1])


@dataclass(frozen=True)
class Cloned(Wrapped):
    """Player 0's first action is offered twice."""

    def actions(self, state, player):
        legal = tuple(self.game.actions(state, player))
        return (*legal, "clone") if player == 0 else legal

    def step(self, state, joint):
        actors = self.game.actors(state)
        real = tuple(self.game.actions(state, i)[0] if a == "clone" else a for i, a in zip(actors, joint))
        return self.game.step(state, real)


@dataclass(frozen=True)
class Tempted(Wrapped):
    """Player 0 may also throw away 1000 and end the game: strictly dominated."""

    def actors(self, state):
        return () if state == "thrown" else self.game.actors(state)

    def actions(self, state, player):
        legal = tuple(self.game.actions(state, player))
        return (*legal, "throw") if player == 0 else legal

    def step(self, state, joint):
        if "throw" in joint:
            return Dist.sure(Outcome("thrown", (-1000.0, 1000.0), public="thrown"))
        return self.game.step(state, joint)


@dataclass(frozen=True)
class Coin(Wrapped):
    """Player 0 also sees a fair coin that means nothing."""

    def _change(self, dist):
        pairs = []
        for outcome, p in dist:
            private = outcome.private or (None,) * len(self.players)
            for side in (0, 1):
                pairs.append((replace(outcome, private=((side, private[0]), *private[1:])), p / 2))
        return Dist(tuple(pairs))

    def start(self):
        return self._change(self.game.start())


@dataclass(frozen=True)
class Informed(Wrapped):
    """Player 0 also sees everything that player 1 sees in private."""

    def _change(self, outcome):
        private = outcome.private or (None,) * len(self.players)
        return replace(outcome, private=(private, *private[1:]))

    def start(self):
        return outcomes(self.game.start(), self._change)

    def step(self, state, joint):
        return outcomes(self.game.step(state, joint), self._change)


@dataclass(frozen=True)
class Doubled(Wrapped):
    """Every state exists twice, alike in all; chance picks which, unseen."""

    def inside(self, state):
        return state[0]

    def _change(self, dist):
        return Dist(tuple((moved(o, (o.state, copy)), p / 2) for o, p in dist for copy in (0, 1)))

    def start(self):
        return self._change(self.game.start())

    def step(self, state, joint):
        return self._change(self.game.step(state[0], joint))


@dataclass(frozen=True)
class Deferred(Wrapped):
    """All pay is kept back and handed out at the end (discount 1 only)."""

    def inside(self, state):
        return state[0]

    def _change(self, dist, before):
        pairs = []
        for outcome, p in dist:
            paid = outcome.rewards or (0.0,) * len(self.players)
            total = tuple(a + b for a, b in zip(before, paid))
            over = not self.game.actors(outcome.state)
            state = (outcome.state, () if over else total)
            pairs.append((replace(moved(outcome, state), rewards=total if over else ()), p))
        return Dist(tuple(pairs))

    def start(self):
        return self._change(self.game.start(), (0.0,) * len(self.players))

    def step(self, state, joint):
        return self._change(self.game.step(state[0], joint), state[1])


@dataclass(frozen=True)
class Delayed(Wrapped):
    """Before the game everybody makes a forced move (discount 1 only)."""

    def start(self):
        return Dist.sure(Outcome("wait"))

    def actors(self, state):
        return tuple(range(len(self.players))) if state == "wait" else self.game.actors(state)

    def actions(self, state, player):
        return ("go",) if state == "wait" else self.game.actions(state, player)

    def step(self, state, joint):
        return self.game.start() if state == "wait" else self.game.step(state, joint)


@dataclass(frozen=True)
class Impossible(Wrapped):
    """The start also lists an outcome of probability 0."""

    def start(self):
        pairs = self.game.start().pairs
        ghost = replace(pairs[0][0], public="never")
        return Dist((*pairs, (ghost, 0.0)))


@dataclass(frozen=True)
class Either(Game[Any, Any]):
    """Public chance picks one of two games for the same players."""

    one: Any
    other: Any
    share: float

    def __post_init__(self):
        object.__setattr__(self, "players", self.one.players)

    def _tag(self, dist, which, weight=1.0):
        return [(replace(moved(o, (which, o.state)), public=(which, o.public)), p * weight) for o, p in dist]

    def start(self):
        first, second = self._tag(self.one.start(), 0, self.share), self._tag(self.other.start(), 1, 1 - self.share)
        return Dist((*first, *second))

    def _game(self, state):
        return self.one if state[0] == 0 else self.other

    def actors(self, state):
        return self._game(state).actors(state[1])

    def actions(self, state, player):
        return self._game(state).actions(state[1], player)

    def step(self, state, joint):
        return Dist(tuple(self._tag(self._game(state).step(state[1], joint), state[0])))
