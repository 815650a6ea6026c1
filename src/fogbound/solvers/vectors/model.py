"""The model that solvers by vectors start from, refused where the sum of all pay need not exist."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from fogbound.core.errors import FormError
from fogbound.forms.blocks import Blocks, blocks
from fogbound.forms.pomdp import POMDP
from fogbound.solvers.beliefs.first_bounds import Members, members

SURE = 1 - 1e-12


def model_of(form: POMDP, solver: str) -> Members:
    """The form in blocks, as a decision process. Without a discount, play must end whatever is done."""
    cut = blocks(form)
    if form.discount == 1 and not form.ends and _may_go_on(form, cut):
        raise FormError(
            f"{solver}: in {form.spec} play can go on for ever and nothing is discounted. "
            "Cut the game with horizon(game, steps), or give it a discount below 1"
        )
    return members(cut)


def _may_go_on(form: POMDP, cut: Blocks) -> bool:
    """Whether some way to play stays for ever among states that do: what is left when all others are taken away."""
    rows = np.repeat(np.arange(len(form.action)), np.diff(form.out))
    moves = csr_matrix((form.prob, (rows, form.next)), shape=(len(form.action), form.size))
    owner = np.concatenate([[0], np.repeat(np.arange(form.size), np.diff(form.row))])  # row 0 is the start: not asked
    stays = np.zeros(form.size, bool)
    stays[cut.state[1:]] = True
    while True:
        kept = moves @ stays.astype(np.float64) >= SURE
        kept[0] = False
        left = stays & (np.bincount(owner, kept, form.size) > 0)
        if (left == stays).all():
            return bool(stays.any())
        stays = left
