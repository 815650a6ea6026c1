"""Files that claim to be something else: refused or refuted in one clear line, never a crash, never for ever."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.certificates.chain import CHAIN
from fogbound.cli.main import main
from fogbound.core.errors import FileError, FogboundError
from fogbound.evaluation.chain import chain
from fogbound.files.lookup import solves
from tests.certificates.forging import Forgery, forge

POKER = "card-poker(ranks=3)"
SAMPLED = {  # answers from samples: how they are found, and for how many iterations
    "mcts": ("slide-tree", "mcts", 50),
    "pomcp": ("tiger", "pomcp(simulations=5, games=4)", 5),
    "is-mcts": (POKER, "is-mcts(simulations=60)", 20),
    "qmdp": ("tiger", "qmdp(games=100)", 20),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")

    def save(name, game, solver, **options):
        path = folder / f"{name}.npz"
        if not path.exists():
            fb.solve(game, solver, **options).save(path)
        return path

    return save


def changed(path, tmp_path, change):
    target = tmp_path / "changed.npz"
    target.write_bytes(path.read_bytes())
    forge(target, Forgery("", change))
    return target


def told(path, game):
    """What is refuted, or why it is refused: one line."""
    try:
        found = fb.verify(path, game).refuted
    except FogboundError as error:
        found = str(error)
    assert found
    assert "\n" not in found
    return found


# --- answers from samples ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", SAMPLED)
def test_a_replay_confirms_an_honest_answer(saved, family):
    game, solver, iterations = SAMPLED[family]
    assert fb.verify(saved(family, game, solver, iterations=iterations), game)


@pytest.mark.parametrize("family", SAMPLED)
@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("game", "king-ace"),
        ("players", ["x", "y", "z"]),
        ("answer", "value"),
        ("problem", "another one, discount 0.5"),
        ("finds", "equilibrium"),
        ("form", "tree"),
        ("form_sha256", "0" * 64),
    ],
)
def test_a_replay_compares_what_the_file_says(saved, tmp_path, family, field, other):
    game, solver, iterations = SAMPLED[family]
    path = saved(family, game, solver, iterations=iterations)
    told(changed(path, tmp_path, lambda h, a: h["provenance"].update({field: other})), game)


def test_a_replay_that_would_never_end_is_refused_soon(saved, tmp_path, monkeypatch):
    monkeypatch.setattr("fogbound.certificates.statistical.SOON", 0.1)
    path = saved("pomcp", "tiger", "pomcp(simulations=5, games=4)", iterations=5)
    endless = changed(path, tmp_path, lambda h, a: h.update(iterations=10**12))
    with pytest.raises(FileError, match=r"reports 1,000,000,000,000 iterations.*--seconds"):
        fb.verify(endless, "tiger")
    with pytest.raises(FileError, match=r"takes more than 0 s"):
        fb.verify(path, "tiger", seconds=0)


# --- what is no evidence ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "solver", "options"),
    [
        (POKER, "sequence-lp", {}),
        ("random-markov(size=2)", "markov-fictitious-play", {"iterations": 5}),
        ("tiger", "sarsop", {"iterations": 20}),
        ("po-nim(n=2)", "level-k(level=2)", {}),
        ("matrix-game(matrix=aumann)", "correlated", {}),
        ("horizon(game=multi-tiger, steps=2)", "team-search", {}),
    ],
)
def test_evidence_that_nothing_reads_is_refused(saved, tmp_path, game, solver, options):
    path = saved(solver.split("(")[0], game, solver, **options)
    for name in ("extra", "u1_0_extra"):
        more = changed(path, tmp_path, lambda h, a, name=name: a.update({f"certificate/{name}": np.zeros(3)}))
        assert name in told(more, game)


def test_poker_is_no_team(saved, tmp_path):
    """What the players earn is proven all the same: but nobody plays for the other."""
    found, game = fb.load(saved("poker", POKER, "sequence-lp")), fb.game(POKER)
    proof = CHAIN.certificate(chain(fb.forms.table(game), found.profile), 0).check()
    claim = {"answer": "team", "solver": "team-search", "form": "posg", "finds": fb.solver("team-search").finds}
    figures = {"value": proof.lower, "lower": proof.lower, "upper": proof.upper, "gap": proof.upper - proof.lower}
    replace(found, certificate=proof, provenance={**found.provenance, **claim}, **figures).save(tmp_path / "team.npz")
    assert "not paid alike" in told(tmp_path / "team.npz", game)


@pytest.mark.parametrize("named", ["evil.py:card-poker(ranks=3)", "/tmp/evil.py:card-poker(ranks=3)"])
def test_an_own_file_is_no_shipped_game(saved, tmp_path, named):
    path = saved("poker", POKER, "sequence-lp")
    evil = changed(path, tmp_path, lambda h, a: h["provenance"].update(game=named))
    assert "which is not the one that was checked" in told(evil, POKER)


def test_an_own_class_is_known_wherever_its_file_lies():
    class Own:
        players, origin = ("me",), None

        def __init__(self, spec):
            self.spec = spec

        def __str__(self):
            return self.spec

    for named, called, same in (
        ("a/mine.py:Mine(n=1)", "Mine(n=1)", True),
        ("a/mine.py:Mine(n=1)", "b/mine.py:Mine(n=1)", True),
        ("a/mine.py:Mine(n=1)", "mine.py:Mine(n=2)", False),
        ("a.py:tiger", "b.py:tiger", True),
        ("a.py:tiger", "tiger", False),
        ("horizon(game=a.py:tiger, steps=2)", "horizon(game=tiger, steps=2)", False),
        ("horizon(game=a.py:Mine, steps=2)", "horizon(game=Mine, steps=2)", True),
    ):
        assert solves({"game": named}, Own(called)) == same, (named, called)


@pytest.mark.parametrize("solver", ["sequence-lp", "level-k(level=2)", "cfr-plus"])
@pytest.mark.parametrize("player", ["0", "1"])
def test_a_missing_policy_is_said_to_be_missing(saved, tmp_path, solver, player, capsys):
    path = saved(solver.split("(")[0], POKER, solver, iterations=5)

    def without(header, arrays):
        del header["policies"][player]
        for name in [name for name in arrays if name.startswith(f"policy/{player}/")]:
            del arrays[name]

    less = changed(path, tmp_path, without)
    assert f"player {player}" in told(less, POKER)
    assert main(["verify", POKER, str(less)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
