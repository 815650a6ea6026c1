"""What to do at a belief: a search bounded in beliefs and in time, and the policy that asks it at every move."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.dist import Dist
from fogbound.core.errors import PolicyError, brief
from fogbound.driver.clock import Clock
from fogbound.forms.arrays import Floats, Longs
from fogbound.forms.bayes_filter import Belief
from fogbound.forms.mixed_observability import MixedObservability, mixed_observability
from fogbound.forms.pomdp import POMDP
from fogbound.policies.alpha_vectors import BeliefMemory, RemembersBelief
from fogbound.solvers.pomdp.hsvi.kernels.search_arrays import NODES, ROOT
from fogbound.solvers.pomdp.hsvi.search import HeuristicSearch
from fogbound.solvers.search.lookahead.kernels import DEEPEST, FULL, SETTLED, Frontier, all_actions, look

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
            status = int(look(self.bounds.state, self.frontier, np.int64(most), np.int64(ways), enough))
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
