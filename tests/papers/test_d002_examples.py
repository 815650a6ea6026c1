"""Document 002's first chapters, its domain, and its own words: claim by claim, by hand where it is small."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound_papers.d002 import document, result_tables, sizes, speed
from fogbound_papers.d002.hunts import Run, Study


def by_statement(claims):
    return {claim.statement: claim for claim in claims}


def test_the_grid_counts_ways_to_play_and_not_states():
    found = by_statement(sizes._grid())
    assert found["grid 4 x 5: actions of three cops, of the thief"].verdict == "reproduced"
    assert found["… by the rules that it then plays"].ours == "25 and 3.1"
    states = found["grid 4 x 5: states that may be there after ten moves"]
    assert (states.ours, states.verdict) == ("19,380", "refuted")
    assert sorted(sizes.grid_graph(stay=False)[0]) == [1, 5]


@pytest.mark.slow
def test_the_tiger_is_listened_to_three_times():
    found = by_statement(sizes._tiger())
    assert {claim.verdict for claim in found.values()} == {"reproduced", "refuted"}
    assert found["tiger: one-step thresholds"].verdict == "reproduced"
    assert found["… and in the whole game opening is best at"].ours == "0.0055 and less"
    assert found["tiger: the belief after one roar from the left"].ours == "b = 0.15"
    assert found["no finite strategy is optimal"].verdict == "reproduced"


def test_hot_dogs():
    assert (sizes.sold(65, 25), sizes.sold(25, 65), sizes.sold(50, 50)) == (55, 45, 50)
    assert sizes.sold(50, 55) + sizes.sold(55, 50) == 100
    share, middle = sizes._hot_dogs()
    assert (share.verdict, middle.verdict, middle.ours) == ("reproduced", "reproduced", "50 and 50 %")


def test_a_step_that_tells_nothing_tells_something():
    claim = sizes._observations()
    assert (claim.ours, claim.verdict) == ("9 cells, or nothing", "refuted")
    assert fb.game(sizes.HUNT).reveal == 4


def test_symmetry_removes_a_sixth_and_a_little_more():
    states, actions = sizes._symmetry(sizes.map_of(18))
    assert (states.ours, actions.ours) == ("1 / 6", "1 / 6.004")
    assert "71,592" in actions.evidence


@pytest.mark.slow
def test_its_sentences_agree_with_its_tables():
    assert all(result_tables.sentences().values())
    found = by_statement(result_tables.claims(Study()))
    assert found["what the text says of its own tables"].verdict == "reproduced"
    assert found["initialising takes an imperceptible time"].ours == "97%"
    assert found["ISG solves a game for each of four portions"].ours == "5 games"
    assert {claim.verdict for claim in found.values()} == {"reproduced", "refuted", "cannot be checked"}


def test_ranks():
    assert speed.rank_correlation([1.0, 2.0, 5.0], [3.0, 4.0, 9.0]) == pytest.approx(1)
    assert speed.rank_correlation([1.0, 2.0, 5.0], [3.0, 2.0, 1.0]) == pytest.approx(-1)
    assert speed.peak_memory() > 1e7


@pytest.mark.slow
def test_without_some_replies_the_hunt_is_worth_more():
    assert speed._fewer_replies().verdict == "reproduced"


@pytest.mark.parametrize(("upper", "said"), [(40.0, "reproduced"), (60.0, "not reproduced")])
def test_fewer_actions_may_be_better_ones(upper, said):
    def part(chosen, lower, upper):
        return document.Part(chosen, Run(30, lower, upper, 0.5, 1.0, 3, 7), 0.1, 0.0, 0.0)

    parts = [part(document.ORACLE, 50.0, 51.0), part(document.LARGER, 30.0, upper)]
    assert document.fewer_but_better(parts).verdict == said
