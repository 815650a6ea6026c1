"""Exact-belief search with bounds: what to do now, and between which numbers its value lies.

Online planning as in Ross, Pineau, Paquet and Chaib-draa, "Online planning algorithms for POMDPs" (2008), by AEMS2
(`kernels/lookahead.py`). Where the model can be written down but not solved in the time there is: the bounds that
SARSOP begins with (blind policies, the fast informed bound), or those that some of its trials lead to, are sharpened
at the belief that matters now.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, SpecError, brief
from fogbound.core.policy import Strategy
from fogbound.core.q_value import QValue
from fogbound.driver.clock import Clock
from fogbound.driver.protocol import Context, Evidence, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.bayes_filter import Belief
from fogbound.forms.mixed_observability import MixedObservability, mixed_observability
from fogbound.forms.pomdp import POMDP, check_ends
from fogbound.policies.alpha_vectors import BeliefMemory, RemembersBelief
from fogbound.policies.mixture import fixed_others
from fogbound.solvers.pomdp.hsvi.improvement import improve_bounds
from fogbound.solvers.pomdp.hsvi.kernels.backup import add_point, make_vector, sawtooth_bound
from fogbound.solvers.pomdp.hsvi.kernels.belief_tree import NODES, ROOT
from fogbound.solvers.pomdp.hsvi.kernels.trials import HSVI_RULE, SARSOP_RULE
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.pomdp.hsvi.solution import HSVISolution
from fogbound.solvers.search.budget import simulations_for
from fogbound.solvers.search.kernels.lookahead import DEEPEST, FULL, SETTLED, Frontier, all_actions, expand_urgent

FEW_STATES = 2_000  # that some seconds of SARSOP are enough for
HINT = "sarsop solves a model of this size in seconds, better and for every belief at once"
FIRST_WAYS = 64  # down and up at the start before the first answer; then twice as many each time
ZETA, TARGET = 0.9, 0.5  # of the trials, as in `sarsop`
WORK = 1_000_000  # multiplications between two looks at whether to stop
WAYS = 8  # down and up between two looks at the clock
GROWTH = 4  # backups that new room is made for
MOST_ANSWERS = 100_000  # decisions that are remembered


class LookaheadSearch:
    """A search from one belief after the other; what bounds its leaves, vectors below and points above, stays."""

    def __init__(self, blocks: MixedObservability, bounds: dict[str, NDArray[Any]]) -> None:
        self.blocks, self.bounds = blocks, HeuristicSearch(blocks, bounds)
        self.plant(0, np.ones(1))

    def plant(self, block: int, weights: Floats) -> None:
        """Begin anew from a belief over the states of a block; block 0 is the start."""
        self.bounds.plant(block, weights)
        self._frontier(np.zeros(1, np.int64))

    def _frontier(self, count: Longs) -> None:
        """As much room as the tree has."""
        room, before = int(self.bounds.state.capacity[NODES]), getattr(self, "frontier", None)
        if before is not None and len(before.urgency) == room:
            before.count[:] = count
            return
        promising, sure, passed = np.zeros((3, room), np.int64)
        grown = Frontier(np.zeros(room), promising, sure, passed, np.zeros(DEEPEST, np.int64), count)
        for name in ("urgency", "promising", "sure") if before is not None else ():
            getattr(grown, name)[: count[0]] = getattr(before, name)[: count[0]]
        self.frontier = grown

    def advance(self, most: int, ways: int) -> bool:
        """Look into more beliefs, `most` in all. Whether nothing more is to be had."""
        enough = float(self.bounds.arrays["met"][0])
        while True:
            status = int(expand_urgent(self.bounds.state, self.frontier, np.int64(most), np.int64(ways), enough))
            if status != FULL:
                return status == SETTLED or self.nodes >= most
            if not self.make_room():
                return True

    def make_room(self) -> bool:
        """For some more backups; False where there is no more memory."""
        more = GROWTH * self.bounds.room
        if not self.bounds.fits(more):
            return False
        self.bounds.make_room(more)
        self._frontier(self.frontier.count)
        return True

    @property
    def nodes(self) -> int:
        return int(self.bounds.state.used[NODES])

    @property
    def interval(self) -> tuple[float, float]:
        """Both bounds of the root's value."""
        lower, upper = self.bounds.bounds()
        return lower, max(lower, upper)  # they may cross by rounding

    def actions(self) -> tuple[Floats, Floats]:
        """[actions] both bounds of all that can be done at the root."""
        self.make_room()
        block = int(self.bounds.state.tree.block[ROOT])
        lower, upper = np.zeros((2, int(np.diff(self.blocks.choice)[block])))
        all_actions(self.bounds.state, lower, upper)
        return lower, np.maximum(lower, upper)


