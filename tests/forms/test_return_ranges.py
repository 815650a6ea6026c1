"""Between what returns lie whatever is played: held against games whose ranges are known by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import fogbound as fb
from fogbound.forms.path_totals import return_ranges
from fogbound.forms.table import enumerate_table


@dataclass(frozen=True)
class Waiting(fb.Game[Any, Any]):
    """Wait as long as you like, for `each` a step, then end for 5 or -3; 1 is paid before the first step."""

    each: float = 0.0
    discount: float = 1.0

    name = "waiting"
    players = ("you",)

    def start(self) -> Any:
        return fb.Dist.sure(fb.Outcome("going", (1.0,)))

    def actors(self, state: Any) -> Any:
        return (0,) if state == "going" else ()

    def actions(self, _state: Any, _player: int) -> Any:
        return ("wait", "win", "lose")

    def step(self, _state: Any, joint: Any) -> Any:
        paid = {"wait": self.each, "win": 5.0, "lose": -3.0}[joint[0]]
        return fb.Dist.sure(fb.Outcome("going" if joint[0] == "wait" else "over", (paid,)))


@pytest.mark.parametrize(
    ("game", "most_steps", "expected"),
    [
        (Waiting(), float("inf"), (-2.0, 6.0)),  # only the end is paid, once
        (Waiting(each=-1.0), float("inf"), None),
        (Waiting(each=-1.0), 10, (-29.0, 51.0)),
        (Waiting(each=-1.0, discount=0.5), float("inf"), (-5.0, 11.0)),
        (fb.game("kuhn"), float("inf"), (-2.0, 2.0)),
        (fb.game("tiger"), float("inf"), (-2000.0, 200.0)),
    ],
)
def test_returns_lie_in_their_range(game, most_steps, expected):
    found = return_ranges(enumerate_table(game), most_steps)
    assert (None if found is None else tuple(found[:, 0])) == (expected and pytest.approx(expected))
