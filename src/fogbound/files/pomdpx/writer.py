"""Writing a `.pomdpx` file: a variable for the state, one for what is seen, one for the opening.

The pieces of a `.pomdpx` document as text.

What is seen before the first action, as a fully observed state variable: the only way the format can say it.

Such a variable is seen at every step, so it must never tell more than is known. Where later observations always tell
which opening's states one is among, it says just that, and a state is (it, the rest). Where they do not, it
says for ever what was seen at first: who remembers that learns nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from xml.sax.saxutils import escape

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fogbound import archive
from fogbound.core.errors import FormError, one_line
from fogbound.files import writing
from fogbound.files.writing import UNSEEN, CompleteModel, ModelSizes, TransitionsAndObservations
from fogbound.forms.arrays import Floats, Longs, starts
from fogbound.forms.pomdp import POMDP

Triples = tuple[Longs, Longs, Floats]  # row, column, probability
DENSE = 6  # a row with at least every sixth number not zero is written whole


def value_enum(names: Sequence[str]) -> str:
    return f"<ValueEnum>{' '.join(names)}</ValueEnum>"


def section(tag: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"<{tag}>"
    yield from lines
    yield f"</{tag}>"


def function_lines(name: str, parents: str, entries: Sequence[str], tag: str = "CondProb") -> Iterator[str]:
    yield f"<{tag}><Var>{name}</Var><Parent>{parents}</Parent><Parameter type='TBL'>"
    yield from entries
    yield f"</Parameter></{tag}>"


def entry_text(instance: str, content: str, tag: str = "ProbTable") -> str:
    return f"<Entry><Instance>{instance}</Instance><{tag}>{content}</{tag}></Entry>"


def _summed(index: Longs, weights: Floats, size: int) -> Floats:
    """[size] the weights of each index, added up."""
    total = np.zeros(size)
    np.add.at(total, index, weights)
    return total


def row_entries(
    cells: Triples, prefix: Callable[[int], str], names: Sequence[str], cover: int | None = None
) -> list[str]:
    """Entries for rows of cells; `cover` is a value that an earlier entry made sure, to be overridden."""
    row, column, prob = cells
    order = np.lexsort((column, row))
    row, column, prob = row[order], column[order], prob[order]
    ends = np.flatnonzero(np.append(np.diff(row) != 0, True)) + 1 if len(row) else np.zeros(0, np.int64)
    entries: list[str] = []
    begin = 0
    for end in ends.tolist():
        words, columns, chances = prefix(int(row[begin])), column[begin:end], prob[begin:end]
        if DENSE * len(columns) >= len(names):
            entries.append(entry_text(f"{words} -", writing.number_text(_summed(columns, chances, len(names)))))
        else:
            if cover is not None and cover not in columns:
                entries.append(entry_text(f"{words} {names[cover]}", "0"))
            entries += [entry_text(f"{words} {names[c]}", repr(p)) for c, p in zip(columns.tolist(), chances.tolist())]
        begin = end
    return entries


MOST_STATES = 1_000_000


@dataclass(frozen=True, eq=False)
class OpenedModel:
    """A model ready to be written, with its openings."""

    full: CompleteModel
    label: Longs  # [states] which state of the form; -1: none, it only fills up a block
    copy: Longs  # [states] and after which observation, where states are told apart by that; UNSEEN
    observations: Longs  # [X] the form's numbers of what may be seen at first; one alone tells nothing
    split: bool  # whether the states are X blocks of equal size, one for each observation
    start: tuple[Longs, Longs, Floats]  # observation, state, probability


def opened(form: POMDP) -> OpenedModel:
    """Fill up and divide the states as needed; FormError for what no file can say."""
    writing.refuse_early_reward(form)
    begun = slice(0, int(form.out[1]))
    blind = form.obs.copy()
    blind[begun] = blind[0]
    full, state, copy = writing.split(writing.complete(replace(form, obs=blind)))
    observations, observation = np.unique(form.obs[begun], return_inverse=True)
    start = (observation.astype(np.int64), starts(state, form.size)[form.next[begun]], form.prob[begun])
    plain = OpenedModel(full, state, copy, observations.astype(np.int64), False, start)
    if len(observations) == 1:
        return plain
    block = _blocks(plain)
    return plain if block is None else _in_blocks(plain, block)


def _blocks(plain: OpenedModel) -> Longs | None:
    """[states] the opening whose states each belongs to, if every later observation tells that too."""
    full, (observation, state, _) = plain.full, plain.start
    shown = full.obs != UNSEEN
    here = np.concatenate([full.next[shown], state])
    there = np.concatenate([full.obs[shown], len(full.observations) + observation]) + full.states
    size = full.states + len(full.observations) + len(plain.observations)
    graph = coo_array((np.ones(len(here), np.int8), (here, there)), shape=(size, size))
    count, part = connected_components(graph, directed=False)
    openings = part[full.states + len(full.observations) :]
    if len(np.unique(openings)) < len(plain.observations):
        return None
    block = np.full(count, UNSEEN)
    block[openings] = np.arange(len(plain.observations))
    sizes = np.bincount(part[: full.states], minlength=count)
    filled = sizes[openings]
    for loose in np.flatnonzero((block == UNSEEN) & (sizes > 0)).tolist():  # told apart from all openings: anywhere
        block[loose] = int(filled.argmin())
        filled[block[loose]] += sizes[loose]
    opening: Longs = block[part[: full.states]]
    return opening


def _in_blocks(plain: OpenedModel, block: Longs) -> OpenedModel:
    """The states block by block, each filled up to the largest with states that nothing leads to."""
    full, wide = plain.full, len(plain.full.actions)
    sizes = np.bincount(block, minlength=len(plain.observations))
    high, order = int(sizes.max()), np.argsort(block, kind="stable")
    if high * len(sizes) > MOST_STATES:
        raise FormError(f"{full.states:,} states fill up to {high * len(sizes):,}, expected at most {MOST_STATES:,}")
    place = np.empty(full.states, np.int64)
    place[order] = block[order] * high + np.arange(full.states) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    total = high * len(sizes)
    empty = np.setdiff1d(np.arange(total), place)
    idle = (empty[:, None] * wide + np.arange(wide)).ravel()
    row = np.concatenate([place[full.row // wide] * wide + full.row % wide, idle])
    after = np.concatenate([place[full.next], idle // wide])
    seen = np.concatenate([full.obs, np.full(len(idle), UNSEEN)])
    prob = np.concatenate([full.prob, np.ones(len(idle))])
    by = np.lexsort((seen, after, row))
    reward = np.zeros((total, wide))
    reward[place] = full.reward.reshape(full.states, wide)
    label, copy, begun = np.full(total, -1), np.full(total, UNSEEN), np.zeros(total)
    label[place], copy[place], begun[place] = plain.label, plain.copy, full.start
    made = replace(
        full, states=total, start=begun, row=row[by], next=after[by], obs=seen[by], prob=prob[by], reward=reward.ravel()
    )
    observation, state, chance = plain.start
    return OpenedModel(made, label, copy, plain.observations, True, (observation, place[state], chance))


@dataclass(frozen=True, eq=False)
class Document:
    """The names of all values, and the lines that say how they depend on each other."""

    form: POMDP
    model: OpenedModel

    @property
    def sizes(self) -> ModelSizes:
        """A state is an opening, where there are several, and a value of the state variable."""
        openings = max(len(self.openings), 1)
        return ModelSizes(len(self.states) * openings, len(self.actions), len(self.observations))

    @cached_property
    def openings(self) -> list[str]:
        """Names of the values of the opening; none where there is nothing to tell."""
        shown = [writing.observation_label(self.form, int(z)) for z in self.model.observations]
        return writing.identifiers(shown, "x") if len(shown) > 1 else []

    @cached_property
    def states(self) -> list[str]:
        """Names of the values of the state variable."""
        label, copy = self.model.label.tolist(), self.model.copy.tolist()
        if self.model.split:
            return [f"s{i}" for i in range(len(label) // len(self.openings))]
        return writing.identifiers(
            [writing.state_label(self.form, s, o, self.observations) for s, o in zip(label, copy)], "s"
        )

    @cached_property
    def actions(self) -> list[str]:
        return writing.identifiers([writing.action_label(self.form, a) for a in self.model.full.actions], "a")

    @cached_property
    def observations(self) -> list[str]:
        return writing.identifiers([writing.observation_label(self.form, z) for z in self.model.full.observations], "o")

    def state(self, number: int) -> str:
        """A state in the words of an instance."""
        if not self.model.split:
            return self.states[number]
        return f"{self.openings[number // len(self.states)]} {self.states[number % len(self.states)]}"

    def parents(self, slice_: int) -> str:
        return f"opening_{slice_} state_{slice_}" if self.model.split else f"state_{slice_}"

    def lines(self) -> Iterator[str]:
        parts = writing.transitions_and_observations(self.model.full)
        yield "<?xml version='1.0' encoding='UTF-8'?>"
        yield "<pomdpx version='1.0' id='fogbound'>"
        yield f"<Description>{escape(one_line(self.form.spec))}</Description>"
        yield f"<Discount>{float(self.form.discount)!r}</Discount>"
        yield from section("Variable", self._variables())
        yield from section("InitialStateBelief", self._start())
        yield from section("StateTransitionFunction", self._moves(parts))
        yield from section("ObsFunction", self._observations(parts))
        yield from section("RewardFunction", self._rewards())
        yield "</pomdpx>"

    def _variables(self) -> Iterator[str]:
        for name, listed, seen in (("opening", self.openings, "true"), ("state", self.states, "false")):
            if listed:
                attributes = f"vnamePrev='{name}_0' vnameCurr='{name}_1' fullyObs='{seen}'"
                yield f"<StateVar {attributes}>{value_enum(listed)}</StateVar>"
        yield f"<ObsVar vname='observation'>{value_enum(self.observations)}</ObsVar>"
        yield f"<ActionVar vname='action'>{value_enum(self.actions)}</ActionVar>"
        yield "<RewardVar vname='reward'/>"

    def _start(self) -> Iterator[str]:
        observation, state, prob = self.model.start
        if not self.openings:
            whole = _summed(state, prob, len(self.states))
            yield from function_lines("state_0", "null", [entry_text("-", writing.number_text(whole))])
            return
        chance = _summed(observation, prob, len(self.openings))
        yield from function_lines("opening_0", "null", [entry_text("-", writing.number_text(chance))])
        share = np.zeros((len(self.openings), len(self.states)))
        np.add.at(share, (observation, state % len(self.states)), prob / chance[observation])
        each = [entry_text(f"{name} -", writing.number_text(row)) for name, row in zip(self.openings, share)]
        yield from function_lines("state_0", "opening_0", each)

    def _moves(self, parts: TransitionsAndObservations) -> Iterator[str]:
        row, after, prob = parts.move
        asked = f"action {self.parents(0)}"
        if not self.model.split:
            if self.openings:
                yield from function_lines("opening_1", "opening_0", [entry_text("- -", "identity")])
            yield from function_lines("state_1", asked, row_entries((row, after, prob), self._before, self.states))
            return
        high = len(self.states)
        key, group = np.unique(row * len(self.openings) + after // high, return_inverse=True)
        total = _summed(group.astype(np.int64), prob, len(key))
        blocks = (key // len(self.openings), key % len(self.openings), total)
        yield from function_lines("opening_1", asked, row_entries(blocks, self._before, self.openings))
        if len(np.unique(blocks[0])) == len(key):  # which block comes next is sure
            yield from function_lines(
                "state_1", asked, row_entries((row, after % high, prob), self._before, self.states)
            )
            return
        cells = (group.astype(np.int64), after % high, prob / total[group])
        each = row_entries(
            cells, lambda g: f"{self._before(int(blocks[0][g]))} {self.openings[blocks[1][g]]}", self.states, 0
        )
        first = entry_text(f"* * * * {self.states[0]}", "1")  # where the next block cannot come next
        yield from function_lines("state_1", f"{asked} opening_1", [first, *each])

    def _before(self, row: int) -> str:
        return f"{self.actions[row % len(self.actions)]} {self.state(row // len(self.actions))}"

    def _observations(self, parts: TransitionsAndObservations) -> Iterator[str]:
        missing = np.setdiff1d(np.arange(self.model.full.states * len(self.actions)), parts.observation[0])
        none = [
            entry_text(f"{self._before(row)} {self.observations[0]}", "1") for row in missing.tolist()
        ]  # never met: any
        met = row_entries(parts.observation, self._before, self.observations)
        yield from function_lines("observation", f"action {self.parents(1)}", [*met, *none])

    def _rewards(self) -> Iterator[str]:
        reward = self.model.full.reward
        paid = np.flatnonzero(reward).tolist()
        some = [entry_text(self._before(row), repr(float(reward[row])), "ValueTable") for row in paid]
        everywhere = entry_text("* " * (3 if self.model.split else 2), "0", "ValueTable")
        yield from function_lines("reward", f"action {self.parents(0)}", [everywhere, *some], "Func")


def write_pomdpx(form: POMDP, path: str | os.PathLike[str]) -> ModelSizes:
    """Write the form, whole or not at all, and say how large it is there; FormError where it cannot be written.

    What is read back has the same value. It has the same arrays too, when every action is legal everywhere and
    what is seen depends on the action and the state arrived at only; and, where several observations may open, when
    later observations tell as much of the state as those and each stands for equally many states.
    """
    document = Document(form, opened(form))
    archive.write(path, ("\n".join(document.lines()) + "\n").encode())
    return document.sizes
