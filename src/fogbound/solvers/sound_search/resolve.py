"""`resolve`: continual resolving, as a solver and as a player that thinks at each decision.

At every decision the subgame is solved anew, from my range and the opponent's values. Moravčík et al., "DeepStack"
(2017), without a limit of depth unless one is given. A solve leaves three things: how I play in this public state, so
how likely each of my memories is later (my range), and what each of the opponent's memories is worth to it when I act
again. That value is the mean over the iterates, iteration t counting t times. The values of the average profile will
not do: memories that the opponent's average hardly reaches carry what it did in its first iterations, the next gadget
grants it too little, and more sweeps do not help (`values=average` shows it).

Everything is a function of the public state, since each solve needs only the ones before it on the way there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.errors import SpecError, brief
from fogbound.core.policy import Strategy
from fogbound.driver.kept import Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import ZERO_SUM, Scope
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import sequence
from fogbound.forms.tree import Tree
from fogbound.solvers.equilibrium import EquilibriumSolver
from fogbound.solvers.sound_search.layout import FOLLOW, Gadget, ResolvingLayout, Subgame, cut_subgame, resolving_layout
from fogbound.solvers.sound_search.public_states import PublicStates, public_states
from fogbound.solvers.sound_search.searched import SearchingPolicy, assemble
from fogbound.solvers.sound_search.value_function import Limit, SolutionValues, ValueFunction

START = -1  # in the place of a public state: the game itself, before I have acted
PIECE = 5_000_000  # nodes visited between two looks at whether to stop
ENDLESS = 1 << 60  # a moment that never comes
VALUES = ("iterates", "average", "best-reply")


@dataclass(frozen=True)
class Resolve(EquilibriumSolver[Tree]):
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

    budget: int = 100_000
    values: Literal["iterates", "average", "best-reply"] = "iterates"
    grant: Literal["before", "after"] = "before"
    unsafe: bool = False
    depth: int = 0
    value: ValueFunction | str | None = None

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
        kept.integers("done", (1,), high=len(_decisions(public_states(form))))

    def run(self, form: Tree, context: Context) -> Iterator[Progress]:
        plexes = sequence(form)
        self.require(plexes, "resolve")
        public = public_states(form)
        players = [ContinualResolving(resolving_layout(public, me), self) for me in (0, 1)]

        def at_once() -> list[tuple[int, Floats]]:
            """Both players as the solves from the start have it: what there is before anything is solved again."""
            return [found for search in players for found in search.from_start()]

        def think(unit: tuple[int, int]) -> list[tuple[int, Floats]]:
            return players[unit[0]].at(unit[1])

        yield from assemble(plexes, at_once, _decisions(public), think, context)

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


def _decisions(public: PublicStates) -> list[tuple[int, int]]:
    """(player, public state) of everything that is to be resolved, ancestors first."""
    return [(me, int(state)) for me in (0, 1) for state in public.acts[:, me].nonzero()[0]]


@dataclass(frozen=True, eq=False)
class Resolved:
    """What is kept of a solve: my play from sequence `first` on, the worth of the opponent's decisions from `at` on."""

    first: int
    behaviour: Floats
    plan: Floats
    at: int
    values: Floats
    ranges: Floats
    sweeps: int