@dataclass(frozen=True)
class Looked:
    """What a search found out about one decision.

    Attributes
    ----------
    action
        What to do: the middle of its bounds is highest.
    lower, upper
        Bounds of the value at this belief, sound up to rounding.
    actions
        Both bounds of each action, by label.
    nodes
        How many beliefs the search held.
    settled
        Whether nothing more was to be gained.
    """

    action: Hashable
    lower: float
    upper: float
    actions: Mapping[Hashable, tuple[float, float]] = field(repr=False)
    nodes: int
    settled: bool


@dataclass(frozen=True, eq=False)
class LookaheadPolicy(RemembersBelief):
    """Search at every decision from the exact belief, and take the action the middle of whose bounds is highest.

    Memory is the belief. Nothing is kept from one move to the next, so unless `milliseconds` are given what is played
    is a function of the belief alone.

    Parameters
    ----------
    pomdp
        The model that is played in.
    nodes
        Beliefs that the search of a move may hold.
    milliseconds
        For a move, at most; 0: as long as it takes.
    bounds
        The arrays of a run of `sarsop` or `hsvi`, finished or not (a solver's `Context.arrays`): then its vectors and
        points bound what was not looked into. Empty: blind policies and the fast informed bound do.
    """

    pomdp: POMDP = field(repr=False)
    nodes: int
    milliseconds: float = 0.0
    bounds: Mapping[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    thinks: ClassVar[bool] = True

    @cached_property
    def _search(self) -> LookaheadSearch:
        own = {name: np.array(array) for name, array in self.bounds.items()}
        return LookaheadSearch(mixed_observability(self.pomdp), own)

    @cached_property
    def _answers(self) -> dict[tuple[BeliefMemory, tuple[Hashable, ...]], Dist[Hashable]]:
        return {}

    @cached_property
    def _home(self) -> Longs:
        """[S] where each state stands among the members of blocks, and -1 where no history leads; copies that only
        the start has are left out."""
        blocks = self._search.blocks
        home = np.full(self.pomdp.size, -1)
        home[blocks.state[1:]] = np.arange(1, len(blocks.state))  # of equals the last, which is no copy
        return home

    def act(self, memory: BeliefMemory, actions: Sequence[Hashable]) -> Dist[Hashable]:
        legal = tuple(actions)
        if len(legal) == 1:
            return Dist.sure(legal[0])
        answer = self._answers.get((memory, legal))
        if answer is None:
            looked = self.look(memory, legal)
            answer = Dist.uniform(legal) if looked is None else Dist.sure(looked.action)
            if len(self._answers) >= MOST_ANSWERS:
                self._answers.clear()
            self._answers[memory, legal] = answer
        return answer

    def look(self, memory: BeliefMemory, actions: Sequence[Hashable]) -> Looked | None:
        """Search at a decision between `actions`; None where the model holds what was seen impossible.

        Parameters
        ----------
        memory
            What is believed.
        actions
            The legal actions.

        Returns
        -------
        Looked or None

        Examples
        --------
        >>> import fogbound as fb
        >>> from fogbound.solvers.search.lookahead import LookaheadPolicy
        >>> policy = LookaheadPolicy(fb.forms.pomdp(fb.game("tiger")), nodes=200)
        >>> looked = policy.look(policy.begin(None), ("listen", "open-left", "open-right"))
        >>> looked.action, round(looked.lower, 3), round(looked.upper, 3)
        ('listen', 19.371, 19.371)
        """
        belief = self.asked(memory)
        if belief is None:
            return None
        clock, search = Clock(), self._search
        search.plant(*self.placed(belief))
        ways, seconds = (WAYS, self.milliseconds / 1000) if self.milliseconds else (self.nodes, np.inf)
        settled = search.advance(self.nodes, ways)
        while not settled and clock.elapsed() < seconds and search.nodes < self.nodes:
            settled = search.advance(self.nodes, ways)
        labels = self._labels(tuple(actions))
        lower, upper = search.actions()
        best = int(np.argmax(lower + upper))
        return Looked(
            labels[best],
            *search.interval,
            dict(zip(labels, zip(lower.tolist(), upper.tolist()))),
            search.nodes,
            settled,
        )

    def action_values(self, memory: BeliefMemory, actions: Sequence[Hashable]) -> dict[Hashable, QValue]:
        """The lower bound of each action; empty where the model holds what was seen impossible.

        Parameters
        ----------
        memory
            What is believed.
        actions
            The legal actions.

        Returns
        -------
        dict
            By action.
        """
        looked = self.look(memory, actions)
        return {} if looked is None else {a: QValue(lower) for a, (lower, _) in looked.actions.items()}

    def placed(self, belief: Belief) -> tuple[int, Floats]:
        """A belief as the search wants it: its block, and weights [states of the block]."""
        blocks, home = self._search.blocks, self._home
        states, weights = belief.states[belief.weights > 0], belief.weights[belief.weights > 0]
        members = home[states]
        block = int(blocks.block[members[0]])
        if (members < 0).any() or (blocks.block[members] != block).any():  # only the start confuses these
            block, members = self._copy(states)
        dense = np.zeros(int(blocks.first[block + 1] - blocks.first[block]))
        dense[members - blocks.first[block]] = weights / weights.sum()
        return block, dense

    def _copy(self, states: Longs) -> tuple[int, Longs]:
        """The block that holds all of these states as the start does, and where they stand among the members."""
        blocks = self._search.blocks
        for block in range(1, blocks.size):
            own = blocks.state[blocks.first[block] : blocks.first[block + 1]]
            place = np.searchsorted(own, states)
            if (place < len(own)).all() and (own[place] == states).all():
                return block, place + blocks.first[block]
        raise PolicyError(f"{self.pomdp.spec}: no history leads to a belief over {len(states):,} such states")

    def _labels(self, actions: tuple[Hashable, ...]) -> list[Hashable]:
        """The actions of the root, by label; PolicyError where they are not those that are legal."""
        blocks, tree = self._search.blocks, self._search.bounds.state.tree
        block = int(tree.block[ROOT])
        labels = [self.pomdp.actions[a] for a in blocks.action[blocks.choice[block] : blocks.choice[block + 1]]]
        if set(labels) != set(actions):
            raise PolicyError(f"{self.pomdp.spec}: asked to choose from {brief(actions)}, expected {brief(labels)}")
        return labels

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}  # searches are begun where it arrives


