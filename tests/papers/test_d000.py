"""Document 000, claim by claim: the verdicts, the figures behind them, and the pictures."""

from __future__ import annotations

import json
import re

import pytest

from fogbound.core.errors import SpecError
from fogbound.core.svg import EMBER
from fogbound.policies.controller import LOST
from fogbound_papers.d000 import document as d000
from fogbound_papers.d000 import games, levels
from fogbound_papers.d000.figures import PICTURES, draw_all, draw_numbered, level_controller
from fogbound_papers.d000.nim import NEARLY, TOP, name, nim_levels
from fogbound_papers.d000.solving import fitted_line, growth, level_problem, sarsop_solutions

FIRST = (7.8333, 8.8333, 9.2222, 9.2597, 9.4078, 8.7844, 8.8152, 8.9050, 9.0267, 8.8248)
FIRST += (8.7498, 8.5208, 8.4038, 8.1607, 8.0167)
SECOND = (7.6944, 8.8333, 9.1963, 9.3972, 9.3867, 9.4889, 9.5492, 9.6056, 9.2156, 9.1940)
SECOND += (8.9947, 8.9118, 8.6878, 8.5673, 8.4622)


@pytest.fixture(scope="module")
def verdicts():
    return {claim.statement: claim for claim in d000.claims()}


@pytest.mark.slow
def test_every_verdict(verdicts):
    refuted = {statement for statement, claim in verdicts.items() if claim.verdict == "refuted"}
    open_ones = {statement for statement, claim in verdicts.items() if claim.verdict == "not stated"}
    assert refuted == {
        "… also where the goal is to leave one object",
        "… because the nim-sum is 0",
        "r_u = 0: level k passes once more than k − 1",
        "r_u < 0: passing back and forth is suboptimal",
        "level k believes in levels",
        "the loser of Fig. 2's game",
        "1_1's highlighted game is lost to",
    }
    assert open_ones == {
        "the discount that Fig. 2's game needs",
        "what the penalty buys: games of passing back and forth",
        "r_u = −1: the higher of two levels wins",
        "r_u = −1: games that never end",
        "a Poisson prior of mean 1.5 over levels",
        "Battleship and Stratego as fully nested",
    }
    unclear = {statement for statement, claim in verdicts.items() if claim.verdict == "not reproduced"}
    assert unclear == {
        "SARSOP's time for one more level is linear in it",
        "the number of alpha-vectors goes with the controller's size",
        "lower levels lose since they conclude on a wrong level",
    }
    assert verdicts["QMDP struggles to gather information"].ours == "23 of 30 levels"
    assert verdicts["what the penalty buys: games of passing back and forth"].ours == "154, 114, 102, 70, 0, 0"
    assert len(verdicts) == 57


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "ours"),
    [
        ("1_1 on the board (2, 2), in units of r_w", "+0.5"),
        ("the game of 1_1 against 2_2, move for move", "−12, +10"),
        ("the value rises at low levels and falls at high ones", "9.4078 at 5_1 and 9.6056 at 8_2"),
        ("this trend is there at other N too", "at N = 2, 4"),
        ("going first is generally worth less", "11 of 15"),
        ("controllers stay small and sometimes shrink", "7 to 12, 5 falls"),
        ("r_u = 0: all begin by taking one hidden object", "15 of 15"),
        ("r_u = 0: level k beats levels 1 to k − 1", "210 of 210"),
        ("a known deterministic opponent is beaten", "28 of 28 win"),
        ("a Poisson prior of mean 1.5 over levels", "+8.9678, +9.3157"),
        ("stochastic levels are harder to beat", "+7.83, +7.46"),
    ],
)
def test_our_figures(verdicts, statement, ours):
    assert verdicts[statement].ours == ours


@pytest.mark.slow
def test_evidence_names_the_exceptions(verdicts):
    assert "15_2 against 1_1" in verdicts["r_u = −1: the higher of two levels wins"].evidence
    assert "1_1 against 1_2" in verdicts["r_u = −1: games that never end"].evidence
    assert "not at 0.9 " in verdicts["r_u = 0: level k beats levels 1 to k − 1"].evidence


def test_the_reference_values():
    assert nim_levels().values(0) == pytest.approx(FIRST, abs=6e-5)
    assert nim_levels().values(1) == pytest.approx(SECOND, abs=6e-5)


def test_the_discount_of_figure_2_is_a_boundary():
    low, high = games.least_discount()
    assert 0.98 < low < high < 0.99
    assert nim_levels(discount=low, top=2).played(1, 2).moves != games.FIGURE_2
    assert nim_levels(discount=high, top=2).played(1, 2).moves == games.FIGURE_2
    assert nim_levels(discount=0.9).game.discount ** 2 == pytest.approx(0.9)


def test_passes_are_counted_by_hand():
    assert nim_levels().played(1, 2).passes == (1, 0)  # A reaches for 3 where it took 1 itself; 2 of its own is no pass
    assert nim_levels().played(14, 13).passes == (4, 3)
    assert nim_levels().played(1, 1).ended == "cycle"


