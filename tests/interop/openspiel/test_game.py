"""Games of OpenSpiel's through Fogbound's door: the same values, nothing leaked, every refusal with its reason."""

from __future__ import annotations

import pickle

import pytest

import fogbound as fb
from fogbound.cli.main import main
from fogbound.core.errors import FormError, LimitError, SpecError
from fogbound.core.spec import foreign, parse
from fogbound.interop.openspiel import OpenSpielGame, from_openspiel
from fogbound.interop.openspiel import moves as rules
from tests.interop.openspiel.conftest import CLOCK
from tests.interop.openspiel.registered import GIVEN, play

pytestmark = pytest.mark.usefixtures("pyspiel")


def value(game):
    return fb.solve(game, "sequence-lp").value


def test_kuhn_is_kuhn():
    game = fb.game("openspiel(kuhn_poker)")
    assert value(game) == pytest.approx(-1 / 18, abs=1e-12)
    assert fb.forms.tree(game).size == 55
    assert game.structure.recall == "perfect"
    assert game.structure.times == "the clock of moves tells nothing"


def test_specs_as_people_type_them():
    told = 'openspiel(load="kuhn_poker(players=3)", chance=steps)'
    for text in (told, "openspiel(kuhn_poker(players=3), steps)", "open_spiel(kuhn_poker(players=3), chance=steps)"):
        game = fb.game(text)
        assert (game.load, game.chance, len(game.players)) == ("kuhn_poker(players=3)", "steps", 3)
    assert fb.game(str(game)) == game


def test_a_game_inside_is_written_in_openspiels_syntax():
    game = fb.game("openspiel(goofspiel(num_cards=4, imp_info=True))")
    assert game.load == "goofspiel(num_cards=4,imp_info=True)"
    assert game.source.get_parameters().items() >= {"num_cards": 4, "imp_info": True}.items()


@pytest.mark.parametrize("text", [text for text in GIVEN.values() if ";" not in text])
def test_nested_games_need_no_quotation_marks(text):
    """`;` alone, which one game's history needs, is no character of a spec."""
    assert fb.game(f"openspiel({text})") == fb.game(f'openspiel("{text}")')


def test_every_registered_games_own_parameters_can_be_typed(pyspiel):
    """With all the parameters that a game has, at their defaults, as OpenSpiel itself writes them."""
    typed = 0
    for kind in (kind for kind in pyspiel.registered_games() if kind.short_name.isidentifier()):  # 2048 is a number
        defaults = {key: value for key, value in kind.parameter_specification.items() if simple(value)}
        text = f"{kind.short_name}({','.join(f'{key}={spelled(value)}' for key, value in defaults.items())})"
        assert foreign(parse(text)) == text
        typed += bool(defaults)
    assert typed > 50


def simple(value):
    """Whether a default is a number, a truth value or a word, not a text such as a board or a game."""
    return isinstance(value, bool | int | float) or (isinstance(value, str) and value.isidentifier())


def spelled(value):
    return format(value, ".6f").rstrip("0") + "0" * (value == int(value)) if isinstance(value, float) else str(value)


def test_inside_another_game():
    assert fb.game("horizon(openspiel(kuhn_poker), 2)").players == ("player 0", "player 1")


def test_chance_as_steps_is_the_same_game():
    for load in ("kuhn_poker", "matrix_mp", "goofspiel(num_cards=3,imp_info=True)"):
        folded, steps = (value(OpenSpielGame(load, chance)) for chance in ("folded", "steps"))
        assert folded == pytest.approx(steps, abs=1e-9)


def test_a_large_deal_goes_step_by_step(monkeypatch):
    assert not OpenSpielGame("blackjack").moves.folds
    with pytest.raises(LimitError, match="chance=steps"):
        OpenSpielGame("blackjack", "folded", limit=0).start()
    monkeypatch.setattr(rules, "MOST_OUTCOMES", 5)
    assert not OpenSpielGame("kuhn_poker").moves.folds
    monkeypatch.setattr(rules, "MOST_OUTCOMES", 6)
    assert OpenSpielGame("kuhn_poker").moves.folds