class ContinualResolving:
    """One player's search: `resolved(state)` is the solve of a public state in which it acts, made when asked for."""

    def __init__(self, layout: ResolvingLayout, settings: Resolve) -> None:
        self.layout, self.settings = layout, settings
        self._resolved: dict[int, Resolved] = {}

    def resolved(self, state: int) -> Resolved:
        if state not in self._resolved:
            self._resolved[state] = self._solve(state)
        return self._resolved[state]

    def at(self, state: int) -> list[tuple[int, Floats]]:
        """What I do in a public state: (information set, the probability of each move)."""
        layout, found = self.layout, self.resolved(state)
        return _by_set(layout, found, layout.run(layout.my_state, state, whole=False))

    def from_start(self) -> list[tuple[int, Floats]]:
        """What I would do everywhere if nothing were solved again."""
        return _by_set(self.layout, self.resolved(START), slice(0, len(self.layout.infoset)))

    def behaviour(self, infoset: int) -> Floats:
        """What to do at one of my information sets."""
        public = self.layout.public
        return dict(self.at(int(public.of_memory[public.tree.set_memory[infoset]])))[infoset]

    def whole(self, state: int) -> bool:
        """Whether the game itself begins here, as far as decisions go: nothing is known but what chance did."""
        layout = self.layout
        run = layout.run(layout.end_state, state)
        return bool(run.stop - run.start == len(layout.end_state))

    def _solve(self, state: int) -> Resolved:
        layout = self.layout
        if state != START and self.whole(state):
            return self._part(self.resolved(START), state)
        gadget = Gadget(self._plan(START)) if state == START else self._gadget(state)
        moment = 1 if state == START else int(layout.moment[state])
        limit = moment + self.settings.depth if self.settings.depth else ENDLESS
        game = cut_subgame(layout, max(state, 0), gadget, limit)
        sweeps = max(1, self.settings.budget // max(1, game.size))
        self._sweep(game, sweeps)
        return self._kept(game, state, sweeps)

    def _part(self, start: Resolved, state: int) -> Resolved:
        """The solve from the start, of which only this public state's part is played."""
        first, last = _sequences(self.layout, self.layout.run(self.layout.my_state, state, whole=False))
        part = slice(first - start.first, last - start.first)
        return replace(start, first=first, behaviour=start.behaviour[part], plan=start.plan[part])

    def _gadget(self, state: int) -> Gadget:
        """My range, and what the opponent was granted (or where it was taken to be) by the solve before."""
        layout = self.layout
        before, top = self.resolved(int(layout.previous[state])), layout.run(layout.their_state, state, whole=False)
        gates = np.arange(top.start, top.stop)[layout.gate_memory[top] >= 0]
        if self.settings.unsafe:
            return Gadget(self._plan(state), ranges=before.ranges[gates - before.at])
        source = layout.worth_at[gates] if self.settings.grant == "before" else gates
        return Gadget(self._plan(state), before.values[source - before.at])

    def _plan(self, state: int) -> Floats:
        """[my sequences] with which weight I have played those above a public state."""
        plan = np.zeros(self.layout.my_sequences)
        plan[0] = 1.0
        while state >= 0:
            state = int(self.layout.previous[state])
            before = self.resolved(state) if state >= 0 else None
            if before is not None:
                plan[before.first : before.first + len(before.plan)] = before.plan
        return plan

    def _sweep(self, game: Subgame, sweeps: int) -> None:
        from fogbound.solvers.sound_search.kernels import subgame as kernel

        mine, theirs, ends = game.layout.mine, game.layout.theirs, game.ends
        value = self.settings.value
        if isinstance(value, str):
            raise SpecError(
                f"resolve: value names the file {brief(value)}, which fogbound.solve and fogbound.policy load"
            )
        if value is None:
            done, piece = 0, max(1, PIECE // max(1, game.size))
            while done < sweeps:
                check()
                many = min(piece, sweeps - done)
                kernel.sweeps(done + 1, many, mine, theirs, game.me, game.they, game.my_sets, game.their_sets, ends)
                done += many
            return
        limit = Limit(game, value)
        for t in range(1, sweeps + 1):
            check()
            limit.estimate(mine=False)
            kernel.learn_step(
                t, -1.0, theirs, game.they, game.their_sets, ends.theirs, ends.mine, game.me.weight, ends.gain
            )
            limit.estimate(mine=True)
            kernel.learn_step(t, 1.0, mine, game.me, game.my_sets, ends.mine, ends.theirs, game.they.weight, ends.gain)

    def _kept(self, game: Subgame, state: int, sweeps: int) -> Resolved:
        layout, total = self.layout, sweeps * (sweeps + 1) / 2
        own = layout.run(layout.my_state, state, whole=False) if state >= 0 else slice(0, len(layout.infoset))
        behaviour, plan = _averages(game, own)
        first, last = _sequences(layout, own)
        theirs = layout.run(layout.their_state, max(state, 0))
        ranges = np.where(
            layout.gate_memory[theirs] >= 0, game.they.average[layout.theirs.first[theirs] + FOLLOW] / total, 0.0
        )
        values = granted(game, self.settings.values, total)[theirs].copy()
        return Resolved(first, behaviour[first:last], plan[first:last], theirs.start, values, ranges, sweeps)


def _by_set(layout: ResolvingLayout, found: Resolved, decisions: slice) -> list[tuple[int, Floats]]:
    """(information set, the probability of each move) of these decisions of mine."""
    first, size = layout.mine.first[decisions] - found.first, layout.mine.size[decisions]
    listed = zip(layout.infoset[decisions].tolist(), first.tolist(), size.tolist())
    return [(infoset, found.behaviour[at : at + many]) for infoset, at, many in listed]


def _sequences(layout: ResolvingLayout, decisions: slice) -> tuple[int, int]:
    """From which of my sequences to which these decisions of mine have theirs."""
    if decisions.stop == decisions.start:
        return 0, 0
    last = decisions.stop - 1
    return int(layout.mine.first[decisions.start]), int(layout.mine.first[last] + layout.mine.size[last])


def _averages(game: Subgame, decisions: slice) -> tuple[Floats, Floats]:
    """[my sequences] my average strategy at these decisions of mine, and the weights with which I then play.

    Every move alike where my own play never comes, and beyond a limit of depth, where nothing was solved.
    """
    mine, behaviour, plan = game.layout.mine, np.zeros(game.layout.my_sequences), game.me.weight.copy()
    for h in range(decisions.start, decisions.stop):
        a, b = int(mine.first[h]), int(mine.first[h] + mine.size[h])
        total = game.me.average[a:b].sum()
        behaviour[a:b] = game.me.average[a:b] / total if total > 0 else 1 / (b - a)
        plan[a:b] = plan[mine.parent[h]] * behaviour[a:b]
    return behaviour, plan


def granted(game: Subgame, kind: str, total: float) -> Floats:
    """[their decisions] what each is worth to the opponent, as the next gadget grants it."""
    from fogbound.solvers.sound_search.kernels import subgame as kernel

    if kind == "iterates":
        return game.they.value / total
    layout, weight = game.layout, game.me.weight.copy()
    for h in game.my_sets.tolist():
        a, b = int(layout.mine.first[h]), int(layout.mine.first[h] + layout.mine.size[h])
        weight[a:b] = game.me.average[a:b] / total
    for h in game.their_sets.tolist():
        a, b = int(layout.theirs.first[h]), int(layout.theirs.first[h] + game.they.size[h])
        played = game.they.average[a:b].sum()
        game.they.behaviour[a:b] = game.they.average[a:b] / played if played > 0 else 1 / (b - a)
    way = kernel.AVERAGE if kind == "average" else kernel.BEST_REPLY
    kernel.evaluate_opponent(way, layout.theirs, game.they, game.their_sets, game.ends, weight)
    return game.they.value
