"""A game of several players as a `.dpomdp`, `.posg` or `.zsposg` file: every table whose rewards the format can say.

These formats let all players move in every step, each with the same actions everywhere, and show each a signal of its
own. What a table has beyond that is said in other words, of the same value: an action that is not offered does what the
first one offered does, what a player may do and what everybody sees becomes part of what it sees, and a game that is
over stays where it is and pays nothing.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fogbound import archive
from fogbound.core.errors import FormError, LimitError, many, one_line
from fogbound.core.game import Observation
from fogbound.files import writing
from fogbound.files.cassandra.reader import LIMIT, PAIR
from fogbound.files.cassandra.writer import KEYWORDS
from fogbound.files.dpomdp.preamble import GRAMMAR
from fogbound.files.writing import NO_LEGAL_ACTIONS, UNSEEN, CompleteModel, Names
from fogbound.forms.arrays import Floats, Longs, heads, positions
from fogbound.forms.player_view import OVER, legal_by_state
from fogbound.forms.table import Table

SECTION_WORDS = frozenset(GRAMMAR.sections)
RESERVED = KEYWORDS | SECTION_WORDS


class JointSizes(NamedTuple):
    """What a file that was written declares."""

    states: int
    actions: tuple[int, ...]  # of each player
    observations: tuple[int, ...]  # of each player
    notes: tuple[str, ...] = ()  # what is said in other words

    def __str__(self) -> str:
        actions, observations = (" x ".join(map(str, many)) for many in (self.actions, self.observations))
        sizes = f"{many(self.states, 'state')}, {many(actions, 'action')}, {many(observations, 'observation')}"
        return "\n".join((sizes, *self.notes))


def write_joint(form: Table, path: str | os.PathLike[str], quoted: bool | None = None) -> JointSizes:
    """Write a game whose rewards the format that the ending of `path` names can say; whole or not at all.

    Parameters
    ----------
    form
        The game.
    path
        Where to: `.dpomdp`, where all players have the same reward, `.zsposg`, where one of two wins what the other
        loses, or `.posg`.
    quoted
        In the dialect of SDMStudio, rather than that of MADP: unless given, in all but a `.dpomdp` file.

    Returns
    -------
    JointSizes

    Raises
    ------
    FormError
        Rewards differ, something is shown or paid before the first step, or players are shown too much there.
    """
    ending = Path(path).suffix
    sizes, lines = _document(form, ending, ending != ".dpomdp" if quoted is None else quoted)
    archive.write(path, ("\n".join(lines) + "\n").encode())
    return sizes


def _document(form: Table, ending: str, quoted: bool) -> tuple[JointSizes, list[str]]:
    _require_start(form, ending)
    signals, notes = [_signals(form, player) for player in range(len(form.players))], list[str]()
    moves = [_offered(form, player) for player in range(len(form.players))]
    model, paid = _complete(form, moves, signals, ending)
    paid = _rewards(form, ending, paid)
    full, state, observation = writing.split(replace(model, reward=np.arange(len(model.reward), dtype=np.float64)))
    if any(signal.legal for signal in signals):
        notes.append("What a player may do is part of what it sees; an action not offered does what the first does.")
    if len(form.players) > 1 and any(label.public is not None for labels in form.observations for label in labels):
        notes.append("What everybody sees is part of what each player sees.")
    if not form.actor_set.all():
        notes.append("A state in which the game is over leads to itself and pays nothing.")
    if full.states > form.size:
        notes.append(
            f"{many(form.size, 'state')} are written as {full.states:,}: some once for each observation on arrival."
        )
    sheet = _Sheet(form, moves, signals, quoted, state, observation)
    actions, observations = (tuple(map(len, each)) for each in (sheet.actions, sheet.observations))
    sizes = JointSizes(full.states, actions, observations, tuple(notes))
    rows = full.reward.astype(np.int64)  # which row of the table each one is
    lines = [
        *sheet.head(notes),
        *sheet.start(full.start),
        *writing.table_entries(full, sheet.joint_actions, sheet.states, sheet.joint_observations, " : "),
        *sheet.rewards(_said(model, paid, full, rows, state)),
    ]
    return sizes, lines


def _require_start(form: Table, ending: str) -> None:
    begun = np.unique(form.event[: form.out[1]])
    if form.reward[begun].any():
        raise FormError(f"{form.spec}: rewards are paid before the first step; a {ending} file cannot say so")
    for player, name in enumerate(form.players):
        if len(np.unique(form.seen[begun, player])) > 1:
            raise FormError(
                f"{form.spec}: {name} is shown different things before the first step; a {ending} file begins with "
                "nothing shown"
            )


def _rewards(form: Table, ending: str, paid: Floats) -> Floats:
    """[O, k] what an entry lists; FormError where the format has no words for the rewards."""
    if ending == ".posg":
        return paid
    if ending == ".zsposg":
        if len(form.players) != 2 or paid.sum(axis=1).any():
            raise FormError(
                f"{form.spec}: is no zero-sum game of two players, as a .zsposg file is; write a .posg file"
            )
    elif (paid != paid[:, :1]).any():
        raise FormError(f"{form.spec}: players have different rewards, a .dpomdp file one for all; write a .posg file")
    return paid[:, :1]


class Signals(NamedTuple):
    """What one player sees of each event and state that follows, numbered."""

    of: Longs  # [O] of the table's outcomes
    labels: list[Hashable]
    legal: bool  # what the player may do is part of it


def _signals(form: Table, player: int) -> Signals:
    """Being asked, and with which actions, is seen; that the game is over need not be, since nothing follows."""
    legal = legal_by_state(form, player)
    asked = np.unique(legal[legal != OVER])
    told = len(asked) > 1
    shown = np.where(legal == OVER, asked[0] if len(asked) else OVER, legal)[form.next]
    span = len(form.legal_size) + 2
    keys = form.seen[form.event, player].astype(np.int64) * span + shown + 2
    kept = np.unique(keys[form.out[1] :])
    labels = [_signal(form.observations[player][int(k // span)], int(k % span) - 2, told) for k in kept]
    order = _natural(labels)
    of = np.full(len(keys), 0)
    of[form.out[1] :] = np.argsort(order)[positions(kept, keys[form.out[1] :])]
    return Signals(of, [labels[k] for k in order.tolist()] or ["nothing"], told)


def _signal(seen: Observation, legal: int, told: bool) -> Hashable:
    label: Hashable = seen.private if seen.public is None else seen.public if seen.private is None else tuple(seen)
    label = "nothing" if label is None else label
    return (label, NO_LEGAL_ACTIONS.get(legal, legal)) if told else label


class Offered(NamedTuple):
    """One player's actions, and which of those that a state offers each stands for there."""

    labels: list[Hashable]
    place: Longs  # [S, actions] among the state's own; 0, the first, where it is not offered
    many: Longs  # [S] how many the state offers; 1 where the player does not move


