"""The contract of a solver: what it works on, what it finds, what it needs, and what else it can do.

Everything that the library lists, chooses or refuses by solver reads these fields: nothing is looked for by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from numpy.typing import NDArray

from fogbound.core.errors import FormError, SpecError, brief, many
from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.forms.protocol import Form
from fogbound.forms.table import Table

F = TypeVar("F", contravariant=True)

Criterion = Literal["discounted", "average"]  # the game's own sum of rewards, or the average reward a step
EQUILIBRIUM = "equilibrium"  # what `finds` says of those whose answer is compared with an equilibrium


@dataclass(frozen=True)
class Scope:
    """The games that a solver takes.

    Parameters
    ----------
    fewest, most
        Number of players; None for no upper limit.
    constant_sum
        Whether their payoffs must add up to the same total at every end.
    """

    fewest: int = 1
    most: int | None = None
    constant_sum: bool = False

    def takes(self, players: int) -> bool:
        """Whether the number of players lies within."""
        return self.fewest <= players and (self.most is None or players <= self.most)

    def fault(self, form: Form) -> str:
        """Why a game lies outside; empty where it does not."""
        players = len(form.players)
        if not self.takes(players):
            wanted = f"{self.fewest}" if self.most == self.fewest else f"{self.fewest} or more"
            return f"{form.spec} has {many(players, 'player')}, expected {wanted}"
        if self.constant_sum and form.constant_sum is None:
            return f"{form.spec} is not zero-sum: the payoffs add up to different totals at its ends"
        return ""


ZERO_SUM = Scope(2, 2, constant_sum=True)


class Solver(ABC, Generic[F]):
    """An algorithm: a frozen dataclass whose fields are the paper's parameters.

    A subclass names the `form` that it works on and what it `finds`, and yields answers from `run`. All else has a
    default. `fogbound.testing.check_solver` tests one. Its docstring is its reference; a field that the docstring does
    not describe is described as in the base class that does (`core.parameter_docs`).

    What a class declares:

    - `name`: what specs and people call it; the registry sets it, and the class's own name stands in for it.
    - `form`: the type of form that it works on.
    - `finds`: what its answer is, in a few words: "equilibrium", "best response", "guarantee".
    - `criterion`: what its answer is best by: "discounted", the game's own sum of rewards, or "average", a step.
    - `scope`: the games that it takes, by the number of players and the sum of their payoffs.
    - `without_form`: forms on which it works where its own is too large, the best last.
    - `simulators`: whether a simulator, which can only be sampled, is enough for it.
    - `preferred`: whether it is the one that is chosen for a form of its type.
    - `parallel`: whether `run` hands work to `context.engine`; a call that names workers for any other is refused.
    - `compiling`: about how many seconds the first compilation of its kernels takes.
    - `searches`: whether it has `online`; derived.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import fogbound as fb
    >>> @dataclass(frozen=True)
    ... class Even(fb.Solver[fb.forms.SequenceForm]):
    ...     form = fb.forms.SequenceForm
    ...     finds = "uniform play"
    ...     def run(self, form, context):
    ...         yield fb.Progress(0.0, -1.0, 1.0, lambda: dict.fromkeys((0, 1), fb.policies.Uniform()))
    >>> fb.solve("kuhn", Even()).gap
    0.9166666666666666
    """

    name: ClassVar[str] = ""
    form: ClassVar[type[Form]]
    finds: ClassVar[str] = ""
    criterion: ClassVar[Criterion] = "discounted"
    scope: ClassVar[Scope] = Scope()
    without_form: ClassVar[tuple[type[Form], ...]] = ()
    simulators: ClassVar[bool] = False
    preferred: ClassVar[bool] = False
    parallel: ClassVar[bool] = False
    compiling: ClassVar[float] = 0.0
    searches: ClassVar[bool] = False

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        cls.name = cls.__dict__.get("name") or cls.__name__
        cls.searches = cls.online is not Solver.online
        if any("Parameters\n" in (base.__doc__ or "") for base in cls.__mro__[1:]):
            from fogbound.core.parameter_docs import completed_docstring

            cls.__doc__ = completed_docstring(cls)

    @staticmethod
    def requires(table: Table, who: str) -> None:
        """Refuse the table of a game that lacks what the method needs beyond its form, such as perfect information."""

    @abstractmethod
    def run(self, form: F, context: Context) -> Iterator[Progress]:
        """Yield as the answer improves; never print, never read a clock."""

    def remembers(self, form: F, kept: Kept) -> None:
        """Declare the arrays that it keeps in `context.arrays`: what is not declared is not read from a checkpoint."""

    def warm(self, form: F, profile: Mapping[int, Strategy]) -> dict[str, NDArray[Any]]:  # noqa: ARG002
        """The arrays with which a run begins from a profile, which is evaluated and not believed."""
        raise SpecError(f"{self.name} cannot begin from a solution")

    def online(self, form: F, player: int, seed: int) -> Strategy:  # noqa: ARG002
        """The policy that searches at each decision, so that nothing is solved beforehand."""
        raise SpecError(f"{self.name} does not search as it plays")

    @property
    def takes_start(self) -> bool:
        """Whether it can begin from a profile: has `warm`, with these parameters."""
        return type(self).warm is not Solver.warm

    @property
    def samples(self) -> bool:
        """Whether an iteration is one sampled trajectory, and not a pass over the whole game."""
        return False

    @property
    def names_solution(self) -> str | None:
        """The file of a saved solution that a parameter names, still to be loaded; `with_solution` takes it."""
        return None

    def with_solution(self, profile: Mapping[int, Strategy]) -> Self:  # noqa: ARG002
        """The same solver with the saved solution that `names_solution` names."""
        raise SpecError(f"{self.name} uses no saved solution")

    @property
    def certified_terms(self) -> Mapping[str, Any]:
        """Parameters that the certificate of its answer repeats, by the word that the certificate uses."""
        return {}

    @classmethod
    def forms(cls) -> tuple[type[Form], ...]:
        """All types of form that it works on, its own first."""
        return (cls.form, *cls.without_form)


AnySolver = Solver[Any]


def require_solver(found: Any) -> AnySolver:
    """Refuse what is no solver: what was found, and what one is."""
    if isinstance(found, Solver):
        return found
    if isinstance(found, type) and issubclass(found, Solver):
        raise SpecError(f"found the class {found.__name__}, expected a solver: {found.__name__}()")
    raise SpecError(
        f"found {brief(found)}, expected a solver: a spec that `fogbound solvers` lists, or an object whose class "
        "inherits from fogbound.Solver"
    )


def require_form(solver: AnySolver, form: Any) -> None:
    """Refuse a form that the solver does not work on: what was found, what is needed, and how to get it."""
    wanted = solver.form
    if isinstance(form, solver.forms()[:2]):
        return
    found = form.describe() if isinstance(form, Form) else brief(form)
    raise FormError(
        f"{solver.name} works on a {wanted.kind} form, found {found}: hand the game to fogbound.solve, or derive the "
        f"form with fogbound.forms.derive(game, {wanted.__name__})"
    )
