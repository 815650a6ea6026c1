"""Expected payoffs and best replies on the sequence form, for any number of players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fogbound.forms.sequence import SequenceForm
from fogbound.forms.table import Floats


@dataclass(frozen=True, eq=False)
class Reply:
    """A pure best reply: what it is worth and what it does, by sequence."""

    value: float
    behaviour: Floats


def realised(form: SequenceForm, played: Sequence[Floats]) -> list[Floats]:
    """Each player's realisation weights by sequence."""
    return [plex.weights(b) for plex, b in zip(form.plexes, played)]


def gains(form: SequenceForm, weights: Sequence[Floats], me: int) -> Floats:
    """What ending at each of my sequences brings, weighted by chance and the others' play (not mine)."""
    from fogbound.kernels import treeplex as kernel

    offsets = np.cumsum([0, *(len(w) for w in weights)])
    gain = np.zeros(form.plexes[me].sequences)
    kernel.gains(form.ends, form.payoff, np.concatenate(weights), offsets, me, gain)
    return gain


def expected(form: SequenceForm, played: Sequence[Floats]) -> Floats:
    """What each player gets when all play the given behaviours."""
    product = np.ones(len(form.ends))
    for i, weights in enumerate(realised(form, played)):
        product *= weights[form.ends[:, i]]
    worth: Floats = np.add.reduce(form.payoff * product[:, None], axis=0)
    return worth


def best_response(form: SequenceForm, played: Sequence[Floats], me: int) -> Reply:
    """The best pure reply of `me` to what the others play; ties go to the first move."""
    return reply_to(form, gains(form, realised(form, played), me), me)


def reply_to(form: SequenceForm, gain: Floats, me: int) -> Reply:
    """The best pure reply when ending at sequence q brings gain[q]; `gain` is used up."""
    from fogbound.kernels import treeplex as kernel

    plex = form.plexes[me]
    choice = np.zeros(len(plex.parent), np.int32)
    worth = kernel.respond(plex.parent, plex.first, plex.size, gain, choice)
    behaviour = np.zeros(plex.sequences)
    behaviour[0] = 1.0
    behaviour[plex.first + choice] = 1.0
    return Reply(float(worth), behaviour)
