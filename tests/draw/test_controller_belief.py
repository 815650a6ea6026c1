"""Controllers drawn with what they believe: beliefs in the boxes, chances on the arrows, nothing dropped."""

from __future__ import annotations

import re

import pytest

from fogbound.core import Dist
from fogbound.core.game import Observation
from fogbound.core.svg import FOG_2, PALETTE
from fogbound.draw import controller, controller_dot
from fogbound.draw.belief.bars import state_colours
from fogbound.evaluation import Visitation, visitation
from fogbound.evaluation.belief_words import belief_note, state_name
from fogbound.forms.words import label
from fogbound.games import make
from fogbound.policies import Controller, Uniform
from tests.draw.made import NASTY, SVG, checked, marked, replied, words_in

LONG = "an extraordinarily long name that goes on and on, and then some more of it, to no end at all"


def held(spec, player=0):
    game, policy = make(spec), replied(spec, player).profile[player].minimal()
    others = {i: Uniform() for i in range(len(game.players)) if i != player}
    return game, policy, visitation(game, {**others, player: policy}, player)


def labels(root):
    """What stands on arrows, lines joined."""
    return " ".join(words_in(root))


def test_tiger_says_what_it_believes():
    game, policy, held_by = held("tiger")
    root = checked(controller(policy, describe=game.describe, visitation=held_by))
    said = words_in(root)
    assert marked(root, "data-node") == set(range(5))
    for word in ("0.50 left; 0.50 right", "0.85 left; 0.15 right", "0.97 left; 0.03 right", "growl-left 0.50"):
        assert word in said
    assert labels(root).count("growl-left 0.50, growl-right 0.50") == 2  # from each door that was opened
    assert {f"the tiger is behind the {side} door" for side in ("left", "right")} <= set(said)  # the key


def test_strips_are_as_wide_as_states_are_likely():
    game, policy, held_by = held("tiger")
    root = checked(controller(policy, describe=game.describe, visitation=held_by))
    for group in root.iter(f"{SVG}g"):
        if group.get("data-node") is not None:
            belief = dict(held_by.beliefs[int(group.get("data-node"))])
            parts = {e.get("fill"): float(e.get("width")) + 1 for e in group.iter(f"{SVG}rect")}
            share = parts[PALETTE[0]] / sum(parts.values())
            assert share == pytest.approx(belief["left"], abs=0.01)


def test_without_a_visitation_nothing_changes():
    game, policy, held_by = held("tiger")
    for draw in (controller, controller_dot):
        plain = draw(policy, describe=game.describe)
        assert plain == draw(policy, describe=game.describe, visitation=None)
        assert plain != draw(policy, describe=game.describe, visitation=held_by)
        assert "growl-left 0." not in str(plain)


def test_text_and_dot_say_the_same():
    game, policy, held_by = held("tiger")
    told = controller(policy, describe=game.describe, visitation=held_by).text
    dot = controller_dot(policy, describe=game.describe, visitation=held_by)
    left, right = (rf"0\.50 the tiger is behind the {side} door" for side in ("left", "right"))
    assert re.search(rf"^\d  listen · {left}; {right}\n    growl-left 0\.50  → ", told, re.MULTILINE)
    assert "    growl-left 0.50, growl-right 0.50 → 0" in told
    assert 'label="listen\\n0.85 the tiger is behind the left door; 0.15 the tiger is behind the right door"' in dot
    assert 'label="growl-left 0.50\\ngrowl-right 0.50"' in dot
    assert dot.count(" -> ") == 9


@pytest.mark.parametrize("spec", ["card-poker(ranks=8)", "po-nim(n=3, discount=0.9)", "tiger(resets=false)"])
def test_games_are_drawn_without_overlaps(spec):
    game, policy, held_by = held(spec)
    root = checked(controller(policy, describe=game.describe, visitation=held_by))
    assert len(marked(root, "data-node")) == min(60, policy.size)


def test_first_sights_have_chances():
    game, policy, held_by = held("card-poker(ranks=8)")
    first = controller(policy, describe=game.describe, visitation=held_by).text.split("\n\n")[1]
    chances = [float(p) for p in re.findall(r": (0\.\d+)", first)]
    assert sum(chances) == pytest.approx(1, abs=0.03)