@dataclass(frozen=True)
class Lookahead(Solver[POMDP]):
    """Bounds at the current belief, by search from there at every move (AEMS2: Ross and Chaib-draa 2007).

    At the start both bounds can be certified; the certified plan is the one that the lower bound stands for, while
    the policy that plays searches anew at every move. Assumes a discount below 1, or play that surely ends.

    Parameters
    ----------
    nodes
        Beliefs that a search may hold: for a move, and for the bounds at the start. None: 1,000, for a move as many as
        fit into `milliseconds` where those are given.
    milliseconds
        For a move; where `nodes` are given too, both limits hold. Then what is played depends on the machine. 0: no
        limit of time.
    trials
        Trials of SARSOP before the first move, whose vectors and points then bound what was not looked into.
    """

    name = "lookahead"

    usual: ClassVar[int] = 1_000  # nodes, where no limit is given

    nodes: int | None = None
    milliseconds: float = 0.0
    trials: int = 0

    form: ClassVar[type[POMDP]] = POMDP
    finds: ClassVar[str] = "best response"

    def __post_init__(self) -> None:
        if self.nodes is not None and self.nodes < 1:
            raise SpecError(f"lookahead: nodes is {self.nodes}, expected 1 or more")
        if not 0 <= self.milliseconds < float("inf"):
            raise SpecError(f"lookahead: milliseconds is {self.milliseconds}, expected a number of 0 or more")
        if self.trials < 0:
            raise SpecError(f"lookahead: trials is {self.trials}, expected 0 or more")

    def run(self, form: POMDP, context: Context) -> Iterator[Progress]:
        check_ends(form, self.name)
        search = LookaheadSearch(mixed_observability(form), {})
        self._trials(search, context)
        bounds = {name: array.copy() for name, array in search.bounds.arrays.items()}  # not to be computed again
        nodes = simulations_for(self.nodes, self.milliseconds, self.usual)
        policy = LookaheadPolicy(form, nodes, self.milliseconds, bounds)
        search.plant(0, np.ones(1))
        ways, done = FIRST_WAYS, False
        while not done:
            done = search.advance(self.usual if self.nodes is None else self.nodes, ways)
            ways *= 2
            yield _answer(search, policy)
            if context.stopping():
                return

    def _trials(self, search: LookaheadSearch, context: Context) -> None:
        """What SARSOP learns about the whole model before anything is asked."""
        trials = ((HSVI_RULE, ZETA), (SARSOP_RULE, TARGET))
        while search.bounds.trials < self.trials and not context.stopping():
            if improve_bounds(search.bounds, trials, WORK, most=self.trials + 1):
                return


