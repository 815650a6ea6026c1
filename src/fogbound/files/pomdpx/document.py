"""The text of a `.pomdpx` document: a variable for the state, one for what is seen, one for the opening."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from xml.sax.saxutils import escape

import numpy as np

from fogbound.core.errors import one_line
from fogbound.files.pomdpx.markup import added, entry, function, numbers, part, rows, values
from fogbound.files.pomdpx.opening import Opened
from fogbound.files.writing.factor import MovesAndSights, factored
from fogbound.files.writing.labels import action_label, sight_label, state_label
from fogbound.files.writing.names import identifiers
from fogbound.files.writing.sizes import Sizes
from fogbound.forms.pomdp import POMDP


@dataclass(frozen=True, eq=False)
class Document:
    """The names of all values, and the lines that say how they depend on each other."""

    form: POMDP
    model: Opened

    def text(self) -> str:
        return "\n".join(self.lines()) + "\n"

    @property
    def sizes(self) -> Sizes:
        """A state is an opening, where there are several, and a value of the state variable."""
        openings = max(len(self.openings), 1)
        return Sizes(len(self.states) * openings, len(self.actions), len(self.sights))

    @cached_property
    def openings(self) -> list[str]:
        """Names of the values of the opening; none where there is nothing to tell."""
        shown = [sight_label(self.form, int(z)) for z in self.model.sights]
        return identifiers(shown, "x") if len(shown) > 1 else []

    @cached_property
    def states(self) -> list[str]:
        """Names of the values of the state variable."""
        label, copy = self.model.label.tolist(), self.model.copy.tolist()
        if self.model.split:
            return [f"s{i}" for i in range(len(label) // len(self.openings))]
        return identifiers([state_label(self.form, s, o, self.sights) for s, o in zip(label, copy)], "s")

    @cached_property
    def actions(self) -> list[str]:
        return identifiers([action_label(self.form, a) for a in self.model.full.actions], "a")

    @cached_property
    def sights(self) -> list[str]:
        return identifiers([sight_label(self.form, z) for z in self.model.full.observations], "o")

    def state(self, number: int) -> str:
        """A state in the words of an instance."""
        if not self.model.split:
            return self.states[number]
        return f"{self.openings[number // len(self.states)]} {self.states[number % len(self.states)]}"

    def parents(self, slice_: int) -> str:
        return f"opening_{slice_} state_{slice_}" if self.model.split else f"state_{slice_}"

    def lines(self) -> Iterator[str]:
        parts = factored(self.model.full)
        yield "<?xml version='1.0' encoding='UTF-8'?>"
        yield "<pomdpx version='1.0' id='fogbound'>"
        yield f"<Description>{escape(one_line(self.form.spec))}</Description>"
        yield f"<Discount>{float(self.form.discount)!r}</Discount>"
        yield from part("Variable", self._variables())
        yield from part("InitialStateBelief", self._start())
        yield from part("StateTransitionFunction", self._moves(parts))
        yield from part("ObsFunction", self._sights(parts))
        yield from part("RewardFunction", self._rewards())
        yield "</pomdpx>"

    def _variables(self) -> Iterator[str]:
        for name, listed, seen in (("opening", self.openings, "true"), ("state", self.states, "false")):
            if listed:
                told = f"vnamePrev='{name}_0' vnameCurr='{name}_1' fullyObs='{seen}'"
                yield f"<StateVar {told}>{values(listed)}</StateVar>"
        yield f"<ObsVar vname='sight'>{values(self.sights)}</ObsVar>"
        yield f"<ActionVar vname='action'>{values(self.actions)}</ActionVar>"
        yield "<RewardVar vname='reward'/>"

    def _start(self) -> Iterator[str]:
        sight, state, prob = self.model.start
        if not self.openings:
            whole = added(state, prob, len(self.states))
            yield from function("state_0", "null", [entry("-", numbers(whole))])
            return
        chance = added(sight, prob, len(self.openings))
        yield from function("opening_0", "null", [entry("-", numbers(chance))])
        share = np.zeros((len(self.openings), len(self.states)))
        np.add.at(share, (sight, state % len(self.states)), prob / chance[sight])
        each = [entry(f"{name} -", numbers(row)) for name, row in zip(self.openings, share)]
        yield from function("state_0", "opening_0", each)

    def _moves(self, parts: MovesAndSights) -> Iterator[str]:
        row, after, prob = parts.move
        asked = f"action {self.parents(0)}"
        if not self.model.split:
            if self.openings:
                yield from function("opening_1", "opening_0", [entry("- -", "identity")])
            yield from function("state_1", asked, rows((row, after, prob), self._before, self.states))
            return
        high = len(self.states)
        key, group = np.unique(row * len(self.openings) + after // high, return_inverse=True)
        total = added(group.astype(np.int64), prob, len(key))
        blocks = (key // len(self.openings), key % len(self.openings), total)
        yield from function("opening_1", asked, rows(blocks, self._before, self.openings))
        if len(np.unique(blocks[0])) == len(key):  # which block comes next is sure
            yield from function("state_1", asked, rows((row, after % high, prob), self._before, self.states))
            return
        cells = (group.astype(np.int64), after % high, prob / total[group])
        each = rows(cells, lambda g: f"{self._before(int(blocks[0][g]))} {self.openings[blocks[1][g]]}", self.states, 0)
        first = entry(f"* * * * {self.states[0]}", "1")  # where the next block cannot come next
        yield from function("state_1", f"{asked} opening_1", [first, *each])

    def _before(self, row: int) -> str:
        return f"{self.actions[row % len(self.actions)]} {self.state(row // len(self.actions))}"

    def _sights(self, parts: MovesAndSights) -> Iterator[str]:
        missing = np.setdiff1d(np.arange(self.model.full.states * len(self.actions)), parts.sight[0])
        none = [entry(f"{self._before(row)} {self.sights[0]}", "1") for row in missing.tolist()]  # never met: any
        met = rows(parts.sight, self._before, self.sights)
        yield from function("sight", f"action {self.parents(1)}", [*met, *none])

    def _rewards(self) -> Iterator[str]:
        reward = self.model.full.reward
        paid = np.flatnonzero(reward).tolist()
        some = [entry(self._before(row), repr(float(reward[row])), "ValueTable") for row in paid]
        everywhere = entry("* " * (3 if self.model.split else 2), "0", "ValueTable")
        yield from function("reward", f"action {self.parents(0)}", [everywhere, *some], "Func")
