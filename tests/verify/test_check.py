"""The verdict: claims, hashes, headers, the command line, and that the checker stands alone."""

import ast
import json
import random
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import fogbound as fb
import fogbound.verify
from fogbound.verify import Refused, check
from fogbound.verify.arithmetic import down, grid_row, row, up
from tests.verify.made import header, kuhn, kuhn_equilibrium, matrix, solution, stored, write
from tests.verify.records import read
from tests.verify.tables import claims, controllers, table

KUHN, NAMES = kuhn()
BEST = {"strategy": kuhn_equilibrium(NAMES)}
FORM = matrix([[3.0, -1.0], [-1.0, 1.0]])
SOURCE = Path(fogbound.verify.__file__).parent


def told(kind="zero-sum-tree", player=0, lower=-1.0, upper=1.0, form=KUHN):
    return header(form, kind, player, lower, upper)


def test_kuhn():
    report = check(told(), KUHN, BEST)
    assert Fraction(report.lower) < Fraction(-1, 18) < Fraction(report.upper)
    assert report.upper - report.lower < 1e-16
    assert report.intervals == [(report.lower, report.upper), (-report.upper, -report.lower)]
    assert report.refuted is None
    mirrored = check(told(player=1), KUHN, BEST)
    assert (mirrored.lower, mirrored.upper) == (-report.upper, -report.lower)


def test_constant_sum_is_mirrored_through_the_constant():
    pays = {"payoff": stored([[0.0, 0.0]] * 3 + [[1.0, 0.0], [0.5, 0.5], [0.5, 0.5], [1.0, 0.0]])}
    form = {**matrix([[0.0, 0.0], [0.0, 0.0]]), **pays}
    report = check(told(player=1, form=form), form, {"strategy": stored([1.0, 1.0, 3.0, 1.0])})
    assert report.intervals == [(0.75, 0.875), (0.125, 0.25)]


def test_tree_profile():
    report = check(told("tree-profile", form=KUHN), KUHN, {"strategy": stored([1.0] * 24)})
    assert report.intervals == [(0.125, 0.5), (-0.125, up(Fraction(5, 12)))]
    assert report.regret == up(Fraction(13, 24))
    assert check(told("tree-profile", form=KUHN), KUHN, BEST).regret == 0.0


def test_chain_profile():
    form = table(1, 0.5, [(1.0, 0, (3.0,), (0,))], [((0,), [(7,)], [[(1.0, 0, (1.0,), (0,))]])])
    certificate = {**controllers([({0: 0}, {(0, 7, 0): 0}, {})]), **claims({(0, 0): [1.0]}, 1)}
    report = check(told("chain-profile", 0, 3.0, 5.0, form), form, certificate)
    assert (report.lower, report.upper, report.refuted) == (3.0, 5.0, None)
    assert check(told("chain-profile", 0, 3.5, 5.0, form), form, certificate).refuted


def test_forged_claims_are_refuted_with_both_figures():
    exact = check(told(), KUHN, BEST)
    assert check(told(lower=exact.lower, upper=exact.upper), KUHN, BEST).refuted is None
    low = check(told(lower=-0.05, upper=1.0), KUHN, BEST).refuted
    assert low == f"player 0's lower bound: claimed -0.05, certified {exact.lower!r}"
    high = check(told(lower=-1.0, upper=exact.lower), KUHN, BEST).refuted
    assert high == f"player 0's upper bound: claimed {exact.lower!r}, certified {exact.upper!r}"
    assert check(told(lower=1.0, upper=-1.0), KUHN, BEST).refuted


def test_claims_inside_the_certified_interval_are_refuted():
    wide = {"strategy": stored([1.0] * 24)}
    report = check(told(), KUHN, wide)
    assert (report.lower, report.upper) == (down(Fraction(-5, 12)), 0.5)
    inside = (report.lower + report.upper) / 2
    assert "upper bound" in check(told(lower=-9.0, upper=inside), KUHN, wide).refuted
    assert "lower bound" in check(told(lower=inside, upper=9.0), KUHN, wide).refuted


