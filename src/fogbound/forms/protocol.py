"""What every form is: arrays with labels that some family of algorithms wants, derived from a game or read from a file.

A form says its own name, size and players, which arrays it is (they are what is hashed and checked), what it is made
from, and how answers on it are certified. So nothing above ever asks which of the forms it holds: a solver names the
type that it works on, and `derive` finds the way there from whatever is at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import no_game
from fogbound.core.errors import FormError, SpecError
from fogbound.core.game import AnyGame, Game
from fogbound.core.policy import Strategy
from fogbound.core.registry import Registry


@dataclass(frozen=True)
class Question:
    """What is asked about a game, as far as a form depends on it.

    Parameters
    ----------
    player
        By whom, by index.
    others
        Against whom: policies or mixtures by player.
    limit
        How large the form may become; None leaves that to its builder.
    """

    player: int = 0
    others: Mapping[int, Strategy] = field(default_factory=dict)
    limit: int | None = None

    @property
    def most(self) -> dict[str, int]:
        """The limit as an argument for a builder: none given, its own stands."""
        return {} if self.limit is None else {"limit": self.limit}


@runtime_checkable
class Form(Protocol):
    """Arrays with labels. `kind` is the word that solvers, files and people use for it."""

    kind: ClassVar[str]
    made_from: ClassVar[str]  # the kind of form that it is derived from; "game" = the rules themselves
    also_from: ClassVar[tuple[str, ...]]  # kinds that it is made from as well, where they are at hand
    against: ClassVar[str]  # what it needs to know of the other players: nothing, maybe, others, everyone
    certified_as: ClassVar[str]  # how answers on it are certified

    @property
    def spec(self) -> str:
        """The game, or the file, that it is of."""

    @property
    def players(self) -> tuple[str, ...]: ...

    @property
    def player(self) -> int | None:
        """Whose value and bounds an answer on it is about; None = the player that the question names."""

    @property
    def origin(self) -> Form | None:
        """The form that it was made from, where that is kept."""

    @property
    def size(self) -> int:
        """How many states, nodes, sequences or beliefs."""

    @property
    def constant_sum(self) -> float | None:
        """What the players' values add up to, where that is known to be constant."""

    @property
    def largest(self) -> float:
        """About the largest total that could ever be paid to somebody: what a small gap is small beside."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The canonical layout that is hashed and that certificates are about."""

    def describe(self) -> str:
        """What it is and how large, as a person would say it."""

    @classmethod
    def derive(cls, source: Any, question: Question) -> Self:
        """The form, from one of the kind `made_from`."""


class Described:
    """What forms share: they print as what they are, never as their arrays."""

    also_from: ClassVar[tuple[str, ...]] = ()

    def __repr__(self: Form) -> str:
        return f"<{self.describe()}, of {self.spec}>"


class PlayersForm(Described):
    """What forms share that are about all players, whatever the others do."""

    against: ClassVar[str] = "nothing"

    @property
    def player(self) -> None:
        """Nobody in particular."""


def canonical_arrays(
    form: Form, ints: Iterable[str], floats: Iterable[str], **numbers: float
) -> dict[str, NDArray[Any]]:
    """Fields of a form in the canonical layout that is hashed; `numbers` become arrays of one entry."""
    plain: dict[str, NDArray[Any]] = {name: np.ascontiguousarray(getattr(form, name), "<i8") for name in ints}
    plain |= {name: np.ascontiguousarray(getattr(form, name), "<f8") for name in floats}
    return plain | {name: np.array([n], "<i8" if isinstance(n, int) else "<f8") for name, n in numbers.items()}


@runtime_checkable
class Playable(Protocol):
    """A form that came without a game, from a file or from arrays, and can be played all the same."""

    def as_game(self) -> AnyGame: ...


@runtime_checkable
class ValueRange(Protocol):
    """A form that bounds the value of its answers by the rewards alone."""

    def value_range(self) -> tuple[float, float] | None:
        """The least and the most that any policies can be worth; None where the rewards do not bound it."""


F = TypeVar("F", bound=Form)
G = TypeVar("G")
S = TypeVar("S")
A = TypeVar("A")
NOTHING, MAYBE, OTHERS, EVERYONE = "nothing", "maybe", "others", "everyone"  # maybe: where nobody says, it has its own

