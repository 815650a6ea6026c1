"""Random games in which actions influence when play ends: the general case, of which fixed lengths are a special one.

Every step is paid, and ending is paid otherwise; players have unequal lists of actions, which differ by room, and some
wait in some rooms. Without a discount play surely ends. `Shaped`, `EndsPaid` and `PaidForEver` alter a game without
altering how it should be played; `PaidPerStep` makes another game of it, since it rewards staying.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from random import Random

from fogbound.core import Dist, Game, Outcome
from fogbound.transforms.wrapped import Wrapped
from tests.relations import outcomes

OVER = "over"
SIGNALS = 2


@dataclass(frozen=True)
class VariableLength(Game):
    """A state is (room, hidden part); everybody sees the room, and of the hidden part what `sees` says.

    Parameters
    ----------
    seed
        Which one.
    sees
        For each player "all" (the state, and what the others do and see), "signals" (of the hidden part) or "nothing".
    rooms, hidden, choices
        How many rooms, hidden parts of a state and actions there are, at most.
    pays
        "any" sum, "zero" sum, or "alike" for a team.
    loops
        Whether play may come back to a room; otherwise it moves on and has a finite tree.
    discount
        Below 1 every step may go on for ever; at 1 play surely ends.
    ragged
        Whether lists of actions differ, and players wait.
    ties
        Whether pay is in eighths, so that choices tie and equilibria need not be isolated; otherwise any number.
    """

    seed: int = 0
    sees: tuple[str, ...] = ("all", "all")
    rooms: int = 3
    hidden: int = 1
    choices: int = 3
    pays: str = "any"
    loops: bool = True
    discount: float = 0.9
    ragged: bool = True
    ties: bool = True

    name = "variable-length"

    def __post_init__(self):
        object.__setattr__(self, "players", tuple(f"player-{i}" for i in range(len(self.sees))))

    def start(self):
        rng = Random(repr(("start", self.seed)))
        rooms = range(self.rooms) if self.loops else range(1)
        states = [(room, hidden) for room in rooms for hidden in range(self.hidden)]
        paid = _paid(self, rng)
        shares = _shares(rng, len(states))
        return Dist.of(
            [(Outcome(state, paid, state[0], self._told(state, None, 0)), p) for state, p in zip(states, shares)]
        )

    def actors(self, state):
        return () if state == OVER else _offered(self, state[0])[0]

    def actions(self, state, player):
        return _offered(self, state[0])[1][player]

    def step(self, state, joint):
        return _rows(self, state)[tuple(joint)]

    def _told(self, state, joint, signal):
        """What each player sees in private on coming to a state."""
        said = {"all": (state, joint, signal), "signals": signal, "nothing": None}
        return tuple(said[sees] for sees in self.sees)


def _shares(rng, many):
    weights = [rng.expovariate(1.0) for _ in range(many)]
    return [weight / sum(weights) for weight in weights]


def _paid(game, rng, about=0.0):
    """What each player gets, not about 0."""
    paid = [(rng.randint(-8, 8) / 8 if game.ties else rng.uniform(-1, 1)) + about for _ in game.sees]
    if game.pays == "zero":
        paid = [paid[0], -paid[0]]
    return tuple(paid[:1] * len(paid) if game.pays == "alike" else paid)


@cache
def _offered(game, room):
    """(Who moves in a room, the actions of each player): at least one player chooses."""
    rng, seats = Random(repr(("offered", game.seed, room))), len(game.sees)
    if not game.ragged:
        return tuple(range(seats)), (tuple(range(game.choices)),) * seats
    movers = tuple(i for i in range(seats) if rng.random() < 0.8) or (rng.randrange(seats),)
    return movers, tuple(tuple(range(rng.randint(2, game.choices))) for _ in range(seats))


@cache
def _rows(game, state):
    """What follows each joint action in a state."""
    (room, _), (movers, legal) = state, _offered(game, state[0])
    rng = Random(repr(("rows", game.seed, state)))
    about = Random(repr(("about", game.seed))).choice((-2.0, 0.0, 2.0))  # what a step pays on average
    return {joint: _row(game, rng, room, joint, about) for joint in product(*(legal[i] for i in movers))}


def _row(game, rng, room, joint, about):
    """Rooms that may follow; play that moves on need not end, any other may, more or less likely by what is done."""
    onward = list(range(room + 1, game.rooms))
    ending = rng.choice((0.0, 0.125, 0.5, 1.0) if onward else (0.25, 0.5, 1.0))
    free = game.loops and (game.discount < 1 or ending > 0)
    if game.loops and game.discount < 1 and not onward:
        ending = rng.choice((0.0, 0.125, 0.5, 1.0))
    rooms = list(range(game.rooms)) if free else onward
    if not rooms:
        ending = 1.0
    rows = {}
    if ending > 0:
        rows[Outcome(OVER, _paid(game, rng, about), OVER, ())] = ending
    if ending < 1:
        pairs = [(to, hidden) for to in rng.sample(rooms, min(2, len(rooms))) for hidden in range(game.hidden)]
        paid = _paid(game, rng, about)
        for state, share in zip(pairs, _shares(rng, len(pairs))):
            for signal, noise in _signals(game, rng, state[1]):
                outcome = Outcome(state, paid, state[0], game._told(state, joint, signal))
                rows[outcome] = rows.get(outcome, 0.0) + (1 - ending) * share * noise
    return Dist.of(rows)


def _signals(game, rng, hidden):
    """(Signal, how likely it is): of the hidden part, not always right."""
    if game.hidden == 1:
        return [(0, 1.0)]
    right = rng.choice((0.5, 0.75, 0.875))
    return [(signal, right if signal == hidden % SIGNALS else (1 - right) / (SIGNALS - 1)) for signal in range(SIGNALS)]


# --- alterations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shaped(Wrapped):
    """Potential-based shaping (Ng, Harada and Russell 1999): r + discount phi(after) - phi(before), phi(end) = 0.

    Whatever is done, a play that begins in state s is paid phi(s) less; `expected` is what that comes to on average.
    """

    salt: int = 0

    def potential(self, state, player):
        if not self.game.actors(state):
            return 0.0
        return signs(self)[player] * _drawn(self.salt, state, player if self.game.pays == "any" else 0)

    @property
    def expected(self):
        """What each player gets more by it, on average."""
        return [
            -sum(p * self.potential(outcome.state, i) for outcome, p in self.game.start())
            for i in range(len(self.players))
        ]

    def step(self, state, joint):
        def change(outcome):
            rewards = tuple(
                r + self.discount * self.potential(outcome.state, i) - self.potential(state, i)
                for i, r in enumerate(outcome.rewards or (0.0,) * len(self.players))
            )
            return replace(outcome, rewards=rewards)

        return outcomes(self.game.step(state, joint), change)


@cache
def _drawn(salt, state, player):
    return Random(repr((salt, state, player))).randint(-32, 32) / 8


@dataclass(frozen=True)
class PaidPerStep(Wrapped):
    """Player 0 gets `amount` more in every step, player 1 of a zero-sum game as much less: another game."""

    amount: float = 1.0

    def step(self, state, joint):
        return outcomes(self.game.step(state, joint), lambda outcome: _more(self, outcome, self.amount))


@dataclass(frozen=True)
class EndsPaid(Wrapped):
    """Every end pays `amount` more: worth as much, where play surely ends and nothing is discounted."""

    amount: float = 1.0

    def step(self, state, joint):
        return outcomes(
            self.game.step(state, joint),
            lambda outcome: outcome if self.game.actors(outcome.state) else _more(self, outcome, self.amount),
        )


@dataclass(frozen=True)
class PaidForEver(Wrapped):
    """`amount` more in every step, and for all steps after the end at once: worth amount / (1 - discount)."""

    amount: float = 1.0

    def step(self, state, joint):
        rest = self.amount * self.discount / (1 - self.discount)
        return outcomes(
            self.game.step(state, joint),
            lambda outcome: _more(self, outcome, self.amount + (0.0 if self.game.actors(outcome.state) else rest)),
        )


def signs(game):
    """What each player gets of an amount: all of a team or of players with any sum, the first against the second."""
    inner = game.game if isinstance(game, Wrapped) else game
    return (1.0, -1.0) if inner.pays == "zero" else (1.0,) * len(inner.players)


def _more(game, outcome, amount):
    paid = outcome.rewards or (0.0,) * len(game.players)
    return replace(outcome, rewards=tuple(r + sign * amount for r, sign in zip(paid, signs(game))))