def test_a_long_listing_counts_what_it_leaves_out():
    game, policy, held_by = held("po-nim(n=3, discount=0.9)")
    told = controller(policy, describe=game.describe, most=2, visitation=held_by).text
    assert f"… {policy.size - 2} more nodes, farther from the start" in told
    assert "→ …" in told
    assert "more nodes" not in controller(policy, describe=game.describe, visitation=held_by).text


def test_notes_fit_and_stay_honest():
    assert belief_note((("here", 1.0),)) == "surely here"
    assert belief_note(()) == "never visited"
    assert belief_note((("a", 0.97), ("b", 0.03))) == "0.97 a; 0.03 b"
    assert belief_note((("a", 0.6), ("b", 0.38), ("c", 0.01), ("d", 0.01))) == "0.60 a; 0.38 b; … 2 more"
    assert belief_note(tuple((f"s{k}", 1 / 64) for k in range(64))) == "64 states, 6.00 bits of fog"
    assert belief_note(((LONG, 0.6), ("b", 0.4)), room=200) == "2 states, 0.97 bits of fog"
    named = [state_name(label(state)) for state in (3, (1, 2), "left", ("s1", 4))]
    assert named == ["state 3", "(1 2)", "left", "s1 4"]


def test_colours_only_where_they_tell_something():
    few = Visitation((1.0,), (tuple((k, 0.1) for k in range(10)),), {}, {})
    many = Visitation((1.0,), (tuple((k, 0.01) for k in range(100)),), {}, {})
    assert len(state_colours(few, [0])) == 7
    assert state_colours(many, [0]) == {}
    assert state_colours(None, [0]) == {}
    policy = Controller({Observation(None, None): 0}, {}, (Dist.sure("go"),))
    root = checked(controller(policy, visitation=few))
    assert "all others" in words_in(root)
    assert FOG_2 in [e.get("fill") for e in root.iter(f"{SVG}rect")]


def test_nodes_and_sights_that_never_come():
    arrows = {
        (0, "go", Observation("on", None)): 1,
        (0, "go", Observation("off", None)): 1,
        (1, None, Observation("x", None)): 0,
    }
    policy = Controller({Observation(None, None): 0}, arrows, (Dist.sure("go"), None))
    told = Visitation(
        (1.0, 0.0), ((("s", 1.0),), ()), {(0, "go", Observation("on", None)): 1.0}, {Observation(None, None): 1.0}
    )
    text = controller(policy, visitation=told).text
    assert "on 1.00, off never → 1" in text
    assert "1  waits · never visited\n    x → 0" in text
    assert "never visited" in words_in(checked(controller(policy, visitation=told)))


def test_numbers_seen_keep_apart_from_their_chances():
    arrows = {(0, "go", Observation(k, None)): 0 for k in (1, 2, 3, 7)}
    policy = Controller({Observation(None, None): 0}, arrows, (Dist.sure("go"),))
    chances = {(0, "go", Observation(k, None)): p for k, p in ((1, 0.25), (2, 0.25), (3, 0.125), (7, 0.375))}
    told = controller(
        policy, visitation=Visitation((1.0,), ((("s", 1.0),),), chances, {Observation(None, None): 1.0})
    ).text
    assert "    1 to 3: 0.62, 7: 0.38 → 0" in told


def test_nasty_states_are_only_text():
    policy = Controller({Observation(None, None): 0}, {}, (Dist.sure("go"),))
    belief = tuple((name, 1 / 3) for name in NASTY)
    told = Visitation((1.0,), (belief,), {}, {Observation(None, None): 1.0})
    assert any('<b>&"' in word for word in words_in(checked(controller(policy, visitation=told))))
    assert "\x00" not in controller(policy, visitation=told).text + controller_dot(policy, visitation=told)
    names = tuple((f"{k} {LONG}", 1 / 5) for k in range(5))
    checked(controller(policy, visitation=Visitation((1.0,), (names,), {}, {})))
