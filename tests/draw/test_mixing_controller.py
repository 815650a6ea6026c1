"""A controller that mixes: the chances of what follows a node add up to one, whatever it does there."""

from __future__ import annotations

import re

from fogbound import forms
from fogbound.core import Dist, Game, Outcome
from fogbound.draw.controller.graph import controller_text
from fogbound.evaluation.visitation import visitation
from fogbound.policies import Uniform, controller


class Numbers(Game):
    """Say a number from 1 to 3, which everybody hears, twice."""

    players = ("speaker",)

    def start(self):
        return Dist.sure(Outcome(0))

    def actors(self, state):
        return (0,) if state < 2 else ()

    def actions(self, state, player):
        return (1, 2, 3)

    def step(self, state, joint):
        return Dist.sure(Outcome(state + 1, (0.0,), public=joint[0]))


def test_a_node_that_mixes_shows_no_chance_above_one():
    form = forms.pomdp(Numbers())
    mixing = controller(Numbers(), 0, Uniform())
    text = controller_text(mixing, str, 10, visitation(form, mixing))
    chances = [float(number) for number in re.findall(r"\d\.\d\d", text)]
    assert max(chances) <= 1.0, text
    assert "1 to 3: 1.00" in text
