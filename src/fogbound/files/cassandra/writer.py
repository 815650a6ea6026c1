"""A POMDP as a `.pomdp` file: every form of one player, whether read from a file or made from a game."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from fogbound import archive
from fogbound.core.errors import FormError, one_line
from fogbound.files import writing
from fogbound.files.cassandra.text import SECTIONS
from fogbound.files.writing import CompleteModel, ModelSizes, Names
from fogbound.forms.pomdp import POMDP

KEYWORDS = frozenset({*SECTIONS, "include", "exclude", "reward", "cost", "uniform", "identity", "reset"})


def write_pomdp(form: POMDP, path: str | os.PathLike[str]) -> ModelSizes:
    """Write the form, whole or not at all, and say how large it is there; FormError where it cannot be written.

    What is read back has the same value. It has the same arrays too, when every action is legal everywhere and
    what is seen depends on the action and the state arrived at only.
    """
    writing.refuse_early_reward(form)
    openings = len(np.unique(form.obs[: form.out[1]]))
    if openings > 1:
        raise FormError(
            f"{form.spec}: {openings:,} different observations are shown before the first step; a .pomdp file begins "
            "with none (a .pomdpx file can say which)"
        )
    full, state, observation = writing.split(writing.complete(form))
    actions = writing.names([writing.action_label(form, a) for a in full.actions], "a", KEYWORDS)
    observations = writing.names([writing.observation_label(form, o) for o in full.observations], "o", KEYWORDS)
    met = zip(state.tolist(), observation.tolist())
    states = writing.names([writing.state_label(form, s, o, observations.words) for s, o in met], "s", KEYWORDS)
    wide, sure = len(full.actions), np.flatnonzero(full.start == 1.0)
    lines = [
        *_head(form, full, {"states": states, "actions": actions, "observations": observations}),
        f"start include: {states.words[sure[0]]}" if len(sure) == 1 else f"start: {writing.number_text(full.start)}",
        *writing.table_entries(full, actions.words, states.words, observations.words, " "),
        *(
            f"R: {actions.words[row % wide]} : {states.words[row // wide]} : * : * {float(full.reward[row])!r}"
            for row in np.flatnonzero(full.reward).tolist()
        ),
    ]
    archive.write(path, ("\n".join(lines) + "\n").encode())
    return ModelSizes(full.states, wide, len(full.observations))


def _head(form: POMDP, full: CompleteModel, named: dict[str, Names]) -> Iterator[str]:
    yield f"# {one_line(form.spec)}"
    if full.copied:
        yield "# An action that a state does not offer does there what the first action offered does."
    if full.states > form.size:
        yield f"# {form.size} states are written as {full.states}: some once for each observation on arrival."
    for kind, listed in named.items():
        yield from listed.explained(kind)
    yield f"discount: {form.discount!r}"
    yield "values: reward"
    for kind, listed in named.items():
        yield f"{kind}: {listed.declared}"
