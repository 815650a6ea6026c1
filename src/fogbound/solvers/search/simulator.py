"""What a planner asks of a game: actions as the search counts them, beliefs, and a search tree.

Three kinds of game answer. Compiled rules and tables are one class, `CompiledSimulator`, since any table makes compiled
rules (`forms.compiled_rules`). Plain rules with modelled others are sampled in Python (`pomcp.RulesSimulator`).

A game in which the others play as given, or at random, becomes a POMDP where it is enumerated, and with it comes a
value for every leaf of a search: the fast informed bound. A game that has compiled rules of its own needs no form, and
brings along what it knows of worths.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from fogbound.compiled.rules import CompiledRules
from fogbound.compiled.rules import worths as no_worths
from fogbound.core.errors import FormError, LimitError, many
from fogbound.core.game import AnyGame
from fogbound.core.policy import Strategy
from fogbound.forms.arrays import Floats
from fogbound.forms.compiled_rules import pomdp_rules
from fogbound.forms.pomdp import POMDP
from fogbound.forms.protocol import Question, derive
from fogbound.policies.uniform import Uniform
from fogbound.solvers.search.belief import BeliefTracker, ParticleBelief
from fogbound.solvers.search.decision_values import state_shares
from fogbound.solvers.search.enumerated_belief import EnumeratedTracker
from fogbound.solvers.search.history import Steps
from fogbound.solvers.search.hook_tables import TABULATED, HookTables, pomdp_tables
from fogbound.solvers.search.hooks import AUTO, INFORMED, ROLLOUT, GameHooks, Hooks
from fogbound.solvers.search.kernels.simulation import SearchRoot
from fogbound.solvers.search.tree_search import NO_TABLES, Decision, SearchWay, TreeSearch

WORK = 200_000_000  # multiplications that the fast informed bound may take: any sweep leaves a bound
SMALL = 5_000  # states up to which an offline solver is the better choice


class OnlineSearch(Protocol):
    """Simulations from one decision."""

    done: int  # simulations so far

    def restart(self, root: Any, seed: int) -> None: ...  # forget everything, and search from another belief

    def reuse(self, steps: Steps, root: Any, seed: int) -> None: ...  # go on from the subtree of these steps

    def run(self, simulations: int, stopping: Callable[[], bool] | None = None) -> int: ...  # how many in all

    def decision(self, legal: Sequence[Any]) -> Decision: ...


class SearchSimulator(Protocol):
    """A game as one of its players plans in it."""

    @property
    def leaf(self) -> str: ...  # what a new node is valued by: informed or rollout

    @property
    def why(self) -> str: ...  # why nothing compiled is searched although it could be; empty where there is no reason

    def codes(self, actions: Sequence[Hashable]) -> Sequence[Any]: ...  # how the search calls actions

    def tracker(self, way: SearchWay, seed: int, particles: int) -> BeliefTracker: ...

    def offered(
        self, believed: ParticleBelief
    ) -> Sequence[Hashable]: ...  # the actions at a tracker's belief; none: not asked

    def search(self, way: SearchWay, root: Any, seed: int) -> OnlineSearch: ...  # from the root of a tracker's belief

    def shares(self, root: Any) -> Mapping[Any, float]: ...  # the game's states in such a root, by probability


def method_facts(simulator: SearchSimulator) -> dict[str, Any]:
    """What an answer says of the method: by what leaves are valued, and what takes the search from compiled code."""
    return {"leaf": simulator.leaf, **({"search": simulator.why} if simulator.why else {})}


@dataclass(frozen=True, eq=False)
class CompiledSimulator:
    """Compiled rules, of the game's own or of its table, and which of their players plans.

    Parameters
    ----------
    compiled
        The rules.
    me
        Who plans.
    leaf
        What a new node is valued by: informed or rollout.
    form
        The POMDP, where the rules are made of one.
    tables
        What hooks say of its states.
    """

    compiled: CompiledRules = field(repr=False)
    me: int
    leaf: str = ROLLOUT
    form: POMDP | None = field(default=None, repr=False)
    tables: HookTables = field(default=NO_TABLES, repr=False)

    why: ClassVar[str] = ""

    def codes(self, actions: Sequence[Hashable]) -> list[int]:
        return [self.compiled.action_code(action) for action in actions]

    def offered(self, believed: ParticleBelief) -> list[Hashable]:
        actors, codes = np.zeros((2, max(len(self.compiled.players), self.compiled.most_actions)), np.int64)
        for row in believed.states:
            if self.me in actors[: self.compiled.actors(self.compiled.rules, row, actors)]:
                legal = codes[: self.compiled.legal(self.compiled.rules, row, self.me, codes)]
                return [self.compiled.action(code) for code in legal.tolist()]
        return []

    def tracker(self, way: SearchWay, seed: int, particles: int) -> EnumeratedTracker:
        return EnumeratedTracker(self.compiled, self.me, way.observer == "alone", seed, particles)

    def search(self, way: SearchWay, root: SearchRoot, seed: int) -> TreeSearch:
        return TreeSearch(self.compiled, way, root, self.me, seed, self.tables)

    def shares(self, root: SearchRoot) -> Mapping[Any, float]:
        return state_shares(map(self.compiled.state, root.rows), np.diff(root.upto, prepend=0.0).tolist())


def modelled_simulator(
    game: AnyGame, player: int, others: Mapping[int, Strategy], leaf: str = "auto"
) -> CompiledSimulator:
    """A game as `player` faces it, for the compiled search.

    Parameters
    ----------
    game
        The game.
    player
        Who searches.
    others
        How the others play; empty: at random.
    leaf
        informed: what a new node is worth to one who sees more from then on; rollout: what random play brings; auto:
        informed where there is such a bound.

    Returns
    -------
    CompiledSimulator

    Raises
    ------
    LimitError
        There are too many states and memories of the others, and no compiled rules.
    FormError
        An informed leaf was asked for, and there is none.
    """
    own: CompiledRules | None = None if others else game.compiled_rules()
    if own is not None:
        known = own.worths is not no_worths
        if leaf == INFORMED and not known:
            raise FormError(f"pomcp: nothing bounds what {game} is worth from a state on; use value=rollout")
        used = known and leaf != ROLLOUT
        return CompiledSimulator(own if used else own.without_worths(), player, INFORMED if used else ROLLOUT)
    form, worths = _valued_pomdp(game, Question(player, others), leaf)
    return CompiledSimulator(pomdp_rules(form, worths), 0, ROLLOUT if worths is None else INFORMED, form)


def hooked_simulator(
    game: AnyGame, player: int, others: Mapping[int, Strategy], hooks: Hooks, found: GameHooks
) -> CompiledSimulator:
    """A game as `player` faces it, with hooks as tables of its POMDP.

    Parameters
    ----------
    game, player, others
        As in `modelled_simulator`.
    hooks, found
        The hooks as they were given, and in this game.

    Returns
    -------
    CompiledSimulator

    Raises
    ------
    LimitError
        There are too many states to ask hooks about each.
    """
    form, worths = _valued_pomdp(game, Question(player, others, TABULATED), hooks.leaf)
    leaf = hooks.leaf_words(ROLLOUT if worths is None else INFORMED)
    own = hooks.initial == AUTO  # then worths are the initial values as well
    tables = pomdp_tables(form, found, None if own else worths)
    return CompiledSimulator(pomdp_rules(form, worths if own else None), 0, leaf, form, tables)


def _valued_pomdp(game: AnyGame, asked: Question, leaf: str) -> tuple[POMDP, Floats | None]:
    """The POMDP against the others, or against others who play at random, and the informed values of its rows."""
    rest = [other for other in range(len(game.players)) if other != asked.player]
    form = derive(game, POMDP, replace(asked, others=asked.others or dict.fromkeys(rest, Uniform())))
    return form, None if leaf == ROLLOUT else _informed(form, leaf == INFORMED)


def _informed(form: POMDP, demanded: bool) -> Floats | None:
    """[R] the fast informed bound by rows; None where play need not end and nothing is discounted."""
    from fogbound.solvers.pomdp.initial_bounds import model_of, qmdp_bound

    try:
        steps = model_of(form, "pomcp")
    except FormError:
        if demanded:
            raise
        return None
    sweeps = max(1, WORK // max(1, steps.sweep_work()))
    bound, _ = steps.fast_informed_bound(qmdp_bound(steps), sweeps=sweeps)
    return steps.by_rows(bound)


def offline(found: CompiledSimulator, game: AnyGame, player: int) -> str:
    """A sentence where solving the whole POMDP is the better choice; empty where it is not."""
    form = found.form
    if form is None and len(game.players) == 1:
        try:
            form = derive(game, POMDP, Question(player, {}, SMALL))
        except LimitError:
            return ""
    if form is None or form.size > SMALL or not (form.discount < 1 or form.ends):
        return ""
    return f"a POMDP of {many(form.size, 'state')}: some seconds of sarsop are better than this, and bounded"
