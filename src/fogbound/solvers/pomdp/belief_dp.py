"""The best reply to fixed opponents by dynamic programming over the beliefs that can occur.

Oliehoek, Spaan and Vlassis, "Best-response play in partially observable card games" (2005), section 4. Where
play ends, as many sweeps as the longest game has steps are exact; with a discount below 1, sweeps contract
and each leaves bounds on the optimum (MacQueen 1966, Porteus 1971).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, MutableMapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from fogbound.core.dist import Dist
from fogbound.core.errors import FormError, SpecError, cut_short
from fogbound.core.policy import Strategy
from fogbound.driver.kept import LARGEST, Kept
from fogbound.driver.protocol import Context, Progress
from fogbound.driver.solver import Solver
from fogbound.forms.arrays import Floats
from fogbound.forms.belief_mdp import BeliefMDP
from fogbound.forms.pomdp import WAIT
from fogbound.policies.controller import Controller
from fogbound.policies.mixture import fixed_others
from fogbound.policies.vocabulary import Vocabulary
from fogbound.solvers.pomdp.paired_nodes import paired_controller

TIE = 1e-9  # actions this close to the best, relative to the largest value at that belief, count as equally good


ULPS = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class BeliefDP(Solver[BeliefMDP]):
    """Exact best reply to the other players' fixed policies, over the reachable beliefs.

    Works on the belief MDP. Exact in as many sweeps as the longest game has steps, else by sweeps that contract, with
    bounds (MacQueen 1966, Porteus 1971); needs a discount below 1 where beliefs can recur. Oliehoek, Spaan and Vlassis
    (2005).

    Parameters
    ----------
    ties
        "first": the first of equally good actions; "split": all of them with equal probability.
    """

    name = "belief-mdp"

    ties: Literal["first", "split"] = "first"

    form: ClassVar[type[BeliefMDP]] = BeliefMDP
    finds: ClassVar[str] = "best response"
    preferred: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.ties not in ("first", "split"):
            raise SpecError(f"belief-mdp: ties is {self.ties!r}, expected first or split")

    def remembers(self, form: BeliefMDP, kept: Kept) -> None:
        kept.reals("value", (form.size,))
        kept.reals("swept", (4,), [-np.inf, -LARGEST, 0.0, 0.0], [LARGEST, np.inf, LARGEST, LARGEST])

    def run(self, form: BeliefMDP, context: Context) -> Iterator[Progress]:
        game, discount = form.pomdp, form.pomdp.discount
        if discount == 1 and not form.acyclic:
            raise FormError(
                f"belief-mdp: in {form.spec} beliefs can recur and nothing is discounted, so sweeps need not settle. "
                f"Cut it, such as {cut_short(form.spec)}, or give it a discount below 1"
            )
        arrays = context.arrays
        if not arrays:
            self._sweep(form, arrays)
        while True:
            value, (low, high, change, still) = arrays["value"], arrays["swept"].tolist()
            start = float(game.reward[0] + _start(form, value))
            mass = float(form.prob[: form.out[1]].sum())
            yield Progress(start, start + mass * low, start + mass * high, partial(self._profile, form, value))
            if change <= still:
                return
            self._sweep(form, arrays)

    def _sweep(self, form: BeliefMDP, arrays: MutableMapping[str, Floats]) -> None:
        """Better values; and how far they may be off, how much they changed, how much rounding alone may change."""
        discount, value = form.pomdp.discount, arrays.get("value", np.zeros(form.size))
        swept = best_values(form, _action_values(form, value, discount))
        differences = swept - value
        change = float(np.abs(differences).max(initial=0.0))
        still = ULPS * float(np.abs(swept).max(initial=0.0))  # rounding alone may go to and fro for ever
        low, high = _macqueen_porteus(differences, discount)
        drift = form.drift * discount / (2 * (1 - discount)) * np.ptp(swept) if form.drift else 0.0
        arrays["value"], arrays["swept"] = swept, np.array([low - drift, high + drift, change, still])

    def _profile(self, form: BeliefMDP, value: Floats) -> dict[int, Strategy]:
        model = form.pomdp
        reply = greedy_controller(form, _action_values(form, value, model.discount), self.ties)
        return {model.player: reply, **fixed_others(model)}


def _action_values(form: BeliefMDP, value: Floats, discount: float) -> Floats:
    """[R] the value of each action: its reward and the discounted value of where it leads."""
    rows = np.repeat(np.arange(len(form.action)), np.diff(form.out))
    ahead = np.bincount(rows, weights=form.prob * value[form.next], minlength=len(form.action))
    return form.reward + discount * ahead


def best_values(form: BeliefMDP, q_values: Floats) -> Floats:
    """[B] the best action's value."""
    best: Floats = np.maximum.reduceat(q_values, form.row[:-1]) if form.size else np.zeros(0)
    return best


def _start(form: BeliefMDP, value: Floats) -> float:
    first = slice(0, form.out[1])
    return float((form.prob[first] * value[form.next[first]]).sum())


def _macqueen_porteus(differences: Floats, discount: float) -> tuple[float, float]:
    """How far the optimum may lie below and above after a sweep that changed values by `differences`."""
    if not len(differences) or not differences.any():
        return 0.0, 0.0
    if discount == 1:
        return -np.inf, np.inf
    share = discount / (1 - discount)
    return share * min(0.0, float(differences.min())), share * max(0.0, float(differences.max()))


def greedy_controller(form: BeliefMDP, q_values: Floats, ties: str) -> Controller:
    """The greedy policy as a controller that plays the game."""
    model = form.pomdp

    def reached(row: int) -> dict[int, int]:
        return {int(form.obs[o]): int(form.next[o]) for o in range(form.out[row], form.out[row + 1])}

    def follow(belief: int) -> Iterator[tuple[Hashable | None, dict[int, int]]]:
        first, last = int(form.row[belief]), int(form.row[belief + 1])
        if form.action[first] == WAIT:
            yield None, reached(first)
            return
        chosen = _choice(form, q_values, belief, ties)
        for row in range(first, last):
            label = model.actions[form.action[row]]
            if chosen[label] > 0:
                yield label, reached(row)

    words = Vocabulary.of(model, model.player)
    choice = partial(_choice, form, q_values, ties=ties)
    return paired_controller(model.observations, reached(0), follow, choice, partial(describe, form), words)


def _choice(form: BeliefMDP, q_values: Floats, belief: int, ties: str) -> Dist[Hashable]:
    """The best action at a belief; with ties split, all that are as good up to rounding."""
    first, last = form.row[belief], form.row[belief + 1]
    here = q_values[first:last]
    margin = TIE * float(np.abs(here).max()) if ties == "split" else 0.0
    best = np.flatnonzero(here >= here.max() - margin)
    labels = [form.pomdp.actions[form.action[first + k]] for k in best]
    return Dist.uniform(labels if ties == "split" else labels[:1])


def describe(form: BeliefMDP, belief: int, most: int = 3) -> str:
    """A belief in a few words: its likeliest states."""
    pairs = sorted(zip(form.weights[belief], form.states[belief]), reverse=True)
    parts = [f"{p:.3g} {form.pomdp.label(s)}" for p, s in pairs[:most]]
    return "; ".join(parts) + (f"; {len(pairs) - most} more" if len(pairs) > most else "")