def test_the_clock_does_not_tell(clock):
    game = from_openspiel(clock)
    assert value(game.moves) == -1  # what a door without a look at the clock would say
    assert value(game) == 0
    assert game.structure.times == "aligned, padded with 1 wait"
    assert value(from_openspiel(clock, chance="steps")) == 0


def test_times_that_cannot_be_aligned(twisted):
    game = from_openspiel(twisted)
    assert "cannot be aligned" in game.structure.times
    with pytest.raises(FormError, match=r"game\.tree\(\)"):
        game.start()
    assert value(game.tree()) == pytest.approx(0, abs=1e-12)


def test_who_forgets_on_purpose_is_named():
    with pytest.warns(UserWarning, match="forget on purpose"):
        game = fb.game("openspiel(liars_dice_ir)")
    assert "recall=restored" in str(game)
    fb.game(str(game))  # what a spec says needs no warning


def test_strings_that_merge_pasts_are_found():
    game = OpenSpielGame("goofspiel(num_cards=4)")
    assert game.structure.recall.startswith("restored: one string stands for different own pasts")


def test_what_is_too_large_to_pad_is_said_aloud():
    game = OpenSpielGame("phantom_ttt")
    with pytest.warns(UserWarning, match="the clock of moves tells players more than"):
        game.start()
    assert "tells more" in game.structure.times
    assert "tells more" not in OpenSpielGame("latent_ttt").structure.times


def test_strings_that_forget_are_said_aloud():
    with pytest.warns(UserWarning, match="strings forget"):
        OpenSpielGame("repeated_leduc_poker").start()


def test_simultaneous_moves():
    game = OpenSpielGame("matrix_rps")
    assert game.actors(game.start().pairs[0][0].state) == (0, 1)
    assert value(game) == pytest.approx(0, abs=1e-12)
    assert value(OpenSpielGame("goofspiel(num_cards=3,imp_info=True,points_order=descending)")) == pytest.approx(0)


def test_rewards_on_the_way_add_up():
    steps, paid, returns = play("cliff_walking(horizon=6)", seed=3)
    assert steps > 1
    assert paid == returns


def test_actions_have_openspiels_names():
    game = OpenSpielGame("tic_tac_toe")
    assert game.actions((), 0)[:2] == ("x(0,0)", "x(0,1)")
    assert "..." in game.board(()).text()


@pytest.mark.parametrize(
    ("load", "error", "words"),
    [
        ("lduc_poker", SpecError, "did you mean 'leduc_poker'"),
        ("misere", SpecError, "needs parameters"),
        ("kuhn_poker(players=2.0)", SpecError, "OpenSpiel refuses"),
        ("tarok", FormError, "tells no probabilities"),
        ("mfg_garnet", FormError, "mean-field"),
        ("crossword", FormError, "does not list its legal actions"),
    ],
)
def test_refusals_name_the_reason(load, error, words):
    with pytest.raises(error, match=words) as caught:
        OpenSpielGame(load)
    assert "\n" not in str(caught.value)


def test_parameters_are_checked():
    with pytest.raises(SpecError, match="chance is 'often'"):
        OpenSpielGame("kuhn_poker", chance="often")
    with pytest.raises(SpecError, match="expected a game of OpenSpiel's"):
        from_openspiel("kuhn_poker")


def test_check_tells_recall_and_times(capsys):
    assert main(["check", "openspiel(matrix_rps)"]) == 0
    assert "times: the clock of moves tells nothing" in capsys.readouterr().out


def test_it_travels_to_other_processes():
    game = OpenSpielGame("kuhn_poker")
    game.start()
    again = pickle.loads(pickle.dumps(game))  # noqa: S301 - what was just pickled
    assert again == game
    assert again.start() == game.start()


def test_games_without_a_name_are_told_apart(pyspiel, clock):
    other = pyspiel.load_efg_game(CLOCK.replace("-1, 1", "-2, 2"))
    assert str(clock) == str(other)
    assert from_openspiel(clock) == from_openspiel(clock) != from_openspiel(other)
