"""A controller walked through a POMDP: every pair of a node and a state that occurs, and how they follow each other.

This is the induced chain of one fixed player again, over a POMDP: but a whole frontier steps at once, in NumPy, so
that a picture of a large controller need not wait for Python. The controller is asked once for each node and list of
legal actions, and once for each arrow.

How often each pair of a node and a state is visited, and what it is worth: one linear system, and its transpose.

Where a controller spends its time: how often play is at each node, and what is true there.

A node stands for every history that leads to it, so the belief that it holds is what is true there on average, a
visit counting for as much as the discount has left of it. Where a controller follows beliefs exactly this is the
belief itself; where one node stands for several it is their mixture.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.core.errors import FormError, LimitError, PolicyError
from fogbound.core.game import AnyGame, Game, Observation
from fogbound.core.policy import AnyPolicy, Mixed, Policy
from fogbound.core.profile import Profile, as_profile
from fogbound.evaluation.chain import require_end
from fogbound.evaluation.particle_filter import POMDPLabels
from fogbound.forms.arrays import Floats, KeyIndex, Longs, owned_ranges
from fogbound.forms.bayes_filter import START
from fogbound.forms.induced import MOST_POINTS, FixedPlayer, Memory
from fogbound.forms.linear_system import factorised
from fogbound.forms.pomdp import NOT_ASKED, OVER, POMDP, pomdp
from fogbound.forms.table import Table
from fogbound.forms.words import Told, labels, told_by
from fogbound.policies.controller import LOST, Arrow, Controller

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


ChainColumns = tuple[Longs, Longs, Longs, Floats]


class ControllerChain:
    """P pairs, O outcomes. An outcome that ends the game has no target."""

    pairs: Longs  # [P] memory * states + state
    start: Floats  # [P] how likely play begins there
    source: Longs  # [O] the pair left
    target: Longs  # [O] the pair that follows, -1 = the game is over
    arrow: Longs  # [O] the number of (memory, action, observation)
    weight: Floats  # [O] how likely, at its source
    reward: Floats  # [P] what is paid there, on average

    def __init__(self, form: POMDP, policy: AnyPolicy, limit: int) -> None:
        self.form, self.limit = form, limit
        self.policy: Any = policy  # a controller, where somebody asks for its nodes
        self.actions, self.observations = len(form.actions) + 1, len(form.observations)
        self.legal = np.full(form.size, OVER, np.int64)
        self.legal[form.next] = np.array([legal for _, legal in form.observations], np.int64)[form.obs]
        self.legal[np.diff(form.row) == 0] = OVER
        self.player = FixedPlayer(POMDPLabels(form), form.player, policy)
        self._number: dict[int, int] = {}
        self._explore()

    def nodes(self) -> Longs:
        """[P] the controller's node of each pair; LOST as one node more, so that numbers stay numbers."""
        node = [self.policy.size if memory.value == LOST else memory.value for memory in self.player.memories]
        return np.array(node, np.int64)[self.pairs // self.form.size]

    def words(self, arrow: int) -> Arrow:
        """An arrow's number as the controller's own label of it."""
        memory, action, z = self._parts(arrow)
        return memory.value, self.player.labels.action_label(action), self.form.observations[z][0]

    def _parts(self, arrow: int) -> tuple[Memory, int, int]:
        (memory, action), z = divmod(arrow // self.observations, self.actions), arrow % self.observations
        return self.player.memories[memory], action - 1, z

    def require_end(self) -> None:
        """Where nothing is discounted every pair must be able to reach an end, or its visits have no number."""
        size = len(self.pairs)
        target = np.where(self.target < 0, size, self.target)
        require_end(self.form.spec, self.source, target, size, "it visits nodes without end")

    def _explore(self) -> None:
        form = self.form
        begun = [o for o in range(form.out[START], form.out[START + 1]) if self.legal[form.next[o]] != OVER]
        memories = [self.player.begin(int(form.obs[o]))[0][0].number for o in begun]
        first = np.array(memories, np.int64) * form.size + form.next[begun]
        self._paid = list[Floats]()
        columns, keys = list[ChainColumns](), self._fresh(first)
        while len(keys):
            columns.append(self._step(keys))
            targets = columns[-1][1]
            keys = self._fresh(targets[targets >= 0])
        self.pairs = np.array(list(self._number), np.int64)
        if not columns:
            columns = [(self.pairs, self.pairs, self.pairs, np.zeros(0))]
        self.source, target, self.arrow, self.weight = (np.concatenate(column) for column in zip(*columns))
        self.reward = np.concatenate(self._paid) if self._paid else np.zeros(0)
        place = KeyIndex(self.pairs)
        self.target = np.where(target >= 0, place.find(target), -1)
        self.start = np.zeros(len(self.pairs))
        np.add.at(self.start, place.find(first), form.prob[begun])

    def _fresh(self, keys: Longs) -> Longs:
        """Those pairs that were not met before, which are numbered."""
        fresh = [key for key in np.unique(keys).tolist() if key not in self._number]
        for key in fresh:
            self._number[key] = len(self._number)
        if len(self._number) > self.limit:
            raise LimitError(f"{self.form.spec}: the controller meets over {self.limit:,} pairs of a node and a state")
        return np.array(fresh, np.int64)

    def _step(self, keys: Longs) -> ChainColumns:
        """The outcomes of these pairs, the last that were numbered; targets still as keys."""
        form, (node, state) = self.form, np.divmod(keys, self.form.size)
        asked, which = np.unique(node * (len(form.legal_sets) + 1) + self.legal[state] + 1, return_inverse=True)
        listed = [self._choice(key) for key in asked.tolist()]
        count = np.array([len(choice) for choice in listed], np.int64)
        place, chance = np.array([pair for choice in listed for pair in choice]).reshape(-1, 2).T
        entry, chooser = owned_ranges((np.cumsum(count) - count)[which], count[which])
        rows = form.row[state[chooser]] + place[entry].astype(np.int64)
        paid: Floats = chance[entry] * form.reward[rows]
        self._paid.append(np.bincount(chooser, paid, len(keys)).astype(np.float64))
        outcome, owner = owned_ranges(form.out[rows].astype(np.int64), np.diff(form.out)[rows].astype(np.int64))
        source = chooser[owner]
        arrow = (node[source] * self.actions + form.action[rows[owner]] + 1) * self.observations + form.obs[outcome]
        target = np.full(len(outcome), -1, np.int64)
        on = self.legal[form.next[outcome]] != OVER
        arrows, back = np.unique(arrow[on], return_inverse=True)
        memory = np.array([self.player.update(*self._parts(arrow)).number for arrow in arrows.tolist()], np.int64)
        target[on] = memory[back] * form.size + form.next[outcome[on]]
        first = len(self._number) - len(keys)
        return first + source, target, arrow, chance[entry[owner]] * form.prob[outcome]

    def _choice(self, key: int) -> list[tuple[int, float]]:
        """(Place among the legal actions, probability) of what a memory does, asked for a list or not at all."""
        memory, legal = divmod(key, len(self.form.legal_sets) + 1)
        if legal - 1 == NOT_ASKED:
            return [(0, 1.0)]
        choice = self.player.act(self.player.memories[memory], legal - 1)
        return list(zip(choice.places, choice.probs))


DIRECT = 50_000  # pairs up to which a discounted system is factorised; beyond, sweeps
SETTLED = 1e-14


def expected_visits(walk: ControllerChain) -> tuple[Floats, Floats]:
    """Solve x = start + discount * (what comes from x), over the pairs, and v = reward + discount * (what follows)."""
    from scipy.sparse import csr_matrix

    form, size, on = walk.form, len(walk.pairs), walk.target >= 0
    if not size:
        return np.zeros(0), np.zeros(0)
    come = csr_matrix((form.discount * walk.weight[on], (walk.target[on], walk.source[on])), shape=(size, size))
    if form.discount == 1.0:
        walk.require_end()
    if size > DIRECT and form.discount < 1.0:
        return _swept(come, walk.start, form.discount), _swept(come.T.tocsr(), walk.reward, form.discount)
    try:
        system = factorised(come)
        visits, values = system.solve(walk.start), system.solve(walk.reward, trans="T")
    except RuntimeError as error:
        raise FormError(f"{form.spec}: play ends too rarely for its visits to be counted ({error})") from error
    if not (np.isfinite(visits).all() and np.isfinite(values).all()):
        raise FormError(f"{form.spec}: play ends too rarely for its visits to be counted")
    return np.maximum(visits, 0.0), values


def _swept(come: csr_matrix, start: Floats, discount: float) -> Floats:
    """The same step by step, until what is still to come does not count."""
    total = here = start
    for _ in range(math.ceil(math.log(SETTLED) / math.log(discount)) if discount else 0):
        here = come @ here
        total = total + here
        if np.abs(here).sum() <= SETTLED * (1 - discount) * np.abs(total).sum():
            break
    return total


DIGITS = 12  # probabilities that agree so far are equal, and their states are listed in the model's order

Likely = tuple[tuple[Any, float], ...]  # states of the game with their probabilities, the likeliest first


@dataclass(frozen=True, eq=False)
class Visitation:
    """What happens at each node of a controller, from the start of the game on.

    The chances of a node's arrows for one action sum to 1 less the chance that the step ends the game.

    Attributes
    ----------
    visits : [node]
        How often play comes to the node, discounted.
    beliefs : [node]
        What is believed at the node; empty where play never comes.
    chances
        The probability of an arrow, given that its action is taken at its node.
    first
        The probability of each first observation.
    lost
        How often play is where the controller was not made for.
    values : [node]
        What play from there on is worth, discounted to there; nan where play never comes.
    told
        The states of beliefs in words: in the game's, where it is known, else by their labels.
    """

    visits: tuple[float, ...]  # [node]
    beliefs: tuple[Likely, ...] = field(repr=False)  # [node]
    chances: Mapping[Arrow, float] = field(repr=False)
    first: Mapping[Observation, float] = field(repr=False)
    lost: float = 0.0
    values: tuple[float, ...] = field(default=(), repr=False)  # [node]
    told: Told = field(default=labels, repr=False, compare=False)


def visitation(
    game: AnyGame | Table | POMDP, profile: Profile, player: int = 0, limit: int = MOST_POINTS
) -> Visitation:
    """Visits, beliefs and chances when all play as in `profile`, in which `player` plays a controller.

    Parameters
    ----------
    game
        The game, its table, or the POMDP that `player` faces already: of the profile then only the controller is
        asked for.
    profile
        How every player plays: a solution, a dict by player, a list, or one policy, which is `player`'s.
    player
        Whose controller is looked at, by index.
    limit
        How many pairs of a node and a state there may be.

    Returns
    -------
    Visitation

    Raises
    ------
    PolicyError
        `player` has no controller.
    FormError
        Nothing is discounted and some play never ends.
    LimitError
        There are more than `limit` pairs.

    Examples
    --------
    >>> import fogbound as fb
    >>> tiger = fb.game("tiger")
    >>> visits = fb.evaluation.visitation(tiger, fb.policies.controller(tiger, 0, fb.policies.Uniform())).visits
    >>> round(sum(visits), 6)  # 1 / (1 - discount)
    20.0
    """
    given = {player: profile} if isinstance(profile, Policy | Mixed) else as_profile(profile)
    policy = given.get(player)
    if not isinstance(policy, Controller):
        has = "no policy" if policy is None else f"a policy of class {type(policy).__name__}"
        raise PolicyError(f"player {player} has {has}, expected a controller: make one with policies.controller")
    others = {other: strategy for other, strategy in given.items() if other != player}
    form = game if isinstance(game, POMDP) else pomdp(game, player, others, limit)
    walk = ControllerChain(form, policy, limit)
    often, worth = expected_visits(walk)
    times, total = (np.bincount(walk.nodes(), weight, policy.size + 1) for weight in (often, often * worth))
    values = np.divide(total, times, out=np.full(len(times), np.nan), where=times > 0)
    *visits, lost = times.tolist()
    chances, worths = _chances(walk, often), tuple(values[:-1].tolist())
    told = told_by(game, player) if isinstance(game, Game) else labels
    return Visitation(tuple(visits), _beliefs(walk, often), chances, _first(form), lost, worths, told)


def _beliefs(walk: ControllerChain, often: Floats) -> tuple[Likely, ...]:
    """What is true at each node: states of the game alone, what the others remember is summed out."""
    form, node, state = walk.form, walk.nodes(), walk.pairs % walk.form.size
    own = state if form.product is None else form.product.point[state, 0].astype(np.int64)
    wide = int(own.max(initial=0)) + 1
    keys, place = np.unique(node * wide + own, return_inverse=True)
    shares: Floats = np.bincount(place, often, len(keys)).astype(np.float64)
    nodes, where = np.unique(keys // wide, return_inverse=True)
    total = np.bincount(where, shares, len(nodes))[where]
    keys, shares = keys[total > 0], shares[total > 0] / total[total > 0]
    listed: list[list[tuple[Any, float]]] = [[] for _ in range(walk.policy.size + 1)]
    for k in np.lexsort((keys, -shares.round(DIGITS))).tolist():
        if shares[k] > 0:
            node_, state_ = divmod(int(keys[k]), wide)
            label = form.label(state_) if form.product is None else form.product.table.states[state_]
            listed[node_].append((label, float(shares[k])))
    return tuple(map(tuple, listed[:-1]))


def _chances(walk: ControllerChain, often: Floats) -> dict[Arrow, float]:
    """How likely each arrow is followed. Two observations may be one observation: asked to move, or not."""
    followed = often[walk.source] * walk.weight
    keys, place = np.unique(walk.arrow, return_inverse=True)
    along = np.bincount(place, followed * (walk.target >= 0), len(keys))
    ways, way = np.unique(keys // walk.observations, return_inverse=True)  # (node, action)
    left = np.bincount(way, np.bincount(place, followed, len(keys)), len(ways))[way]
    chances: dict[Arrow, float] = {}
    for key, p, total in zip(keys.tolist(), along.tolist(), left.tolist()):
        words = walk.words(key)
        if p > 0 and words[0] != LOST:
            chances[words] = chances.get(words, 0.0) + p / total
    return chances


def _first(form: POMDP) -> dict[Observation, float]:
    first: dict[Observation, float] = {}
    for o in range(form.out[START], form.out[START + 1]):
        seen, _ = form.observations[form.obs[o]]
        first[seen] = first.get(seen, 0.0) + float(form.prob[o])
    return first
