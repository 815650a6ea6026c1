"""What the CFR family shares: the sequence form laid out for the kernels, and the loop that learns.

A member of the family says how to `advance` by so many iterations, keeping its state in the context's arrays; the loop
gives an answer now and then: the average strategies, with their exploitability as the gap.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.policy import Strategy
from fogbound.driver.kept import ANY, LARGEST, ROUNDING, Kept, run_sums
from fogbound.driver.protocol import Context, Progress
from fogbound.evaluation.exploitability import behaviour
from fogbound.forms.arrays import Floats, ranges
from fogbound.forms.sequence import SequenceForm
from fogbound.solvers.equilibrium import EquilibriumSolver, answer

Advance = Callable[[int], None]
Powers = tuple[float, float, float]  # alpha, beta: how regrets fade; gamma: iteration t weighs t ** gamma
VANILLA, PLUS, DISCOUNTED, PREDICTIVE, PREDICTIVE_DISCOUNTED = range(5)  # kinds of full sweeps
OVER_SEQUENCES = {  # arrays that the family keeps, and between which numbers theirs lie
    "regret": (-LARGEST, LARGEST),
    "hint": (-LARGEST, LARGEST),
    "average": (0.0, 1e300),  # late iterations may weigh much
    "behaviour": (0.0, 1 + ROUNDING),
    "weight": (0.0, 1 + ROUNDING),
}
HEAD_START = 200  # iterations that a profile to begin from counts for
GROWTH = 8  # an answer after every eighth more iterations ...
WORK = 100_000_000  # ... but at least every so many steps of the inner loop, for the clock and Ctrl-C


@dataclass(frozen=True)
class SequenceLayout:
    """All players' sequences one after the other in one array, as the kernels want them."""

    offset: NDArray[np.int64]  # [n+1] the sequences of player i
    infoset_offset: NDArray[np.int64]  # [n+1] its information sets
    parent: NDArray[np.int32]  # [H] sequence
    first: NDArray[np.int32]  # [H] sequence
    size: NDArray[np.int32]  # [H]
    end_of: NDArray[np.int32]  # [K, n] sequence of each player at each combination that ends
    uniform: Floats

    @property
    def shape(self) -> tuple[NDArray[Any], ...]:
        """What kernels walk through."""
        return self.infoset_offset, self.offset, self.parent, self.first, self.size

    def split(self, flat: Floats) -> list[Floats]:
        """A flat array by player."""
        return [flat[a:b] for a, b in zip(self.offset[:-1], self.offset[1:])]


def sequence_layout(form: SequenceForm) -> SequenceLayout:
    """Lay out `form` for the kernels."""
    plexes = form.plexes
    offset = np.cumsum([0, *(plex.sequences for plex in plexes)])
    return SequenceLayout(
        offset,
        np.cumsum([0, *(len(plex.parent) for plex in plexes)]),
        np.concatenate([plex.parent + o for plex, o in zip(plexes, offset)]).astype(np.int32),
        np.concatenate([plex.first + o for plex, o in zip(plexes, offset)]).astype(np.int32),
        np.concatenate([plex.size for plex in plexes]).astype(np.int32),
        np.ascontiguousarray(form.ends + offset[:-1], np.int32),
        np.concatenate([plex.uniform for plex in plexes]),
    )


