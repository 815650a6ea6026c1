"""What the writers of model files share: every action legal everywhere, T and O apart, and names that a file can
hold.

A POMDP in which every action is legal in every state, as model files need it, of the same value.

An action that a state does not offer does there what the first one offered does: a copy of a choice that is
there anyway adds nothing. A state in which the game is over leads to itself and pays nothing.

Outcomes split into where a step leads and what is then seen, as model files want them: T and O.

A file's observation depends on the action and the state arrived at, not on the state left. Where a POMDP's
does depend on that, the state arrived at is written once for each observation it may be reached with; its
copies go on alike, so no value changes.

What the writers call the parts of a form, before names are made of it.

Labels as the names that every model file can hold: a letter, then letters, digits, - and _.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FormError, brief, many
from fogbound.forms.arrays import Floats, Longs, heads, positions, ranges, starts
from fogbound.forms.pomdp import NOT_ASKED, OVER, POMDP, WAIT
from fogbound.forms.table import Table

UNSEEN = -1  # the observation of a step after the game: any will do


@dataclass(frozen=True)
class CompleteModel:
    """Outcomes of all (state, action), sorted by row `state * actions + action`, next state, observation."""

    states: int
    actions: tuple[int, ...]  # the form's numbers; WAIT last, where it is needed
    observations: tuple[int, ...]  # the form's numbers
    start: Floats  # [states]
    row: Longs
    next: Longs
    obs: Longs
    prob: Floats
    reward: Floats  # [states * actions]
    copied: int  # rows that stand for an action that is not offered there


def complete(form: POMDP) -> CompleteModel:
    """Fill the table of (state, action)."""
    actions = tuple(sorted({*form.action[1:].tolist()} - {WAIT})) + ((WAIT,) if (form.action[1:] == WAIT).any() else ())
    offered = (form.row[1:] - form.row[:-1]).astype(np.int64)
    taken = np.where(offered > 0, form.row[:-1], 0)[:, None].repeat(max(len(actions), 1), axis=1).astype(np.int64)
    number = {action: k for k, action in enumerate(actions)}
    own = np.repeat(np.arange(form.size), offered)
    which = np.array([number[action] for action in form.action[1:].tolist()], np.int64)
    taken[own, which] = np.arange(1, len(form.action))
    rows = taken.ravel()
    kept, number_of = _observations(form)
    _, columns, start = unrolled_rows(form, rows, number_of[form.obs])
    reward = np.where(rows > 0, form.reward[rows], 0.0)
    copied = int((rows > 0).sum()) - len(form.action) + 1
    return CompleteModel(form.size, actions or (WAIT,), kept, start, *merged(*columns), reward, copied)


def unrolled_rows(
    form: POMDP | Table, rows: Longs, signals: Longs
) -> tuple[Longs, tuple[Longs, Longs, Longs, Floats], Floats]:
    """The outcomes of all (state, action), of which `rows` are those of the form, 0 where the game is over.

    These are the form's numbers of the outcomes, then row, next state, what is seen (`signals` of the form's outcomes)
    and probability of each, those of games that are over last; and [states] the start.
    """
    out = form.out.astype(np.int64)
    count = np.where(rows > 0, out[rows + 1] - out[rows], 0)
    inside, over = ranges(out[rows], count), np.flatnonzero(rows == 0)
    row = np.concatenate([np.repeat(np.arange(len(rows)), count), over])
    after = np.concatenate([form.next[inside], over // (len(rows) // form.size)]).astype(np.int64)
    seen = np.concatenate([signals[inside], np.full(len(over), UNSEEN)])
    prob = np.concatenate([form.prob[inside], np.ones(len(over))])
    start = np.bincount(form.next[: out[1]], weights=form.prob[: out[1]], minlength=form.size)
    return inside, (row, after, seen, prob), start.astype(np.float64)


def refuse_early_reward(form: POMDP) -> None:
    """FormError for what is paid before the first step, which no model file can say."""
    if form.reward[0] != 0:
        raise FormError(f"{form.spec}: {form.reward[0]:g} is paid before the first step; a model file cannot say so")


def _observations(form: POMDP) -> tuple[tuple[int, ...], Longs]:
    """The observations a file lists, all but one that is only shown at the start, and their numbers there."""
    listed = np.ones(len(form.observations), bool)
    listed[form.obs[: form.out[1]]] = False
    listed[form.obs[form.out[1] :]] = True
    if not listed.any():
        listed[0] = True
    return tuple(np.flatnonzero(listed).tolist()), np.cumsum(listed) - 1


def merged(row: Longs, after: Longs, seen: Longs, prob: Floats) -> tuple[Longs, Longs, Longs, Floats]:
    """Sorted, equal outcomes added up."""
    order = np.lexsort((seen, after, row))
    row, after, seen, prob = row[order], after[order], seen[order], prob[order]
    fresh = heads(row, after, seen)
    total = np.bincount(np.cumsum(fresh) - 1, weights=prob).astype(np.float64)
    return row[fresh], after[fresh], seen[fresh], total


ALIKE = 1e-12  # chances of an observation that differ by less are one chance, computed twice


@dataclass(frozen=True)
class TransitionsAndObservations:
    """T and O of a model, cells that are not zero."""

    move: tuple[Longs, Longs, Floats]  # row `state * actions + action`, next state, probability
    observation: tuple[Longs, Longs, Floats]  # row `next state * actions + action`, observation, probability


@dataclass(frozen=True)
class _Groups:
    """Outcomes that share row and next state; groups that share action and next state form a class."""

    first: Longs  # [groups] its first outcome
    size: Longs  # [groups]
    model: Longs  # [groups] the group that stands for the class
    of: Longs  # [outcomes]


def split(full: CompleteModel) -> tuple[CompleteModel, Longs, Longs]:
    """The model in which T and O exist, and for its states which state and which observation each stands for."""
    divided = _dependent(full)
    if not divided.any():
        return full, np.arange(full.states), np.full(full.states, UNSEEN)
    observed = divided[full.next] & (full.obs != UNSEEN)
    wide = len(full.observations)
    keys = np.unique(np.concatenate([full.next[observed] * wide + full.obs[observed], np.flatnonzero(~divided) * wide]))
    state, observation = keys // wide, np.where(divided[keys // wide], keys % wide, UNSEEN)
    base = starts(state, full.states)[:-1]
    return _copied(full, divided, keys, state, observation, base), state, observation


def _copied(
    full: CompleteModel, divided: NDArray[np.bool_], keys: Longs, state: Longs, observation: Longs, base: Longs
) -> CompleteModel:
    """Each state's rows for each of its copies; outcomes lead to the copy for what they show."""
    wide, width = len(full.observations), len(full.actions)
    rows = (state[:, None] * width + np.arange(width)).ravel()
    first = starts(full.row, full.states * width)
    count = np.diff(first)[rows]
    inside = ranges(first[:-1][rows], count)
    row, after, seen = np.repeat(np.arange(len(rows)), count), full.next[inside], full.obs[inside]
    copy = positions(keys, after * wide + np.where(divided[after], seen, 0))
    over = seen == UNSEEN  # a game that is over stays where it is
    start = np.zeros(len(state))
    start[base] = full.start
    return replace(
        full,
        states=len(state),
        start=start,
        row=row,
        next=np.where(over, row // width, copy),
        obs=np.where(over, observation[row // width], seen),
        prob=full.prob[inside],
        reward=full.reward[rows],
    )


def _dependent(full: CompleteModel) -> NDArray[np.bool_]:
    """[states] whether what is seen on arrival depends on where one came from."""
    groups = _groups(full)
    total = np.add.reduceat(full.prob, groups.first)
    model = groups.model[groups.of]
    inside = np.arange(len(full.row)) - groups.first[groups.of]
    same = groups.size[groups.of] == groups.size[model]
    counterpart = np.where(same, groups.first[model] + inside, groups.first[model])
    chance, other = full.prob / total[groups.of], full.prob[counterpart] / total[model]
    same &= (full.obs == full.obs[counterpart]) & (np.abs(chance - other) <= ALIKE)
    dependent = np.zeros(full.states, bool)
    dependent[full.next[~same & (full.obs != UNSEEN)]] = True
    return dependent


def _groups(full: CompleteModel) -> _Groups:
    fresh = heads(full.row, full.next)
    first = np.flatnonzero(fresh)
    width = len(full.actions)
    unseen = full.obs[first] == UNSEEN  # such a group has no say in its class, unless alone
    key = full.next[first] * width + full.row[first] % width
    order = np.lexsort((unseen, key))
    lead = heads(key[order])
    model = np.empty(len(first), np.int64)
    model[order] = order[lead][np.cumsum(lead) - 1]
    return _Groups(first, np.diff(np.append(first, len(full.row))), model, np.cumsum(fresh) - 1)


def transitions_and_observations(full: CompleteModel) -> TransitionsAndObservations:
    """T and O, chosen so that their product gives the outcomes back to the last bit where that can be."""
    groups = _groups(full)
    width = len(full.actions)
    lead = np.unique(groups.model)
    cells = ranges(groups.first[lead], groups.size[lead])
    move, chance = _products(full, groups, lead, cells)
    row = np.repeat(full.next[groups.first[lead]] * width + full.row[groups.first[lead]] % width, groups.size[lead])
    return TransitionsAndObservations(
        (full.row[groups.first], full.next[groups.first], move), (row, np.maximum(full.obs[cells], 0), chance)
    )


def _products(full: CompleteModel, groups: _Groups, lead: Longs, cells: Longs) -> tuple[Floats, Floats]:
    """Factors of every outcome: candidates are tried, those a few ulps or a few decimals around the quotient."""
    kin = positions(lead, groups.model)  # [groups] the class
    class_first = np.cumsum(groups.size[lead]) - groups.size[lead]
    inside = np.arange(len(full.row)) - groups.first[groups.of]
    sure = full.obs == UNSEEN
    cell = class_first[kin[groups.of]] + np.where(sure, 0, inside)
    total = np.add.reduceat(full.prob, groups.first)
    share = full.prob[cells] / np.repeat(total[lead], groups.size[lead])
    move, chance = total.copy(), share.copy()
    open_ = np.ones(len(lead), bool)
    for part in _near(share):
        for whole in _near(total):
            wrong = (whole[groups.of] * part[cell] != full.prob) & ~sure
            good = open_ & (np.bincount(kin[groups.of], weights=wrong, minlength=len(lead)) == 0)
            move = np.where(good[kin], whole, move)
            chance = np.where(np.repeat(good, groups.size[lead]), part, chance)
            open_ &= ~good
            if not open_.any():
                return move, chance
    return move, chance


def _near(value: Floats) -> list[Floats]:
    """The value, and what it may have been before it was multiplied and divided."""
    return [value, *(np.round(value, digits) for digits in (15, 12)), np.nextafter(value, 0), np.nextafter(value, 2)]


NO_LEGAL_ACTIONS = {OVER: "over", NOT_ASKED: "wait"}


def action_label(form: POMDP, action: int) -> Hashable:
    """An action; where the player is not asked, that it waits."""
    return "wait" if action == WAIT else form.actions[action]


def observation_label(form: POMDP, number: int) -> Hashable:
    """What is seen, in short, and the legal actions where they differ from observation to observation or are none."""
    seen, legal = form.observations[number]
    label = seen.private if seen.public is None else seen.public if seen.private is None else tuple(seen)
    if legal in NO_LEGAL_ACTIONS:
        return (label, NO_LEGAL_ACTIONS[legal])
    return label if len(form.legal_sets) <= 1 else (label, legal)


def state_label(form: POMDP, state: int, observation: int, observations: Sequence[str]) -> Hashable:
    """A state, and the observation that it is reached with where it is written once for each."""
    label = form.label(state)
    return label if observation == UNSEEN else (label, observations[observation])


MOST_LETTERS = 60
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_OTHER = re.compile(r"[^A-Za-z0-9-]+")


def identifiers(labels: Sequence[Hashable], prefix: str, reserved: Set[str] = frozenset()) -> list[str]:
    """A name for each label, all different, none of them `reserved`; a label that is a name already keeps it.

    `prefix` begins those that would begin with no letter.
    """
    return distinct([_identifier(label, prefix, reserved) for label in labels], labels, reserved)


def _identifier(label: Hashable, prefix: str, reserved: Set[str]) -> str:
    if isinstance(label, str) and _NAME.fullmatch(label) and len(label) <= 199 and label not in reserved:
        return label
    plain = _OTHER.sub("_", label if isinstance(label, str) else brief(label, MOST_LETTERS)).strip("_-")
    return (plain if _NAME.fullmatch(plain) else f"{prefix}{plain}")[:MOST_LETTERS]


def distinct(words: Sequence[str], labels: Sequence[Hashable], reserved: Set[str] = frozenset()) -> list[str]:
    """The words, a number behind those that another one is equal to; a word that is its label comes before others."""
    kept = {word for word, label in zip(words, labels) if word == label}
    names: list[str] = []
    used, turn = set[str](), dict[str, int]()
    for word, label in zip(words, labels):
        name = word
        while name in used or name in reserved or (name in kept and name != label):
            turn[word] = turn.get(word, 1) + 1
            name = f"{word}_{turn[word]}"
        used.add(name)
        names.append(name)
    return names


@dataclass(frozen=True)
class Names:
    """What entries call things, and the comments that say what was meant where that is not the same."""

    words: list[str]
    counted: bool  # the names are 0, 1, 2, …
    comments: list[str]

    def explained(self, kind: str) -> list[str]:
        """The comments under a heading; nothing where there are none."""
        return [f"# {kind} by another name:", *self.comments] if self.comments else []

    @property
    def declared(self) -> str:
        """The names as a section lists them: how many there are, where they are numbers."""
        return str(len(self.words)) if self.counted else " ".join(self.words)


def names(labels: Sequence[Hashable], prefix: str, reserved: Set[str]) -> Names:
    """Names for labels, which may be plain numbers."""
    if all(type(label) is int and label == k for k, label in enumerate(labels)):  # 0, 1, 2, …: how many is enough
        return Names([str(label) for label in labels], True, [])
    words = identifiers(labels, prefix, reserved)
    return Names(words, False, [f"#   {word}: {brief(label)}" for word, label in zip(words, labels) if word != label])


def number_text(given: Floats) -> str:
    """Numbers in a row, exactly."""
    return " ".join(repr(p) if p else "0" for p in given.tolist())


def table_entries(
    full: CompleteModel, actions: Sequence[str], states: Sequence[str], observations: Sequence[str], mark: str
) -> Iterator[str]:
    """The entries `T:` and `O:` of a file; `mark` stands before the number."""
    parts = transitions_and_observations(full)

    def where(row: int) -> str:
        return f"{actions[row % len(actions)]} : {states[row // len(actions)]}"

    for row, after, p in zip(*(column.tolist() for column in parts.move)):
        yield f"T: {where(row)} : {states[after]}{mark}{p!r}"
    for row, seen, p in zip(*(column.tolist() for column in parts.observation)):
        yield f"O: {where(row)} : {observations[seen]}{mark}{p!r}"
    missing = np.setdiff1d(np.arange(len(states) * len(actions)), parts.observation[0])
    for row in missing.tolist():  # never arrived at so: any observation will do
        yield f"O: {where(row)} : {observations[0]}{mark}1.0"


class ModelSizes(NamedTuple):
    """What a model file that was written declares."""

    states: int
    actions: int
    observations: int

    def __str__(self) -> str:
        return f"{many(self.states, 'state')}, {many(self.actions, 'action')}, {many(self.observations, 'observation')}"
