"""A policy to begin from, as vectors of the model at hand: what it earns, evaluated anew.

A policy whose memories are few is a plan: a node for each memory in each block, which plays one action and goes on with
one node after every outcome. What a plan earns from each state is a vector below the optimal value, whoever made the
plan and for whichever model, so that a start needs no belief in anything that it says (Hansen 1998).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from fogbound.core.cancel import check
from fogbound.core.policy import Strategy
from fogbound.evaluation.particle_filter import POMDPLabels
from fogbound.forms.arrays import Floats, Ints
from fogbound.forms.induced import FixedPlayer, Memory
from fogbound.forms.mixed_observability import MixedObservability
from fogbound.forms.pomdp import WAIT
from fogbound.policies.alpha_vectors import RemembersBelief
from fogbound.solvers.pomdp.greedy import settle_values, sweep_work
from fogbound.solvers.pomdp.initial_bounds import UnderlyingMDP
from fogbound.solvers.pomdp.kernels import VectorGraph

MOST_NODES, MOST_BELIEFS = 20_000, 1_000  # of a plan; where each is a belief, which mostly comes once
ROUNDS = 3  # in which what goes on beyond the limit is chosen anew
SWEEPS, WORK = 5_000, 2e9  # of the evaluation; products, at most
SETTLED, ROUGHLY = 1e-12, 1e-3  # of the largest value: sweeps that change less are not worth another


def start_vectors(mdp: UnderlyingMDP, policy: Strategy, blind: Ints) -> VectorGraph:
    """The vectors of a policy on these blocks, the start's last, each worth no more than its plan earns.

    Nodes are met in the order of how likely play is to come there, up to a limit. What lies beyond is played by the
    best that there is for its block: at first one that does what the policy would do, or a blind one.

    Parameters
    ----------
    mdp
        The model at hand.
    policy
        For its player. Where it mixes, the plan plays what is likeliest: evaluated anew, that is as sound.
    blind : [B]
        The choice of each block where nothing else is known.
    """
    form = mdp.blocks.pomdp
    walk = _Walk(mdp, FixedPlayer(POMDPLabels(form), form.player, policy), blind)
    walk.run(MOST_BELIEFS if all(isinstance(kind, RemembersBelief) for kind in walk.player.types) else MOST_NODES)
    for _ in range(ROUNDS if walk.ends else 0):
        walk.improve(walk.evaluated(ROUGHLY))
    return walk.evaluated(SETTLED)


@dataclass(eq=False)
class _Walk:
    """Where a policy leads, block by block. A node is known by its block and what is remembered there."""

    mdp: UnderlyingMDP
    player: FixedPlayer
    blind: Ints
    choice: list[int] = field(default_factory=list)  # [nodes]
    after: list[list[int]] = field(default_factory=list)  # [nodes] the node after each outcome
    named: dict[tuple[int, int], int] = field(default_factory=dict)  # (block, memory) -> node
    ends: list[tuple[int, int, int, Floats]] = field(
        default_factory=list
    )  # node, outcome's place, block and belief after
    alike: dict[int, int] = field(default_factory=dict)  # choice -> the likeliest node that makes it
    blindly: dict[int, int] = field(default_factory=dict)  # block -> node

    @property
    def blocks(self) -> MixedObservability:
        return self.mdp.blocks

    def run(self, most: int) -> None:
        """Expand the likeliest node first, until there are so many."""
        blocks = self.blocks
        queue = list[tuple[float, int, Memory | None, Floats]]()  # -mass, node, what is remembered, belief
        self._add(0)
        heappush(queue, (-1.0, 0, None, np.ones(1)))
        while queue:
            check()
            _, node, memory, belief = heappop(queue)
            choice = self.choice[node]
            for place, outcome in enumerate(range(blocks.outcome[choice], blocks.outcome[choice + 1])):
                target, next_ = int(blocks.target[outcome]), self._remembers(memory, choice, outcome)
                known = self.named.get((target, next_.number))
                if known is None:
                    chosen, belief_after = self._chosen(target, next_), _carried(blocks, outcome, belief, target)
                    if len(self.choice) < most:
                        known = self.named[target, next_.number] = self._add(chosen)
                        heappush(queue, (-float(belief_after.sum()), known, next_, belief_after))
                    else:
                        known = self._stand_in(target, chosen)
                        self.ends.append((node, place, target, belief_after))
                self.after[node][place] = known

    def improve(self, graph: VectorGraph) -> None:
        """Go on from each end with the node that is worth most there."""
        last = len(self.choice) - 1
        home = np.searchsorted(self.blocks.choice, np.array(self.choice), side="right") - 1
        for block in {target for _, _, target, _ in self.ends}:
            nodes = np.flatnonzero(home == block)
            ends = [(node, place, belief) for node, place, target, belief in self.ends if target == block]
            values = np.array([graph.value[graph.pairs[last - k] : graph.pairs[last - k + 1]] for k in nodes])
            best = (np.array([belief for _, _, belief in ends]) @ values.T).argmax(axis=1)
            for (node, place, _), k in zip(ends, best):
                self.after[node][place] = int(nodes[k])

    def _add(self, choice: int) -> int:
        self.choice.append(choice)
        self.after.append([-1] * int(self.blocks.outcome[choice + 1] - self.blocks.outcome[choice]))
        node = len(self.choice) - 1
        self.alike.setdefault(choice, node)
        return node

    def _remembers(self, memory: Memory | None, choice: int, outcome: int) -> Memory:
        seen = int(self.blocks.obs[outcome])
        if memory is None:
            return max(self.player.begin(seen), key=lambda one: one[1])[0]
        return self.player.update(memory, int(self.blocks.action[choice]), seen)

    def _chosen(self, block: int, memory: Memory) -> int:
        """What is played there: of several actions the likeliest."""
        blocks = self.blocks
        first = int(blocks.choice[block])
        if blocks.action[first] == WAIT:
            return first
        form, state = blocks.pomdp, int(blocks.state[blocks.first[block]])
        offered = tuple(form.actions[a] for a in form.action[form.row[state] : form.row[state + 1]])
        choice = self.player.act(memory, form.legal_sets.index(offered))
        return first + choice.places[int(np.argmax(choice.probs))]

    def _stand_in(self, block: int, choice: int) -> int:
        """A node that plays on where the plan ends: the likeliest that makes the same choice, or a blind one."""
        return self.alike[choice] if choice in self.alike else self._blind(block)

    def _blind(self, block: int) -> int:
        """A node that never looks, with those that it leads to."""
        waiting, here = [block], self.blindly
        for one in waiting:  # grows while it is walked
            if one not in here:
                here[one] = self._add(int(self.blind[one]))
                waiting += self._targets(here[one])
        for one in waiting:
            self.after[here[one]] = [here[target] for target in self._targets(here[one])]
        return here[block]

    def _targets(self, node: int) -> list[int]:
        """The block after each outcome."""
        outcomes = slice(*self.blocks.outcome[[self.choice[node], self.choice[node] + 1]].tolist())
        targets: list[int] = self.blocks.target[outcomes].tolist()
        return targets

    def evaluated(self, settled: float) -> VectorGraph:
        """The plan for kernels, last met first, as most nodes lead to older ones then; worth what it earns.

        Sweeps come from below, so that they may stop anywhere.
        """
        last = len(self.choice) - 1
        after = [last - target for targets in self.after[::-1] for target in targets]
        graph = self.mdp.vector_graph(np.array(self.choice[::-1], np.int64), np.array(after, np.int64))
        graph.value[:] = min(0.0, float(self.blocks.reward.min())) * self.mdp.steps[self.mdp.members(graph)]
        settle_values(graph, min(SWEEPS, 1 + WORK / sweep_work(graph)), settled)
        return graph


def _carried(blocks: MixedObservability, outcome: int, belief: Floats, target: int) -> Floats:
    """The discounted weights of the states of the next block."""
    first = blocks.start[blocks.begin[outcome] : blocks.begin[outcome] + len(belief) + 1]
    span = slice(int(first[0]), int(first[-1]))
    after = np.repeat(belief, np.diff(first)) * blocks.weight[span]
    size = int(blocks.first[target + 1] - blocks.first[target])
    return np.bincount(blocks.to[span], after, size).astype(np.float64)