def test_shapes():
    rising = [float(k) for k in range(TOP)]
    there_and_back = [float(min(k, 14 - k)) for k in range(TOP)]
    assert levels.rises_then_falls(there_and_back)
    assert not levels.rises_then_falls(rising)
    assert not levels.rises_then_falls([-k for k in rising])
    assert levels.peak(there_and_back) == 8
    assert levels.turns(there_and_back) == 1
    assert levels.turns(rising) == 0
    assert growth([(k, float(k)) for k in range(1, 5)]) == pytest.approx(3.5 / 1.5)


def test_a_line_through_times():
    """Exactly linear, so all is explained; and what goes up and down is no line."""
    assert fitted_line([(k, 2.0 + 3.0 * k) for k in range(1, 6)]) == pytest.approx((2.0, 3.0, 1.0))
    assert fitted_line([(k, float(k % 2)) for k in range(1, 8)])[2] < 0.1
    assert fitted_line([(k, 1.5) for k in range(1, 4)])[2] == 1.0


def test_open_nim():
    found = {claim.statement: claim for claim in games._open_boards()}
    assert found["the move to a nim-sum of 0 wins"].verdict == "reproduced"
    misere = found["… also where the goal is to leave one object"]
    assert (misere.verdict, misere.ours) == ("refuted", "6 of 10 such moves")
    assert "(2, 1)" in misere.evidence
    assert found["with both heaps of 3 open, going first loses"].ours == "−1"
    assert sorted(games.afterwards((2, 1))) == [(0, 1), (1, 1), (2, 0)]


def test_captions_name_the_opponents_of_the_controllers():
    found = list(d000._controllers())
    assert [claim.verdict for claim in found] == ["reproduced"] * 2 + ["cannot be checked"] * 4
    assert d000.believed_opponents(nim_levels(), 2, 0) == {"0_2": 0.5, "1_2": 0.5}
    assert [claim.figure for claim in found[2:]] == [f"000-figure-{number}" for number in (6, 7, 8, 9)]
    assert "take 1 of theirs" in found[2].evidence


def test_the_best_level_would_do_worse_against_the_last_ones_opponents():
    claim = levels._no_worse(nim_levels())
    assert (claim.verdict, claim.ours) == ("reproduced", "−3.53, +8.02 and +0.46, +8.46")


def test_who_is_beaten_follows_from_the_games():
    assert levels.unbeaten(nim_levels()) == ["15_2 against 1_1"]
    assert len(levels.lower_pairs()) == 2 * TOP * (TOP - 1) // 2
    assert levels.openings(nim_levels(fail=0.0, discount=0.9)) < TOP


@pytest.mark.slow
def test_the_documents_own_problem_has_the_same_value():
    for level, player in ((1, 0), (2, 1), (13, 1)):
        own = sarsop_solutions()[level, player]
        solution = nim_levels(discount=NEARLY).hierarchy.solution(level, player)
        assert own.certified == "both"
        assert own.lower - 1e-9 <= solution.value <= own.upper + 1e-9
    assert level_problem(TOP, 0).size > nim_levels(discount=NEARLY).hierarchy.process(TOP, 0).size


@pytest.mark.slow
def test_every_figure_is_one_call(tmp_path):
    for number in range(1, 10):
        path = draw_numbered(number, tmp_path)
        assert path.name == f"000-figure-{number}.{'txt' if number == 2 else 'svg'}"
        assert "var(--" not in path.read_text(encoding="utf-8")
    with pytest.raises(SpecError, match="no figure 10"):
        draw_numbered(10, tmp_path)


@pytest.mark.slow
def test_all_pictures(tmp_path):
    written = {path.name for path in draw_all(tmp_path)}
    assert len(written) == len(PICTURES) + 1
    assert {"000-pairs.svg", "000-pairs.txt"} <= written
    assert "second wins: first −12, second +10" in (tmp_path / "000-figure-2.txt").read_text(encoding="utf-8")
    assert "Level 2₂ on the board (3, 3)" in (tmp_path / "000-figure-9.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(("player", "nodes"), [(0, "0, 1, 2, 6, 8, 11"), (1, "0, 2, 7, 12, 5, 8")])
def test_the_game_is_followed_through_the_picture(player, nodes):
    """The game of Figure 2 stands out, by the nodes that its controller went through at the table."""
    table = nim_levels().episode(1, 2)
    visited = [table.memories[player] for _ in table.steps()]
    assert ", ".join(str(node) for node in visited if node != LOST) == nodes
    plain, lit = (level_controller(nim_levels(), player + 1, player, game).svg for game in (None, (1, 2)))
    assert f"one game goes through nodes {nodes}." in lit
    assert "leaves the controller" not in lit
    assert lit.count(EMBER) > plain.count(EMBER) + len(visited)
    assert re.search(r'stroke-width="2\.2"', lit)
    assert not re.search(r'stroke-width="2\.2"', plain)
    assert f"against {2 - player}{'₂₁'[player]} as in Figure 2<" in lit


def test_names():
    assert name(2, 0) == "2_1"
    with pytest.raises(SpecError, match="level above 0"):
        level_controller(nim_levels(), 0, 0)


@pytest.mark.slow
def test_the_command_knows_the_document(capsys):
    from fogbound.cli.reproduce import main

    assert main(["000", "--json"]) == 0
    claims = json.loads(capsys.readouterr().out)["000"]
    assert [claim["verdict"] for claim in claims].count("refuted") == 7