FORMS: Registry[Any] = Registry(
    "form",
    {
        "table": "fogbound.forms.table:Table",
        "tree": "fogbound.forms.tree:Tree",
        "memories": "fogbound.forms.memories:Memories",
        "sequence": "fogbound.forms.sequence:SequenceForm",
        "normal": "fogbound.forms.normal:NormalForm",
        "pomdp": "fogbound.forms.pomdp:POMDP",
        "belief-mdp": "fogbound.forms.belief_mdp:BeliefMDP",
        "one-sided": "fogbound.forms.one_sided.form:OneSided",
        "markov": "fogbound.forms.markov:MarkovGame",
        "posg": "fogbound.forms.posg:POSG",
    },
)


def derive(source: AnyGame | Form, wanted: type[F], question: Question | None = None) -> F:
    """The form `wanted` of a game, or of another form, by the chain of builders that leads there.

    Parameters
    ----------
    source
        A game, or a form that lies on the way (a table, a tree, …). What it was made from is used again where that is
        the same problem: a matrix gives its sequence form back, a game that was read from a file the form that the
        file describes.
    wanted
        The type of form, for example `POMDP`.
    question
        Whose form, against whom, how large; player 0 against nobody, within the builders' own limits, by default.

    Returns
    -------
    A form of the type `wanted`.

    Raises
    ------
    FormError
        There is no such form of this game, no way to it from this form, or the others' policies are missing.
    SpecError
        The source is neither a game nor a form; `fb.game` makes games of their names.
    LimitError
        It would be larger than the limit.

    Examples
    --------
    >>> from fogbound import forms, games
    >>> forms.derive(games.make("king-ace"), forms.NormalForm).describe()
    'normal form, 4 x 4 strategies'
    """
    asked = question or Question()
    for form in _same_problem(source):
        if isinstance(form, wanted) and (form is source or form.player in (None, asked.player)):
            return form
    if not isinstance(source, Game | Form | Playable):
        raise SpecError(no_game(source))
    if wanted.against == OTHERS and not (isinstance(source, Form) and source.against == OTHERS):
        _require_others(source, wanted, asked)  # a form that was made against others knows them
    for kind in wanted.also_from:
        for form in _same_problem(source):
            if isinstance(form, FORMS.load(kind)):
                return wanted.derive(form, asked)
    if wanted.made_from != "game":
        return wanted.derive(derive(source, FORMS.load(wanted.made_from), asked), asked)
    if isinstance(source, Game):
        return wanted.derive(source, asked)
    if isinstance(source, Playable):
        return derive(source.as_game(), wanted, asked)
    raise FormError(
        f"{source.spec}: found {source.describe()}, from which no {wanted.kind} form can be made; hand over the game"
    )


def _same_problem(source: AnyGame | Form) -> Iterator[AnyGame | Form]:
    """What is at hand, and what it was made from as long as that is the same problem.

    A game that was made around a form is that form's, but not of the game that the form was once made from: there the
    others are not fixed, or see less.
    """
    yield source
    if isinstance(source, Game):
        if isinstance(source.origin, Form):
            yield source.origin
        return
    if not isinstance(source, Form):
        return
    at, form = source, source.origin
    while form is not None and at.against == NOTHING:
        yield form
        at, form = form, form.origin


def underlying(form: Form, wanted: type[F]) -> F:
    """The form `wanted` that `form` was made from, with or without fixed opponents: what an answer's profile plays.

    Where no such form was met, it is made from the first one: a POMDP that was read from a file has a table of its own.
    """
    first: Form = form
    while not isinstance(first, wanted):
        if first.origin is None:
            return derive(first, wanted)
        first = first.origin
    return first


def _require_others(source: AnyGame | Form, wanted: type[Form], asked: Question) -> None:
    """Whoever answers given opponents must be given all of them."""
    name = source.spec if isinstance(source, Form) else str(source)
    for other, called in enumerate(source.players):
        if other != asked.player and other not in asked.others:
            raise FormError(
                f"{name}: the {wanted.kind} form of {source.players[asked.player]} needs to know how the others play: "
                f"give against=POLICY for {called} (player {other})"
            )


def title(played: AnyGame | Form) -> str:
    """The spec of a game, or of the game that a form is of."""
    return played.spec if isinstance(played, Form) else str(played)


@dataclass(frozen=True, eq=False)
class FormGame(Game[S, A], Generic[G, S, A]):
    """What such games share: they are of the form that they were made around, and called as it is.

    Parameters
    ----------
    form
        The form to be played.
    """

    form: G = field(repr=False)

    name: ClassVar[str] = "form"

    def __post_init__(self) -> None:
        played: Any = self.form
        object.__setattr__(self, "players", played.players)
        object.__setattr__(self, "discount", played.discount)

    @property
    def origin(self) -> G:
        """The form itself: nothing has to be enumerated."""
        return self.form

    def __str__(self) -> str:
        return str(getattr(self.form, "spec"))  # noqa: B009