def _answer(search: LookaheadSearch, policy: LookaheadPolicy) -> Progress:
    form = policy.pomdp
    lower, upper = search.interval
    details: dict[str, Any] = {"beliefs": search.nodes}
    if form.size < FEW_STATES and upper > lower:
        details["hint"] = HINT

    def profile() -> dict[int, Strategy]:
        return {form.player: policy, **fixed_others(form)}

    return Progress(lower, lower, upper, profile, details, iteration=search.nodes, evidence=lambda: _evidence(search))


def _evidence(search: LookaheadSearch) -> Evidence:
    """For both bounds at the start; its controller is the plan that the lower one stands for.

    The tree is noted down as the vectors and points that SARSOP's evidence is. The lower bound of a belief is an action
    and what follows it, down to a vector: so it is a vector itself. The upper bound of a belief is a point. Children
    come before parents, so that each stands on what was noted before.
    """
    for node in _children_first(search):
        search.make_room()
        _note(search, node)
    answer = HSVISolution(search.bounds, "controller")
    return replace(answer.evidence(), profile=answer.profile, alpha_vectors=answer.alpha_vectors)


def _children_first(search: LookaheadSearch) -> list[int]:
    """The beliefs that were looked into, by depth first search from the root; where play goes round, as they come."""
    tree, blocks = search.bounds.state.tree, search.blocks
    known, order, stack = {ROOT}, list[int](), [(ROOT, False)]
    while stack:
        node, left = stack.pop()
        if left:
            order.append(node)
            continue
        stack.append((node, True))
        block, first = int(tree.block[node]), int(tree.action[node])
        for k, choice in enumerate(range(blocks.choice[block], blocks.choice[block + 1])):
            begin = int(tree.children[first + k])
            many = int(blocks.outcome[choice + 1] - blocks.outcome[choice]) if begin >= 0 else 0
            for child in tree.child[begin : begin + many].tolist():
                if child >= 0 and child not in known and search.frontier.promising[child] >= 0:
                    known.add(child)
                    stack.append((child, False))
    return order


def _note(search: LookaheadSearch, node: int) -> None:
    """The vector and the point of one belief, where they say more than is known."""
    state, k = search.bounds.state, int(search.frontier.sure[node])
    tree, block = state.tree, int(state.tree.block[node])
    if k >= 0:
        tree.best[node] = make_vector(state, np.int64(node), np.int64(k))
    upper = float(tree.V_upper[node])
    if node != ROOT and upper < sawtooth_bound(
        state, np.int64(block), tree.belief[node], tree.support[node], np.int64(-1)
    ):
        add_point(state, np.int64(node), upper)
