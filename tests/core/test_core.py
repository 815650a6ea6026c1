"""Distributions, specs, the registry, boards and errors."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fogbound.core import Board, Dist, FogboundError, GameError, Outcome, SpecError, Tile
from fogbound.core.errors import one_line
from fogbound.core.registry import parameters
from fogbound.core.spec import Spec, parse, spec_of
from fogbound.games import GAMES, make


def test_dist():
    dist = Dist.of({"a": 0.25, "b": 0.75})
    assert dist["b"] == 0.75
    assert dist["c"] == 0.0
    assert dict(dist) == {"a": 0.25, "b": 0.75}
    assert Dist.uniform("ab").support() == ("a", "b")
    assert Dist.weighted({"a": 1, "b": 3}) == dist
    assert dist.map(str.upper)["A"] == 0.25
    assert Dist.uniform([1, 1, 2]).map(lambda x: x)[1] == pytest.approx(2 / 3)
    assert len(Dist.sure(3)) == 1
    assert Dist.of({"a": 0.5, "b": 0.4}).fault() == "probabilities that sum to 0.9, expected 1"
    assert "probability nan" in str(Dist.of({"a": float("nan")}).fault())
    assert "probability -1" in str(Dist.of({"a": -1.0, "b": 2.0}).fault())
    with pytest.raises(GameError, match="at least one"):
        Dist.uniform([])
    with pytest.raises(GameError, match="positive finite sum"):
        Dist.weighted({"a": 0.0})


def test_sampling_follows_the_probabilities_and_the_seed():
    dist = Dist.of({"a": 0.25, "b": 0.75})
    draws = [dist.sample(random.Random(seed)) for seed in range(2_000)]
    assert draws == [dist.sample(random.Random(seed)) for seed in range(2_000)]
    assert 0.2 < draws.count("a") / 2_000 < 0.3
    with pytest.raises(GameError, match="sum to 0.1"):
        [Dist.of({"a": 0.05, "b": 0.05}).sample(random.Random(seed)) for seed in range(50)]


def test_outcomes_are_values():
    assert Outcome(1, (1.0,), "x") == Outcome(1, (1.0,), "x")
    assert hash(Outcome(1)) == hash(Outcome(1))
    assert Outcome(1, public="p", private=("a", "b")).observation(1) == ("p", "b")


values = st.recursive(
    st.one_of(
        st.integers(-(10**6), 10**6),
        st.floats(allow_nan=False, allow_infinity=False, width=32),
        st.booleans(),
        st.none(),
        st.text("abcdefgh-_ ", max_size=8),
    ),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=5,
)


@pytest.mark.slow
@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), values, max_size=4))
def test_specs_are_read_as_they_are_written(given_parameters):
    spec = Spec("po-nim", tuple(given_parameters.items()))
    assert parse(str(spec)) == spec


@given(st.text(max_size=60))
def test_any_text_is_a_spec_or_a_clear_error(text):
    with suppress(SpecError):  # anything else would be a traceback
        assert isinstance(parse(text), Spec)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a name"),
        ("po-nim(n=3", "closing '\\)' is missing"),
        ("po-nim(n=3))", "expected nothing more"),
        ("po-nim(n=3, n=4)", "given twice"),
        ("po-nim(n=3, 4)", "expected parameter=value"),
        ("po-nim(n=)", "expected a value"),
        ("po-nim(n=__import__('os').system('x'))", "found"),
        ("x(a=" * 40, "nested more than"),
        ("x" * 2_000, "at most 1000"),
        ("po-nim; rm", "found ';'"),
    ],
)
def test_bad_specs(text, message):
    with pytest.raises(SpecError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("po-nimm", "did you mean 'po-nim'"),
        ("po-nim(m=3)", "has no parameter 'm'.*it has: n=3"),
        ("po-nim(n=three)", "'n' is 'three', expected int"),
        ("po-nim(n=2.5)", "expected int"),
        ("po-nim(n=true)", "expected int"),
        ("po-nim(n=0)", "n is 0"),
        ("card-poker(ranks=1)", "ranks is 1, expected 2"),
        ("tiger(discount=2)", "discount"),
    ],
)
def test_bad_parameters(spec, message):
    with pytest.raises(FogboundError, match=message):
        make(spec)


@pytest.mark.parametrize("name", list(GAMES))
def test_registered_games_name_themselves(name):
    game = make(name)
    assert str(game).partition("(")[0] == name
    assert make(str(game)) == game
    assert all(p.name in spec_of(game) for p in parameters(type(game)) if getattr(game, p.name) is not None)


def test_integers_become_floats_where_floats_are_asked_for():
    assert make("tiger(discount=1)").discount == 1.0

    @dataclass(frozen=True)
    class Odd:
        values: tuple = ()

    assert parameters(Odd)[0].default == ()


def test_boards_are_text_and_svg():
    board = Board.grid([["a", Tile("?", "fog")], [Tile("<&>", "mine"), Tile()]], caption='say "hi"', labels=("x", "y"))
    assert "x" in board.text()
    root = ElementTree.fromstring(board.draw().svg)
    assert root.tag.endswith("svg")
    words = "".join(root.itertext())
    assert "<&>" in words
    assert 'say "hi"' in words


def test_messages_stay_one_line():
    assert one_line("a\nb\x1b[31m") == "a\\nb\\x1b[31m"
    assert len(one_line("x" * 5_000)) == 500