def _offered(form: Table, player: int) -> Offered:
    legal = legal_by_state(form, player)
    lists = [form.legal_actions[k, : form.legal_size[k]].tolist() for k in range(len(form.legal_size))]
    mine = list(dict.fromkeys(a for k in dict.fromkeys(legal[legal >= 0].tolist()) for a in lists[k]))
    mine = [mine[k] for k in _natural([form.actions[a] for a in mine]).tolist()]
    places = np.zeros((len(lists) + 1, max(len(mine), 1)), np.int64)  # the last line is for those who do not move
    for k, own in enumerate(lists):
        places[k, : len(mine)] = [own.index(a) if a in own else 0 for a in mine]
    offer = np.where(legal >= 0, legal, len(lists))
    many = np.append(form.legal_size, 1).astype(np.int64)
    return Offered([form.actions[a] for a in mine] or ["wait"], places[offer], many[offer])


def _natural(labels: Sequence[Hashable]) -> Longs:
    """The order in which labels are listed: numbers by size, others as they come."""
    if all(type(label) is int for label in labels):
        return np.argsort(np.array(labels, np.int64), kind="stable")
    return np.arange(len(labels))


def _complete(form: Table, moves: list[Offered], signals: list[Signals], ending: str) -> tuple[CompleteModel, Floats]:
    """The model, its states in the table's order, and [O, n] what each of its outcomes pays, in their order."""
    width, shown = prod(len(move.labels) for move in moves), prod(len(signal.labels) for signal in signals)
    if max(form.size * width, shown) > LIMIT // PAIR:
        found = f"{many(form.size, 'state')} x {width:,} joint actions, {shown:,} joint observations"
        raise LimitError(f"{form.spec}: {found}; a {ending} file holds at most {LIMIT // PAIR:,} of each")
    place = np.zeros((form.size, 1), np.int64)
    for move in moves:
        place = (place[:, :, None] * move.many[:, None, None] + move.place[:, None, :]).reshape(form.size, -1)
    live = (form.actor_set > 0)[:, None]
    rows = np.where(live, form.row[:-1][:, None] + place, 0).ravel()  # 0: the game is over
    joint = np.ravel_multi_index([signal.of for signal in signals], [len(signal.labels) for signal in signals])
    inside, columns, start = writing.unrolled_rows(form, rows, joint)
    paid = np.zeros((len(columns[0]), len(form.players)))
    paid[: len(inside)] = form.reward[form.event[inside]]
    model = CompleteModel(
        form.size,
        tuple(range(width)),
        tuple(range(shown)),
        start,
        *writing.merged(*columns),
        np.zeros(len(rows)),
        copied=0,
    )
    return model, _expected(*columns, paid)


def _expected(row: Longs, after: Longs, seen: Longs, prob: Floats, paid: Floats) -> Floats:
    """[O, n] the rewards of merged outcomes: their mean where the same outcome may pay this or that."""
    order = np.lexsort((seen, after, row))
    first = np.flatnonzero(heads(row[order], after[order], seen[order]))
    weight = np.add.reduceat(prob[order], first)
    mean = np.add.reduceat(prob[order, None] * paid[order], first, axis=0) / weight[:, None]
    one = paid[order][first]
    apart = np.abs(paid[order] - np.repeat(one, np.diff(np.append(first, len(order))), axis=0))
    return np.where(np.maximum.reduceat(apart, first, axis=0) > 0, mean, one)


