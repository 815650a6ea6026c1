"""A POMDP as a `.pomdp` file: every form of one player, whether read from a file or made from a game."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from fogbound import archive
from fogbound.core.errors import one_line
from fogbound.files.cassandra_complete import UNSEEN, Complete, complete
from fogbound.files.cassandra_factor import Factored, factored, split
from fogbound.files.cassandra_labels import Names, names
from fogbound.forms.pomdp import NOT_ASKED, OVER, POMDP, WAIT


def write_pomdp(form: POMDP, path: str | os.PathLike[str]) -> None:
    """Write the form, whole or not at all; FormError where the format cannot hold it.

    What is read back has the same value. It has the same arrays too, when every action is legal everywhere and
    what is seen depends on the action and the state arrived at only.
    """
    archive.write(path, dumps_pomdp(form).encode())


def dumps_pomdp(form: POMDP) -> str:
    """The text of the file."""
    full, state, sight = split(complete(form))
    actions = names([_action(form, a) for a in full.actions], "a")
    observations = names([_observation(form, o) for o in full.observations], "o")
    states = names([_state(form, s, o, observations.words) for s, o in zip(state.tolist(), sight.tolist())], "s")
    lines = [
        *_head(form, full, {"states": states, "actions": actions, "observations": observations}),
        *_start(full, states.words),
        *_entries(factored(full), full, states.words, actions.words, observations.words),
    ]
    return "\n".join(lines) + "\n"


def _action(form: POMDP, action: int) -> Hashable:
    return "wait" if action == WAIT else form.actions[action]


def _observation(form: POMDP, number: int) -> Hashable:
    """What is seen, in short; where there are several menus, or none is shown, that is part of it."""
    seen, menu = form.observations[number]
    label = seen.private if seen.public is None else seen.public if seen.private is None else tuple(seen)
    if menu < 0:
        return (label, {OVER: "over", NOT_ASKED: "wait"}[menu])
    return label if len(form.menus) <= 1 else (label, menu)


def _state(form: POMDP, state: int, sight: int, observations: Sequence[str]) -> Hashable:
    label = form.label(state)
    return label if sight == UNSEEN else (label, observations[sight])


def _head(form: POMDP, full: Complete, named: dict[str, Names]) -> Iterator[str]:
    yield f"# {one_line(form.spec)}"
    if full.copied:
        yield "# An action that a state does not offer does there what the first action offered does."
    if full.states > form.size:
        yield f"# {form.size} states are written as {full.states}: some once for each observation on arrival."
    for kind, listed in named.items():
        if listed.comments:
            yield f"# {kind} by another name:"
            yield from listed.comments
    yield f"discount: {form.discount!r}"
    yield "values: reward"
    for kind, listed in named.items():
        yield f"{kind}: {len(listed.words) if listed.counted else ' '.join(listed.words)}"


def _start(full: Complete, states: Sequence[str]) -> Iterator[str]:
    sure = np.flatnonzero(full.start == 1.0)
    if len(sure) == 1:
        yield f"start include: {states[sure[0]]}"
    else:
        yield "start: " + " ".join(repr(p) if p else "0" for p in full.start.tolist())


def _entries(
    parts: Factored, full: Complete, states: Sequence[str], actions: Sequence[str], observations: Sequence[str]
) -> Iterator[str]:
    wide = len(actions)
    for row, after, p in zip(*(column.tolist() for column in parts.move)):
        yield f"T: {actions[row % wide]} : {states[row // wide]} : {states[after]} {p!r}"
    for row, seen, p in zip(*(column.tolist() for column in parts.sight)):
        yield f"O: {actions[row % wide]} : {states[row // wide]} : {observations[seen]} {p!r}"
    missing = np.setdiff1d(np.arange(len(states) * wide), parts.sight[0])
    for row in missing.tolist():  # never arrived at so: any observation will do
        yield f"O: {actions[row % wide]} : {states[row // wide]} : {observations[0]} 1.0"
    for row in np.flatnonzero(full.reward).tolist():
        yield f"R: {actions[row % wide]} : {states[row // wide]} : * : * {float(full.reward[row])!r}"
