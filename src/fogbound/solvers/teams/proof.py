"""Why no plans earn more: the subproblems that a search needed, written down for the independent checker.

Each subproblem becomes a claim: its occupancy, the payoffs that were moved, and a tree of choices at whose ends the
rest is bounded, or a rule is followed to another claim (`fogbound.verify.team`). The checker computes all bounds
itself, so what stands here only says where to look. Nothing of the search's own order is needed: a tree is grown again
from what the search left behind.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.cancel import check, stopping
from fogbound.forms.arrays import Floats, Longs, offsets
from fogbound.forms.posg import POSG
from fogbound.solvers.teams.kernels.bayesian_game import extended, open_payoff, tightened
from fogbound.solvers.teams.occupancy import Occupancy, Step
from fogbound.solvers.teams.problem import Subproblem, TeamProblem, deep
from fogbound.solvers.teams.stages import Choices, TeamStages

BOUNDED = -1  # an end of a tree
MOST_PRODUCTS = 60_000_000  # of payoffs and ends, up to which a proof is worth its check
AGAIN = 1_000  # steps of a second search between two looks whether to stop
MOST_ENDS = 20_000  # of a tree
SWEEPS = 400  # of diffusion

Arrays = dict[str, NDArray[Any]]


def proof(form: POSG, search: TeamProblem, cut: int | None, won: float) -> Arrays:
    """The evidence that no plans earn more than `search.upper`; empty where it would be too long.

    The checker lists plans to the end in fewer stages than the search where it does not know which of them are never
    needed, or where lists of legal actions differ. Then what it can follow is searched once more.
    """
    plain = TeamStages(form, search.stages.horizon, plain=True)
    if set(plain.plans) != set(search.stages.plans):
        search = TeamProblem(form, cut, search.effort, lambda: bool(stopping()), plain=True)
        with deep(search.stages.horizon):
            while search.upper > won and search.root is not None and not search.root.solved:
                check()
                search.improve(won, AGAIN)
    writer = _Writer(form, search, plain)
    if search.root is None or not writer.worth():
        return {}
    writer.reference(search.first, search.root, alone=False)
    done = 0
    while done < len(writer.claims):  # grows while it is walked
        check()
        writer.claim(writer.claims[done])
        done += 1
        if writer.products > MOST_PRODUCTS:
            return {}
    return {"proof_horizon": np.array([cut or 0]), **writer.arrays()}


class _Writer:
    """Growing lists, laid out as the checker reads them."""

    def __init__(self, form: POSG, search: TeamProblem, stages: TeamStages) -> None:
        self.form, self.search, self.stages = form, search, stages
        self.claims: list[Subproblem] = []
        self.number: dict[int, int] = {}
        self.references: list[tuple[int, list[tuple[int, ...]]]] = []
        self.revealed: dict[tuple[int, int, int], int] = {}
        self.lists: dict[str, list[Any]] = {name: [] for name in ("plans", "moved", "tree", "reveal")}
        self.products = 0
        self.labels = [{label: k for k, label in enumerate(known)} for known in form.table.observations]

    def worth(self) -> bool:
        """Whether a check of all that is known would end in time."""
        total = 0
        for known in self.search.known.values():
            choices = self._choices(known)
            total += len(known.occupancy.memory) * len(choices.front) * int(choices.counts[-1])
        return total <= MOST_PRODUCTS

    def _choices(self, of: Subproblem) -> Choices:
        return self.stages.plans[of.stage][0] if self._by_plans(of) else self.stages.actions

    def _by_plans(self, of: Subproblem) -> bool:
        return self.stages.always_legal and of.stage in self.stages.plans

    def reference(self, step: Step, later: Subproblem, alone: bool) -> int:
        """A way to compare what a step leads to with a claim; with `alone` everybody had one memory before."""
        if id(later) not in self.number:
            self.number[id(later)] = len(self.claims)
            self.claims.append(later)
        to = list[tuple[int, ...]]()
        for i, known in enumerate(self.form.observations):
            wide = len(known)
            for old in np.flatnonzero(step.to[i] >= 0).tolist():
                label, legal = known[old % wide]
                memory = 0 if alone else old // wide
                to.append((i, memory, self.labels[i][label], max(legal, -1), int(step.to[i, old])))
        self.references.append((self.number[id(later)], to))
        return len(self.references) - 1

    def claim(self, of: Subproblem) -> None:
        """One subproblem: payoffs, what is moved between them, and a tree."""
        choices, plans = self._choices(of), self._by_plans(of)
        shape = (len(of.occupancy.memory), len(choices.front), int(choices.counts[-1]))
        reveal: list[tuple[int, int, int]] = []
        flat = self.stages.weighed(of.stage, of.occupancy) if plans else self._payoff(of, reveal)
        payoff = np.ascontiguousarray(flat.reshape(shape))
        moved, tree = self._moved(of.occupancy, choices, payoff, of.close), _Tree(self, of, choices, payoff, plans)
        self.lists["plans"].append(plans)
        self.lists["moved"].append(moved)
        self.lists["tree"].append(tree.grown())
        self.lists["reveal"].append(reveal)
        self.products += payoff.size + tree.ends * len(payoff) * (shape[1] + shape[2])

    def _payoff(self, of: Subproblem, reveal: list[tuple[int, int, int]]) -> Floats:
        """What each joint memory brings if it is revealed; a place beyond a list of actions is its last one."""
        known, occupancy = self.search.revealed[of.stage], of.occupancy
        beliefs, digit = known.of(occupancy), self.stages.actions.digit
        state = occupancy.state[occupancy.first[:-1]]
        legal = np.minimum(digit[None], self.form.places[state][:, None] - 1)  # [J, X, n]
        joint = np.zeros(legal.shape[:2], np.int64)
        for i, count in enumerate(self.stages.actions.counts.tolist()):
            joint = joint * count + legal[:, :, i]
        for j, x in np.argwhere(known.level[beliefs[:, None], joint] > 0).tolist():
            reference = self._revealed(of.stage, int(beliefs[j]), int(joint[j, x]))
            if reference is not None:
                reveal.append((j, x, reference))
        return known.bound[beliefs[:, None], joint] * occupancy.weight[:, None]

    def _revealed(self, stage: int, belief: int, joint: int) -> int | None:
        name = stage, belief, joint
        if name not in self.revealed:
            step, later = self.search.smaller(*name)
            if later is None:
                return None
            self.revealed[name] = self.reference(step, later, alone=True)
        return self.revealed[name]

    def _moved(self, occupancy: Occupancy, choices: Choices, payoff: Floats, close: float) -> Floats:
        """[J, choices of all but the last] what diffusion moves, where that is one agent's alone.

        Payoffs are changed.
        """
        free = np.empty((len(payoff), payoff.shape[2]))
        if len(choices.counts) != 2:
            for j in range(len(payoff)):
                open_payoff(payoff, j, free)
            return np.zeros(0)
        before = payoff.copy()
        tightened(payoff, occupancy.memory, choices.front, choices.counts, occupancy.offset, SWEEPS, close, free)
        moved = np.ascontiguousarray((payoff - before)[:, :, 0])
        payoff[:] = before + moved[:, :, None]
        return moved.ravel()

    def arrays(self) -> Arrays:
        """All claims and references, one after the other."""
        n, lists = len(self.form.players), self.lists
        occupancies = [claim.occupancy for claim in self.claims]
        joint_start = offsets(np.concatenate([np.diff(o.first) for o in occupancies]))
        to = [line for _, lines in self.references for line in lines]
        reveal = [line for lines in lists["reveal"] for line in lines]
        return {
            "claim_stage": np.array([claim.stage for claim in self.claims], np.int64),
            "claim_plans": np.array(lists["plans"], np.int64),
            "claim_joint": offsets(np.array([len(o.memory) for o in occupancies])),
            "joint_memory": np.concatenate([o.memory for o in occupancies]).reshape(-1, n),
            "joint_start": joint_start,
            "entry_state": np.concatenate([o.state for o in occupancies]),
            "entry_mass": np.concatenate([o.mass for o in occupancies]),
            "claim_moved": offsets(np.array([len(part) for part in lists["moved"]])),
            "moved": np.concatenate(lists["moved"]).astype(np.float64),
            "claim_tree": offsets(np.array([len(part) for part in lists["tree"]])),
            "tree": np.concatenate(lists["tree"]).astype(np.int64),
            "claim_revealed": offsets(np.array([len(part) for part in lists["reveal"]])),
            "revealed": np.array(reveal, np.int64).reshape(-1, 3),
            "reference_claim": np.array([claim for claim, _ in self.references], np.int64),
            "reference_start": offsets(np.array([len(lines) for _, lines in self.references])),
            "reference_to": np.array(to, np.int64).reshape(-1, 5),
        }


class _Tree:
    """Choices, one memory after the other, until the rest is bounded by what the subproblem is known to bring."""

    def __init__(self, writer: _Writer, of: Subproblem, choices: Choices, payoff: Floats, plans: bool) -> None:
        self.writer, self.of, self.choices, self.payoff, self.plans = writer, of, choices, payoff, plans
        self.free = np.ascontiguousarray(payoff.max(axis=1))
        self.rule = np.full(len(of.order), -1, np.int64)
        self.nodes: list[int] = []
        self.ends = 0
        self.close = of.upper + of.close

    def grown(self) -> Longs:
        stars = np.zeros((int(self.of.occupancy.counts[-1]), self.payoff.shape[2]))
        np.add.at(stars, self.of.occupancy.memory[:, -1], self.free)
        self._grow(float(stars.max(axis=1).sum()), 0)
        return np.array(self.nodes, np.int64)

    def _grow(self, bound: float, chosen: int) -> None:
        o, c = self.of.occupancy, self.choices
        if bound <= self.close or self.ends > MOST_ENDS or (chosen == len(self.rule) and self.plans):
            self._end(BOUNDED)
        elif chosen == len(self.rule):
            self._end(self._followed())
        else:
            agent, cluster = self.of.order[chosen]
            place = int(o.offset[agent]) + cluster
            bounds = np.empty(int(c.counts[agent]))
            extended(self.payoff, self.free, o.memory, c.front, c.worth, o.offset, self.rule, agent, cluster, bounds)
            self.nodes.append(place)
            for choice, brings in enumerate(bounds.tolist()):
                self.rule[place] = choice
                self._grow(brings, chosen + 1)
            self.rule[place] = -1

    def _end(self, node: int) -> None:
        self.nodes.append(node)
        self.ends += 1

    def _followed(self) -> int:
        """Where a rule leads: to a claim, if that subproblem is known."""
        search, of = self.writer.search, self.of
        legal = np.minimum(self.rule, self._last())
        step = search.process.step(of.occupancy, legal)
        if step.occupancy is None or of.stage + 1 == search.stages.horizon:
            return BOUNDED
        later = search.known.get((of.stage + 1, step.occupancy.key))
        return BOUNDED if later is None else -2 - self.writer.reference(step, later, alone=False)

    def _last(self) -> Longs:
        """[memories] the last place of each one's list of actions."""
        o, places = self.of.occupancy, self.writer.form.places
        last = np.zeros(len(self.rule), np.int64)
        owner = np.repeat(np.arange(len(o.memory)), np.diff(o.first))
        for i in range(len(o.counts)):
            last[o.offset[i] + o.memory[owner, i]] = places[o.state, i] - 1
        return last