def test_a_claim_about_a_level_is_refuted_where_it_goes_beyond():
    case, _ = read("levels")
    whole = check(told("level-k", 0, -9.0, 9.0, case.form), case.form, case.certificate)
    assert whole.refuted is None
    for level, player, lower, upper in whole.levels:
        name = f"u{level}_{player}_claim"
        for claim, bound in (([lower + 1e-3, upper], "lower"), ([lower, upper - 1e-3], "upper"), ([lower, upper], "")):
            shown = {**case.certificate, name: stored(claim)}
            refuted = check(told("level-k", 0, -9.0, 9.0, case.form), case.form, shown).refuted
            assert refuted is None if not bound else f"level {level} of player {player}'s {bound} bound" in refuted
    assert (
        "player 0's lower bound" in check(told("level-k", 0, 8.0, 9.0, case.form), case.form, case.certificate).refuted
    )


@pytest.mark.parametrize("player", [0, 1])
def test_the_intervals_of_a_hierarchy_are_those_of_its_highest_level(player):
    case, _ = read("levels")
    report = check(told("level-k", player, -9.0, 9.0, case.form), case.form, case.certificate)
    highest = [(lower, upper) for level, _, lower, upper in report.levels if level == 2]
    assert report.intervals == highest != [(lower, upper) for level, _, lower, upper in report.levels if level == 1]
    assert (report.lower, report.upper) == highest[player]


@pytest.mark.parametrize("name", ["pomdp", "one-sided"])
def test_one_interval_is_that_of_whichever_player_the_form_is_about(name):
    case, _ = read(name)
    found = [check(told(name, player, -1e9, 1e9, case.form), case.form, case.certificate) for player in (0, 1, 2)]
    assert len({(report.lower, report.upper) for report in found}) == 1
    with pytest.raises(Refused, match="player -1 of 1: players count from 0"):
        check(told(name, -1, -1e9, 1e9, case.form), case.form, case.certificate)


def test_the_largest_numbers_of_a_header():
    assert check(told(lower=-1.7976931348623157e308, upper=1.7976931348623157e308), KUHN, BEST).refuted is None
    claim = {"lower": "-0x1.fffffffffffffp+1024", "upper": "0x1p+0"}
    with pytest.raises(Refused, match="expected a finite hexadecimal float"):
        check({**told(), "claim": claim}, KUHN, BEST)


def test_a_certificate_for_another_game():
    with pytest.raises(Refused, match="another game"):
        check(told(form=FORM), KUHN, BEST)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 2}, "version"), ({"version": True}, "version"), ({"version": "1"}, "version"),
        ({"kind": "magic"}, "kind 'magic'"), ({"kind": None}, "'kind'"), ({"player": 2}, "player 2"),
        ({"player": -1}, "player -1"), ({"player": 0.0}, "'player'"), ({"form_sha256": None}, "'form_sha256'"),
        ({"claim": []}, "'claim'"), ({"claim": {"lower": "0x0p+0"}}, "'upper'"),
        *(({"claim": {"lower": text, "upper": "0x1p+0"}}, "'lower'")
          for text in ("nan", "inf", "-inf", "1.0", "0x1.8p+9999", "0x1_0p+0", "", "0x1p+0\n", 1.0, "-0x" + "f" * 99)),
    ],
)  # fmt: skip
def test_odd_headers_are_refused(change, why):
    with pytest.raises(Refused, match=why):
        check({**told(), **change}, KUHN, BEST)


@pytest.mark.parametrize("name", ["version", "kind", "form_sha256", "player", "claim"])
def test_missing_header_fields(name):
    with pytest.raises(Refused, match=name):
        check({k: v for k, v in told().items() if k != name}, KUHN, BEST)


def test_missing_strategy():
    with pytest.raises(Refused, match="'strategy' is missing"):
        check(told(), KUHN, {})


