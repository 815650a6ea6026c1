"""Document 003, extensive form: histories and information sets beside a POMDP's states and histories."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import fogbound as fb
from fogbound import forms
from fogbound.forms.tree import CHANCE
from fogbound.policies import Uniform
from fogbound_papers.claim import Claim, verdict

SPEC = "king-ace"


def claims() -> Iterator[Claim]:
    """The annotations of the definition, and the rules of its example."""
    game = fb.game(SPEC)
    tree = forms.tree(game)
    for player, seat in enumerate(game.players):
        process = forms.pomdp(game, player, {1 - player: Uniform()})
        beliefs = forms.belief_mdp(process)
        asked = int((np.diff(beliefs.row) > 1).sum())
        sets = len({int(h) for h, mover in zip(tree.infoset, tree.mover) if mover == player})
        words = (
            f"{SPEC}, {seat}: histories of its POMDP against random play in which it chooses, and its information sets"
        )
        statement = f"an information set is a history in a POMDP: {seat}"
        yield Claim(statement, "extensive form game", "equal", f"{asked} and {sets}", verdict(asked == sets), words)
    chance = int((tree.mover == CHANCE).sum())
    words = f"{SPEC}: {tree.size} nodes, {chance} of them chance's; payoffs stand at {len(tree.ends)} ends alone"
    inner = np.abs(tree.payoff[tree.mover >= 0]).max()
    statement = "payoffs U(h) stand at the leaves"
    yield Claim(statement, "extensive form game", "each leaf", f"{len(tree.ends)} leaves", verdict(inner == 0), words)
    paid = sorted({abs(float(pay)) for pay in tree.payoff[tree.ends, 0]})
    words = "what is won or lost: nothing between equal cards, 1 checked or folded, 2 called"
    shown = ", ".join(f"{pay:g}" for pay in paid)
    yield Claim(
        "King-Ace is played for 1 point, raised for 2", "King-Ace", "1, 2", shown, verdict(paid == [0, 1, 2]), words
    )
