"""`check` and `dominance`: what the commands print, as values."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import GameError, LimitError
from fogbound.driver.clock import Clock


def printed(*words: str) -> str:
    with redirect_stdout(io.StringIO()) as out:
        assert main(list(words)) == 0
    return out.getvalue()


def test_a_check_finds_the_contract_kept_and_lists_the_forms():
    found = fb.check("king-ace")
    assert found.players == ("first", "second")
    assert {finding.mark for finding in found.contract} == {"ok"}
    assert {form.form for form in found.forms} >= {"table", "tree", "sequence", "normal"}
    assert (found.stopped, found.notes) == ("", {})


def test_the_command_prints_what_the_function_returns():
    assert printed("check", "king-ace") == f"{fb.check('king-ace')}\n"
    assert printed("dominance", "king-ace", "--weak") == f"{fb.dominance('king-ace', strict=False)}\n"


def test_a_form_has_no_rules_to_check():
    found = fb.check(fb.forms.tree(fb.game("king-ace")))
    assert found.contract == ()
    assert found.notes["form"]
    assert any(form.exists for form in found.forms)


def test_a_check_says_that_its_time_was_up(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(clock, "elapsed", lambda: 100.0)
    found = fb.check("leduc", seconds=10.0, clock=clock)
    assert (found.stopped, found.forms) == ("seconds", ())
    assert str(found).endswith("forms: not looked at")


def test_a_broken_game_raises():
    class Odd(type(fb.game("king-ace"))):
        def start(self):
            return fb.Dist.of({fb.Outcome("a"): 0.5, fb.Outcome("b"): 0.4})

    with pytest.raises(GameError):
        fb.check(Odd())


def test_dominance_names_what_is_left_and_confirms_every_step():
    found = fb.dominance("matrix-game(matrix=prisoners-dilemma)")
    assert [len(names) for names in found.left] == [1, 1]
    assert found.confirmed == len(found.steps) == 2
    for step in found.steps:
        assert sum(found.by(step).values()) == 1
        assert step.least > 0


def test_pure_dominance_finds_no_more_than_mixed():
    pure, mixed = fb.dominance("king-ace", strict=False, pure=True), fb.dominance("king-ace", strict=False)
    assert all(set(few) <= set(more) for few, more in zip(mixed.left, pure.left))


def test_a_game_whose_strategies_are_too_many_is_refused():
    with pytest.raises(LimitError, match="Raise limit="):
        fb.dominance("leduc", limit=10)
