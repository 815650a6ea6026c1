"""A POMDP as a `.pomdp` file: every form of one player, whether read from a file or made from a game."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np

from fogbound import archive
from fogbound.core.errors import FormError, one_line
from fogbound.files.cassandra.text import SECTIONS
from fogbound.files.writing import (
    CompleteModel,
    ModelSizes,
    Names,
    TransitionsAndObservations,
    action_label,
    complete,
    names,
    observation_label,
    refuse_early_reward,
    split,
    state_label,
    transitions_and_observations,
)
from fogbound.forms.pomdp import POMDP

KEYWORDS = frozenset({*SECTIONS, "include", "exclude", "reward", "cost", "uniform", "identity", "reset"})


def write_pomdp(form: POMDP, path: str | os.PathLike[str]) -> ModelSizes:
    """Write the form, whole or not at all, and say how large it is there; FormError where it cannot be written.

    What is read back has the same value. It has the same arrays too, when every action is legal everywhere and
    what is seen depends on the action and the state arrived at only.
    """
    sizes, text = _document(form)
    archive.write(path, text.encode())
    return sizes


def dumps_pomdp(form: POMDP) -> str:
    """The text of the file."""
    return _document(form)[1]


def _document(form: POMDP) -> tuple[ModelSizes, str]:
    refuse_early_reward(form)
    _refuse_openings(form)
    full, state, observation = split(complete(form))
    actions = names([action_label(form, a) for a in full.actions], "a", KEYWORDS)
    observations = names([observation_label(form, o) for o in full.observations], "o", KEYWORDS)
    met = zip(state.tolist(), observation.tolist())
    states = names([state_label(form, s, o, observations.words) for s, o in met], "s", KEYWORDS)
    lines = [
        *_head(form, full, {"states": states, "actions": actions, "observations": observations}),
        *_start(full, states.words),
        *_entries(transitions_and_observations(full), full, states.words, actions.words, observations.words),
    ]
    return ModelSizes(full.states, len(full.actions), len(full.observations)), "\n".join(lines) + "\n"


def _refuse_openings(form: POMDP) -> None:
    observations = len(np.unique(form.obs[: form.out[1]]))
    if observations > 1:
        raise FormError(
            f"{form.spec}: {observations:,} different observations are shown before the first step; a .pomdp file "
            f"begins with none"
            " (a .pomdpx file can say which)"
        )


def _head(form: POMDP, full: CompleteModel, named: dict[str, Names]) -> Iterator[str]:
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


def _start(full: CompleteModel, states: Sequence[str]) -> Iterator[str]:
    sure = np.flatnonzero(full.start == 1.0)
    if len(sure) == 1:
        yield f"start include: {states[sure[0]]}"
    else:
        yield "start: " + " ".join(repr(p) if p else "0" for p in full.start.tolist())


def _entries(
    parts: TransitionsAndObservations,
    full: CompleteModel,
    states: Sequence[str],
    actions: Sequence[str],
    observations: Sequence[str],
) -> Iterator[str]:
    wide = len(actions)
    for row, after, p in zip(*(column.tolist() for column in parts.move)):
        yield f"T: {actions[row % wide]} : {states[row // wide]} : {states[after]} {p!r}"
    for row, seen, p in zip(*(column.tolist() for column in parts.observation)):
        yield f"O: {actions[row % wide]} : {states[row // wide]} : {observations[seen]} {p!r}"
    missing = np.setdiff1d(np.arange(len(states) * wide), parts.observation[0])
    for row in missing.tolist():  # never arrived at so: any observation will do
        yield f"O: {actions[row % wide]} : {states[row // wide]} : {observations[0]} 1.0"
    for row in np.flatnonzero(full.reward).tolist():
        yield f"R: {actions[row % wide]} : {states[row // wide]} : * : * {float(full.reward[row])!r}"