def run(*arguments, optimise=False):
    command = [sys.executable, *(["-O"] if optimise else []), "-m", "fogbound.verify", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_command_line(tmp_path):
    form = write(tmp_path / "form.npz", KUHN)
    good = run(form, solution(tmp_path / "good.npz", told(), BEST), optimise=True)
    assert (good.returncode, good.stderr) == (0, "")
    assert "certified interval [-0.0555555555555555" in good.stdout
    bad = run(form, solution(tmp_path / "bad.npz", told(lower=-0.05), BEST))
    assert bad.returncode == 1
    assert "refuted: player 0's lower bound: claimed -0.05" in bad.stdout
    for arguments in ([], [form], [form, form], [form, tmp_path / "no\nsuch.npz"], [__file__, form]):
        wrong = run(*arguments)
        assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)
        assert "Traceback" not in wrong.stderr


def test_the_checker_loads_nothing_else():
    code = "import sys, fogbound.verify.__main__; print(*sorted(m for m in sys.modules if '.' in m or m in %r))"
    names = subprocess.run(
        [sys.executable, "-c", code % (["numpy", "scipy", "numba"],)], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"numpy", "scipy", "numba"} & set(names)
    loaded = {name for name in names if name.startswith("fogbound")} - {"fogbound", "fogbound._version"}
    assert all(name.startswith("fogbound.verify") for name in loaded)


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda file: str(file.relative_to(SOURCE)))
def test_the_source_stands_alone(file):
    for node in ast.walk(ast.parse(file.read_text())):
        assert not isinstance(node, ast.Assert)
        if isinstance(node, ast.Import):
            assert all(name.name.split(".")[0] in sys.stdlib_module_names for name in node.names)
        if isinstance(node, ast.ImportFrom):
            depth = len(file.relative_to(SOURCE).parts)
            assert 1 <= node.level <= depth or node.module.split(".")[0] in sys.stdlib_module_names


def test_rows():
    assert row([-1.0, 0.0]) == [Fraction(1, 2)] * 2
    assert row([1.0, -7.0, 3.0]) == [Fraction(1, 4), 0, Fraction(3, 4)]
    assert sum(row([0.1, 1e300, 5e-324])) == 1
    for faulty in ([], [float("nan")], [float("inf"), 1.0]):
        with pytest.raises(Refused):
            row(faulty)


def test_grid_rows():
    assert grid_row([1.0, 1.0, 1.0], 2) == [2, 1, 1]
    rng = random.Random(0)
    for _ in range(500):
        weights = [rng.choice([0.0, rng.random(), 10.0 ** rng.randint(-300, 300)]) for _ in range(rng.randint(1, 9))]
        grid = grid_row(weights)
        assert sum(grid) == 2**40
        assert min(grid) >= 0
        assert all(abs(Fraction(g, 2**40) - p) < Fraction(1, 2**40) for g, p in zip(grid, row(weights)))
        assert grid_row([g / 2**40 for g in grid]) == grid


def test_outward_rounding():
    assert (down(Fraction(1, 2)), up(Fraction(1, 2))) == (0.5, 0.5)
    assert (down(Fraction(10**400)), up(Fraction(10**400))) == (sys.float_info.max, float("inf"))
    assert (down(Fraction(-(10**400))), up(Fraction(-(10**400)))) == (float("-inf"), -sys.float_info.max)
    assert (down(Fraction(1, 10**400)), up(Fraction(1, 10**400))) == (0.0, 5e-324)
    rng = random.Random(0)
    for _ in range(2000):
        x = Fraction(rng.randint(-(10**30), 10**30), rng.randint(1, 10**30))
        assert Fraction(down(x)) <= x <= Fraction(up(x))
        assert up(x) - down(x) <= 3e-16 * abs(down(x))


def test_the_folder_alone_judges_an_exported_form(tmp_path):
    """A copy of the folder, without Fogbound and without its packages, on a form that was exported."""
    solved = fb.solve("card-poker(ranks=3)", "sequence-lp").save(tmp_path / "a.npz")
    fb.api.export_form(tmp_path / "a.npz", tmp_path / "form.npz")
    shutil.copytree(SOURCE, tmp_path / "alone" / "verify")
    words = [sys.executable, "-I", "-S", "-c", ALONE, str(tmp_path / "alone"), "--json", "form.npz", "a.npz"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    report = json.loads(ran.stdout)
    assert (report["lower"], report["upper"]) == (solved.lower, solved.upper)


ALONE = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from verify.__main__ import main; sys.exit(main(sys.argv[1:]))"
)
