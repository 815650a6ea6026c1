"""A game, written once: four methods, as one would explain the rules.

Chance is not a player: `start` and `step` return distributions over outcomes. What a player knows is
derived (its own actions and what it saw), so an author cannot get information sets wrong. Every form that
a solver needs is built from these four methods by `fogbound.forms`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from fogbound.core.board import Board
from fogbound.core.dist import Dist, value_class
from fogbound.core.drawing import Drawing
from fogbound.core.errors import GameError
from fogbound.core.record import NOTHING, GameRecord, plain_words

S = TypeVar("S", bound=Hashable)
A = TypeVar("A", bound=Hashable)


class Observation(NamedTuple):
    """What one player sees of one step: the public part and its own private part.

    Parameters
    ----------
    public
        What everybody sees of the step; None for nothing.
    private
        What only this player sees of it; None for nothing.

    Examples
    --------
    >>> from fogbound import Observation
    >>> str(Observation("raise", "king")), str(Observation(None, None))
    ('raise king', '·')
    """

    public: Hashable
    private: Hashable

    def __str__(self) -> str:
        return " ".join(str(part) for part in self if part is not None) or "·"


@value_class
class Outcome(Generic[S]):
    """What one step leads to: the next state, the rewards, and what is seen of it.

    Parameters
    ----------
    state
        The state after the step.
    rewards
        What each player gets for the step; () when nobody gets anything.
    public
        What every player sees of it.
    private
        `private[i]` is seen by player i alone; () when nobody sees more than the others.

    Examples
    --------
    >>> from fogbound import Outcome
    >>> Outcome("over", (1.0, -1.0), public="called", private=("king", None)).observation(0)
    Observation(public='called', private='king')
    """

    state: S
    rewards: tuple[float, ...] = ()  # () = nobody is paid
    public: Hashable = None  # seen by every player
    private: tuple[Hashable, ...] = ()  # private[i] is seen by player i alone

    def observation(self, player: int) -> Observation:
        return Observation(self.public, self.private[player] if self.private else None)


class Game(ABC, Generic[S, A]):
    """The rules. Authors write a frozen dataclass whose fields are the game's parameters.

    A state is what the future needs, not how we got here: the library remembers the rest, and a game
    written so is enumerated many times faster. Actions and observations are plain values that print well
    (strings, numbers, tuples of these).

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import fogbound as fb
    >>> @dataclass(frozen=True)
    ... class Guess(fb.Game):
    ...     sides: int = 2
    ...     players = ("guesser",)
    ...     def start(self):
    ...         return fb.Dist.uniform(fb.Outcome(coin) for coin in range(self.sides))
    ...     def actors(self, state):
    ...         return () if state == "over" else (0,)
    ...     def actions(self, state, player):
    ...         return range(self.sides)
    ...     def step(self, state, joint):
    ...         return fb.Dist.sure(fb.Outcome("over", (float(joint[0] == state),)))
    >>> fb.solve(Guess(sides=4), "belief-mdp").value
    0.25
    """

    name: ClassVar[str] = ""  # how specs call it; set by the registry
    record: ClassVar[GameRecord] = GameRecord()  # title, group, known values: what lists and pages are made of
    players: tuple[str, ...] = ()
    imperfect_recall: str = ""  # how players forget, in a game from a file of which only its strategies are known
    discount: float = 1.0  # a step t (the first is 0) pays discount**t

    @abstractmethod
    def start(self) -> Dist[Outcome[S]]:
        """How a game begins: the deal, with what each player sees of it."""

    @abstractmethod
    def actors(self, state: S) -> tuple[int, ...]:
        """Who moves now, in increasing order: () = the game is over, several = simultaneously."""

    @abstractmethod
    def actions(self, state: S, player: int) -> Sequence[A]:
        """What `player`, one of the actors, may do; this must follow from what the player knows."""

    @abstractmethod
    def step(self, state: S, joint: tuple[A, ...]) -> Dist[Outcome[S]]:
        """What follows when the actors play `joint`, aligned with `actors(state)`."""

    @property
    def title(self) -> str:
        """What people call the game, such as "8-card poker"; its spec where its author gave it no title."""
        return self.record.titled(vars(self)) or str(self)

    @property
    def player_titles(self) -> tuple[str, ...]:
        """The players' names as sentences have them: "player 1" for `player-1`."""
        return tuple(name.replace("-", " ") for name in self.players)

    def describe(self, action: A) -> str:
        """An action in the words a person at the table would use."""
        return str(action)

    def describe_state(self, state: S) -> str:
        """A state as a clause with nothing hidden, such as "the tiger is behind the left door"."""
        return plain_words(state)

    @property
    def tells_states(self) -> bool:
        """Whether the game has sentences for its states: a `describe_state` of its own."""
        return type(self).describe_state is not Game.describe_state

    def describe_public(self, seen: Hashable) -> str:
        """What all players see of a step, as a clause or a noun that fits below "all see"."""
        return plain_words(seen)

    def describe_private(self, seen: Hashable, player: int) -> str:  # noqa: ARG002
        """What `player` alone sees of a step, as a noun that fits below "you see": "the king of spades"."""
        return plain_words(seen)

    def describe_observation(self, observation: Observation, player: int) -> str:
        """All that `player` sees of a step: the public part first.

        Examples
        --------
        >>> import fogbound as fb
        >>> fb.game("po-nim").describe_observation(fb.Observation("failed", 3), 0)
        'the move failed; a heap of 3'
        """
        public, private = observation
        told = [self.describe_public(public)] if public is not None else []
        told += [self.describe_private(private, player)] if private is not None else []
        return "; ".join(told) or NOTHING

    @property
    def only_sampled(self) -> str:
        """Why outcomes can only be drawn; empty in a game that lists them."""
        return ""

    def board(self, state: S, player: int | None = None) -> Board | None:
        """The state as `player` sees it, or everything when `player` is None. None = nothing to draw."""
        return Board.of_text(self.describe_state(state)) if player is None else None

    def uniform_means(self, player: int) -> str:  # noqa: ARG002
        """Which uniform strategy of `player` is meant, in words; empty where there is only one."""
        return ""

    def hidden_words(self, state: S, player: int) -> str:  # noqa: ARG002
        """What `player` does not see of a state, in a few words for lists of what may be.

        Empty: the sentence of the state, or, in a game without such sentences, what its board has.
        """
        return ""

    def draw(self, state: S, player: int | None = None, belief: Dist[S] | None = None) -> Drawing:  # noqa: ARG002
        """The state as a picture, as seen by `player`, or everything when `player` is None.

        Parameters
        ----------
        state
            The state. Of what `player` cannot see of it nothing may show.
        player
            Whose eyes these are; None sees everything.
        belief
            What this player holds for possible: hidden pieces become ghosts, the denser the more probable. None:
            nothing was inferred. A board of tiles shows none of it; games with a drawing of their own do.

        Returns
        -------
        Drawing

        Examples
        --------
        >>> import fogbound as fb
        >>> tiger = fb.game("tiger")
        >>> tiger.draw("left", 0) == tiger.draw("right", 0)
        True
        >>> tiger.draw("left", 0, fb.Dist.of({"left": 0.85, "right": 0.15})).label
        'Two closed doors: the tiger is behind the left one with 85\u202f%, behind the right one with 15\u202f%.'
        """
        return (self.board(state, player) or Board.of_text("nothing to see")).draw()

    @property
    def draws_policies(self) -> bool:
        """Whether the game has a picture of its policies: a `draw_policy` of its own."""
        return type(self).draw_policy is not Game.draw_policy

    def draw_policy(
        self,
        player: int,  # noqa: ARG002
        chances: Mapping[S, Mapping[A, float]],  # noqa: ARG002
        other: Hashable | None,  # noqa: ARG002
        title: str,  # noqa: ARG002
    ) -> Drawing:
        """How `player` plays, as one picture: `chances` are those of its actions by state.

        `other` says, in the game's own terms, where the other players are; None: where they begin.
        """
        raise GameError(f"{self} has no picture of its policies")

    def canonical(self, state: S) -> S:
        """A representative of the states that are alike (symmetry); the state itself by default."""
        return state

    def cut_from(self) -> tuple[AnyGame, int] | None:
        """(another game, steps) where this one is that one, over after so many steps, with states (steps left, its
        state): where arrays of the other are at hand, its rules need not be asked. None by default.
        """
        return None

    @property
    def origin(self) -> object:
        """The form that the game was made around, where it came from a file or from arrays; None by default."""
        return None

    def compiled_rules(self) -> Any:
        """The same rules as compiled functions (`fogbound.compiled.rules.CompiledRules`), which enumerate and search a
        large game a hundred times as fast. None by default: every game can do without.
        """
        return None

    def vector_rules(self) -> Any:
        """The same rules as numpy functions of many states at once (`fogbound.forms.VectorRules`), by which a game of
        thousands of states is enumerated. None by default: every game can do without.
        """
        return None

    def __str__(self) -> str:
        from fogbound.core.spec import spec_of

        return spec_of(self)


AnyGame = Game[Any, Any]
