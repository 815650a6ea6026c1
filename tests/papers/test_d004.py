"""Document 004's King Up by sweeps over public states."""

from __future__ import annotations

import pytest

from fogbound.games import make
from fogbound_papers.d004.public_states import ExactFigures, StageCounts, exact_figures

SMALLER = "king-up(pieces=4, targets=2, height=3, width=2, rounds=1)"


def test_public_states_of_a_smaller_king_up():
    """Counted by hand in the stage of setting: nothing, 4 pieces on 2 levels, then 4 * 3 * 2 * 2 / 2."""
    found = exact_figures(make(SMALLER))
    assert found.states.set == 1 + 8 + 24
    assert found.told_apart.total > found.states.total
    assert min(found.replies) > max(found.random)
    assert found.random == pytest.approx([found.random[0]] * 3, abs=3)


@pytest.mark.slow
def test_king_up_exactly():
    """Section 4.1's setting: what the document could only sample."""
    found = exact_figures(make("king-up"))
    assert isinstance(found, ExactFigures)
    assert found.told_apart == StageCounts(set=31_956, push=3_822_931, vote=3_687_516)
    assert found.told_apart.total == 7_542_403
    assert found.states == StageCounts(set=31_956, push=1_920_835, vote=1_913_226)
    assert found.random == pytest.approx([10.921919] * 3, abs=1e-6)
    assert found.replies == pytest.approx([16.647869, 16.787910, 16.981498], abs=1e-6)
