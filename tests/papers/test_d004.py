"""Document 004: King Up by sweeps over public states, its tables, figures and formulas."""

from __future__ import annotations

import pytest

from fogbound.cli.console import PrintedTable
from fogbound.games import make
from fogbound.solvers.search.pomcp import POMCP
from fogbound_papers.d004 import convergence, formulas, public_states, tournaments
from fogbound_papers.d004.public_states import ExactFigures, StageCounts, exact_figures

SMALLER = "king-up(pieces=4, targets=2, height=3, width=2, rounds=1)"


@pytest.mark.slow
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


@pytest.mark.slow
def test_pomcp_gains_most_of_what_the_best_reply_gains():
    game, solver = make(SMALLER), POMCP(simulations=300, exploration=1.0, reuse=False)
    exact = exact_figures(game)
    found = public_states.share_gained(game, exact, 90, solver)
    assert found.games == 90
    low, high = found.interval
    assert high > 0.8  # more than most of it
    assert low < 1  # no reply beats the best one
    assert found == public_states.share_gained(game, exact, 90, solver)


@pytest.mark.parametrize(("share", "lies"), [(0.5, "below"), (0.89, "around"), (0.97, "above")])
def test_the_share_says_where_its_interval_lies(share, lies):
    (claim,) = public_states.share_claims(public_states.Share(10_000, (16.0, 16.1, 16.2), share, 0.02))
    assert claim.verdict == "not stated"
    assert claim.evidence.endswith(f"lies {lies} 90%")


def test_printed_rows_add_up_to_one():
    """So ties went to somebody: why both rules for ties are counted."""
    for wins, scores in tournaments.ROWS.values():
        assert sum(wins) == pytest.approx(1, abs=1.5e-3)
        assert max(scores) < 22


def test_rows_count_ties_in_both_ways_and_verdicts_follow_from_them():
    found = tournaments._row(("UCB", "RM", "random"), 3, lambda _: None)
    assert sum(found.wins) == pytest.approx(1)
    assert sum(found.shared) == pytest.approx(1)
    clear = [
        tournaments.Row(seating, wins, wins, scores, 1_000) for seating, (wins, scores) in tournaments.ROWS.items()
    ]
    told = {claim.statement: claim.verdict for claim in tournaments.claims(clear)}
    assert told["the 42 winning rates"] == "reproduced"
    assert told["random is the worst and UCB the best, wherever they sit"] == "reproduced"
    even = [tournaments.Row(row.seating, (1 / 3,) * 3, (1 / 3,) * 3, row.points, 1_000) for row in clear]
    told = {claim.statement: claim.verdict for claim in tournaments.claims(even)}
    assert told["UCB wins more than RM wherever both play"] == "not reproduced"


def test_tables_stand_row_by_row_as_printed_with_ours_beside():
    wins, points = (0.5, 0.3, 0.2), (13.0, 12.0, 11.0)
    ours = [tournaments.Row(seating, wins, wins, points, 60) for seating in tournaments.ROWS]
    first, second = tournaments.tournament_tables(ours)
    assert [len(first.rows), len(second.rows)] == [8, 6]
    assert first.rows[0]["P1 wins printed"] == 0.366
    assert second.rows[-1]["seating"] == "(random, UCB, RM)"
    title, heads, row, *_ = second.lines()
    assert title.startswith("Table 4.3")
    assert heads.split()[:4] == ["P1", "wins", "P2", "wins"]
    assert row.startswith("(UCB, RM, random)  0.609 | 0.500 ± 0.1")
    assert row.endswith("13.73 | 13.00  11.60 | 12.00   9.05 | 11.00  1,000 | 60")
    assert isinstance(second, PrintedTable)  # `fogbound reproduce` shows it


def test_the_last_position_pays_the_bonus():
    assert convergence.value_curve("4.8", "ucb", counts=(500,)).best == pytest.approx(0.3, abs=1e-12)
    assert convergence.value_curve("4.8", "rm", counts=(500,)).best == pytest.approx(0.3, abs=1e-12)


def test_only_cumulative_regret_comes_near_the_equilibrium():
    exploited = {rule: formulas.search_exploitability(rule, 100_000) for rule in formulas.RULES}
    assert exploited["ucb"] > 0.07
    assert exploited["rm"] > 0.01
    assert exploited["regret"] < 0.012


def test_the_printed_update_is_refuted():
    assert formulas._printed_mean().verdict == "refuted"


@pytest.mark.slow
def test_every_planner_stands_in_one_figure():
    found = convergence.exploited_rows(specs=convergence.GAMES[-1:])
    assert {row.planner for row in found} == {*convergence.SEARCHES, *convergence.SOUND}
    assert {row.budget for row in found} == set(convergence.QUICK_BUDGETS)
    last = {row.planner: row.exploitability for row in found}
    assert last["resolve"] < 0.001 < last["POMCP-PGT, RM"] < last["POMCP-PGT, UCB"]
    (claim,) = convergence.soundness_claims(found)
    assert "10,000 simulations, walks (OOS)" in claim.evidence


def test_formulas_as_printed_on_the_smallest_examples():
    found = [formulas._ucb(), *formulas._regret(), formulas._algorithm_1(), formulas._state(), formulas._equivalent()]
    assert {claim.verdict for claim in found} == {"refuted"}
    assert (formulas.deepest(goes_on=False), formulas.deepest(goes_on=True)) == (0, 3)
    assert len(formulas.HALVES) == 3 * len(tournaments.ROWS)
    assert formulas._intervals().ours == "42 of 42"
    assert formulas._smaller().ours == "kuhn 4 of 24, leduc 186 of 3,780"


@pytest.mark.slow
def test_what_is_said_of_other_methods():
    found = {claim.statement: claim.verdict for claim in formulas.claims()}
    assert found["existing tree search is not applicable to King Up"] == "refuted"
    assert found["with static nodes alone it is CFR"] == "refuted"
    assert list(found.values()).count("cannot be checked") == 3
