"""What obeying a mediator earns, and the best that disobeying does: in floats, on the sequence form."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fogbound.evaluation.exploitability import Exploitability, gains, reply_to
from fogbound.forms.arrays import Floats
from fogbound.forms.sequence import SequenceForm, Treeplex
from fogbound.policies.recommendations import Recommendations

Told = Literal["nothing", "strategy", "moves"]  # what a player knows when it disobeys


def obedience(mediator: Recommendations, told: Told = "strategy") -> Exploitability:
    """What each player earns when all obey, and what it could earn by disobeying alone.

    Parameters
    ----------
    mediator
        Joint strategies and how likely each is drawn.
    told
        What a player knows that decides whether to obey: "nothing" (a coarse correlated equilibrium, whose players
        promise obedience beforehand), its whole "strategy" (Aumann's), or its "moves" one after the other (the
        extensive form's, von Stengel and Forges 2008).

    Returns
    -------
    Exploitability
        `regrets` are what could be gained by disobeying.

    Examples
    --------
    >>> import fogbound as fb
    >>> game = fb.game("matrix-game(matrix=chicken)")
    >>> mediator = fb.policies.recommendations(fb.solve(game, "correlated"), game=game)
    >>> max(fb.evaluation.obedience(mediator).regrets) < 1e-9
    True
    """
    form, values, best = mediator.form, [], []
    followed = [mediator.realised(i) for i in range(len(form.plexes))]
    weight = mediator.weight / mediator.weight.sum()
    for i, plex in enumerate(form.plexes):
        facing = (
            np.array([gains(form, [part[k] for part in followed], i) for k in range(len(weight))]) * weight[:, None]
        )
        obeyed = float((facing * followed[i]).sum())
        heard = told == "moves"
        alone = _heard(plex, facing, followed[i]) if heard else _disobeyed(form, i, facing, followed[i], told)
        values.append(obeyed)
        best.append(max(obeyed, alone))  # whoever loses by breaking a promise keeps it
    return Exploitability(tuple(values), tuple(best))


def _disobeyed(form: SequenceForm, player: int, facing: Floats, followed: Floats, told: Told) -> float:
    """The best of one who knows nothing, or its whole strategy: a best reply to each thing that it may know."""
    _, group = np.unique(followed, axis=0, return_inverse=True)
    group = np.zeros(len(followed), np.int64) if told == "nothing" else group.ravel()
    return sum(reply_to(form, facing[group == g].sum(axis=0), player).value for g in np.unique(group).tolist())


def _heard(plex: Treeplex, facing: Floats, followed: Floats) -> float:
    """The best of one who is told move by move: at each it obeys, or goes on alone with what it has heard."""
    told = np.zeros(plex.sequences)  # the value of being told a sequence
    parents, firsts, sizes = plex.parent.tolist(), plex.first.tolist(), plex.size.tolist()
    obeyed = (facing * followed).sum(axis=0)
    for h in reversed(range(len(parents))):
        for q in range(firsts[h], firsts[h] + sizes[h]):
            heard = facing[followed[:, q] > 0].sum(axis=0)
            for below in reversed(range(h, len(parents))):  # sets that are not below h pass nothing on to it
                first = firsts[below]
                best = float(heard[first : first + sizes[below]].max())
                if below == h:
                    break
                heard[parents[below]] += best
            told[parents[h]] += max(best, obeyed[q] + told[q])
    return float(obeyed[0] + told[0])
