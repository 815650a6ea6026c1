"""Counterfactual regret minimisation and its family: each player learns to regret nothing.

Zinkevich et al. 2007. In a two-player zero-sum game the average strategies approach an equilibrium, and their
exploitability is the gap; with more players or other pay, the regret of the average profile is reported and
nothing is promised. `CFR` is the slides' version by default (chance sampled, players in turn); `CFR+` is
Tammelin 2014; `DCFR` Brown and Sandholm 2019; predictive CFR+ Farina, Kroer and Sandholm 2021; `MCCFR`
Lanctot et al. 2009.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import SpecError
from fogbound.core.policy import Player
from fogbound.evaluate.exploitability import exploitability
from fogbound.forms.sequence import SequenceForm
from fogbound.policies.tabular import Tabular
from fogbound.progress import Desk, Progress

Floats = NDArray[np.float64]
GROWTH = 8  # an answer after every eighth more iterations ...
WORK = 100_000_000  # ... but at least every so many steps of the inner loop, for the clock and Ctrl-C


@dataclass(frozen=True)
class Slots:
    """The sequence form laid out for the kernels: all players' sequences as slots of one array."""

    offset: NDArray[np.int64]  # [n+1]
    plex_of: NDArray[np.int64]  # [n+1]
    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    size: NDArray[np.int32]
    end_of: NDArray[np.int32]
    uniform: Floats

    def split(self, flat: Floats) -> list[Floats]:
        """A flat array by player."""
        return [flat[a:b] for a, b in zip(self.offset[:-1], self.offset[1:])]


def slots(form: SequenceForm) -> Slots:
    """Lay out `form` for the kernels."""
    plexes = form.plexes
    offset = np.cumsum([0, *(plex.sequences for plex in plexes)])
    return Slots(
        offset,
        np.cumsum([0, *(len(plex.parent) for plex in plexes)]),
        np.concatenate([plex.parent + o for plex, o in zip(plexes, offset)]).astype(np.int32),
        np.concatenate([plex.first + o for plex, o in zip(plexes, offset)]).astype(np.int32),
        np.concatenate([plex.size for plex in plexes]).astype(np.int32),
        np.ascontiguousarray(form.ends + offset[:-1], np.int32),
        np.concatenate([plex.uniform for plex in plexes]),
    )


def answer(form: SequenceForm, played: list[Floats], iteration: int) -> Progress:
    """A profile with its exploitability: bounds where the game is zero-sum for two, regret otherwise."""
    found = exploitability(form, played)
    total = form.constant_sum
    value, lower, upper = found.values[0], found.values[0], found.best[0]
    if total is not None and len(form.plexes) == 2:
        lower = total - found.best[1]
        value = (lower + upper) / 2

    def profile() -> dict[int, Player]:
        return {i: Tabular(form.tree, i, b) for i, b in enumerate(played)}

    details = {"regrets": list(found.regrets), "values": list(found.values)}
    return Progress(value, lower, upper, profile, details, gap=found.gap, iteration=iteration)


