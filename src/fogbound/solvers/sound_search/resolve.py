"""`resolve`: continual resolving as a solver among solvers, and as a player that thinks at each decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from fogbound.core.errors import SpecError
from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import ZERO_SUM, Scope
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import sequence
from fogbound.forms.tree import Tree
from fogbound.solvers.equilibrium import EquilibriumSolver
from fogbound.solvers.sound_search.assembled import assemble
from fogbound.solvers.sound_search.continual import ContinualResolving, ResolvingSettings
from fogbound.solvers.sound_search.layout import resolving_layout
from fogbound.solvers.sound_search.online import SearchingPolicy
from fogbound.solvers.sound_search.public_states import PublicStates, public_states
from fogbound.solvers.sound_search.value_function import SolutionValues

VALUES = ("iterates", "average", "best-reply")


@dataclass(frozen=True)
class Resolve(ResolvingSettings, EquilibriumSolver[Tree]):
    """Continual resolving: at each decision the rest of the game is solved anew, so that nobody can profit from it.

    Burch, Johanson and Bowling (2014), Moravčík et al. (2017). Works on the tree of a two-player zero-sum (or
    constant-sum) game; public states are derived from it. CFR+ solves each subgame with the CFR-D gadget. As a player
    it thinks at each decision. As a solver it is asked at every information set, and the strategy that this makes is
    evaluated exactly: the gap is its NashConv. Beyond that nothing is promised.

    Parameters
    ----------
    budget
        How many nodes of both players' decision trees (information sets, those of the gadget among them) are visited at
        each decision, all sweeps together; there is always one sweep.
    values
        What the opponent is granted by the next gadget: the mean of the "iterates"' values, the values of the "average"
        profile (which stalls with grant=after), or of its "best-reply" (safe, and loose where sweeps are few).
    grant
        Whether these are the values "before" the opponent's last move, where I have not moved since and nothing else
        was seen, or always those "after" it. Before is looser, as safe, and less sensitive to bad values.
    unsafe
        No gadget: the opponent is taken to have played as in the last solve, which can be exploited at any budget.
    depth
        How many times I look ahead to my next decision before `value` stands for the rest; 0: to the end.
    value
        The value function at that limit: a saved solution (.npz), as whose profile both then go on, or from Python any
        `value_function`.
    """

    name = "resolve"

    scope: ClassVar[Scope] = ZERO_SUM
    form: ClassVar[type[Tree]] = Tree
    compiling: ClassVar[float] = 5

    def __post_init__(self) -> None:
        if self.budget < 1:
            raise SpecError(f"resolve: budget is {self.budget}, expected 1 or more nodes")
        if self.values not in VALUES:
            raise SpecError(f"resolve: values is {self.values!r}, expected {', '.join(VALUES[:-1])} or {VALUES[-1]}")
        if self.grant not in ("before", "after"):
            raise SpecError(f"resolve: grant is {self.grant!r}, expected before or after")
        if self.depth < 0:
            raise SpecError(f"resolve: depth is {self.depth}, expected 0 (to the end) or more decisions")
        if (self.depth > 0) != (self.value is not None):
            raise SpecError(
                "resolve: depth= and value= go together, since a value function must stand for what is cut off: "
                "resolve(depth=1, value=nash.npz), or from Python Resolve(depth=1, value=function)"
            )

    @property
    def names_solution(self) -> str | None:
        """The file of the saved solution that has still to be loaded, as `with_solution` takes it."""
        return self.value if isinstance(self.value, str) else None

    def with_solution(self, profile: Mapping[int, Strategy]) -> Resolve:
        """The same, with the values of the profile that the file holds.

        Parameters
        ----------
        profile
            A policy for each player.
        """
        return replace(self, value=SolutionValues(str(self.value), profile))

    def remembers(self, form: Tree, kept: Kept) -> None:
        kept.integers("done", (1,), high=len(decisions(public_states(form))))

    def run(self, form: Tree, context: Context) -> Iterator[Progress]:
        plexes = sequence(form)
        self.require(plexes, "resolve")
        public = public_states(form)
        players = [ContinualResolving(resolving_layout(public, me), self) for me in (0, 1)]

        def at_once() -> list[Floats]:
            """Both players as the solves from the start have it: what there is before anything is solved again."""
            played = [plex.uniform.copy() for plex in plexes.plexes]
            for me, search in enumerate(players):
                for infoset, behaviour in search.from_start():
                    first = int(form.set_first[infoset])
                    played[me][first : first + len(behaviour)] = behaviour
            return played

        def think(unit: tuple[int, int]) -> list[tuple[int, Floats]]:
            return players[unit[0]].at(unit[1])

        yield from assemble(plexes, at_once, decisions(public), think, context)

    def online(self, form: Tree, player: int, seed: int = 0) -> SearchingPolicy:  # noqa: ARG002
        """The policy that resolves at each decision that it is asked for: a function of what its player has seen.

        Parameters
        ----------
        form
            The game tree.
        player
            By index.
        seed
            Not used: nothing is drawn.
        """
        self.require(sequence(form), "resolve")
        search = ContinualResolving(resolving_layout(public_states(form), player), self)
        return SearchingPolicy(form, player, search.behaviour)


def decisions(public: PublicStates) -> list[tuple[int, int]]:
    """(player, public state) of everything that is to be resolved, ancestors first."""
    return [(me, int(state)) for me in (0, 1) for state in public.acts[:, me].nonzero()[0]]
