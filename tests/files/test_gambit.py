"""Gambit's files: read, written and read again; games of them, their trees and tables; what is wrong in one line."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import FileError, FormError, LimitError
from fogbound.files.gambit.efg import read_efg, write_efg
from fogbound.files.gambit.forms import tree_of
from fogbound.files.gambit.game import ExtensiveGame, StrategicGame, open_gambit, structure
from fogbound.files.gambit.nfg import read_nfg, strategic, write_nfg
from fogbound.files.gambit.rewording import paid_at_ends
from fogbound.files.gambit.structure import moments, recall

SHARED = Path(__file__).parents[3] / "shared" / "models" / "gambit"
FILES = sorted([*SHARED.glob("*.efg"), *SHARED.glob("*.nfg")]) if SHARED.is_dir() else []

MATCHING = """\
EFG 2 R "matching pennies" { "even" "odd" }
""
p "" 1 1 "toss" { "h" "t" } 0
p "" 2 1 "guess" { "h" "t" } 0
t "" 1 "same" { 1, -1 }
t "" 2 "different" { -1, 1 }
p "" 2 1 0
t "" 2
t "" 1
"""
# Heads takes one move, tails two, and the second player cannot tell: a clock that is seen would give it away.
CLOCK = """\
EFG 2 R "the clock" { "one" "two" }
""
p "" 1 1 "" { "heads" "tails" } 0
p "" 2 1 "" { "heads" "tails" } 0
t "" 1 "" { -1, 1 }
t "" 2 "" { 1, -1 }
p "" 1 2 "" { "go on" } 0
p "" 2 1 "" { "heads" "tails" } 0
t "" 2 "" { 1, -1 }
t "" 1 "" { -1, 1 }
"""
# Each of two sets comes before the other in some play; named so that other readers take it, too.
CROSSED = """\
EFG 2 R "crossed" { "A" "B" }
""
c "" 1 "" { "first" 1/2 "second" 1/2 } 0
p "" 1 1 "A" { "u" "d" } 0
p "" 2 1 "B" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
p "" 2 1 "B" { "l" "r" } 0
t "" 2 "" { -1, 1 }
t "" 1 "" { 1, -1 }
p "" 2 1 "B" { "l" "r" } 0
p "" 1 1 "A" { "u" "d" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
p "" 1 1 "A" { "u" "d" } 0
t "" 2 "" { -1, 1 }
t "" 1 "" { 1, -1 }
"""
FORGETFUL = """\
EFG 2 R "the absent-minded driver" { "driver" "nobody" }
""
p "" 1 1 "" { "exit" "go on" } 0
t "" 1 "" { 0, 0 }
p "" 1 1 "" { "exit" "go on" } 0
t "" 2 "" { 4, -4 }
t "" 3 "" { 1, -1 }
"""
ON_THE_WAY = """\
EFG 2 R "paid on the way" { "payer" "nobody" }
""
p "" 1 1 "" { "on" "out" } 0
p "" 1 2 "" { "more" "less" } 1 "toll" { 1, -1 }
t "" 2 "prize" { 3, -3 }
t "" 0
t "" 0
"""
TABLE = """\
NFG 1 R "a table" { "row" "column" }
{ { "up" "down" } { "left" "middle" "right" } }
"what it is about"
1, -1  2 -2  1/3 -1/3  0.5 -0.5  -3 3  1e2 -1e2
"""


@pytest.fixture
def written(tmp_path):
    def write(text, name="game.efg"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.mark.skipif(not FILES, reason="the folder of Gambit's files is not there")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_file_is_the_same_again_once_it_is_written(path, tmp_path):
    again = tmp_path / path.name
    if path.suffix == ".nfg":
        table = read_nfg(path)
        write_nfg(table, again)
        read = read_nfg(again)
        assert (read.players, read.strategies, read.payoffs) == (table.players, table.strategies, table.payoffs)
        return
    file = read_efg(path)
    write_efg(file, again)
    read = read_efg(again)
    read.path = file.path
    assert read == file


@pytest.mark.one_in(5)
@pytest.mark.skipif(not FILES, reason="the folder of Gambit's files is not there")
@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".efg"], ids=lambda path: path.name)
def test_a_game_and_the_tree_straight_from_its_file_are_worth_the_same(path):
    """Padded with waits or not, uniform play earns the same, and so does an equilibrium of a zero-sum game."""
    opened = open_gambit(path)
    if not isinstance(opened, ExtensiveGame):
        return
    straight, padded = tree_of(opened.file), fb.forms.tree(opened)
    assert np.allclose(_uniform(straight), _uniform(padded))
    assert sum(straight.set_size > 1) == sum(padded.set_size > 1)
    if len(opened.players) == 2 and straight.constant_sum is not None:
        one, two = fb.solve(straight, "sequence-lp"), fb.solve(opened, "sequence-lp")
        assert one.value == pytest.approx(two.value, abs=1e-9)
        assert one.certified == two.certified == "both"


@pytest.mark.skipif(not FILES, reason="the folder of Gambit's files is not there")
@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".efg"], ids=lambda path: path.name)
def test_paid_at_the_ends_it_is_the_same_game(path):
    file = read_efg(path)
    folded = paid_at_ends(file)
    assert all((number > 0) == (index < 0) for number, index in zip(folded.outcome, folded.set_of))
    if recall(file).kind == "perfect":
        assert np.allclose(tree_of(file).payoff[tree_of(file).ends], tree_of(folded).payoff[tree_of(folded).ends])


def test_what_is_paid_on_the_way_is_added_to_the_ends(written, tmp_path, capsys):
    path = written(ON_THE_WAY)
    folded = paid_at_ends(read_efg(path))
    assert [folded.outcomes[number][1] if number else None for number in folded.outcome] == [
        None,
        None,
        (4, -4),
        (1, -1),
        (0, 0),
    ]
    assert folded.outcomes[folded.outcome[3]][0] == ""  # what is more than its outcome is not called by its name
    assert main(["convert", str(path), str(tmp_path / "ends.efg"), "--paid-at-ends"]) == 0
    assert read_efg(tmp_path / "ends.efg").outcome == folded.outcome
    assert fb.solve(path).value == fb.solve(tmp_path / "ends.efg").value == 4


def test_moves_of_one_name_are_told_apart_where_readers_know_them_by_it(written, tmp_path):
    text = MATCHING.replace('"toss" { "h" "t" }', '"toss" { "" "" }').replace(
        '"guess" { "h" "t" }', '"guess" { "h" "h" }'
    )
    fb.convert(written(text), tmp_path / "ends.efg", paid_at_ends=True)
    assert [one.moves for one in read_efg(tmp_path / "ends.efg").sets] == [("1", "2"), ("h", "h (2)")]
    fb.convert(written(text), tmp_path / "plain.efg")
    assert [one.moves for one in read_efg(tmp_path / "plain.efg").sets] == [("", ""), ("h", "h")]


def _uniform(form):
    reach = np.ones(form.size)
    for node in range(1, form.size):
        up = form.parent[node]
        reach[node] = reach[up] * (form.prob[node] if form.mover[up] < 0 else 1 / (form.child[up + 1] - form.child[up]))
    return (reach[form.ends, None] * form.payoff[form.ends]).sum(axis=0)


@pytest.mark.skipif(not FILES, reason="the folder of Gambit's files is not there")
def test_payoffs_beyond_what_floats_add_up_are_solved_exactly():
    answer = fb.solve(SHARED / "large_payoff_game.efg")
    assert answer.value == 1
    assert answer.certified == "both"


def test_sets_and_outcomes_may_be_named_by_number_alone(written):
    file = read_efg(written(MATCHING))
    assert file.size == 7
    assert file.outcomes[2] == ("different", (Fraction(-1), Fraction(1)))
    assert fb.solve(written(MATCHING)).value == pytest.approx(0)


def test_the_clock_tells_nobody_anything(written):
    path = written(CLOCK)
    assert structure(read_efg(path)).times == "aligned in 3 steps, padded with 1 wait"
    assert fb.solve(path, "sequence-lp").value == pytest.approx(0, abs=1e-12)
    assert fb.solve(tree_of(read_efg(path)), "sequence-lp").value == pytest.approx(0, abs=1e-12)


def test_what_cannot_be_aligned_is_solved_and_not_played(written):
    path = written(CROSSED)
    assert moments(read_efg(path)) is None
    answer = fb.solve(path)
    assert answer.value == pytest.approx(0, abs=1e-12)
    assert answer.verify()
    with pytest.raises(FormError, match="it can be solved, not played"):
        fb.game(path)


def test_who_forgets_is_solved_by_its_table_alone(written):
    path = written(FORGETFUL)
    assert recall(read_efg(path)).kind == "absent-minded"
    game = open_gambit(path)
    assert isinstance(game, StrategicGame)
    assert strategic(read_efg(path)).payoffs == ((Fraction(0), Fraction(0)), (Fraction(1), Fraction(-1)))
    assert fb.solve(path).value == pytest.approx(1)
    assert fb.solve(path, "cfr-plus", iterations=100).value == pytest.approx(1, abs=0.1)
    with pytest.raises(
        FormError, match="absent-minded recall .*matrix-lp, sequence-lcp, lemke-howson, support-enumeration.*not sarsop"
    ):
        fb.solve(path, "sarsop")


def test_tables_are_read_exactly_the_first_player_fastest(written):
    table = read_nfg(written(TABLE, "table.nfg"))
    assert table.payoffs[2] == (Fraction(1, 3), Fraction(-1, 3))
    matrix = fb.forms.normal(fb.game(written(TABLE, "table.nfg"))).payoff[..., 0]
    assert matrix.tolist() == [[1, 1 / 3, -3], [2, 0.5, 100]]


def test_a_table_by_count_is_the_same_without_names(written, tmp_path, capsys):
    path = written(TABLE, "table.nfg")
    assert main(["convert", str(path), str(tmp_path / "counted.nfg"), "--by-count"]) == 0
    counted = read_nfg(tmp_path / "counted.nfg")
    assert '"up"' not in (tmp_path / "counted.nfg").read_text()
    assert (counted.payoffs, counted.strategies[1]) == (read_nfg(path).payoffs, ("1", "2", "3"))


@pytest.mark.parametrize("spec", ["king-ace", "kuhn(players=2)", "goofspiel(cards=3)", "horizon(tiger, 2)"])
def test_our_games_come_back_from_a_file_with_the_same_value(spec, tmp_path):
    path = tmp_path / "ours.efg"
    fb.convert(spec, path)
    ours, theirs = fb.forms.tree(fb.game(spec)), tree_of(read_efg(path))
    assert ours.size == theirs.size
    assert np.allclose(_uniform(ours), _uniform(theirs))
    assert sum(sum(one.chances) != 1 for one in read_efg(path).sets if one.player < 0) == 0
    assert fb.forms.tree(fb.game(path)).size >= ours.size


def test_a_table_of_ours_comes_back(tmp_path):
    fb.convert("king-ace", tmp_path / "x.nfg")
    back = fb.forms.normal(fb.game(tmp_path / "x.nfg")).payoff
    assert np.allclose(back, fb.forms.normal(fb.game("king-ace")).payoff)


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("", 1, "EFG 2 R"),
        ("EFG 3 R", 1, "version 2"),
        ('EFG 2 R "x" { }', 1, "players"),
        ('EFG 2 R "x" { "a" "b" }\nq "" 1', 2, "a node, which begins with"),
        ('EFG 2 R "x" { "a" "b" }\np "" 3 1 "" { "l" } 0', 2, "a player from 1 to 2"),
        ('EFG 2 R "x" { "a" "b" }\np "" 1 1 0', 2, "not described before"),
        ('EFG 2 R "x" { "a" "b" }\np "" 1 1 "" { } 0', 2, "at least one move"),
        (
            'EFG 2 R "x" { "a" "b" }\np "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1, 2 }',
            3,
            "not every move has been followed",
        ),
        ('EFG 2 R "x" { "a" "b" }\nt "" 1 "" { 1 }', 2, "2 numbers"),
        ('EFG 2 R "x" { "a" "b" }\nt "" 1 "" { 1, x }', 2, "2 numbers"),
        ('EFG 2 R "x" { "a" "b" }\nt "" 1 "" { 1, 1/0 }', 2, "2 numbers"),
        ('EFG 2 R "x" { "a" "b" }\nt "" 1', 2, "what outcome 1 pays"),
        ('EFG 2 R "x" { "a" "b" }\nc "" 1 "" { "l" 1/2 "r" 1/3 } 0', 2, "probabilities that sum to 1"),
        ('EFG 2 R "x" { "a" "b" }\nc "" 1 "" { "l" "r" } 0', 2, "a probability"),
        ('EFG 2 R "x" { "a" "b" }\nt "" 0\nt "" 0', 3, "the end of the file"),
        ('EFG 2 R "x', 1, "a title"),
        *(
            (f'EFG 2 R "x" {{ "a" "b" }}\n{node.format("9" * 5_000)}', 2, "after the name of a node")
            for node in (
                'p "" 1 {} "" {{ "l" }} 0',
                'p "" {} 1 "" {{ "l" }} 0',
                'c "" {} "" {{ "l" 1 }} 0',
                't "" {} 0',
            )
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(written, text, line, expected):
    path = written(text)
    with pytest.raises(FileError) as caught:
        read_efg(path)
    assert str(caught.value).startswith(f"{path}:{line}: found ")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_deep_and_endless_files_are_read_or_refused(written):
    deep = "".join(f'p "" 1 {k + 1} "" {{ "on" }} 0\n' for k in range(30_000))
    assert read_efg(written(f'EFG 2 R "deep" {{ "a" }}\n{deep}t "" 0\n')).size == 30_001
    with pytest.raises(LimitError, match="more than 100 nodes"):
        read_efg(written(f'EFG 2 R "deep" {{ "a" }}\n{deep}t "" 0\n'), limit=100)
    with pytest.raises(FileError, match="a title"):
        read_efg(written('EFG 2 R "' + "a" * 1_000_000))
    with pytest.raises(FileError, match="2 numbers"):
        read_efg(written('EFG 2 R "x" { "a" "b" }\nt "" 1 "" { ' + "9" * 100_000 + ", 1 }"))
    with pytest.raises(LimitError, match="over the limit"):
        read_nfg(written('NFG 1 R "x" { "a" "b" } { 4000000 4000000 } 1', "x.nfg"))


CENTIPEDE = """EFG 2 R "Constant-sum centipede" { "One" "Two" }
""

p "" 1 1 "" { "take" "pass" } 0
t "" 1 "" { 3/2 1/2 }
p "" 2 1 "" { "take" "pass" } 0
t "" 2 "" { 5/4 3/4 }
t "" 3 "" { 7/4 1/4 }
"""


def test_a_sum_that_only_whole_histories_have_is_certified_as_a_value(tmp_path):
    """Inner moves pay nothing and ends pay 2 together, so that the sum of single steps is not constant."""
    path = tmp_path / "centipede.efg"
    path.write_text(CENTIPEDE)
    solution = fb.solve(str(path), "alpha-beta")
    assert (solution.value, solution.answer, solution.certified) == (1.5, "value", "both")
    assert solution.verify()


ABSENT_MINDED = """EFG 2 R "Absent-minded driver" { "Driver" }
""

p "" 1 1 "" { "exit" "continue" } 0
t "" 1 "" { 0 }
p "" 1 1 "" { "exit" "continue" } 0
t "" 2 "" { 4 }
t "" 3 "" { 1 }
"""


def test_an_absent_minded_players_bound_is_not_called_one_on_all_policies(tmp_path):
    """Piccione and Rubinstein's driver earns 4/3 by a behaviour strategy, and 1 by its best pure strategy."""
    path = tmp_path / "driver.efg"
    path.write_text(ABSENT_MINDED)
    solution = fb.solve(str(path))
    assert solution.value == 1
    assert solution.words[1] == "no mixture of pure strategies earns more than"
    assert fb.solve("bandit").words[1] == "no policy earns more than"
