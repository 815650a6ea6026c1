"""`fogbound show` of a planner's answer."""

import fogbound as fb
from fogbound.cli.main import main


def test_a_planner_of_an_endless_model_has_no_controller_and_nothing_is_searched_to_say_so(
    tmp_path, capsys, monkeypatch
):
    fb.solve("tiger", "pomcp(simulations=5, games=1)").save(tmp_path / "answer.npz")
    monkeypatch.setattr("fogbound.solvers.search.planner.Planner.look", None)  # a search would fail
    for view in ("auto", "controller"):
        assert main(["show", str(tmp_path / "answer.npz"), "--view", view]) == 2
        assert "a planner remembers its whole history, so there is no controller of it" in capsys.readouterr().err