def pace(done: int, work: int, most: float) -> int:
    """How many iterations to the next answer: more as the run gets longer, never too long a wait."""
    return int(max(1, min(1 + done // GROWTH, WORK // max(work, 1), most - done)))


class RegretMinimiser(EquilibriumSolver[SequenceForm]):
    """A member of the family: its averages approach an equilibrium of a two-player zero-sum game."""

    form: ClassVar[type[SequenceForm]] = SequenceForm

    @abstractmethod
    def advance(self, form: SequenceForm, layout: SequenceLayout, context: Context) -> Advance:
        """Prepare the context (unless it is resumed) and return what runs so many more iterations."""

    @property
    def keeps(self) -> tuple[str, ...]:
        """What it goes on from beside regrets and averages: names of `OVER_SEQUENCES`, "random", "baseline"."""
        return ()

    @property
    def powers(self) -> Powers:
        return 0.0, 0.0, 0.0

    @property
    def samples(self) -> bool:
        return "random" in self.keeps

    @property
    def takes_start(self) -> bool:
        """Full passes begin from a profile; samples do not."""
        return "weight" in self.keeps

    def remembers(self, form: SequenceForm, kept: Kept) -> None:
        layout = sequence_layout(form)
        kept.integers("iteration", (1,))
        for name, (low, high) in OVER_SEQUENCES.items():
            if name in ("regret", "average", *self.keeps):
                kept.reals(name, (len(layout.uniform),), low, high)
        if "behaviour" in self.keeps:
            kept.chances("behaviour", run_sums(kept.declared("behaviour"), layout.first, layout.size))
        if "random" in self.keeps:
            kept.integers("random", (1,), *ANY)
        if "baseline" in self.keeps:
            kept.reals("baseline", (form.tree.size, len(form.plexes)))

    def warm(self, form: SequenceForm, profile: Mapping[int, Strategy]) -> dict[str, NDArray[Any]]:
        """Where to begin so that the given profile is the first answer, and what is played first.

        The profile counts as the average of `HEAD_START` iterations, and regrets are such that matching them plays it
        (after Brown and Sandholm 2016, "Strategy-based warm starting for regret minimization in games", with regrets in
        proportion to it instead of substituted ones). Whatever it is, the gap of an answer is that of its own average.
        """
        played = [behaviour(form, i, profile[i]) for i in range(len(form.plexes))]
        flat = np.concatenate(played)
        weight = np.concatenate([plex.weights(one) for plex, one in zip(form.plexes, played)])
        scale = float(np.ptp(form.payoff)) if form.payoff.size else 1.0
        fresh = {
            "regret": scale * flat,
            "average": head_start(self.powers[2]) * weight,
            "hint": np.zeros(len(flat)),
            "behaviour": flat.copy(),
            "weight": weight,
        }
        return {name: fresh[name] for name in ("regret", "average", *self.keeps) if name in fresh}

    def current(self, layout: SequenceLayout, arrays: Mapping[str, NDArray[Any]]) -> Floats:
        """What is played now, by sequence: the answer where no average is defined, since no iteration came there."""
        if "behaviour" in arrays:
            return arrays["behaviour"]
        positive = np.maximum(arrays["regret"], 0.0)
        total = np.repeat(run_sums(positive, layout.first, layout.size), layout.size)
        where, current = ranges(layout.first, layout.size), layout.uniform.copy()
        current[where] = np.where(total > 0, positive[where] / np.where(total > 0, total, 1.0), current[where])
        return current

    def cost(self, form: SequenceForm) -> int:
        """About how many steps of the inner loop one iteration takes."""
        return len(form.ends) * len(form.plexes)

    def run(self, form: SequenceForm, context: Context) -> Iterator[Progress]:
        layout, arrays = sequence_layout(form), context.arrays
        go = self.advance(form, layout, context)
        done = int(arrays.setdefault("iteration", np.zeros(1, np.int64))[0])
        while True:
            averages, current = (layout.split(part) for part in (arrays["average"], self.current(layout, arrays)))
            played = [plex.behaviour(w, now) for plex, w, now in zip(form.plexes, averages, current)]
            yield answer(form, played, iteration=max(done, 1))  # the first answer, also when it is told again
            many = pace(done, self.cost(form), context.most)
            go(many)
            done += many
            arrays["iteration"][0] = done


def head_start(power: float) -> float:
    """How much a profile counts in the average that a run begins from: as much as so many iterations."""
    return float((np.arange(1, HEAD_START + 1) ** power).sum())


def iteration_of(context: Context) -> int:
    """How many iterations the run has had."""
    return int(context.arrays["iteration"][0]) if "iteration" in context.arrays else 0


def prepare(context: Context, **fresh: NDArray[Any]) -> None:
    """Put `fresh` arrays into the context, unless it holds a resumed run's."""
    for name, array in fresh.items():
        context.arrays.setdefault(name, array)


@dataclass(frozen=True, eq=False)
class SamplingState:
    """The tree's shape and the learner's arrays; `random` is the kernels' generator, kept in the context's arrays."""

    shape: tuple[Any, ...]  # player, child, sequence of a node's first move
    prob: Floats
    payoff: Floats
    regret: Floats
    average: Floats
    random: NDArray[np.int64]

    @classmethod
    def on(cls, form: SequenceForm, layout: SequenceLayout, context: Context) -> SamplingState:
        tree, size = form.tree, len(layout.uniform)
        if "random" not in context.arrays:
            prepare(context, random=np.array([context.rng.integers(0, 2**63)], np.int64))
        prepare(context, regret=np.zeros(size), average=np.zeros(size))
        asks = tree.infoset >= 0  # nobody anywhere, where the game is over before it begins
        sets = tree.infoset[asks]
        first_sequence = np.full(tree.size, -1, np.int32)
        first_sequence[asks] = tree.set_first[sets] + layout.offset[tree.set_owner[sets]]
        arrays = context.arrays
        return cls(
            (tree.mover, tree.child, first_sequence),
            tree.prob,
            np.ascontiguousarray(tree.payoff),
            arrays["regret"],
            arrays["average"],
            arrays["random"],
        )
