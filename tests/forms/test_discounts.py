"""A discount is a number above 0 and at most 1, wherever one can be handed in; anything else is refused in one line."""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

import fogbound as fb
from fogbound import files, forms
from fogbound.core import Dist, Game, GameError, Outcome, SpecError
from fogbound.core.contract import is_discount
from fogbound.core.errors import FileError, FogboundError, FormError
from fogbound.forms.protocol import FORMS
from fogbound.games import GAMES
from fogbound.transforms import TRANSFORMS

WRONG = [-0.5, 1.5, math.nan, math.inf, -math.inf]
SOURCES = {
    "table": "tiger",
    "pomdp": "tiger",
    "posg": "multi-tiger",
    "markov": "random-markov(size=2, choices=2)",
    "one-sided": "patrolling",
}


def has_discount(kind):
    return is_dataclass(kind) and any(field.name == "discount" for field in fields(kind))


def refused(error, make, *args, **named):
    with pytest.raises(error, match="discount") as caught:
        make(*args, **named)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wrong", [*WRONG, "0.9", None, 1j])
def test_what_is_no_discount(wrong):
    assert not is_discount(wrong)
    assert not is_discount(wrong, zero=True)
    assert not is_discount(0)
    assert is_discount(0, zero=True)
    assert all(map(is_discount, (1, 1.0, 0.5, np.float32(0.5), np.float64(1e-300))))


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", [name for name in GAMES if has_discount(GAMES.load(name))])
def test_every_shipped_game_refuses_it(name, wrong):
    refused(SpecError, GAMES.load(name), discount=wrong)


def test_every_form_that_holds_a_discount_is_tried():
    assert {kind for kind in FORMS if has_discount(FORMS.load(kind))} == set(SOURCES)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("kind", SOURCES)
def test_every_form_refuses_it(kind, wrong):
    game = fb.game(SOURCES[kind])
    form = forms.one_sided(game) if kind == "one-sided" else forms.derive(game, FORMS.load(kind))
    refused(FormError, replace, form, discount=wrong)


def _listed(discount):
    labels = forms.ModelLabels(("one",), ("on",), (("wait",),), (("tick",),))
    zero = np.zeros(1, np.int64)
    outcomes = forms.JointOutcomes(zero, zero, zero, zero, np.ones(1), np.ones((1, 1)))
    return forms.table_from_outcomes("one", discount, labels, np.ones(1), outcomes)


def _pomdp(discount):
    zero = np.zeros(1, np.int64)
    columns = (zero, zero, zero, zero, np.ones(1))
    return forms.pomdp_from_arrays("one", discount, ["on"], ["wait"], ["tick"], np.ones(1), columns, np.ones((1, 1)))


ARRAYS = {
    "table_from_outcomes": _listed,
    "pomdp_from_arrays": _pomdp,
}


def test_every_way_from_arrays_is_tried():
    takers = {
        name
        for name in forms.__all__
        if inspect.isfunction(getattr(forms, name)) and "discount" in inspect.signature(getattr(forms, name)).parameters
    }
    assert takers == set(ARRAYS)


@pytest.mark.parametrize("wrong", [*WRONG, "0.9", None])
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_refuse_it(name, wrong):
    assert ARRAYS[name](0.5).discount == 0.5
    refused(FormError, ARRAYS[name], wrong)


class Odd(Game):
    """A game that anybody might write, with a discount that is none."""

    players = ("one", "other")

    def __init__(self, discount):
        self.discount = discount

    def start(self):
        return Dist.sure(Outcome(0, public=0))

    def actors(self, state):
        return () if state else (0,)

    def actions(self, state, player):
        return ("go", "stay")

    def step(self, state, joint):
        return Dist.sure(Outcome(int(joint == ("go",)), (1.0, 0.0), public=joint))


USES = {
    "table": forms.table,
    "tree": forms.tree,
    "markov": forms.markov,
    "pomdp": lambda game: forms.pomdp(game, 0, {1: fb.policies.Uniform()}),
    "solve": fb.solve,
    "mcts": lambda game: fb.solve(game, "mcts(simulations=4)"),
    "match": lambda game: fb.match(game, ["uniform", "uniform"], games=2),
    "horizon": lambda game: forms.table(TRANSFORMS.load("horizon")(game, 2)),
    "opposed": lambda game: forms.table(TRANSFORMS.load("opposed")(game, 0)),
    "team": lambda game: forms.table(TRANSFORMS.load("team")(game, (0, 1))),
}


@pytest.mark.parametrize("wrong", [*WRONG, 0.0, "0.9", None])
@pytest.mark.parametrize("use", USES)
def test_every_entry_point_refuses_a_wrong_discount(use, wrong):
    refused(GameError, USES[use], Odd(wrong))


WRITTEN = {
    ".pomdp": (r"(?m)^discount:.*$", "discount: {}", "tiger"),
    ".dpomdp": (r"(?m)^discount:.*$", "discount: {}", "multi-tiger"),
    ".pomdpx": (r"<Discount>.*?</Discount>", "<Discount>{}</Discount>", "tiger"),
    ".osposg": (r"\A((?:\S+\s+){7})\S+", r"\g<1>{}", "patrolling"),
}


@pytest.mark.parametrize("wrong", [*WRONG, "half"])
@pytest.mark.parametrize("ending", WRITTEN)
def test_every_file_that_has_a_discount_refuses_it(ending, wrong, tmp_path):
    pattern, words, spec = WRITTEN[ending]
    path = tmp_path / f"game{ending}"
    _write(fb.game(spec), path)
    fb.game(path)
    text, changed = re.subn(pattern, words.format(wrong), path.read_text(), count=1)
    assert changed
    path.write_text(text)
    with pytest.raises(FogboundError) as caught:
        fb.game(path)
    assert isinstance(caught.value, FileError)
    assert "\n" not in str(caught.value)


def _write(game, path):
    if path.suffix == ".osposg":
        files.write_one_sided(forms.one_sided(game), path)
    elif path.suffix == ".dpomdp":
        files.write_table(forms.table(game), path)
    else:
        files.write_model(forms.pomdp(game), path)