def pace(done: int, work: int, most: float) -> int:
    """How many iterations to the next answer: more as the run gets longer, never too long a wait."""
    return int(max(1, min(1 + done // GROWTH, WORK // max(work, 1), most - done)))


class Sweeping:
    """What the variants on the sequence form share: full sweeps, state kept on the desk."""

    def _sweeps(self, form: SequenceForm, desk: Desk, kind: int, alternating: bool, powers: Any) -> Iterator[Progress]:
        from fogbound.kernels import cfr as kernel

        laid, arrays = slots(form), desk.arrays
        sweep: Any = kernel.sweep
        if not arrays:
            weight = np.concatenate([plex.weights(plex.uniform) for plex in form.plexes])
            zeros = {name: np.zeros(len(weight)) for name in ("regret", "hint", "average")}
            arrays.update(zeros, behaviour=laid.uniform.copy(), weight=weight, iteration=np.zeros(1, np.int64))
        gain = np.zeros(len(laid.uniform))
        yield answer(form, self._average(form, laid, arrays), int(arrays["iteration"][0]))
        while True:
            done = int(arrays["iteration"][0])
            many = pace(done, len(laid.end_of) * len(form.plexes), desk.most)
            sweep(
                done + 1,
                many,
                kind,
                alternating,
                powers,
                *(laid.plex_of, laid.offset, laid.parent, laid.first, laid.size, laid.end_of, form.payoff),
                *(arrays[name] for name in ("regret", "hint", "average", "behaviour", "weight")),
                gain,
            )
            arrays["iteration"][0] = done + many
            yield answer(form, self._average(form, laid, arrays), done + many)

    def _average(self, form: SequenceForm, laid: Slots, arrays: dict[str, NDArray[Any]]) -> list[Floats]:
        """The average strategies as behaviour; uniform before the first iteration."""
        return [plex.behaviour(w) for plex, w in zip(form.plexes, laid.split(arrays["average"]))]


@dataclass(frozen=True)
class CFRPlus(Sweeping):
    """CFR+ (Tammelin 2014): regrets never below zero, players in turn, later strategies weigh more."""

    averaging: float = 1.0  # iteration t counts t ** averaging in the average

    form: ClassVar[str] = "sequence"
    finds: ClassVar[str] = "equilibrium"

    def run(self, form: SequenceForm, desk: Desk) -> Iterator[Progress]:
        from fogbound.kernels.cfr import PLUS

        return self._sweeps(form, desk, PLUS, True, (0.0, 0.0, self.averaging))


@dataclass(frozen=True)
class DCFR(Sweeping):
    """Discounted CFR (Brown and Sandholm 2019): early regrets fade, negative ones fastest."""

    alpha: float = 1.5
    beta: float = 0.0
    gamma: float = 2.0

    form: ClassVar[str] = "sequence"
    finds: ClassVar[str] = "equilibrium"

    def run(self, form: SequenceForm, desk: Desk) -> Iterator[Progress]:
        from fogbound.kernels.cfr import DISCOUNTED

        return self._sweeps(form, desk, DISCOUNTED, True, (self.alpha, self.beta, self.gamma))


@dataclass(frozen=True)
class PredictiveCFR(Sweeping):
    """Predictive CFR+ (Farina, Kroer and Sandholm 2021): play as if the last regret came again."""

    averaging: float = 2.0  # iteration t counts t ** averaging in the average

    form: ClassVar[str] = "sequence"
    finds: ClassVar[str] = "equilibrium"

    def run(self, form: SequenceForm, desk: Desk) -> Iterator[Progress]:
        from fogbound.kernels.cfr import PREDICTIVE

        return self._sweeps(form, desk, PREDICTIVE, True, (0.0, 0.0, self.averaging))


class Walking:
    """What the sampling variants share: walks on the tree, averages of behaviour by information set."""

    def _walks(self, form: SequenceForm, desk: Desk, walk: Any) -> Iterator[Progress]:
        laid, arrays, tree = slots(form), desk.arrays, form.tree
        if not arrays:
            size = len(laid.uniform)
            seed = np.array([desk.rng.integers(0, 2**63)], np.int64)
            arrays.update(regret=np.zeros(size), average=np.zeros(size), behaviour=laid.uniform.copy())
            arrays.update(random=seed, iteration=np.zeros(1, np.int64))
        owner = np.where(tree.infoset >= 0, tree.set_owner[tree.infoset], 0)
        slot = np.where(tree.infoset >= 0, tree.set_first[tree.infoset] + laid.offset[owner], -1).astype(np.int32)
        shape = (tree.player, tree.child, slot)
        step = partial(walk, shape, tree.prob, np.ascontiguousarray(tree.payoff), arrays)
        yield answer(form, self._average(form, laid, arrays), int(arrays["iteration"][0]))
        while True:
            done = int(arrays["iteration"][0])
            many = pace(done, self._cost(form), desk.most)
            step(many)
            arrays["iteration"][0] = done + many
            yield answer(form, self._average(form, laid, arrays), done + many)

    def _cost(self, form: SequenceForm) -> int:
        return 20 * int(np.sqrt(form.tree.size))

    def _average(self, form: SequenceForm, laid: Slots, arrays: dict[str, NDArray[Any]]) -> list[Floats]:
        """Sums by information set, normalised there: `behaviour` treats them as weights of reached sets."""
        return [plex.behaviour(w) for plex, w in zip(form.plexes, laid.split(arrays["average"]))]


@dataclass(frozen=True)
class CFR(Sweeping, Walking):
    """CFR: with `sampling=chance` the slides' pseudo-code, one chance outcome a walk; with `full` whole sweeps."""

    sampling: Literal["chance", "full"] = "chance"
    alternating: bool = True

    form: ClassVar[str] = "sequence"
    finds: ClassVar[str] = "equilibrium"

    def __post_init__(self) -> None:
        if self.sampling not in ("chance", "full"):
            raise SpecError(f"cfr: sampling is {self.sampling!r}, expected chance or full")
        if self.sampling == "chance" and not self.alternating:
            raise SpecError("cfr: with sampling=chance players take turns; use sampling=full for alternating=false")

    def run(self, form: SequenceForm, desk: Desk) -> Iterator[Progress]:
        from fogbound.kernels import cfr as kernel

        if self.sampling == "full":
            return self._sweeps(form, desk, kernel.VANILLA, self.alternating, (0.0, 0.0, 0.0))
        size, n = form.tree.size, len(form.plexes)
        work = (np.empty(size, np.int32), np.empty(size), np.empty((size, n)), np.empty(size, np.int32))

        def walk(tree: Any, prob: Floats, payoff: Floats, arrays: dict[str, NDArray[Any]], many: int) -> None:
            state = arrays["random"].view(np.uint64)
            kept = (arrays["regret"], arrays["average"], arrays["behaviour"])
            kernel.walk_chance(many, tree, prob, payoff, *kept, state, *work)

        return self._walks(form, desk, walk)

    def _cost(self, form: SequenceForm) -> int:
        return form.tree.size


@dataclass(frozen=True)
class MCCFR(Walking):
    """Monte Carlo CFR (Lanctot et al. 2009): external sampling, or outcome sampling with exploration."""

    sampling: Literal["external", "outcome"] = "external"
    explore: float = 0.6  # outcome sampling: how much the learner strays from its strategy

    form: ClassVar[str] = "sequence"
    finds: ClassVar[str] = "equilibrium"

    def __post_init__(self) -> None:
        if self.sampling not in ("external", "outcome"):
            raise SpecError(f"mccfr: sampling is {self.sampling!r}, expected external or outcome")
        if not 0 < self.explore <= 1:
            raise SpecError(f"mccfr: explore is {self.explore}, expected above 0 and at most 1")

    def run(self, form: SequenceForm, desk: Desk) -> Iterator[Progress]:
        from fogbound.kernels import cfr as kernel

        size, widest = form.tree.size, int(form.tree.set_size.max(initial=1))
        visited, value, played = np.empty(size, np.int32), np.empty(size), np.empty(widest)
        trace = np.empty((size, 3)) if self.sampling == "outcome" else np.empty((0, 3))

        def walk(tree: Any, prob: Floats, payoff: Floats, arrays: dict[str, NDArray[Any]], many: int) -> None:
            state = arrays["random"].view(np.uint64)
            kept = (arrays["regret"], arrays["average"], state)
            if self.sampling == "external":
                kernel.walk_external(many, tree, prob, payoff, *kept, visited, value, played)
            else:
                kernel.walk_outcome(many, tree, prob, payoff, *kept, self.explore, visited, trace, played)

        return self._walks(form, desk, walk)
