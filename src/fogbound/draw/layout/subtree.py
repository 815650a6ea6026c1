"""The part of a tree below one of its nodes, as a tree of its own: so that a large one can be looked at in pieces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import SpecError
from fogbound.forms.tree import Tree


def subtree(form: Tree, root: int) -> tuple[Tree, NDArray[np.int64]]:
    """The tree below `root`, and the number that each of its nodes had in the whole one.

    Nodes stand breadth first, so each generation below a node is a range. Information sets and what players know
    keep their numbers: a set is joined as far as its nodes are below `root`.
    """
    if not 0 <= root < form.size:
        raise SpecError(f"node {root}, expected one of 0 to {form.size - 1:,} of {form.spec}")
    if root == 0:
        return form, np.arange(form.size)
    generations, first, last = list[NDArray[np.int64]](), root, root + 1
    while first < last:
        generations.append(np.arange(first, last))
        first, last = int(form.child[first]), int(form.child[last])
    old = np.concatenate(generations)
    number = np.full(form.size + 1, len(old))
    number[old] = np.arange(len(old))
    children = np.diff(form.child)[old]
    child = np.concatenate([[1], 1 + np.cumsum(children)])
    parent = np.where(np.arange(len(old)) > 0, number[form.parent[old]], -1)
    cut = replace(
        form,
        mover=form.mover[old],
        parent=parent.astype(form.parent.dtype),
        child=child.astype(form.child.dtype),
        prob=form.prob[old],
        reach=form.reach[old],
        payoff=form.payoff[old],
        infoset=form.infoset[old],
        memory=form.memory[old],
        state=form.state[old],
    )
    return cut, old