@dataclass(frozen=True)
class Said:
    """One entry `R:`; a next state and observation below 0 stand for any."""

    row: int
    after: int
    seen: int
    paid: tuple[float, ...]


def _said(model: CompleteModel, paid: Floats, full: CompleteModel, rows: Longs, state: Longs) -> Iterator[Said]:
    """One entry for a row that always pays the same, one for each outcome where it does not; none for nothing."""
    wide, first = len(model.observations), np.flatnonzero(heads(model.row))
    low, high = np.minimum.reduceat(paid, first), np.maximum.reduceat(paid, first)
    constant = np.all(low == high, axis=1)  # [rows of the model], each of which has an outcome
    keys = (model.row * model.states + model.next) * (wide + 1) + model.obs + 1
    for row, source in enumerate(rows.tolist()):
        if constant[source]:
            if low[source].any():
                yield Said(row, -1, -1, tuple(low[source].tolist()))
            continue
        part = slice(*np.searchsorted(full.row, [row, row + 1]))
        after, seen = full.next[part], full.obs[part]
        found = paid[positions(keys, (source * model.states + state[after]) * (wide + 1) + seen + 1)]
        for k in np.flatnonzero(found.any(axis=1)).tolist():
            yield Said(row, int(after[k]), int(seen[k]), tuple(found[k].tolist()))


class _Sheet:
    """The words of the file, and the lines that are made of them."""

    def __init__(
        self,
        form: Table,
        moves: list[Offered],
        signals: list[Signals],
        quoted: bool,
        state: Longs,
        observation: Longs,
    ) -> None:
        self.form, self.quoted = form, quoted
        reserved = RESERVED - SECTION_WORDS if quoted else RESERVED  # in quotes a keyword is a name
        self.agents = writing.names(form.players, "agent", reserved)
        listed_actions = [writing.names(move.labels, "a", reserved) for move in moves]
        listed_observations = [writing.names(signal.labels, "o", reserved) for signal in signals]
        self.actions, self.observations = ([n.words for n in each] for each in (listed_actions, listed_observations))
        self.joint_actions, self.joint_observations = self._joint(listed_actions), self._joint(listed_observations)
        self.listed = {"actions": listed_actions, "observations": listed_observations}
        labels = [
            form.states[s] if o == UNSEEN else (form.states[s], self.joint_observations[o].replace('"', ""))
            for s, o in zip(state.tolist(), observation.tolist())
        ]
        self.order = _natural(labels)  # in which states are listed: numbers by size
        self.named = writing.names([labels[k] for k in self.order.tolist()], "s", reserved)
        self.states = [""] * len(labels)
        for place, k in enumerate(self.order.tolist()):
            self.states[k] = self._word(self.named.words[place], self.named.counted)
        self.any = self._word("*", False)

    def _word(self, word: str, counted: bool) -> str:
        return f'"{word}"' if self.quoted and not counted else word

    def _joint(self, each: list[Names]) -> list[str]:
        """The words of all joint actions, the last player's fastest."""
        joint = [""]
        for listed in each:
            words = [self._word(word, listed.counted) for word in listed.words]
            joint = [f"{before} {word}" if before else word for before in joint for word in words]
        return joint

    def head(self, notes: list[str]) -> Iterator[str]:
        yield f"# {one_line(self.form.spec)}"
        yield from (f"# {note}" for note in notes)
        by_name = [("agents", self.agents), ("states", self.named)]
        by_name += [
            (f"{kind} of {name}", n) for kind, each in self.listed.items() for name, n in zip(self.agents.words, each)
        ]
        for kind, listed in by_name:
            yield from listed.explained(kind)
        plain = self.agents.words == [f"agent{k + 1}" for k in range(len(self.agents.words))]
        yield f"agents: {len(self.agents.words) if plain else self._listed(self.agents)}"
        yield f"discount: {self.form.discount!r}"
        yield f"values: {self._word('reward', False)}"
        yield f"states: {self._listed(self.named)}"

    def _listed(self, listed: Names) -> str:
        return str(len(listed.words)) if listed.counted else " ".join(self._word(word, False) for word in listed.words)

    def start(self, start: Floats) -> Iterator[str]:
        yield "start:"
        yield writing.number_text(start[self.order])
        for kind, each in self.listed.items():
            yield f"{kind}:"
            yield from (self._listed(listed) for listed in each)

    def rewards(self, said: Iterator[Said]) -> Iterator[str]:
        wide = len(self.joint_actions)
        for entry in said:
            where = f"R: {self.joint_actions[entry.row % wide]} : {self.states[entry.row // wide]}"
            if entry.after >= 0:
                where += f" : {self.states[entry.after]} : {self.joint_observations[entry.seen]}"
            elif not self.quoted:
                where += f" : {self.any} : {self.any}"
            yield f"{where} : {' '.join(map(repr, entry.paid))}"
